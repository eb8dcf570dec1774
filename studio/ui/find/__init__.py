"""Dock panel that finds lines across plans, project and history."""
