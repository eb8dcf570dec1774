"""Popups with a search field and a list: commands, keys, files."""
