"""Facts pane: warnings and facts of the current step or plan."""

from studio.ui.facts.panel import FactsPanel

__all__ = ["FactsPanel"]
