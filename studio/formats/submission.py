"""The one way in: texts that were handed in, and what was said beside them, as one draft plan (contract 2).

A door says where the bytes are and what it was told. How much of them is read, what is no plan at all, which
format it is, what several texts make together and what the plan is called is settled here, for every door.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from studio.engine.draft import PlanDraft
from studio.engine.errors import Refused, UsageError
from studio.engine.limits import PLAN_PROBLEMS_UP_TO, SUBMISSION_BYTES
from studio.engine.names import show_name
from studio.engine.plan import Problem
from studio.engine.policy import PolicyLimits
from studio.engine.problem_lists import shortened
from studio.formats import detect
from studio.formats.amounts import USUAL_LIMITS, check_size
from studio.formats.folding import fold, title_for
from studio.formats.repairs import consider_repair

Reader = Callable[[int], bytes]
"""Gives at most so many bytes of a text, from its beginning; it is asked once."""


@dataclass(frozen=True, slots=True)
class SubmittedText:
    """One text that was handed in: its bytes, or what reads them.

    `name` stands before messages where several texts make one plan; `shown` is what a refusal calls the text;
    `file_name` is that of the file it stands in, without folders, "" where it stands in none.
    """

    source: bytes | Reader
    name: str = ""
    shown: str = "The text"
    file_name: str = ""


@dataclass(frozen=True, slots=True)
class SubmissionOptions:
    """What was said beside the texts.

    `title` and `agent` are somebody's own words and go before those of the texts; `usual_title` and
    `usual_agent` stand in where neither anybody nor a text says it. An empty or too large text is refused;
    with `shows_unusable` it becomes a plan that says so, for a person who looks at the queue. With `repairs`
    what would fit with one repair alone is taken so.
    """

    format: str = detect.AUTO
    title: str = ""
    agent: str = ""
    usual_title: str = ""
    usual_agent: str = ""
    shows_unusable: bool = False
    repairs: bool = False
    project: Path | None = None
    """The folder in which absolute paths of a log's tool calls count; None where there is no log."""


def read_submission(
    texts: Iterable[SubmittedText],
    options: SubmissionOptions | None = None,
    *,
    limits: PolicyLimits = USUAL_LIMITS,
) -> PlanDraft:
    """One draft of all texts, in their order; of none is more read than is taken.

    Never raises for bad content: `problems` says why a text can't be read. Raises Refused, before anything is
    parsed, for an empty or too large text, and for more steps or hunks than the project's `limits`;
    UsageError for a format that is not known and without any text; and whatever reading a text raises.
    """
    said = options or SubmissionOptions()
    drafts: list[PlanDraft] = []
    taken: list[SubmittedText] = []
    for text in texts:
        data = _read(text, said)
        draft = detect.read(data, said.format, file_name=text.file_name, limits=limits, project=said.project)
        drafts.append(consider_repair(draft, data, limits, takes_repairs=said.repairs))
        taken.append(text)
    draft = _merged(drafts, [text.name for text in taken])
    file_name = show_name(taken[0].file_name) if len(taken) == 1 else ""
    return replace(
        draft,
        title=said.title or draft.title or file_name or said.usual_title,
        agent=said.agent or draft.agent or said.usual_agent,
        takes_repairs=said.repairs,
    )


def _read(text: SubmittedText, said: SubmissionOptions) -> bytes:
    # One byte more than is taken says that it is too much; a file may be far larger.
    data = text.source if isinstance(text.source, bytes) else text.source(SUBMISSION_BYTES + 1)
    if said.shows_unusable:
        return data
    check_size(data, text.shown, text.name)
    if detect.is_empty(data):
        raise Refused("submit.empty", f"{text.shown} is empty.", "Give a diff or a plan.", path=text.name)
    return data


def _merged(drafts: Sequence[PlanDraft], names: Sequence[str]) -> PlanDraft:
    """One draft of several texts that were submitted together.

    Paths that several texts change are folded, or are one invalid step; one that can't be read refuses all.
    """
    if not drafts:
        raise UsageError("format.nothing", "Nothing was submitted.", "Name a file, or - for standard input.")
    if len(drafts) == 1:
        return drafts[0]
    named = [_named(draft, name) for draft, name in zip(drafts, names, strict=True)]
    steps = fold([step for draft in named for step in draft.steps])
    formats = dict.fromkeys(draft.format for draft in named)
    titles = dict.fromkeys(draft.title for draft in named if draft.title)
    problems = shortened((problem for draft in named for problem in draft.problems), PLAN_PROBLEMS_UP_TO)
    return PlanDraft(
        format="+".join(formats),
        steps=() if problems else steps,
        title=next(iter(titles)) if len(titles) == 1 else title_for(steps),
        agent=next((draft.agent for draft in named if draft.agent), ""),
        problems=problems,
        repair=next((draft.repair for draft in named if draft.repair), ""),
    )


def _named(draft: PlanDraft, name: str) -> PlanDraft:
    if not name:
        return draft
    shown = show_name(name)

    def told(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
        return tuple(replace(problem, message=f"{shown}: {problem.message}") for problem in problems)

    steps = tuple(
        replace(step, problems=told(step.problems)) if step.problems else step for step in draft.steps
    )
    return replace(draft, steps=steps, problems=told(draft.problems))
