"""The window. Nothing imports this package but the program's entry point."""
