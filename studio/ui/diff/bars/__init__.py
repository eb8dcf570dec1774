"""Widgets around a diff: headings, tool bar; text search; screen reader view."""
