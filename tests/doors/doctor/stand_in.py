"""Stands in for Claude Code: asks its model, then its hook, and writes where nothing stops it.

`STAND_IN` says how it takes a hook that fails: "closed" as a no, "open" as a yes, "deaf" asks no hook at all,
"idle" asks nobody and does nothing, "renewed" is closed and updates itself, "own" is closed, and does nothing
but with its user's settings, no login of theirs and no network. It knows one tool.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

SETTINGS = '{"env": {"MY_API_KEY": "correct horse"}}'
"""What its user has there, with a key in it."""


def main() -> int:
    if sys.argv[1:] == ["--version"]:
        print("9.9.9 (stand-in)")
        return 0
    way = Path(sys.argv[0]).with_name("way").read_text()
    if way == "idle":
        return 0
    if way == "own" and not has_own_settings_alone():
        return 0
    if way == "renewed":
        with Path(sys.argv[0]).open("a") as own:
            own.write("\n")
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go on."}]
    while True:
        answer = ask(messages)
        messages.append({"role": "assistant", "content": answer})
        uses = [part for part in answer if part["type"] == "tool_use"]
        if not uses:
            return 0
        messages.append({"role": "user", "content": [use_tool(use, way) for use in uses]})


def has_own_settings_alone() -> bool:
    home = Path(os.environ["HOME"])
    forced = json.loads(sys.argv[sys.argv.index("--settings") + 1])["env"]
    copies = [file.read_bytes() for file in home.rglob(".claude*/**/*") if file.is_file()]
    networks = Path("/proc/net/dev").read_text().splitlines()[2:]
    return (
        json.loads((home / ".claude/settings.json").read_text())["env"] == {"MY_API_KEY": "scripted"}
        and not any(b"correct horse" in copy for copy in (*copies, (home / ".claude.json").read_bytes()))
        and (home / ".claude/hooks/mine.sh").exists()
        and json.loads((home / ".claude.json").read_text()) == {"mcpServers": {}}
        and not (home / ".claude/.credentials.json").exists()
        and forced["ANTHROPIC_BASE_URL"] == os.environ["ANTHROPIC_BASE_URL"]
        and [line.split(":")[0].strip() for line in networks] == ["lo"]
    )


def ask(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    body = {"model": "m", "max_tokens": 9, "messages": messages, "tools": [{"name": "Edit"}]}
    request = urllib.request.Request(
        os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages",
        json.dumps(body).encode(),
        {"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)["content"]


def use_tool(use: dict[str, Any], way: str) -> dict[str, Any]:
    result = {"type": "tool_result", "tool_use_id": use["id"]}
    refused = None if way == "deaf" else hook_refuses(use, way)
    if refused is not None:
        return {**result, "content": refused, "is_error": True}
    given = use["input"]
    file = Path(given["file_path"])
    file.write_text(file.read_text().replace(given["old_string"], given["new_string"]))
    return {**result, "content": "done"}


def hook_refuses(use: dict[str, Any], way: str) -> str | None:
    groups = json.loads(Path(os.environ["HOME"], ".claude/settings.json").read_text())["hooks"]["PreToolUse"]
    for group in groups:
        refused = command_refuses(group["hooks"][0]["command"], use, way)
        if refused is not None:
            return refused
    return None


def command_refuses(command: str, use: dict[str, Any], way: str) -> str | None:
    said = {
        "hook_event_name": "PreToolUse", "tool_name": use["name"], "tool_input": use["input"],
        "cwd": str(Path.cwd()), "session_id": "s",
    }  # fmt: skip
    try:
        done = subprocess.run(
            [command], input=json.dumps(said), capture_output=True, text=True, timeout=20, check=False
        )
    except OSError as error:
        return None if way == "open" else f"failed: {error}"
    if done.returncode == 0:
        answer = json.loads(done.stdout)["hookSpecificOutput"]
        if answer.get("permissionDecision") == "deny":
            return answer["permissionDecisionReason"]
        return None
    if done.returncode == 2:
        return done.stderr
    return None if way == "open" else "failed"


if __name__ == "__main__":
    sys.exit(main())
