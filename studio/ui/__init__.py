"""User interface, imported only by the program's entry point."""
