"""The facts pane: what to look out for, and what is known of the current step or plan."""

from studio.ui.facts.panel import FactsPanel

__all__ = ["FactsPanel"]
