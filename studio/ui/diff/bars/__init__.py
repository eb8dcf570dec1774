"""The bars around a diff: its headings, its search, where to go, and the diff as accessible text."""
