"""The queue: plans that wait for a person, and their steps."""

from studio.ui.queue.panel import QueuePanel

__all__ = ["QueuePanel"]
