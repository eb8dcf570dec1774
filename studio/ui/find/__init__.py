"""Dock panel for text search in plans, project files and history."""
