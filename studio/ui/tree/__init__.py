"""The project tree: the files, and what open plans say about them."""

from studio.ui.tree.panel import TreePanel

__all__ = ["TreePanel"]
