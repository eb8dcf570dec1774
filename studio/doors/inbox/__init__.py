"""The inbox: a folder of the user's in which agents lay texts, and find the answers beside them."""

from studio.doors.inbox.inbox import Inbox, News, NewsKind

__all__ = ["Inbox", "News", "NewsKind"]
