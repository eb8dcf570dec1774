"""Repairs of a patch: the file's own lines replace differing old ones.

They differ in one named way, and the patch is parsed strictly again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from studio.engine.diff import DiffRefused, FilePatch, parse_hunks
from studio.engine.propose.searched_text import SearchedText
from studio.engine.text import TextForm, diff_text, line_codec

_MARKER: Final = "\\ No newline at end of file"


@dataclass(frozen=True, slots=True)
class _HunkLines:
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


@dataclass(frozen=True, slots=True)
class PatchRepairs:
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
