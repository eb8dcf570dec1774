"""Launcher of sandboxed commands and the first process in their namespaces.

Imported by no one; `extras/sandbox` starts it.
"""
