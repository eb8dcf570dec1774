"""Three-way merge by whole lines, with conflict resolution by chosen texts.

Clean only where no change of one side touches a change of the other; adjacent lines count as touching. The
same change on both sides is no conflict.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

from studio.engine.diff.line_diff import Change, compute
from studio.errors import Refused
from studio.text import Lines, NotText, TextForm, describe, diff_text, from_diff_text
from studio.values import Value

_BLANKS = b" \t\r\n\v\f"


class LineRange(Value):
    """A range of `count` lines from the 0-based `first`.

    For a count of 0 it is empty, before that line.
    """

    first: int
    count: int


class MergePlace(Value):
    """A place changed on either side, as ranges of all texts."""

    base: LineRange
    current: LineRange
    proposed: LineRange


class MergeConflict(MergePlace):
    """A place where both sides changed the same or adjacent lines differently."""


class Merged(Value):
    """Result of a merge: the merged bytes, or None and conflicts.

    With conflicts, `pieces` are the merged text in order, in diff text: what is resolved, and each conflict
    in its place; `places` are all changed places including the conflicts.
    """

    result: bytes | None
    conflicts: tuple[MergeConflict, ...] = ()
    pieces: tuple[bytes | MergeConflict, ...] = ()
    places: tuple[MergePlace, ...] = ()


def merge(
    base: bytes,
    current: bytes,
    proposed: bytes,
    setting: str | None = None,
    *,
    cancel: threading.Event | None = None,
) -> Merged:
    """Merge the changes from `base` to `proposed` into `current`.

    Conflicts count lines of diff text. The result has the encoding and byte order mark of `current`;
    `setting` is the project's encoding for the path. Raises Refused `merge.binary` or `merge.encoding`, and
    DiffCancelled.
    """
    for unchanged, other in ((current, proposed), (proposed, current)):
        if unchanged in (base, other):
            return Merged(other)
    _check_text(current, proposed, setting)
    # Context is irrelevant here; without any a diff has nothing but the changes.
    theirs = compute(base, current, 0, setting, cancel=cancel)
    ours = compute(base, proposed, 0, setting, cancel=cancel)
    pieces: list[bytes | MergeConflict] = []
    places: list[MergePlace] = []
    position = 0
    for place in _places(theirs.changes, ours.changes):
        pieces.append(theirs.base_lines.block(position, place.base.first - position))
        position = place.base.first + place.base.count
        before = theirs.base_lines.block(place.base.first, place.base.count)
        now = theirs.result_lines.block(place.current.first, place.current.count)
        replacement = ours.result_lines.block(place.proposed.first, place.proposed.count)
        if now in (before, replacement):
            pieces.append(replacement)
        elif replacement == before:
            pieces.append(now)
        else:
            conflict = MergeConflict(place.base, place.current, place.proposed)
            pieces.append(conflict)
            places.append(conflict)
            continue
        places.append(place)
    pieces.append(theirs.base_lines.block(position, theirs.base_total))
    conflicts = tuple(piece for piece in pieces if isinstance(piece, MergeConflict))
    if conflicts:
        return Merged(None, conflicts, tuple(pieces), tuple(places))
    return Merged(resolve_conflicts(pieces, (), current, setting))


def resolve_conflicts(
    pieces: Sequence[bytes | MergeConflict],
    chosen: Sequence[bytes],
    current: bytes,
    setting: str | None = None,
) -> bytes:
    """Return the file's bytes with each conflict replaced by its chosen text.

    The chosen texts are diff text.
    """
    texts = iter(chosen)
    parts = [next(texts) if isinstance(piece, MergeConflict) else piece for piece in pieces]
    return from_diff_text(b"".join(parts), current, setting)


def merge_typed(before: bytes, now: bytes, typed: bytes, setting: str | None = None) -> bytes:
    """Merge the changes from `before` to `typed` into `now`.

    Where both changed the same lines, `typed` wins. Raises Refused where the three can't be merged as text.
    """
    merger = merge(before, now, typed, setting)
    if merger.result is not None:
        return merger.result
    lines = Lines(diff_text(typed, setting))
    places = (conflict.proposed for conflict in merger.conflicts)
    return resolve_conflicts(merger.pieces, [lines.block(at.first, at.count) for at in places], now, setting)


def only_formatting(base: bytes, current: bytes, setting: str | None = None) -> bool:
    """Return whether only white space differs, as after a formatter.

    False for equal bytes.
    """
    if base == current:
        return False
    old, new = (diff_text(side, setting).translate(None, _BLANKS) for side in (base, current))
    return old == new


def _check_text(current: bytes, proposed: bytes, setting: str | None) -> None:
    forms = [describe(side, setting) for side in (current, proposed)]
    if any(isinstance(form, NotText) for form in forms):
        raise Refused(
            "merge.binary", "Only text can be merged, and one side is not text.", "Have it proposed again."
        )
    encodings = {form.encoding for form in forms if isinstance(form, TextForm)} - {"ascii"}
    if len(encodings) > 1:
        raise Refused(
            "merge.encoding",
            f"The two sides are in different encodings: {' and '.join(sorted(encodings))}.",
            "Have it proposed again for the file as it is now.",
        )


def _places(theirs: Sequence[Change], ours: Sequence[Change]) -> Iterator[MergePlace]:
    """Yield the groups of touching changes, as a range of each text."""
    their_index, our_index = 0, 0
    their_shift = our_shift = 0
    while their_index < len(theirs) or our_index < len(ours):
        first = min(
            side[at].old_first for side, at in ((theirs, their_index), (ours, our_index)) if at < len(side)
        )
        end = first
        their_first, our_first = first + their_shift, first + our_shift
        grows = True
        while grows:
            grows = False
            while their_index < len(theirs) and theirs[their_index].old_first <= end:
                change = theirs[their_index]
                end, their_shift = max(end, change.old_end), change.new_end - change.old_end
                their_index, grows = their_index + 1, True
            while our_index < len(ours) and ours[our_index].old_first <= end:
                change = ours[our_index]
                end, our_shift = max(end, change.old_end), change.new_end - change.old_end
                our_index, grows = our_index + 1, True
        yield MergePlace(
            LineRange(first, end - first),
            LineRange(their_first, end + their_shift - their_first),
            LineRange(our_first, end + our_shift - our_first),
        )
