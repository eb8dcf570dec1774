"""Stands in for Gemini CLI where it is talked with: writes where nothing stops it, and asks no model.

`way`, beside it, says how it takes an end of ours that fails: "closed" as a no, "open" as a yes, "deaf" takes
a no as a yes, too, "idle" does nothing, and "mute" answers nothing.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

FILE = Path.cwd() / "notes.txt"


def main() -> int:
    if sys.argv[1:] == ["--version"]:
        print("9.9.9 (stand-in)")
        return 0
    way, mode = Path(sys.argv[0]).with_name("way").read_text(), ""
    for line in sys.stdin:
        request: dict[str, Any] = json.loads(line)
        if way == "mute":
            return 0
        if request["method"] == "session/set_mode":
            mode = request["params"]["modeId"]
        if request["method"] == "session/prompt" and way != "idle" and may_write(way, mode):
            FILE.write_text("written")
        say({"id": request["id"], "result": {"sessionId": "s"}})
    return 0


def may_write(way: str, mode: str) -> bool:
    if mode != "default":
        return True
    say({"id": 1, "method": "fs/read_text_file", "params": {"path": str(FILE)}})
    content = json.loads(sys.stdin.readline())["result"]["content"]
    options = [{"kind": kind, "optionId": kind} for kind in ("allow_always", "allow_once", "reject_once")]
    say({"id": 2, "method": "session/request_permission", "params": {"options": options}})
    assert json.loads(sys.stdin.readline())["result"]["outcome"]["optionId"] == "allow_once"
    say({"id": 3, "method": "fs/write_text_file", "params": {"path": str(FILE), "content": content + "x"}})
    answer = sys.stdin.readline()
    try:
        return "error" in json.loads(answer) and way == "deaf"
    except ValueError:
        return way != "closed"


def say(message: dict[str, Any]) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
