"""Window actions: table, `QAction`s, key bindings, and a guard against accidental keys."""
