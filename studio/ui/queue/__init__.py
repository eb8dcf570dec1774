"""The queue: plans that wait for review, and their steps."""

from studio.ui.queue.panel import QueuePanel

__all__ = ["QueuePanel"]
