"""Submission entry point: size checks, parsing, merging several texts into one draft.

A caller passes the bytes and options. How much is read, what is no plan, the format, the merging of several
texts and the plan's title are decided here, for every entry point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from studio.engine import PlanDraft, PolicyLimits, Problem
from studio.errors import Refused, UsageError
from studio.formats import detect
from studio.formats.count_checks import USUAL_LIMITS, check_size
from studio.formats.folding import fold, title_for
from studio.formats.limits import SUBMISSION_BYTES
from studio.formats.repairs import consider_repair
from studio.limits import PLAN_PROBLEMS_UP_TO
from studio.names import show_name
from studio.values import Value

Reader = Callable[[int], bytes]
"""Function that returns at most so many bytes of a text.

It reads from the start, and is called once.
"""


class SubmittedText(Value):
    """One submitted text: its bytes, or a function that reads them.

    `name` prefixes messages where several texts make one plan; `shown` names the text in an error;
    `file_name` is its file's name without folders, "" for none.
    """

    source: bytes | Reader
    name: str = ""
    shown: str = "The text"
    file_name: str = ""


class SubmissionOptions(Value):
    """The options of a submission.

    `title` and `agent` are given by the submitter and override those of the texts; `usual_title` and
    `usual_agent` are defaults where neither has one. An empty or too large text is refused; with
    `shows_unusable` it becomes a plan that says so, for display in the queue. With `repairs`, a text or
    change that fits with exactly one repair is repaired.
    """

    format: str = detect.AUTO
    title: str = ""
    agent: str = ""
    usual_title: str = ""
    usual_agent: str = ""
    shows_unusable: bool = False
    repairs: bool = False
    in_session: bool = False
    """Whether the engine names the plan by its files, as later rounds may add some."""
    project: Path | None = None
    """The base of absolute paths in logs; None without a log."""


def read_submission(
    texts: Iterable[SubmittedText],
    options: SubmissionOptions | None = None,
    *,
    limits: PolicyLimits = USUAL_LIMITS,
) -> PlanDraft:
    """Parse all texts into one draft, in order.

    No text is read beyond the limit. Never raises for bad content: `problems` says why a text can't be read.
    Raises Refused, before anything is parsed, for an empty or too large text, and for more steps or hunks
    than the project's `limits`; UsageError for an unknown format and without any text; and whatever reading a
    text raises.
    """
    settings = options or SubmissionOptions()
    drafts: list[PlanDraft] = []
    submitted: list[SubmittedText] = []
    for text in texts:
        data = _read(text, settings)
        draft = detect.read(
            data, settings.format, file_name=text.file_name, limits=limits, project=settings.project
        )
        drafts.append(consider_repair(draft, data, limits, takes_repairs=settings.repairs))
        submitted.append(text)
    draft = _merge(drafts, [text.name for text in submitted])
    file_name = show_name(submitted[0].file_name) if len(submitted) == 1 else ""
    words = "" if settings.in_session and draft.title == title_for(draft.steps) else draft.title
    return replace(
        draft,
        title=settings.title or words or file_name or settings.usual_title,
        agent=settings.agent or draft.agent or settings.usual_agent,
        takes_repairs=settings.repairs,
    )


def _read(text: SubmittedText, settings: SubmissionOptions) -> bytes:
    # One more byte than allowed shows that it is too much; a file may be far larger.
    data = text.source if isinstance(text.source, bytes) else text.source(SUBMISSION_BYTES + 1)
    if settings.shows_unusable:
        return data
    check_size(data, text.shown, text.name)
    if detect.is_empty(data):
        raise Refused("submit.empty", f"{text.shown} is empty.", "Provide a diff or a plan.", path=text.name)
    return data


def _merge(drafts: Sequence[PlanDraft], names: Sequence[str]) -> PlanDraft:
    """Merge the drafts of texts that were submitted together.

    Paths that several texts change are folded, or are one invalid step; a text that can't be read refuses
    all.
    """
    if not drafts:
        raise UsageError(
            "format.nothing", "Nothing was submitted.", "Specify a file, or - for standard input."
        )
    if len(drafts) == 1:
        return drafts[0]
    with_names = [_with_name(draft, name) for draft, name in zip(drafts, names, strict=True)]
    steps = fold([step for draft in with_names for step in draft.steps])
    formats = dict.fromkeys(draft.format for draft in with_names)
    titles = dict.fromkeys(draft.title for draft in with_names if draft.title)
    problems = Problem.shorten(
        (problem for draft in with_names for problem in draft.problems), PLAN_PROBLEMS_UP_TO
    )
    return PlanDraft(
        format="+".join(formats),
        steps=() if problems else steps,
        title=next(iter(titles)) if len(titles) == 1 else title_for(steps),
        agent=next((draft.agent for draft in with_names if draft.agent), ""),
        problems=problems,
        repair=next((draft.repair for draft in with_names if draft.repair), ""),
    )


def _with_name(draft: PlanDraft, name: str) -> PlanDraft:
    if not name:
        return draft
    shown = show_name(name)

    def add_name(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
        return tuple(replace(problem, message=f"{shown}: {problem.message}") for problem in problems)

    steps = tuple(
        replace(step, problems=add_name(step.problems)) if step.problems else step for step in draft.steps
    )
    return replace(draft, steps=steps, problems=add_name(draft.problems))
