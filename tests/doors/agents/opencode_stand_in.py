"""Stands in for `opencode serve`: it speaks as opencode 1.18.33 was seen to, and writes nothing.

What it is to do stands in the file `said` beside it; what it heard goes into `log`, a line each.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HERE = Path(__file__)
SAID: dict[str, Any] = json.loads(HERE.with_name("said").read_text())
ANSWERS: dict[str, Any] = {
    "/config": {"shell": json.loads(os.environ["OPENCODE_CONFIG_CONTENT"])["shell"]},
    "/agent": [{"name": "build", "permission": [{"permission": "*", "pattern": "*", "action": "allow"}]}],
    "/experimental/tool/ids": ["read", "edit", "bash", "task"],
    **SAID["answers"],
}

events: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
pending: dict[str, dict[str, Any]] = {}
changed = threading.Condition()


def note(*said: object) -> None:
    with HERE.with_name("log").open("a") as log:
        log.write(json.dumps(said) + "\n")


def tell(kind: str, **properties: Any) -> None:
    events.put({"type": kind, "properties": {"sessionID": "ses", **properties}})


def play(groups: list[Any]) -> None:
    tell("session.status", status={"type": "busy"})
    for group in groups:
        if isinstance(group, dict):
            events.put(group)
            continue
        with changed:
            for request in group:
                pending[request["id"]] = request
            for request in group:
                tell("permission.asked", **request)
            changed.wait_for(lambda: not pending)
    tell("session.idle")


class Handler(BaseHTTPRequestHandler):
    def answer(self, document: Any, status: int = 200) -> None:
        text = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self) -> None:
        if self.path == "/event":
            self.send_response(200)
            self.end_headers()
            while True:
                self.wfile.write(f"data: {json.dumps(events.get())}\n\n".encode())
                self.wfile.flush()
        if self.path == "/permission":
            with changed:
                self.answer([{**request, "parts": None} for request in pending.values()])
        elif "/message/" in self.path:
            with changed:
                self.answer({"parts": [each["part"] for each in pending.values()]})
        else:
            self.answer(ANSWERS[self.path])

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        note(self.path, body)
        if self.path == "/session":
            self.answer({"id": "ses", **body, **SAID["session"]})
        elif self.path.endswith("/prompt_async"):
            threading.Thread(target=play, args=(SAID["turns"].pop(0),), daemon=True).start()
            self.answer(None)
        elif self.path.endswith("/abort"):
            with changed:
                pending.clear()
                tell("session.error", error={"name": "MessageAbortedError"})
                changed.notify_all()
            self.answer(True)
        else:
            self.reply(self.path.split("/")[2], body["reply"])

    def reply(self, request: str, reply: str) -> None:
        with changed:
            known = pending.pop(request, None)
            if reply == "reject":
                pending.clear()
            changed.notify_all()
        self.answer(known is not None, 200 if known is not None else 404)

    def log_message(self, *_: Any, **__: Any) -> None:
        """Nothing."""


class Server(ThreadingHTTPServer):
    daemon_threads = True


if __name__ == "__main__":
    server = Server(("127.0.0.1", 0), Handler)
    note("began", {"pid": os.getpid(), "words": sys.argv[1:], "pure": os.environ["OPENCODE_PURE"]})
    print(f"opencode server listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()
