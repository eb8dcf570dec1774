"""Agents' edit tool calls converted to draft plans with project-relative paths."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from studio import formats
from studio.names import project_path

if TYPE_CHECKING:
    from studio.engine import DraftStep, PlanDraft, PolicyLimits


def draft_of_tool(
    tool: str, arguments: Mapping[str, Any], places: PathConverter, agent: str, limits: PolicyLimits
) -> PlanDraft:
    """Return the draft of what the tool would write, problems included.

    Raises Refused for input that is too large.
    """
    # Not the reader of submitted text, which loads every format: here the format is known.
    document = json.dumps({"tool_name": tool, "tool_input": arguments})
    formats.count_checks.check_size(document, "The tool input")
    draft = formats.tool_calls.read(formats.reply_text.ReplyText(document), limits)
    steps = formats.folding.fold([places.to_project_step(step) for step in draft.steps])
    return replace(draft, title="", agent=agent, steps=steps)


# Conversion of a client's paths to project paths.


class PathConverter:
    """Converter from paths, absolute or relative to `cwd`, to project paths."""

    def __init__(self, roots: Iterable[Path], cwd: str) -> None:
        """Initialize with `roots`, all paths of one folder, maybe through links."""
        self._roots = tuple(dict.fromkeys(roots))
        self._cwd = cwd

    def to_project_step(self, step: DraftStep) -> DraftStep:
        """Return the step with project paths.

        A path outside of the project stays as it was given; the engine refuses it.
        """
        to = None if step.to is None else self._beneath(step.to)
        return replace(step, path=self._beneath(step.path), to=to)

    def _beneath(self, path: str) -> str:
        return project_path(path, self._roots, self._cwd)
