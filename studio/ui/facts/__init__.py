"""Side pane listing warnings and properties of the current step or plan."""

from studio.ui.facts.panel import FactsPanel

__all__ = ["FactsPanel"]
