"""Review of what already happened: uncommitted changes, commits, changes since a snapshot."""

from studio.extras.reviews.reviews import Reviews

__all__ = ["Reviews"]
