"""Wrappers for the operating system, independent of projects: calls, processes, folders, errors."""
