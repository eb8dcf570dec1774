"""Inbox folder where agents put proposal files and get answer files."""

from studio.doors.inbox.inbox import Inbox, News, NewsKind

__all__ = ["Inbox", "News", "NewsKind"]
