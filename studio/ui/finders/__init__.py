"""Searchable popups: command palette, shortcut list, files, projects, code fonts."""
