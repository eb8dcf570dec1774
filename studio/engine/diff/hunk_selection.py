"""Partial application of a diff by chosen hunks or single lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from studio.engine.diff.formatting import format_unified
from studio.engine.diff.line_diff import Change, FileDiff, Hunk, compute
from studio.engine.diff.pairing import paired
from studio.engine.plan import HunkChoice
from studio.errors import UsageError
from studio.text import Lines, from_diff_text


def select(diff: FileDiff, choices: Mapping[int, HunkChoice]) -> bytes:
    """Return the result in diff text with only the chosen changes applied.

    Hunks not named are applied whole. A choice of lines counts the hunk's `-` and `+` lines from 1, in the
    order of the unified diff. Kept old lines and chosen new lines are in the order of the side-by-side rows:
    of two paired lines the old one is first. All chosen gives the result, none the base. Raises UsageError
    for a hunk or line the diff does not have.
    """
    _check(diff, choices)
    base, result = diff.base_lines, diff.result_lines
    pieces: list[bytes] = []
    position = 0
    by_lines = any(not isinstance(choice, bool) for choice in choices.values())
    parts: Mapping[int, tuple[Change, ...]] = paired(diff) if by_lines else {}
    index = 0
    for hunk in diff.hunks:
        choice = choices.get(hunk.number, True)
        first = 1
        for change in hunk.changes:
            pieces.append(base.block(position, change.old_first - position))
            if choice is True:
                pieces.append(result.block(change.new_first, change.new_count))
            elif choice is False:
                pieces.append(base.block(change.old_first, change.old_count))
            else:
                for part in parts.get(index, (change,)):
                    removed = first + part.old_first - change.old_first
                    added = first + change.old_count + part.new_first - change.new_first
                    pieces.extend(_chosen_lines(base, result, part, choice, (removed, added)))
            index += 1
            first += change.old_count + change.new_count
            position = change.old_end
    pieces.append(base.block(position, len(base) - position))
    return _join_pieces([piece for piece in pieces if piece])


def choose(
    base: bytes, result: bytes, choices: Mapping[int, HunkChoice], setting: str | None = None
) -> bytes:
    """Return the file's bytes with only the chosen changes applied.

    Hunks are those of compute with context 3. Choosing all gives exactly `result`, choosing nothing exactly
    `base`; a part is written in the base's encoding (the result's, where the base is empty). `setting` is the
    project's encoding. Raises UsageError as select, and Refused where the encoding can't represent a chosen
    line.
    """
    diff = compute(base, result, setting=setting)
    _check(diff, choices)
    selections = [_hunk_selection(hunk, choices.get(hunk.number, True)) for hunk in diff.hunks]
    if all(part is True for part in selections):
        return result
    if all(part is False for part in selections):
        return base
    return from_diff_text(select(diff, choices), base or result, setting)


def format_excluded_diff(decided: bytes, result: bytes, path: str, setting: str | None = None) -> bytes:
    """Return the diff from the decided to the proposed content.

    It shows the agent what was excluded; empty for nothing.
    """
    return format_unified(compute(decided, result, setting=setting), path, path)


def _hunk_selection(hunk: Hunk, choice: HunkChoice) -> bool | None:
    """Return True for all of a hunk, False for none, None otherwise."""
    if isinstance(choice, bool):
        return choice
    if not choice:
        return False
    return True if len(choice) == hunk.changed_lines else None


def _chosen_lines(
    base: Lines, result: Lines, part: Change, choice: frozenset[int], numbers: tuple[int, int]
) -> Iterable[bytes]:
    """Yield the chosen lines of a part of a change.

    `numbers` are those of its first `-` and its first `+` line.
    """
    for step in range(max(part.old_count, part.new_count)):
        if step < part.old_count and numbers[0] + step not in choice:
            yield base[part.old_first + step]
        if step < part.new_count and numbers[1] + step in choice:
            yield result[part.new_first + step]


def _join_pieces(pieces: list[bytes]) -> bytes:
    """Join the pieces, completing a missing newline before another line."""
    for index, piece in enumerate(pieces[:-1]):
        if not piece.endswith(b"\n"):
            neighbour = piece if b"\n" in piece else pieces[index - 1] if index else pieces[index + 1]
            pieces[index] = piece + (b"\r\n" if b"\r\n" in neighbour else b"\n")
    return b"".join(pieces)


def _check(diff: FileDiff, choices: Mapping[int, HunkChoice]) -> None:
    for number, choice in choices.items():
        if not 1 <= number <= len(diff.hunks):
            raise UsageError(
                "choice.hunk",
                f"Hunk {number} does not exist.",
                f"This step has hunks 1 to {len(diff.hunks)}." if diff.hunks else "This step has no hunks.",
            )
        lines = diff.hunks[number - 1].changed_lines
        unknown = [] if isinstance(choice, bool) else [line for line in choice if not 1 <= line <= lines]
        if unknown:
            raise UsageError(
                "choice.line",
                f"Hunk {number} has no changed line {min(unknown)}.",
                f"Its changed lines are numbered from 1 to {lines}.",
            )
