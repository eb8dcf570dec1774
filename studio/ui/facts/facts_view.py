"""Facts pane contents of a step, plan, rollback or restore, without widgets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from studio.engine import Decision, Fact, LineComment, Operation, Plan, Severity, Step, StepState, Verdict
from studio.journal.file_image import FileImage
from studio.names import show_name
from studio.text import Forms, NotText, TextForm, has_lines
from studio.text.encodings import title_of
from studio.ui.language import translator
from studio.ui.limits import SHOWN_WARNINGS_UP_TO
from studio.ui.look.decision_words import decided_words
from studio.ui.look.states import (
    decided_steps,
    has_warnings,
    message_with_line,
    operation_word,
    problem_words,
    warnings_of,
)
from studio.ui.look.words import count_text, counted, files, full_moment, say, size, utc_now
from studio.values import Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from studio.engine import DriftResolution, HistoryEntry, PathVerdict, RollbackFile, RollbackPreview
    from studio.extras.snapshots import RestorePreview, SnapshotRecord

_tr = translator("Facts")

_WRITTEN_WAYS = ("restore", "merge")
"""Values of `DriftResolution` that change the file itself, copied here to avoid importing its module."""

_SHORT_HASH = 7
"""Hash digits shown, enough for a reader to tell two apart."""

_PROBLEM_TONES = {
    Severity.NOTE: "info",
    Severity.WARNING: "warning",
    Severity.DANGER: "danger",
    Severity.ERROR: "danger",
}


class WarningText(Value):
    """Warning block; `tone` is "danger", "warning", "info" or "good"."""

    tone: str
    title: str
    words: str = ""


class FactRow(Value):
    """Fact; one with an `icon` changes and is drawn stronger.

    The icon has the colour of `token`.
    """

    label: str
    value: str
    icon: str = ""
    token: str = "text"
    tip: str = ""
    """The full value where `value` is shortened."""


class Rule(Value):
    """Verdict of the rules, then the rule and its level."""

    verdict: str
    words: str


class TextBlock(Value):
    """Text block with a heading."""

    heading: str
    text: str


class FactsView(Value):
    """Everything the pane shows.

    `asks_note` is true while a note can still be added to the decision.
    """

    warnings: tuple[WarningText, ...] = ()
    quiet: str = ""
    rows: tuple[FactRow, ...] = ()
    rule: Rule | None = None
    passages: tuple[TextBlock, ...] = ()
    asks_note: bool = False
    reason: str = ""
    """The agent's reason in one line, "" for none."""


def step_facts_view(
    step: Step,
    forms: Forms | None = None,
    verdicts: Sequence[PathVerdict] = (),
    comments: Sequence[LineComment] = (),
    *,
    lines: tuple[int | None, int | None] = (None, None),
    result: str = "",
    is_review: bool = False,
) -> FactsView:
    """Return the facts of a step.

    Without `forms` (not loaded yet) the text facts are omitted. `lines` are the line counts of both sides,
    `comments` the reviewer's, `result` the words for a result that is not the proposed one. A step of a
    review (`is_review`) has nothing on disk that it would write over.
    """
    blocks = _step_warnings(step, is_review=is_review)
    return FactsView(
        warnings=blocks,
        quiet=_tr("No warnings") if not any(block.tone != "info" for block in blocks) else "",
        rows=tuple(_step_rows(step, forms, lines, result, is_review=is_review)),
        rule=_rule(step, verdicts),
        passages=tuple(_step_blocks(step, comments)),
        asks_note=step.state in (StepState.PENDING, StepState.STALE),
        reason=" ".join(show_name(line) for line in step.reason.split()),
    )


def plan_facts_view(plan: Plan, viewed: int) -> FactsView:
    """Return the facts of a plan; `viewed` counts its viewed steps."""
    warned = [step for step in plan.steps if has_warnings(step)]
    refused = [step for step in plan.steps if step.state is StepState.INVALID]
    blocks = [
        WarningText(
            _PROBLEM_TONES[problem.severity], show_name(message_with_line(problem)), show_name(problem.hint)
        )
        for problem in problem_words(plan)
    ]
    if warned:
        title = counted(len(warned), _tr("{n} step has warnings"), _tr("{n} steps have warnings"))
        dangers = [fact for step in warned for fact in warnings_of(step) if fact.severity is Severity.DANGER]
        lines = [_one_line(step) for step in warned[:SHOWN_WARNINGS_UP_TO]]
        blocks.append(WarningText("danger" if dangers else "warning", title, "\n".join(lines)))
    if refused:
        title = counted(len(refused), _tr("{n} step was refused"), _tr("{n} steps were refused"))
        rest = len(plan.steps) - len(refused)
        words = counted(
            rest,
            _tr("You can still review the other step."),
            _tr("You can still review the other {n} steps."),
        )
        blocks.append(WarningText("info", title, words if rest else _tr("No steps are left to review.")))
    valid = len(plan.valid_steps)
    rows = (
        FactRow(_tr("Plan"), f"{plan.id[:4]} {plan.id[4:8]}"),
        FactRow(_tr("Agent"), show_name(plan.agent) or _tr("you")),
        FactRow(_tr("Format"), plan.format),
        FactRow(_tr("Received"), full_moment(plan.created, utc_now())),
        FactRow(
            _tr("Steps"),
            say(_tr("{d} of {n} decided"), n=valid, d=decided_steps(plan)),
        ),
        FactRow(_tr("Viewed"), say(_tr("{v} of {n}"), v=viewed, n=valid)),
    )
    quiet = "" if any(block.tone != "info" for block in blocks) else _tr("No warnings")
    return FactsView(warnings=tuple(blocks), quiet=quiet, rows=rows)


def rollback_facts_view(
    preview: RollbackPreview,
    entry: HistoryEntry | None,
    resolutions: Mapping[int, DriftResolution] | None = None,
) -> FactsView:
    """Return the facts of a previewed rollback.

    `entry` is the plan's history entry. `resolutions` are the drift resolutions by step number, without
    those of files that stay as they are.
    """
    written = {step for step, resolution in (resolutions or {}).items() if resolution.value in _WRITTEN_WAYS}
    staying = [file for file in preview.files if file.drifted and file.step not in written]
    rows = [FactRow(_tr("Plan"), show_name(preview.plan.title))]
    if entry is not None:
        rows.append(FactRow(_tr("Applied"), full_moment(entry.applied_at, utc_now())))
    rows.append(FactRow(_tr("From"), show_name(preview.plan.agent) or _tr("you")))
    rows.append(FactRow(_tr("Files"), files(len(preview.files))))
    if entry is not None and entry.kept:
        rows.append(FactRow(_tr("Undo data"), _tr("complete"), "check", "ok"))
    elif entry is not None:
        rows.append(FactRow(_tr("Undo data"), _tr("no longer stored"), "look-out", "warn"))
    not_done = [
        _tr("Only files created by this plan are deleted. The Git repository and index are unchanged.")
    ]
    if staying:
        left = _tr("Skipped because of later changes: {names}.")
        not_done.insert(0, say(left, names=_file_names(staying)))
    unreadable = [file for file in preview.files if file.problem is not None]
    if unreadable:
        left = _tr("Skipped because of read errors: {names}.")
        not_done.insert(0, say(left, names=_file_names(unreadable)))
    words = _tr("It is added to History as a separate entry and can be undone.")
    return FactsView(
        warnings=(WarningText("info", _tr("The rollback is recorded"), words),),
        rows=tuple(rows),
        passages=(TextBlock(_tr("Not affected"), " ".join(not_done)),),
    )


def restore_facts_view(preview: RestorePreview, record: SnapshotRecord) -> FactsView:
    """Return the facts of a snapshot whose restore is previewed."""
    rows = (
        FactRow(_tr("Snapshot"), show_name(record.name)),
        FactRow(_tr("Created"), full_moment(record.created, utc_now())),
        FactRow(_tr("Contents"), files(record.files)),
        FactRow(_tr("Changes"), files(len(preview.steps))),
    )
    not_done = _tr(
        "The Git repository and index are unchanged. Files that can't be stored in a "
        "snapshot are left in place."
    )
    words = _tr("It is added to History as a separate entry and can be undone.")
    return FactsView(
        warnings=(WarningText("info", _tr("The restore is recorded"), words),),
        rows=rows,
        passages=(TextBlock(_tr("Not affected"), not_done),),
    )


def _file_names(files_of: Sequence[RollbackFile]) -> str:
    return ", ".join(show_name(file.path.rpartition("/")[2]) for file in files_of)


def _step_warnings(step: Step, *, is_review: bool) -> tuple[WarningText, ...]:
    blocks: list[WarningText] = []
    if step.state is StepState.STALE:
        blocks.append(WarningText("warning", _tr("Changed on disk"), _stale_words(step, is_review=is_review)))
    if step.state is StepState.INVALID:
        problem = step.problems[0] if step.problems else None
        words = show_name(message_with_line(problem)) if problem is not None else ""
        blocks.append(WarningText("danger", _tr("This step was refused"), words))
    warnings = warnings_of(step)
    tones = {Severity.DANGER: "danger", Severity.WARNING: "warning"}
    blocks += [_fact_block(tones[fact.severity], fact) for fact in warnings[:SHOWN_WARNINGS_UP_TO]]
    if len(warnings) > SHOWN_WARNINGS_UP_TO:
        more = counted(len(warnings) - SHOWN_WARNINGS_UP_TO, _tr("and {n} more"), _tr("and {n} more"))
        blocks.append(WarningText("warning", more))
    blocks += [_fact_block("info", fact) for fact in step.facts if fact.severity is Severity.NOTE]
    return tuple(blocks)


def _fact_block(tone: str, fact: Fact) -> WarningText:
    """Return a block with a short title, the message and its place."""
    title, rest = fact_title(fact)
    location = ""
    if fact.line is not None:
        location = say(_tr("Line {n}"), n=str(fact.line))
        if fact.column is not None:
            location += say(_tr(", column {n}"), n=str(fact.column))
        if fact.side == "base":
            location += _tr(", in the old version")
    return WarningText(tone, title, "\n".join(part for part in (rest, location) if part))


def fact_title(fact: Fact) -> tuple[str, str]:
    """Return a fact's title and the rest of its message.

    The title is that of its kind, else the message's first sentence.
    """
    message = show_name(fact.message)
    titles = {
        "bidi": _tr("Bidirectional Unicode text"),
        "invisible": _tr("Invisible characters"),
        "control": _tr("Control characters"),
        "encoding_unknown": _tr("Unknown encoding"),
        "mixed_script": _tr("Look-alike characters"),
        "confusable": _tr("Look-alike characters"),
        "secret": _tr("Possible secret"),
        "far_right": _tr("Text hidden far to the right"),
        "placeholder": _tr("Placeholder instead of code"),
        "long_line": _tr("Very long line"),
        "name_hidden": _tr("Invisible characters in name"),
        "name_twin": _tr("Similar to an existing name"),
        "name_lookalike": _tr("Look-alike characters in name"),
        "path_length": _tr("Long path"),
        "privileged": _tr("Runs with special privileges"),
        "owner_lost": _tr("Owner or group changes"),
        "attributes_lost": _tr("File attributes lost"),
        "hard_link": _tr("Has other hard links"),
        "mount_point": _tr("On another file system"),
        "unit": _tr("Part of a larger change"),
        "rebased": _tr("Rebased"),
        "formatting_drift": _tr("Only formatting changed"),
    }
    if fact.severity is not Severity.NOTE:
        titles["executable"] = _tr("Now executable")
    if fact.kind in titles:
        return titles[fact.kind], message
    title, _, rest = message.partition(". ")
    return title.removesuffix("."), rest


def _stale_words(step: Step, *, is_review: bool) -> str:
    if is_review:
        return _tr("The file on disk differs from the reviewed version.")
    if step.base is None:
        return _tr("A file was created at this path after the step was proposed.")
    if step.base.sha256 is None:
        return _tr("The folder changed after this step was proposed.")
    words = _tr(
        "The file on disk no longer matches the reviewed base {hash}. It was changed outside this plan."
    )
    return say(words, hash=step.base.sha256[:_SHORT_HASH])


def _step_rows(
    step: Step, forms: Forms | None, lines: tuple[int | None, int | None], result: str, *, is_review: bool
) -> list[FactRow]:
    rows = [FactRow(_tr("Operation"), operation_word(step))]
    if result:
        rows.append(FactRow(_tr("Result"), result, "edit", "accent"))
    if step.to is not None:
        rows.append(FactRow(_tr("From"), show_name(step.path)))
        rows.append(FactRow(_tr("To"), show_name(step.to)))
    has_size = step.base is not None or step.result is not None
    if has_size and not _is_folder(step.base) and not _is_folder(step.result):
        rows.append(FactRow(_tr("Size"), _size_words(step)))
        if any(count is not None for count in lines):
            rows.append(
                FactRow(_tr("Lines"), _merge_values(*(None if n is None else count_text(n) for n in lines)))
            )
        rows += _text_rows(forms) if forms is not None else []
        rows.append(_hash_row(step))
    mode = _mode_row(step)
    if mode is not None:
        rows.append(mode)
    if step.result is not None and not step.result.is_folder:
        # "None found" for bytes that were not read as text would be false reassurance.
        not_searched = _tr("not scanned") if forms is not None and not has_lines(forms.result) else ""
        rows.append(_count_row(_tr("Invisible"), step, ("invisible", "bidi"), not_searched or _tr("none")))
        rows.append(_count_row(_tr("Secrets"), step, ("secret",), not_searched or _tr("none found")))
    disk = _disk_row(step)
    if disk is not None and (not is_review or step.state is StepState.STALE):
        rows.append(disk)
    if step.decision is not None:
        rows.append(FactRow(_tr("Decided"), decided_words(step.decision)))
    return rows


def _is_folder(image: FileImage | None) -> bool:
    return image is not None and image.is_folder


def _size_words(step: Step) -> str:
    before = step.base.size if step.base is not None else 0
    after = step.result.size if step.result is not None else 0
    if step.base is not None and step.result is not None and before == after:
        return size(after)
    if not before or not after:
        return f"{size(before) if before else '0'} → {size(after) if after else '0'}"
    first, second = size(before), size(after)
    unit = second.rpartition(" ")[2]
    return f"{first.removesuffix(' ' + unit)} → {second}"


def _hash_row(step: Step) -> FactRow:
    """Return the hashes that the approval of a step is bound to."""
    whole = [image.sha256 if image is not None else None for image in (step.base, step.result)]
    short = (None if each is None else each[:_SHORT_HASH] for each in whole)
    return FactRow(_tr("SHA-256"), _merge_values(*short), tip=_merge_values(*whole))


def _merge_values(before: str | None, after: str | None) -> str:
    """Return the common value, or both where they differ."""
    if before is not None and after is not None and before != after:
        return f"{before} → {after}"
    return after or before or ""


def _text_rows(forms: Forms) -> list[FactRow]:
    base, result = forms.base, forms.result
    for side in (result, base):
        if isinstance(side, NotText):
            word = _tr("binary") if side.reason == "binary" else _tr("not readable as text")
            return [FactRow(_tr("Encoding"), word)]
    before = base if isinstance(base, TextForm) else None
    after = result if isinstance(result, TextForm) else None
    if before is None and after is None:
        return []
    return [
        _changing(_tr("Encoding"), before and encoding_word(before), after and encoding_word(after)),
        _changing(_tr("Line endings"), before and _line_ends(before), after and _line_ends(after)),
        _changing(_tr("Final newline"), before and _yes_no(before), after and _yes_no(after)),
    ]


def _changing(label: str, before: str | None, after: str | None) -> FactRow:
    if before is not None and after is not None and before != after:
        return FactRow(label, _merge_values(before, after), "look-out", "warn")
    return FactRow(label, _merge_values(before, after))


def encoding_word(form: TextForm) -> str:
    """Return the encoding's usual name, its mark and whether it was guessed."""
    names = {"ascii": "UTF-8", "utf-16-le": "UTF-16 LE", "utf-16-be": "UTF-16 BE"}
    word = names.get(form.encoding) or title_of(form.encoding)
    if form.bom and form.encoding == "utf-8":
        word += _tr(" with BOM")
    return word + (_tr(", guessed") if form.guessed else "")


def _line_ends(form: TextForm) -> str:
    return {"mixed": _tr("mixed"), "none": _tr("none")}.get(form.line_ending, form.line_ending)


def _yes_no(form: TextForm) -> str:
    return _tr("yes") if form.final_newline else _tr("no")


def _mode_row(step: Step) -> FactRow | None:
    change = step.mode_change
    if change is not None:
        return FactRow(_tr("Mode"), f"{change[0]} → {change[1]}", "look-out", "warn")
    image = step.result or step.base
    return FactRow(_tr("Mode"), image.git_mode) if image is not None and not image.is_folder else None


def _count_row(label: str, step: Step, kinds: tuple[str, ...], none: str) -> FactRow:
    """Return the number of facts of these kinds, coloured by the worst."""
    found = [fact for fact in step.facts if any(kind in fact.kind for kind in kinds)]
    if not found:
        return FactRow(label, none)
    danger = any(fact.severity is Severity.DANGER for fact in found)
    places = sum(fact.line is not None for fact in found)
    value = counted(places, _tr("{n} occurrence"), _tr("{n} occurrences"))
    if places < len(found):
        # The last fact, without a place, says how many more there are.
        value = say(_tr("more than {places}"), places=value)
    return FactRow(label, value, "danger" if danger else "look-out", "bad" if danger else "warn")


def _disk_row(step: Step) -> FactRow | None:
    label = _tr("On disk")
    match step.state:
        case StepState.STALE:
            return FactRow(label, _tr("changed"), "look-out", "warn")
        case StepState.PENDING | StepState.APPROVED | StepState.REJECTED:
            return FactRow(label, _tr("does not exist") if step.base is None else _tr("same as base"))
        case StepState.APPLIED | StepState.ALREADY_APPLIED:
            return FactRow(
                label, _tr("deleted") if step.op is Operation.DELETE else _tr("matches the result")
            )
        case StepState.ROLLED_BACK:
            return FactRow(label, _tr("rolled back"))
        case StepState.INVALID:
            return None


def _rule(step: Step, verdicts: Sequence[PathVerdict]) -> Rule | None:
    denied = next((verdict for verdict in verdicts if not verdict.allowed), None)
    if denied is not None:
        # A refused step shows the reason among its warnings already.
        reason = "" if step.state is StepState.INVALID else f" {show_name(denied.reason)}"
        return Rule(_tr("Denied"), _rule_words(denied) + reason)
    if step.problems:
        return Rule(_tr("Refused by a check"), show_name(step.problems[0].hint))
    if not verdicts:
        return None
    allowing = next((verdict for verdict in verdicts if verdict.level not in ("", "default")), None)
    if allowing is None:
        return Rule(_tr("Allowed"), _tr("No rule denies this path."))
    return Rule(_tr("Allowed"), _rule_words(allowing))


def _rule_words(verdict: PathVerdict) -> str:
    words = _tr("By rule “{rule}” ({level}).")
    return say(words, level=show_name(verdict.level), rule=show_name(verdict.rule))


def _comment_line(comment: LineComment) -> str:
    words = _tr("Old line {n}: {text}") if comment.side == "base" else _tr("Line {n}: {text}")
    return say(words, n=str(comment.line), text=_lines(comment.text))


def _step_blocks(step: Step, comments: Sequence[LineComment]) -> list[TextBlock]:
    blocks: list[TextBlock] = []
    if step.reason:
        blocks.append(TextBlock(_tr("Agent's reason"), _lines(step.reason)))
    decision = step.decision
    if decision is not None and decision.text:
        blocks.append(TextBlock(_decision_heading(decision), _lines(decision.text)))
    if comments:
        blocks.append(TextBlock(_tr("Your comments"), "\n".join(map(_comment_line, comments))))
    return blocks


def _decision_heading(decision: Decision) -> str:
    return _tr("Your note") if decision.verdict is Verdict.APPROVE else _tr("Your reason")


def _lines(text: str) -> str:
    """Return a text with each line made safe for display."""
    return "\n".join(show_name(line) for line in text.splitlines())


def _one_line(step: Step) -> str:
    name = show_name(step.target.rpartition("/")[2])
    if step.state is StepState.STALE:
        return say(_tr("{name} is stale."), name=name)
    return f"{name}: {fact_title(warnings_of(step)[0])[0]}."
