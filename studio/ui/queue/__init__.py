"""Widgets of the review queue: list of waiting plans and their steps."""

from studio.ui.queue.panel import QueuePanel

__all__ = ["QueuePanel"]
