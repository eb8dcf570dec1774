"""Constant for the tab width of code views, importable without Qt."""

TAB_COLUMNS = 4
