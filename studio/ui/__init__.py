"""Desktop user interface (Qt), imported only by `studio.open_window`."""
