"""Searchable popups: command palette, keys, files, projects, code fonts."""
