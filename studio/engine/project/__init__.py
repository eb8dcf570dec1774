"""State of one open project: root, rules, store and file cache."""
