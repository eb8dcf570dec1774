"""Exacta Studio: desktop program for reviewing AI agents' file changes."""

__version__ = "0.1.0"
