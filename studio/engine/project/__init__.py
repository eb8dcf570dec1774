"""One open project: what its root, rules and store are, what its files held, and what changes on its disk."""
