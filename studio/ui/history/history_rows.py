"""Table rows of applied plans and problems; reasons why rollback is impossible."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec.structs import replace

from studio.engine import Operation, PersonSource, Plan, PlanState, Problem, Severity, Step, StepState
from studio.names import show_name
from studio.ui.history.table import BUTTONS_COLUMN, Cell, Column, TableRow
from studio.ui.language import translator
from studio.ui.look.decision_words import seen_words
from studio.ui.look.states import expired, message_with_line, problem_words
from studio.ui.look.words import counted, files, moment, say, size
from studio.ui.review.queue_state import ItemRef
from studio.ui.review.submission import has_message
from studio.ui.widgets.row_painter import SECOND

if TYPE_CHECKING:
    from studio.engine import HistoryEntry, RetentionReport

_tr = translator("History")

_TROUBLED = frozenset({StepState.STALE, StepState.INVALID})
_WATCHED_PLANS = {
    PlanState.PENDING,
    PlanState.APPROVED,
    PlanState.INVALID,
    PlanState.FAILED,
    PlanState.PAUSED,
}


def history_columns() -> tuple[Column, ...]:
    return (
        Column(_tr("When"), 136),
        Column(_tr("Plan, snapshot or path"), 0),
        Column(_tr("State"), 240, least=160),
        # In a narrow window the buttons of the current row cover what follows, never its state.
        Column(_tr("By"), 110, least=74),
        Column(_tr("Files"), 76, least=60),
        Column(_tr("Lines"), 110),
        BUTTONS_COLUMN,
    )


def problem_columns() -> tuple[Column, ...]:
    return (Column(_tr("Problem"), 0), Column(_tr("Where"), 280), Column(_tr("Resolution"), 420))


def fits_words(entry: HistoryEntry, words: str) -> bool:
    """Return whether title, agent and written paths contain every search word."""
    paths = (path for step in entry.written for path in step.written_paths)
    text = " ".join((entry.plan.title, entry.plan.agent, *paths)).casefold()
    return all(word in text for word in words.casefold().split())


def history_rows(
    history: Sequence[HistoryEntry],
    now: datetime,
    due: Collection[str] = (),
    *,
    index: Sequence[HistoryEntry] | None = None,
) -> tuple[TableRow, ...]:
    """Return a row per applied plan or part, newest first.

    `due` are those whose undo the next apply discards; `index` are all plans, where some are not listed.
    """
    by_id = {entry.plan.id: entry for entry in (index or history)}
    return tuple(_history_row(entry, by_id, now, is_due=entry.key in due) for entry in history)


def retention_words(report: RetentionReport) -> str:
    """Return which undo data is kept, its size, and what goes next."""
    if not report.retained:
        return _tr("No undo data is stored.")
    one, several = _tr("Undo data for {n} plan, {size}"), _tr("Undo data for {n} plans, {size}")
    summary = counted(len({undo.plan_id for undo in report.retained}), one, several)
    summary = say(summary, size=size(report.size))
    if report.due:
        oldest = report.due[-1]
        discarded = counted(
            len({undo.plan_id for undo in report.due}),
            _tr("the next apply discards undo data for “{title}”"),
            _tr("the next apply discards undo data for {n} plans, starting with “{title}”"),
        )
        return f"{summary} · {say(discarded, title=show_name(oldest.title))}"
    limits = report.limits
    for_long = counted(limits.days, _tr("kept for {n} day"), _tr("kept for {n} days"))
    newest = counted(limits.plans, _tr("at least the newest plan"), _tr("at least the newest {n} plans"))
    most = say(_tr("up to {size}"), size=size(limits.bytes))
    return f"{summary} · {for_long}, {newest}, {most}"


def why_not_rolled_back(entry: HistoryEntry) -> str:
    """Return why a plan can't be rolled back, else ""."""
    if entry.rolled_back_by is not None:
        return _tr("This plan has already been rolled back.")
    if not entry.kept:
        return _tr("The undo data for this plan is no longer stored.")
    return ""


def why_no_message(entry: HistoryEntry) -> str:
    """Return why a plan has no commit message, else ""."""
    return "" if has_message(entry) else _tr("None of this plan's changes remain on disk.")


def why_not_discarded(entry: HistoryEntry) -> str:
    """Return why a plan's undo can't be discarded, else ""."""
    return "" if entry.discarded is None else _tr("The undo data is no longer stored.")


def problem_matter(plans: Iterable[Plan], notices: Iterable[str]) -> tuple[object, ...]:
    """Return the key of `problem_rows`: equal keys give equal rows.

    Comparing it avoids building hundreds of rows.
    """
    return (
        tuple(notices),
        tuple(
            (plan.id, plan.title, plan.state, problem_words(plan), expired(plan), _failed_steps(plan))
            for plan in plans
            if plan.state in _WATCHED_PLANS
        ),
    )


def _failed_steps(plan: Plan) -> tuple[Step, ...]:
    return tuple(step for step in plan.steps if step.state in _TROUBLED)


def problem_rows(
    plans: Iterable[Plan], notices: Iterable[str]
) -> tuple[tuple[TableRow, ...], dict[str, ItemRef]]:
    """Return a row per problem, and the item that each leads to.

    Problems are refused or stale steps, refused or failed plans, and notices.
    """
    rows: list[TableRow] = []
    places: dict[str, ItemRef] = {}
    for number, notice in enumerate(notices):
        rows.append(_problem_row(f"notice-{number}", ("look-out", "warn"), show_name(notice), "", ""))
    for plan in plans:
        if plan.state not in _WATCHED_PLANS:
            continue
        old = expired(plan)
        for number, problem in enumerate(problem_words(plan)):
            if problem.severity is not Severity.ERROR and problem is not old:
                continue
            key = f"{plan.id}/{number}"
            rows.append(_plan_problem(key, plan, problem))
            places[key] = (plan.id, None)
        for step in _failed_steps(plan):
            key = f"{plan.id}/step-{step.number}"
            rows.append(_step_problem(key, step))
            places[key] = (plan.id, step.number)
    return tuple(rows), places


def _history_row(
    entry: HistoryEntry, by_id: dict[str, HistoryEntry], now: datetime, *, is_due: bool
) -> TableRow:
    when, title = moment(entry.applied_at, now), show_name(entry.plan.title)
    if entry.is_part:
        title = say(_tr("{title}, part {n}"), title=title, n=entry.part)
    by = show_name(entry.plan.agent) or _tr("you")
    if entry.rolls_back is not None:
        by = _tr("you")
    is_rolled_back = entry.is_rolled_back
    turned = is_rolled_back or entry.rolls_back is not None
    state = _state_words(entry, by_id, now, is_rolled_back=is_rolled_back)
    decided = entry.decision
    if decided is not None and decided.seen not in (None, PersonSource.WINDOW):
        state = f"{state} · {say(_tr('decided {how}'), how=seen_words(decided.seen))}"
    if is_due and entry.kept:
        state = say(_tr("{state} · undo data will be discarded by the next apply"), state=state)
    edited = sum(step.decision is not None and step.decision.edited for step in entry.written)
    if edited:
        state_text = counted(edited, _tr("{n} file edited by you"), _tr("{n} files edited by you"))
        state = f"{state} · {state_text}"
    lines, size_words = _lines_words(entry), _size_words(entry)
    state_text = ", ".join((when, title, by, size_words, lines or _accessible_counts(entry), state))
    cells = (
        Cell(when, "muted"),
        Cell(title, icon="rolled-back" if turned else "applied", icon_token="muted" if turned else "ok"),
        Cell(state, "muted", size=SECOND),
        Cell(by, "muted", size=SECOND),
        Cell(size_words, size=SECOND),
        Cell(lines, "muted", size=SECOND) if lines else Cell(added=entry.added, removed=entry.removed),
        Cell(),
    )
    return TableRow(entry.key, cells, state_text, level=0, is_open=False)


def opened(row: TableRow) -> TableRow:
    """Return the row of a plan whose entries are shown."""
    return replace(row, is_open=True)


def _size_words(entry: HistoryEntry) -> str:
    """Return the number of files, or of folders if there are none."""
    folders = len(entry.written) - entry.files
    if entry.files or not folders:
        return files(entry.files)
    return counted(folders, _tr("{n} folder"), _tr("{n} folders"))


def _lines_words(entry: HistoryEntry) -> str:
    """Return the text instead of line counts, "" where they are shown."""
    if not entry.is_counted:
        return _tr("unknown")
    if entry.added or entry.removed:
        return ""
    kinds = {_kind_words(step) for step in entry.written}
    return kinds.pop() if len(kinds) == 1 else _tr("no line changes")


def _kind_words(step: Step) -> str:
    """Return what a step without line changes did."""
    words = {
        Operation.MOVE: _tr("moved"),
        Operation.COPY: _tr("copied"),
        Operation.MODE: _tr("mode changed"),
    }
    if step.op in words:
        return words[step.op]
    sides = [image for image in (step.base, step.decided) if image is not None]
    if any(image.is_folder for image in sides):
        return _tr("folders")
    return _tr("non-text") if any(image.size for image in sides) else _tr("empty")


def _accessible_counts(entry: HistoryEntry) -> str:
    sentence = _tr("{added} added, {removed} removed")
    return say(sentence, added=entry.added, removed=entry.removed)


def _state_words(
    entry: HistoryEntry, by_id: dict[str, HistoryEntry], now: datetime, *, is_rolled_back: bool
) -> str:
    if is_rolled_back:
        return _tr("rolled back")
    if any(step.state is StepState.ROLLED_BACK for step in entry.written):
        return _tr("applied · partially rolled back")
    undone = by_id.get(entry.rolls_back or "")
    if undone is not None:
        return say(_tr("applied · undoes the apply from {when}"), when=moment(undone.applied_at, now))
    if entry.discarded is not None and entry.discarded.discarded_by is not None:
        by = show_name(entry.discarded.discarded_by)
        return say(_tr("applied · undo data discarded by {who}"), who=by)
    return _tr("applied") if entry.kept else _tr("applied · can no longer be rolled back")


def _plan_problem(key: str, plan: Plan, problem: Problem) -> TableRow:
    sign = ("danger" if plan.state is PlanState.FAILED else "refused", "bad")
    if problem.severity is not Severity.ERROR:
        sign = ("stale", "warn")
    return _problem_row(key, sign, show_name(message_with_line(problem)), show_name(plan.title), problem.hint)


def _step_problem(key: str, step: Step) -> TableRow:
    where = show_name(step.target)
    if step.state is StepState.STALE:
        words = _tr("File changed on disk after the step was proposed")
        hint = _tr("Rebase the step, preview it again, or discard it")
        return _problem_row(key, ("stale", "warn"), words, where, hint)
    problem = step.problems[0] if step.problems else None
    words = show_name(message_with_line(problem)) if problem is not None else _tr("Refused by a check")
    return _problem_row(key, ("refused", "bad"), words, where, problem.hint if problem else "")


def _problem_row(key: str, sign: tuple[str, str], words: str, where: str, hint: str) -> TableRow:
    """Return a problem row; `sign` is the icon and its colour token."""
    cells = (
        Cell(words, icon=sign[0], icon_token=sign[1], size=SECOND),
        Cell(where, size=SECOND, is_path=True),
        Cell(show_name(hint), "muted", size=SECOND),
    )
    return TableRow(key, cells, ", ".join(part for part in (words, where, hint) if part))
