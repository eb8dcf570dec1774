"""Bars around a diff: headings, search, navigation, and the accessible text."""
