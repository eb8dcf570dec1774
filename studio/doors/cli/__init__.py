"""Command line: parsers, commands, and terminal input and output."""
