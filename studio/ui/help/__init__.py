"""Fault banner, diagnostics page and documentation."""
