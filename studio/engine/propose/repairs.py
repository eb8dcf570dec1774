"""Repair suggestions for edits and patches that don't match their file exactly.

Nothing is matched loosely: a repair takes the old lines from the file, where exactly one place is like them
in exactly one named way, and the step goes through the same strict checks again. Where two repairs would do,
there is none. A repair is reported, or made on request, but never by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import accumulate
from typing import Final, NamedTuple

from msgspec.structs import replace

from studio.engine.diff import DiffRefused, FilePatch, compute, parse_hunks
from studio.engine.draft import DraftStep, TextEdit
from studio.engine.plan import Fact, Problem
from studio.engine.propose.build_result import build_changed
from studio.engine.propose.text_edits import apply_text_edits
from studio.errors import StudioError
from studio.journal.file_image import sha256
from studio.limits import NAMED_LINES_UP_TO, REPAIR_BYTES
from studio.names import show_name
from studio.text import NotText, TextForm, decode_text, describe, diff_text, line_codec
from studio.values import Value

_LINE_ENDS: Final = "line ends"
_EDITS_OF_A_LOOK: Final = 16
"""Number of edits made in the time of one repair search."""


class Repair(Value):
    """A step that matches its file, and a sentence on what differed."""

    draft: DraftStep
    sentence: str

    def with_repair_hint(self, problem: Problem) -> Problem:
        """Add the available repair to the hint of a refusal."""
        offer = f"It would fit with one repair: {self.sentence}. Submit it with the option repair."
        return replace(problem, hint=f"{offer} {problem.hint}".rstrip())


class _Attempt(Value):
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
        if not self._room.spend(len(base)):
            return None
        setting = draft.encoding or setting
        form = describe(base, setting)
        if isinstance(form, NotText):
            return None
        found: list[_Attempt] = []
        for attempt in self._yield_attempts(draft, base, form, setting):
            if any(attempt.name == other.name and attempt.draft == other.draft for other in found):
                continue
            if not self._room.spend(len(base)):
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
            if not self._room.spend(len(text) * (1 + len(edits) // _EDITS_OF_A_LOOK)):
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
    return Repair(replace(attempt.draft, repaired=Fact.of_repair(message)), sentence)


# Kinds of near matches: texts that read alike but differ in bytes.
#
# Such differences arise on the way through a screen, a chat or an editor; nothing here decides that they
# did.

_BLANKS = " \t"
_PLAIN: Final = {
    "'": "\u2018\u2019\u201a\u201b",
    '"': "\u201c\u201d\u201e\u201f",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2212",
    " ": "\u00a0\u2007\u202f",
}
"""Typographic characters for plain ones, one for each, so columns stay."""

_TAB_WIDTHS = (8, 4, 2)


class NearMatchKind(Value):
    """One kind of near match.

    `key` is equal for two texts that are alike, and has as many lines as its text. `keeps_columns`: what the
    key keeps of a line stays in its column.
    """

    name: str
    key: Callable[[str], str]
    keeps_columns: bool = True


def _strip_trailing_blanks(text: str) -> str:
    return "\n".join([line.rstrip(_BLANKS) for line in text.split("\n")])


def _replace_typography(text: str) -> str:
    if text.isascii():
        return text
    for plain, others in _PLAIN.items():
        for other in others:
            text = text.replace(other, plain)
    return text


def _tabs_converter(width: int) -> Callable[[str], str]:
    def key(text: str) -> str:
        return text.expandtabs(width) if "\t" in text else text

    return key


NEAR_MATCH_KINDS: Final = (
    NearMatchKind("blanks at the ends of lines", _strip_trailing_blanks),
    NearMatchKind("typographic quotes, dashes or blanks", _replace_typography),
    *(
        NearMatchKind("tabs and the blanks they look like", _tabs_converter(width), False)
        for width in _TAB_WIDTHS
    ),
)
"""All kinds; those of one name differ only in tab width."""


# Repairs of a patch: the file's own lines replace differing old ones.
#
# They differ in one named way, and the patch is parsed strictly again.

_MARKER: Final = "\\ No newline at end of file"


class _HunkLines(Value):
    """A hunk as text: header, 0-based first file line, lines with signs."""

    header: str
    first: int
    lines: tuple[str, ...]

    @property
    def old(self) -> list[str]:
        return [line[1:] for line in self.lines if line[0] in " -"]

    @property
    def has_marker(self) -> bool:
        return any(line[0] == "\\" for line in self.lines)

    def with_old(self, own: list[str]) -> _HunkLines:
        """Return the hunk with other context and removed lines."""
        left = iter(own)
        return replace(
            self, lines=tuple(line[0] + next(left) if line[0] in " -" else line for line in self.lines)
        )


class PatchRepairs(Value):
    """A patch and its file as text, for finding repairs.

    Where the file is CRLF throughout and the patch has no CR, both have LF alone: the strict parser adds it
    again.
    """

    text: str
    _patch: FilePatch
    _hunks: tuple[_HunkLines, ...]
    _form: TextForm

    @staticmethod
    def of(patch: FilePatch, base: bytes, form: TextForm, setting: str | None) -> PatchRepairs | None:
        """Return a patch's repairs, None if either text can't be decoded."""
        try:
            text = diff_text(base, setting).decode(line_codec(form))
            bodies = [hunk.body.decode("utf-8") for hunk in patch.hunks]
        except UnicodeDecodeError:
            return None
        if form.line_ending == "CRLF" and not any("\r" in body for body in bodies):
            text = text.replace("\r\n", "\n")
        hunks = tuple(
            _HunkLines(
                f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@",
                hunk.old_first,
                tuple(body.split("\n")[:-1]),
            )
            for hunk, body in zip(patch.hunks, bodies, strict=True)
        )
        return PatchRepairs(text, patch, hunks, form)

    @property
    def last_line(self) -> int:
        """The 1-based number of the file's last line."""
        return self.text.count("\n") + 1

    def with_line_ends(self) -> FilePatch | None:
        """Return the patch with the file's uniform line ends, None if unchanged."""
        if self._form.line_ending not in ("LF", "CRLF"):
            return None
        hunks = tuple(
            replace(hunk, lines=tuple(line.removesuffix("\r") for line in hunk.lines)) for hunk in self._hunks
        )
        return self._build_patch(hunks) if hunks != self._hunks else None

    def with_marker(self) -> FilePatch | None:
        """Return the patch with the mark for a missing final newline.

        Only where the last line is kept or just removed: of a changed last line it is unknown whether the new
        one was to have an end. None for no change.
        """
        last = self._hunks[-1]
        if last.has_marker or not last.lines or self.text.endswith("\n"):
            return None
        changed = "".join(line[0] for line in last.lines).rpartition(" ")[2]
        if "+" in changed:
            return None
        return self._build_patch((*self._hunks[:-1], replace(last, lines=(*last.lines, _MARKER))))

    def alike(self, searched: SearchedText) -> tuple[FilePatch, tuple[int, ...]] | None:
        """Return the patch with the file's own lines for near matches.

        The lines of each hunk must be alike at its stated place and nowhere else. Also returns the 1-based
        lines that differed; None for no repair.
        """
        file_lines = self.text.split("\n")
        hunks: list[_HunkLines] = []
        differing: list[int] = []
        for hunk in self._hunks:
            old = hunk.old
            own = file_lines[hunk.first : hunk.first + len(old)]
            if own == old:
                hunks.append(hunk)
                continue
            if len(own) != len(old) or not searched.is_only_at(hunk.first, old):
                return None
            pairs = zip(old, own, strict=True)
            differing += [hunk.first + index for index, (one, other) in enumerate(pairs, 1) if one != other]
            hunks.append(hunk.with_old(own))
        patch = self._build_patch(hunks) if differing else None
        return (patch, tuple(differing)) if patch is not None else None

    def _build_patch(self, hunks: Iterable[_HunkLines]) -> FilePatch | None:
        text = "".join(f"{line}\n" for hunk in hunks for line in (hunk.header, *hunk.lines))
        try:
            return replace(self._patch, hunks=parse_hunks(text.encode("utf-8")))
        except DiffRefused:
            return None


# Search of a text for the single near match of another.


class SearchRoom:
    """Search budget for a plan's repairs: REPAIR_BYTES characters."""

    def __init__(self) -> None:
        self._free_bytes = REPAIR_BYTES

    def spend(self, characters: int) -> bool:
        """Spend so many characters; return whether the budget allowed it."""
        self._free_bytes -= characters
        return self._free_bytes >= 0


class Occurrence(NamedTuple):
    """A range of characters, and the 1-based line of the first one."""

    start: int
    end: int
    line: int


class SearchedText:
    """A text searched for one kind of near match.

    Searches end when the budget is spent.
    """

    def __init__(self, text: str, kind: NearMatchKind, room: SearchRoom) -> None:
        self.text = text
        self._near_match = kind
        self._room = room

    def is_only_at(self, first: int, lines: list[str]) -> bool:
        """Return whether like lines are at 0-based line `first` and nowhere else."""
        key = self._near_match.key("".join(f"{line}\n" for line in lines))
        at = self._find_unique(f"\n{key}")
        return at is not None and self._delimited_key.count("\n", 0, at) == first

    def only_place(self, old: str, *, whole_lines: bool) -> Occurrence | None:
        """Return the single place of a near match of the old text.

        None for no place, for several and when the budget is spent. Where the key moves columns only whole
        lines match.
        """
        # The last line may continue in the file: blanks at its end are not trailing.
        key = self._near_match.key(f"{old}x")[:-1]
        is_whole = whole_lines or not self._near_match.keeps_columns
        # The line ends around the key are not part of the text: only a line's start may match the first.
        keyed = slice(0 if is_whole else 1, -1)
        at = self._find_unique(f"\n{key}" if is_whole else key, keyed)
        if at is None:
            return None
        at += is_whole
        start, end = self._to_text_offset(at), self._to_text_offset(at + len(key))
        if start is None or end is None:
            return None
        return Occurrence(start, end, self.text.count("\n", 0, start) + 1)

    def _find_unique(self, key: str, keyed: slice = slice(None)) -> int | None:
        if not self._room.spend(2 * len(self.text)):
            return None
        at = self._delimited_key.find(key, keyed.start, keyed.stop)
        return at if at >= 0 and self._delimited_key.find(key, at + 1, keyed.stop) < 0 else None

    def _to_text_offset(self, at: int) -> int | None:
        """Return the text offset of a key offset, or None if unknown."""
        line_start = self._delimited_key.rfind("\n", 0, at) + 1
        line = self._delimited_key.count("\n", 0, at) - 1
        start, column = self._line_starts[line], at - line_start
        if not column or self._near_match.keeps_columns:
            return start + column
        # Where columns moved, only the end of the line is known.
        return self._line_starts[line + 1] - 1 if self._delimited_key[at] == "\n" else None

    @cached_property
    def _delimited_key(self) -> str:
        """The key, with a line end before and after it."""
        return f"\n{self._near_match.key(self.text)}\n"

    @cached_property
    def _line_starts(self) -> list[int]:
        return list(accumulate((len(line) + 1 for line in self.text.split("\n")), initial=0))
