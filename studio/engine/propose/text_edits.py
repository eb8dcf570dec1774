"""Application of strictly matching text edits (replace, insert, append) to a file.

Nothing is matched loosely. The first of several places would be right in most cases, and in the others
the change would be in the wrong one, unnoticed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from studio.engine.diff import DoesNotMatch
from studio.engine.diff.line_endings import CRLF, end_before, end_of, replaced_lines
from studio.engine.draft import TextEdit
from studio.engine.plan import Fact, Problem, ProblemList, Severity
from studio.limits import (
    NEAREST_LINES_UP_TO,
    OTHER_PLACES_UP_TO,
    QUOTED_CHARACTERS,
    STEP_PROBLEMS_UP_TO,
)
from studio.names import show_name
from studio.values import Value

_READ_AGAIN = "Read the file again and use old text that occurs exactly once."


class EditedText(Value):
    """The text after the edits, with facts for the reviewer."""

    text: str
    facts: tuple[Fact, ...] = ()
    has_adapted_ends: bool = False
    """Whether lines got other ends than the edits give: see `replaced_lines`."""


Mend = Callable[[int, TextEdit, str], TextEdit]
"""Callback that replaces an edit, by its number, which matches nowhere."""


def apply_text_edits(
    text: str, edits: Sequence[TextEdit], path: str, *, line_end: str = "\n", mend: Mend | None = None
) -> EditedText:
    """Return the text after all edits, applied in order.

    Edits of whole lines end each line with `line_end`; a missing final newline stays missing. In a text with
    LF and CRLF, lines that an edit without CRLF keeps have the end that they had. Raises DoesNotMatch with
    one problem for each edit that matches nowhere, or at several places; for one that matches nowhere `mend`
    is called before.
    """
    is_open = bool(text) and not text.endswith("\n") and any(edit.whole_lines for edit in edits)
    worked = _WorkedOn(text + line_end if is_open else text, path, was_open=is_open, is_crlf=line_end == CRLF)
    for number, edit in enumerate(edits, start=1):
        worked.put(number, edit, mend)
    problems = worked.problems.listed()
    if problems:
        raise DoesNotMatch(problems, (), path)
    result = worked.text
    if is_open and result.endswith(line_end):
        result = result[: -len(line_end)]
    return EditedText(result, tuple(worked.facts), worked.has_adapted_ends)


class _WorkedOn:
    """A text while edits are applied."""

    def __init__(self, text: str, path: str, *, was_open: bool, is_crlf: bool) -> None:
        """Start with the text before the edits.

        `was_open` means that the last line end was added, `is_crlf` that all are CRLF.
        """
        self.text = text
        self.problems = ProblemList(STEP_PROBLEMS_UP_TO)
        self.facts: list[Fact] = []
        self.has_adapted_ends = False
        self._was_open = was_open
        self._is_mixed = CRLF in text and not is_crlf
        self._path = path
        self._index: LineIndex | None = None
        self._position = 0
        """Where the previous edit ended; edits `in_order` must follow it."""

    def put(self, number: int, edit: TextEdit, mend: Mend | None) -> None:
        """Apply one edit, or record why it has no place."""
        if edit.at_line is not None:
            self._insert_after_line(number, edit, edit.at_line)
            return
        start = self._position if edit.in_order else 0
        # A pure addition goes directly behind its last anchor line, if that is there once.
        is_insert_after = bool(edit.after) and not edit.old and not edit.at_end
        for anchor in edit.after[:-1] if is_insert_after else edit.after:
            found = next(self._find_after_lines(anchor, start), None)
            if found is None:
                self._refuse_anchor(number, edit, anchor)
                return
            start = found
        if is_insert_after:
            self._insert_after_anchor(number, edit, start)
            return
        if edit.every and edit.old and (count := self.text.count(edit.old, start)):
            at = next(
                (at for at in self._find_all_places(edit, start) if may_split_character(self.text, at)), None
            )
            if at is not None:
                self._refuse_inside(number, edit, at)
                return
            self._replace_all(number, edit, start, count)
            return
        places = self._find_places(edit, start)
        if not places and mend is not None:
            edit = mend(number, edit, self.text)
            places = self._find_places(edit, start)
        if len(places) == 1 and may_split_character(self.text, places[0]):
            self._refuse_inside(number, edit, places[0])
        elif len(places) == 1:
            self._replace_at(edit, places[0])
        elif places:
            self._refuse_many(number, edit, places)
        else:
            self._refuse_none(number, edit)

    def _insert_after_anchor(self, number: int, edit: TextEdit, start: int) -> None:
        anchor = edit.after[-1]
        places = list(islice(self._find_after_lines(anchor, start), OTHER_PLACES_UP_TO + 1))
        if len(places) == 1:
            self._replace_at(edit, places[0])
        elif places:
            begins = [self.text.rfind("\n", 0, at - 1) + 1 for at in places]
            self._refuse_many(number, edit, begins, f"the line “{_shorten_line(anchor)}” before it")
        else:
            self._refuse_anchor(number, edit, anchor)

    def _find_places(self, edit: TextEdit, start: int) -> list[int]:
        """Return the offsets of the old text from `start`.

        At most one more than a message names.
        """
        if edit.on_line is not None:
            return self._find_on_line(edit, edit.on_line)
        if edit.at_end:
            at = len(self.text) - len(edit.old)
            if not edit.old and (self.text == "\n" or self.text.endswith("\n\n")):
                at -= 1  # before an empty last line, as Codex 0.171 does
            fits = at >= start and self.text.endswith(edit.old)
            return [at] if fits and (not edit.whole_lines or _is_line_start(self.text, at)) else []
        found: list[int] = []
        at = self._find_next(edit, start) if edit.old else -1
        while at >= 0 and len(found) <= OTHER_PLACES_UP_TO:
            found.append(at)
            # Overlapping places are two places: it is ambiguous which one is meant.
            at = self._find_next(edit, at + 1)
        return found

    def _find_all_places(self, edit: TextEdit, start: int) -> Iterator[int]:
        at = self._find_next(edit, start)
        while at >= 0:
            yield at
            at = self._find_next(edit, at + 1)

    def _find_on_line(self, edit: TextEdit, line: int) -> list[int]:
        at = self._find_next(edit, 0) if edit.old else -1
        counted_to, number = 0, 1
        while at >= 0:
            number += self.text.count("\n", counted_to, at)
            if number >= line:
                return [at] if number == line else []
            counted_to = at
            at = self._find_next(edit, at + 1)
        return []

    def _find_next(self, edit: TextEdit, start: int) -> int:
        if not edit.whole_lines:
            return self.text.find(edit.old, start)
        if start == 0 and self.text.startswith(edit.old):
            return 0
        found = self.text.find("\n" + edit.old, max(start - 1, 0))
        return found + 1 if found >= 0 else -1

    def _replace_at(self, edit: TextEdit, at: int) -> None:
        stop = at + len(edit.old)
        if not self._is_mixed or _is_exact(edit):
            changed = self.text[:at] + edit.new
            self._position = len(changed)
            self.text = changed + self.text[stop:]
            return
        if edit.old.startswith("\n") and self.text[at - 1 : at] == "\r":
            at -= 1
        self._replace_lines(edit.new, at, stop)

    def _replace_lines(self, new: str, at: int, stop: int) -> None:
        """Insert the new text with the replaced lines' line ends."""
        start = self.text.rfind("\n", 0, at) + 1
        end = stop
        if not _is_line_start(self.text, stop) or not (new.endswith("\n") or (not new and start == at)):
            end = self.text.find("\n", stop) + 1 or len(self.text)
        rest = self.text[stop:end]
        replaced = self.text[start:at] + new + rest
        ended = self._adapt_line_ends(start, end, replaced)
        self.has_adapted_ends = self.has_adapted_ends or ended != replaced
        changed = self.text[:start] + ended
        self._position = len(changed)
        if rest:
            self._position -= len(rest) - len(end_of(rest)) + len(end_of(ended))
        self.text = changed + self.text[end:]

    def _adapt_line_ends(self, start: int, end: int, new: str) -> str:
        """Return new lines for `start` to `end` with their line ends."""
        old = self.text[start:end]
        has_added_end = self._was_open and end == len(self.text)
        if has_added_end:
            old = old.removesuffix("\n")
        ended = replaced_lines(old, new, end_before(self.text, start))
        return ended.removesuffix(CRLF) + "\n" if has_added_end and ended.endswith(CRLF) else ended

    def _insert_after_line(self, number: int, edit: TextEdit, behind: int) -> None:
        """Insert the new text after line `behind`.

        A last line without an end counts.
        """
        lines = self.text.count("\n") + (self.text[-1:] not in ("", "\n"))
        if not 0 <= behind <= lines:
            reason = f"it is after line {behind}, but the file has {lines} lines."
            self._add_problem("edit.no_line", number, edit, reason)
            return
        at = 0
        for _ in range(behind):
            at = self.text.find("\n", at) + 1 or len(self.text)
        self._replace_at(edit, at)

    def _replace_all(self, number: int, edit: TextEdit, start: int, count: int) -> None:
        changed = self.text[:start] + self.text[start:].replace(edit.old, edit.new)
        if self._is_mixed and not _is_exact(edit):
            replaced, changed = changed, self._adapt_line_ends(0, len(self.text), changed)
            self.has_adapted_ends = self.has_adapted_ends or changed != replaced
        self.text = changed
        if count > 1:
            message = f"Edit {number} changes the same text in {count} places, as requested."
            self.facts.append(Fact("edit_everywhere", Severity.NOTE, message))

    def _find_after_lines(self, anchor: str, start: int) -> Iterator[int]:
        """Yield the offset after each line equal to `anchor`, ignoring outer blanks.

        Nothing of the anchor is written.
        """
        line = re.compile(rf"^[ \t]*{re.escape(anchor.strip())}[ \t\r]*(?:\n|\Z)", re.MULTILINE)
        return (found.end() for found in line.finditer(self.text, start))

    def _refuse_anchor(self, number: int, edit: TextEdit, anchor: str) -> None:
        reason = f"the line “{_shorten_line(anchor)}” before it is not in the file."
        if next(self._find_after_lines(anchor, 0), None) is not None:
            reason = f"the line “{_shorten_line(anchor)}” before it is not after the context before that."
        self._add_problem("edit.not_found", number, edit, reason)

    def _refuse_many(
        self, number: int, edit: TextEdit, places: Sequence[int], what: str = "its old text"
    ) -> None:
        lines = [self._line_number(at) for at in places[:OTHER_PLACES_UP_TO]]
        more = " and more" if len(places) > OTHER_PLACES_UP_TO else ""
        count = "more than once" if more else f"{len(places)} times"
        where = (
            f"at lines {', '.join(map(str, lines))}{more}" if len(set(lines)) > 1 else f"on line {lines[0]}"
        )
        reason = f"{what} is in the file {count}, {where}."
        self._add_problem("edit.not_unique", number, edit, reason, line=lines[0])

    def _refuse_inside(self, number: int, edit: TextEdit, at: int) -> None:
        line = self._line_number(at)
        reason = (
            f"its old text may start inside a character at line {line}, as the file's encoding is unknown."
        )
        hint = "Start the old text at the beginning of its line, or set the encoding under encodings. "
        self._add_problem("edit.inside_character", number, edit, reason, hint=hint, line=line)

    def _refuse_none(self, number: int, edit: TextEdit) -> None:
        if not edit.old:
            self._add_problem("edit.no_place", number, edit, "it names neither old text nor a position.")
            return
        if not self.problems.room:
            self.problems.count(1)
            return
        other = self._find_next(edit, 0)
        if other >= 0:
            line = self._line_number(other)
            required_place = "at the end of the file" if edit.at_end else "after the context before it"
            required_place = required_place if edit.on_line is None else f"at line {edit.on_line}"
            reason = f"its old text is at line {line}, not {required_place}."
            self._add_problem("edit.not_found", number, edit, reason, line=line)
            return
        if self._index is None or self._index.text is not self.text:
            self._index = LineIndex(self.text)
        near = nearest(self._index, edit.old)
        hint, line = "", None
        if near is not None:
            line, expected, actual = near
            difference = f"the file has {_quote_line(actual)}, not {_quote_line(expected)}"
            hint = f"The nearest place is line {line}: {difference}. "
        where = "at the end of the file" if edit.at_end else "in the file"
        self._add_problem(
            "edit.not_found", number, edit, f"its old text is not {where}.", hint=hint, line=line
        )

    def _add_problem(
        self, code: str, number: int, edit: TextEdit, reason: str, *, hint: str = "", line: int | None = None
    ) -> None:
        where = f" (line {edit.line} of the text)" if edit.line is not None else ""
        message = f"Edit {number} of {show_name(self._path)}{where}: {reason}"
        self.problems.add(Problem(code, message, hint + _READ_AGAIN, at="target", line=line))

    def _line_number(self, at: int) -> int:
        return self.text.count("\n", 0, at) + 1


def may_split_character(text: str, at: int) -> bool:
    """Return whether ASCII text at an offset may be inside a character.

    `text` is in an unknown encoding, with lone surrogates for bytes beyond ASCII. In Shift-JIS, EUC, UHC,
    Johab, GBK, GB18030 and Big5 a byte from 0x30 to 0x7E can end a character, or continue one, directly
    behind a byte beyond ASCII only; a lower one, such as a line end or a blank, is always a character.
    """
    return at > 0 and "\udc80" <= text[at - 1] <= "\udcff" and text[at : at + 1] >= "0"


class LineIndex:
    """The lines of a text, indexed by their text without outer blanks."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.known: dict[str, list[int]] = {}
        for index, line in enumerate(self.lines):
            self.known.setdefault(line.strip(), []).append(index)


def nearest(index: LineIndex, old: str) -> tuple[int, str, str | None] | None:
    """Return the best match of some lines: first differing line, expected, actual.

    The line is 1-based; the actual one is None past the end of the file. None where none of the lines occurs.
    """
    lines, positions = index.lines, index.known
    old_lines = old.removesuffix("\n").split("\n")
    votes: Counter[int] = Counter()
    for number, line in enumerate(old_lines[:NEAREST_LINES_UP_TO]):
        # A line that occurs everywhere says nothing about the place.
        for at in positions.get(line.strip(), ())[:NEAREST_LINES_UP_TO] if line.strip() else ():
            votes[at - number] += 1
    if not votes:
        return None
    most = max(votes.values())
    first = max(min(at for at, count in votes.items() if count == most), 0)
    for number, line in enumerate(old_lines):
        actual = lines[first + number] if first + number < len(lines) else None
        if actual != line:
            return first + number + 1, line, actual
    return first + 1, old_lines[0], lines[first]


def _is_exact(edit: TextEdit) -> bool:
    """Return whether the new text is used unchanged.

    It has line ends of its own, none, or changes nothing else.
    """
    old, new = edit.old, edit.new
    if "\n" not in old + new or CRLF in new or old.endswith("\r") or new.endswith("\r"):
        return True
    return CRLF in old and old.replace(CRLF, "\n") == new


def _is_line_start(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] == "\n"


def _shorten_line(line: str) -> str:
    return show_name(line[:QUOTED_CHARACTERS])


def _quote_line(line: str | None) -> str:
    if line is None:
        return "the end of the file"
    more = "…" if len(line) > QUOTED_CHARACTERS else ""
    return f"“{show_name(line[:QUOTED_CHARACTERS])}{more}”"
