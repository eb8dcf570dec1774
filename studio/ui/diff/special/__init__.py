"""Pages shown instead of a diff: info card, image comparison, text, hex."""
