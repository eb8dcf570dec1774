"""Implementations of the commands: each returns an answer from parsed arguments."""
