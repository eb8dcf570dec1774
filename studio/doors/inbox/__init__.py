"""The inbox: a user's folder where agents put texts and find answers."""

from studio.doors.inbox.inbox import Inbox, News, NewsKind

__all__ = ["Inbox", "News", "NewsKind"]
