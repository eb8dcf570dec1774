"""Internal error banner, diagnostics page, and opening of the HTML documentation."""
