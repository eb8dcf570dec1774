"""`studio inbox`: convert proposals in the inbox folder to plans, with replies."""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections.abc import Iterator

from studio.doors.cli.console.answer import Answer
from studio.doors.cli.console.output import print_line
from studio.doors.inbox import Inbox, News
from studio.doors.limits import INBOX_LOOK_SECONDS
from studio.errors import Refused
from studio.extras.inbox_folder import InboxFolder
from studio.names import show_name
from studio.workspace import Workspace


def inbox(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    """Print one line, or one object, for each event of a text.

    Raises Refused where no folder is configured, or as `InboxFolder` and `Inbox.scan`.
    """
    path = workspace.config.inbox
    if path is None:
        raise Refused(
            "inbox.off",
            "The inbox is off: no folder is configured.",
            "Set one in your own configuration: agents: {inbox: ${HOME}/inbox}",
        )
    with InboxFolder(path, workspace.root_path) as folder:
        sys.stderr.write(
            f"studio: importing files from {show_name(str(folder.path))} for the project "
            f"{show_name(str(workspace.root_path))}.\n"
        )
        for news in _stream(Inbox(workspace, folder), once=arguments.once):
            print_line(json.dumps(_news_json(news)) if arguments.json else _news_line(news), flush=True)
    return Answer({}, "", is_printed=True)


def _stream(inbox: Inbox, *, once: bool) -> Iterator[News]:
    pause = threading.Event()
    yield from inbox.scan()
    while True:
        pause.wait(INBOX_LOOK_SECONDS)
        yield from inbox.scan()
        if once:
            yield from inbox.unsettled()
            return


def _news_json(news: News) -> dict[str, str | None]:
    return {
        "file": show_name(news.name),
        "happened": news.kind.value,
        "plan": None if news.plan is None else news.plan.id,
        "state": None if news.plan is None else news.plan.state.value,
        "answer": show_name(news.answer) or None,
        "message": show_name(news.message),
    }


def _news_line(news: News) -> str:
    plan = "-" if news.plan is None else news.plan.short_id
    return f"{news.kind.value:<8}  {plan:<8}  {show_name(news.name)}  {show_name(news.message)}"
