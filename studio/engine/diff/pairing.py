"""Pairing of similar old and new lines for the side-by-side view.

A change is split into parts, each beginning where two lines are similar. Lines without a match are in order,
as are all once the limit of comparisons for a diff is used up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from studio.engine.diff.line_diff import Change, FileDiff
from studio.limits import PAIRED_IN_CHANGE_UP_TO, PAIRED_LINES_UP_TO

RESEMBLE = 0.55
"""Ratio of equal characters from which two lines are versions of each other."""

_LINE_BYTES = 160


def paired(diff: FileDiff) -> Mapping[int, tuple[Change, ...]]:
    """Return the parts of split changes, by the change's index.

    Parts are ascending and cover the change. The lines of a part are paired from its first on.
    """
    # Cached, as each view of a diff needs the same.
    return diff.once(_pair_changes)


def _pair_changes(diff: FileDiff) -> Mapping[int, tuple[Change, ...]]:
    found: dict[int, tuple[Change, ...]] = {}
    budget = PAIRED_LINES_UP_TO
    changes = diff.changes
    for index, (old_count, new_count) in enumerate(zip(changes.old_counts, changes.new_counts, strict=True)):
        pairs = old_count * new_count
        if pairs <= 1 or pairs > PAIRED_IN_CHANGE_UP_TO:
            continue
        budget -= pairs
        if budget < 0:
            break
        parts = _split_change(diff, changes[index])
        if len(parts) > 1:
            found[index] = parts
    return found


def _split_change(diff: FileDiff, change: Change) -> tuple[Change, ...]:
    old = [_comparable_text(diff.base_lines[change.old_first + line]) for line in range(change.old_count)]
    new = [_comparable_text(diff.result_lines[change.new_first + line]) for line in range(change.new_count)]
    starts: list[tuple[int, int]] = [(0, 0)]
    for pair in _similar_pairs(old, new):
        # A pair that is in order anyway needs no part of its own.
        if pair[0] - starts[-1][0] != pair[1] - starts[-1][1]:
            starts.append(pair)
    ends = [*starts[1:], (change.old_count, change.new_count)]
    return tuple(
        Change(change.old_first + o, end_o - o, change.new_first + n, end_n - n)
        for (o, n), (end_o, end_n) in zip(starts, ends, strict=True)
    )


def _similar_pairs(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int]]:
    """Return the pairs, ascending on both sides, with the greatest total similarity."""
    from rapidfuzz.distance.Indel import normalized_similarity

    # best[o][n] is the greatest sum for the lines from o and n on.
    width = len(new) + 1
    best = [[0.0] * width for _ in range(len(old) + 1)]
    similarities = [
        [normalized_similarity(one, other, score_cutoff=RESEMBLE) for other in new] for one in old
    ]
    for o in range(len(old) - 1, -1, -1):
        current, following, row = best[o], best[o + 1], similarities[o]
        for n in range(len(new) - 1, -1, -1):
            current[n] = max(following[n], current[n + 1], following[n + 1] + row[n])
    pairs: list[tuple[int, int]] = []
    o = n = 0
    while o < len(old) and n < len(new):
        if similarities[o][n] and best[o][n] == best[o + 1][n + 1] + similarities[o][n]:
            pairs.append((o, n))
            o, n = o + 1, n + 1
        elif best[o][n] == best[o + 1][n]:
            o += 1
        else:
            n += 1
    return pairs


def _comparable_text(line: bytes) -> bytes:
    """Return what is compared of a line: no indentation or end."""
    return line.strip()[:_LINE_BYTES]
