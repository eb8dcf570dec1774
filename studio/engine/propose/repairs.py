"""Repairs of steps that fail to match by one named difference.

Nothing is matched loosely: a repair takes the old lines from the file, where exactly one place is like them
in exactly one named way, and the step goes through the same strict checks again. Where two repairs would do,
there is none. A repair is reported, or made on request, but never by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from studio.engine.diff import compute
from studio.engine.draft import REPAIRED, DraftStep, TextEdit
from studio.engine.errors import StudioError
from studio.engine.limits import NAMED_LINES_UP_TO
from studio.engine.names import show_name
from studio.engine.plan import Fact, Problem, Severity, sha256
from studio.engine.propose.build_result import build_changed
from studio.engine.propose.near_matches import NEAR_MATCH_KINDS, NearMatchKind
from studio.engine.propose.patch_repairs import PatchRepairs
from studio.engine.propose.searched_text import SearchedText, SearchRoom
from studio.engine.propose.text_edits import apply_text_edits
from studio.engine.text import NotText, TextForm, decode_text, describe

_LINE_ENDS: Final = "line ends"
_EDITS_OF_A_LOOK: Final = 16
"""Number of edits made in the time of one repair search."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A step that matches its file, and a sentence on what differed."""

    draft: DraftStep
    sentence: str

    def with_repair_hint(self, problem: Problem) -> Problem:
        """Add the available repair to the hint of a refusal."""
        offer = f"It would fit with one repair: {self.sentence}. Submit it with the option repair."
        return replace(problem, hint=f"{offer} {problem.hint}".rstrip())


@dataclass(frozen=True, slots=True)
class _Attempt:
    name: str
    draft: DraftStep
    lines: tuple[int, ...] = ()
    """1-based lines of the file from which text was taken."""


class RepairFinder:
    """Finder of each step's single repair, within a search budget."""

    def __init__(self) -> None:
        self._room = SearchRoom()

    def find(self, draft: DraftStep, base: bytes, setting: str | None) -> Repair | None:
        """Return the only repair with which the step matches its base.

        None for none, for several, and when the search budget is spent.
        """
        if draft.content is not None or draft.repaired is not None:
            return None
        if draft.base_sha256 not in (None, sha256(base)):
            return None
        if not self._room.take(len(base)):
            return None
        setting = draft.encoding or setting
        form = describe(base, setting)
        if isinstance(form, NotText):
            return None
        found: list[_Attempt] = []
        for attempt in self._yield_attempts(draft, base, form, setting):
            if any(attempt.name == other.name and attempt.draft == other.draft for other in found):
                continue
            if not self._room.take(len(base)):
                return None
            if _is_applicable(attempt.draft, base, setting):
                found.append(attempt)
            if len(found) > 1:
                return None
        return _build_repair(found[0]) if found else None

    def _yield_attempts(
        self, draft: DraftStep, base: bytes, form: TextForm, setting: str | None
    ) -> Iterator[_Attempt]:
        if draft.following:
            return
        if draft.patch is not None and draft.patch.hunks:
            repairs = PatchRepairs.of(draft.patch, base, form, setting)
            if repairs is None:
                return
            if (patch := repairs.with_line_ends()) is not None:
                yield _Attempt(_LINE_ENDS, replace(draft, patch=patch))
            if (patch := repairs.with_marker()) is not None:
                name = "the mark for no newline at the end of the file"
                yield _Attempt(name, replace(draft, patch=patch), (repairs.last_line,))
            for kind in NEAR_MATCH_KINDS:
                repaired = repairs.alike(SearchedText(repairs.text, kind, self._room))
                if repaired is not None:
                    yield _Attempt(kind.name, replace(draft, patch=repaired[0]), repaired[1])
        elif draft.edits:
            yield from self._yield_edit_attempts(draft, decode_text(base, form), form)

    def _yield_edit_attempts(self, draft: DraftStep, text: str, form: TextForm) -> Iterator[_Attempt]:
        in_lf = tuple(_to_lf(edit) for edit in draft.edits)
        if form.line_ending not in ("LF", "CRLF"):
            in_lf = draft.edits
        elif in_lf != draft.edits:
            yield _Attempt(_LINE_ENDS, replace(draft, edits=in_lf))
        edits = draft.edits
        if form.line_ending == "CRLF":
            if any(_has_both_ends(edit.old) or _has_both_ends(edit.new) for edit in edits):
                return
            # As for the patch of a CRLF file: the strict parser adds the CR again.
            text, edits = text.replace("\r\n", "\n"), in_lf
        for kind in NEAR_MATCH_KINDS:
            if not self._room.take(len(text) * (1 + len(edits) // _EDITS_OF_A_LOOK)):
                return
            mending = _EditMending(kind, self._room)
            repaired = mending.mended(text, edits, draft.path)
            if repaired is not None and mending.lines:
                yield _Attempt(kind.name, replace(draft, edits=repaired), tuple(mending.lines))


class _NoRepair(Exception):
    """Raised for an edit that has no near match of this kind."""


class _EditMending:
    """Edits applied with the file's own bytes for near matches."""

    def __init__(self, kind: NearMatchKind, room: SearchRoom) -> None:
        self._near_match = kind
        self._room = room
        self._repaired: dict[int, TextEdit] = {}
        self._searched: SearchedText | None = None
        self.lines: list[int] = []

    def mended(self, text: str, edits: tuple[TextEdit, ...], path: str) -> tuple[TextEdit, ...] | None:
        """Return the edits as they match, or None where one doesn't."""
        try:
            apply_text_edits(text, edits, path, mend=self._repair_edit)
        except (_NoRepair, StudioError):
            return None
        return tuple(self._repaired.get(number, edit) for number, edit in enumerate(edits, start=1))

    def _repair_edit(self, number: int, edit: TextEdit, text: str) -> TextEdit:
        if edit.every or not edit.old:
            raise _NoRepair
        if self._searched is None or self._searched.text is not text:
            self._searched = SearchedText(text, self._near_match, self._room)
        place = self._searched.only_place(edit.old, whole_lines=edit.whole_lines)
        if place is None:
            raise _NoRepair
        own = text[place.start : place.end]
        self.lines.append(place.line)
        self._repaired[number] = repaired = replace(
            edit, old=own, new=_restore_own_lines(edit.old, own, edit.new)
        )
        return repaired


def _restore_own_lines(old: str, own: str, new: str) -> str:
    """Return the new text with the file's own bytes for unchanged lines."""
    theirs, lines = own.split("\n"), new.split("\n")
    count = len(theirs) - old.endswith("\n")
    difference = compute(_encode_lines(old), _encode_lines(new), 0)
    shift, at = 0, 0
    for change in difference.changes:
        for index in range(at, change.old_first):
            lines[index + shift] = theirs[index]
        at = change.old_end
        shift = change.new_end - change.old_end
    for index in range(at, count):
        lines[index + shift] = theirs[index]
    return "\n".join(lines)


def _encode_lines(text: str) -> bytes:
    """Encode a text, terminating its last line if that is not empty."""
    ended = f"{text}\n" if text and not text.endswith("\n") else text
    return ended.encode("utf-8", "surrogatepass")


def _has_both_ends(text: str) -> bool:
    return "\r" in text and not text.count("\r\n") == text.count("\n") == text.count("\r")


def _to_lf(edit: TextEdit) -> TextEdit:
    return replace(edit, old=edit.old.replace("\r\n", "\n"), new=edit.new.replace("\r\n", "\n"))


def _is_applicable(draft: DraftStep, base: bytes, setting: str | None) -> bool:
    try:
        build_changed(draft, base, setting)
    except StudioError:
        return False
    return True


def _build_repair(attempt: _Attempt) -> Repair:
    lines = sorted(set(attempt.lines))
    shown = ", ".join(map(str, lines[:NAMED_LINES_UP_TO])) + (", …" if len(lines) > NAMED_LINES_UP_TO else "")
    where = f", at {'line' if len(lines) == 1 else 'lines'} {shown} of the file" if lines else ""
    sentence = f"{attempt.name}{where}"
    message = f"The change did not match {show_name(attempt.draft.path)} and was repaired: {sentence}."
    return Repair(replace(attempt.draft, repaired=Fact(REPAIRED, Severity.WARNING, message)), sentence)
