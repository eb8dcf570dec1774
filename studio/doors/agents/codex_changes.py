"""Changes of files as Codex' app server tells them, as a draft.

Found by running Codex 0.169.0: an added file is its text, an updated one a diff of lines, to which a new name
is put in words, and a deleted one is the text that is to go.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast

from studio.doors.agents.server_process import Message, as_fields, as_text
from studio.doors.places import Places
from studio.engine.draft import PlanDraft
from studio.engine.errors import Refused
from studio.engine.plan import sha256
from studio.engine.policy import PolicyLimits
from studio.formats import plan_json
from studio.formats.folding import fold
from studio.formats.submission import SubmissionOptions, SubmittedText, read_submission


def draft_of(changes: object, places: Places, agent: str, limits: PolicyLimits) -> PlanDraft:
    """The draft that says the same. Raises Refused for what is not understood, or too much."""
    if not isinstance(changes, list) or not changes:
        raise _not_read("it names no files")
    steps = [_step(as_fields(change)) for change in cast("list[object]", changes)]
    said = json.dumps({"title": agent, "steps": steps}).encode()
    draft = read_submission(
        [SubmittedText(said, shown="What Codex is to write")],
        SubmissionOptions(plan_json.NAME, agent=agent),
        limits=limits,
    )
    return replace(draft, title="", steps=fold([places.of_step(step) for step in draft.steps]))


def _step(change: Message) -> dict[str, Any]:
    kind = as_fields(change.get("kind"))
    path, text = as_text(change.get("path")), change.get("diff")
    if not path or not isinstance(text, str):
        raise _not_read("a change has no path or no text")
    match kind.get("type"):
        case "add":
            return {"op": "create", "path": path, "content": text}
        case "delete":
            # It was read as UTF-8, or could not be read: what it saw is the base.
            return {"op": "delete", "path": path, "base_sha256": sha256(text.encode("utf-8", "replace"))}
        case "update":
            to = as_text(kind.get("move_path"))
            return _moved(path, to, text) if to else {"op": "modify", "path": path, "patch": text}
        case _:
            raise _not_read("a change is of a kind that is not known")


def _moved(path: str, to: str, text: str) -> dict[str, Any]:
    patch = text.removesuffix(f"\n\nMoved to: {to}")
    if patch == text:
        raise _not_read("a new name does not stand where it should")
    step = {"op": "move", "path": path, "to": to}
    return {**step, "patch": patch} if patch.strip() else step


def _not_read(why: str) -> Refused:
    return Refused(
        "agent.not_read",
        f"What Codex wants to write can't be read: {why}.",
        "Update Exacta Studio, or Codex.",
    )
