"""Facts on whole files: deletion, mode, size, encoding."""

from __future__ import annotations

from collections.abc import Iterator

from studio.engine.plan import Fact, Operation, Severity, Step
from studio.limits import FACT_CHANGED_LINES, FACT_FILE_BYTES
from studio.text import Forms, NotText, TextForm, by_name, has_lines
from studio.text.binary import BinarySign, is_text_name
from studio.text.encodings import title_of


def step_facts(step: Step) -> Iterator[Fact]:
    """Yield facts on deletes, executable bits and large changes."""
    if step.op is Operation.DELETE:
        if step.base is not None and step.base.is_folder:
            yield Fact("delete", Severity.NOTE, "Removes the folder.")
        else:
            count = step.removed
            lines = f" with {count} line{'' if count == 1 else 's'}" if count else ""
            yield Fact("delete", Severity.WARNING, f"Deletes the file{lines}.")
    yield from _yield_mode_facts(step)
    changed = step.added + step.removed
    if changed > FACT_CHANGED_LINES and step.op is not Operation.DELETE:
        yield Fact(
            "large", Severity.NOTE, f"Changes {changed:,} lines, more than a person can review at once."
        )
    size = step.result.size if step.result is not None else 0
    if size >= FACT_FILE_BYTES:
        yield Fact("large", Severity.NOTE, f"The file is large: {size / FACT_FILE_BYTES:.1f} MiB.")


def form_facts(
    base: bytes | None, result: bytes | None, forms: Forms, setting: str | None, path: str
) -> Iterator[Fact]:
    """Yield facts on changed encoding, byte order mark, line ends, final newline."""
    before, after = (
        None if form is None or data is None else by_name(form, data, setting, path)
        for form, data in ((forms.base, base or None), (forms.result, result))
    )
    no_text = next((form for form in (after, before) if isinstance(form, NotText)), None)
    which = "The old file" if isinstance(after, TextForm) else "The file"
    if no_text is not None and has_lines(before) and has_lines(after):
        message = f"{which} has an unknown encoding and was compared by its bytes. {no_text.sentence}"
        yield Fact("encoding_unknown", Severity.WARNING, message)
    elif no_text is not None:
        yield Fact("binary", Severity.WARNING, f"{which} can't be read line by line. {no_text.sentence}")
    if isinstance(after, NotText):
        yield from _yield_kind_facts(after, path)
    if result is None or not isinstance(after, TextForm):
        return
    if after.guessed:
        yield Fact("encoding_guessed", Severity.NOTE, "The encoding was guessed: Windows-1252.")
    if isinstance(before, TextForm) and result:
        yield from _yield_form_changes(before, after)
    elif not base and result and not after.final_newline:
        yield Fact("final_newline_missing", Severity.NOTE, "The last line does not end with a newline.")


def _yield_kind_facts(form: NotText, path: str) -> Iterator[Fact]:
    """Yield a fact where name and bytes are of different kinds."""
    if form.sign is BinarySign.EXTENSION:
        yield Fact("kind_differs", Severity.WARNING, "Its content is text, despite its name.")
    elif form.sign is BinarySign.MAGIC and is_text_name(path):
        yield Fact(
            "kind_differs", Severity.WARNING, "Its name is that of a text file, but its bytes are not text."
        )


def _yield_form_changes(before: TextForm, after: TextForm) -> Iterator[Fact]:
    # ASCII is UTF-8 too: nothing changes for a program that reads the file.
    if before.encoding != after.encoding and {before.encoding, after.encoding} != {"ascii", "utf-8"}:
        message = f"The encoding changes from {title_of(before.encoding)} to {title_of(after.encoding)}."
        yield Fact("encoding_changed", Severity.WARNING, message)
    if bool(before.bom) != bool(after.bom):
        verb = "added" if after.bom else "removed"
        yield Fact("bom_changed", Severity.WARNING, f"A byte order mark is {verb} at the start of the file.")
    ends = (before.line_ending, after.line_ending)
    if ends[0] != ends[1] and "none" not in ends:
        yield Fact(
            "line_ending_changed", Severity.WARNING, f"The line ends change from {ends[0]} to {ends[1]}."
        )
    if before.final_newline != after.final_newline:
        message = "A newline is added at the end of the file."
        if before.final_newline:
            message = "The newline at the end of the file is removed."
        yield Fact("final_newline_changed", Severity.NOTE, message)


def _yield_mode_facts(step: Step) -> Iterator[Fact]:
    if step.result is None or step.result.is_folder:
        return
    before, after = step.base.git_mode if step.base is not None else None, step.result.git_mode
    if after == "100755" and before is None:
        yield Fact("executable", Severity.WARNING, "The new file is executable.")
    elif after == "100755" and before != after:
        yield Fact("executable", Severity.WARNING, "The file becomes executable.")
    elif before == "100755" and before != after:
        yield Fact("executable", Severity.NOTE, "The file is no longer executable.")
