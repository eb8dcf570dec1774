"""Qwen Code, tried: as seen by running 0.24.4."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from studio.doors.agents.script import Call
from studio.doors.connect.clients.qwen import qwen
from studio.doors.doctor.tried import TARGET, OwnSettings, Place, TriedClient, shell_killed

_MODEL: Final = "scripted"


def _edit(project: Path) -> tuple[Call, ...]:
    # It changes no file that it has not read.
    file = str(project / TARGET)
    given = {"file_path": file, "old_string": "beta", "new_string": "BETA"}
    return Call("read_file", {"file_path": file}), Call("edit", given)


def _set_up_qwen(place: Place, entries: Sequence[Mapping[str, object]]) -> None:
    folder = place.home / ".qwen"
    folder.mkdir()
    settings: dict[str, Any] = {"hooks": {"PreToolUse": entries}}
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


def _qwen(url: str) -> Sequence[str]:
    # By words: variables yield to the model and the providers that its settings name.
    model = ["--model", _MODEL, "--openai-api-key", _MODEL, "--openai-base-url", f"{url}/v1"]
    return ["qwen", "-p", "Go on.", "--auth-type", "openai", *model, "--approval-mode", "yolo"]


def _of_qwen(url: str) -> Mapping[str, str]:
    model = {"OPENAI_API_KEY": _MODEL, "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": _MODEL}
    return {**model, "NO_PROXY": "*", "QWEN_SANDBOX": "false"}


TRIED_QWEN: Final = TriedClient(
    program="qwen",
    wish=_edit,
    entry=lambda hook: qwen(hook)[0].value,
    set_up=_set_up_qwen,
    command=_qwen,
    variables=_of_qwen,
    killed=shell_killed,
    own=OwnSettings((".qwen/hooks", ".qwen/extensions", ".qwen/skills", ".qwen/agents")),
)
