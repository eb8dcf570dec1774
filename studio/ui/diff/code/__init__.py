"""Code lines prepared for painting: highlighting, glyphs, wrapping, selection."""
