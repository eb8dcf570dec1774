"""Exacta Studio: a desktop review desk for AI file changes."""

__version__ = "0.1.0"
