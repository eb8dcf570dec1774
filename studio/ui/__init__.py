"""Desktop user interface (Qt), imported only by the program's entry point."""
