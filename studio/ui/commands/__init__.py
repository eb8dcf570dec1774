"""Dock panel that runs commands in the sandbox."""
