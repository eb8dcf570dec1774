"""Project tree: files and the state of open plans on them."""

from studio.ui.tree.panel import TreePanel

__all__ = ["TreePanel"]
