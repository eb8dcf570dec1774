"""UI state and review operations of an open project."""
