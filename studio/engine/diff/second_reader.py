"""Cross-check of our diff parser's result with the package `unidiff`.

Two programs must not read one diff in two ways. The package `unidiff` parses the same bytes as Latin-1 text,
so that no byte is lost and lines end at LF only. It does not decode quoted names and knows less about headers
than our parser; files, hunks and counts must be the same.
"""

from __future__ import annotations

from studio.engine.diff.cursor import DiffRefused
from studio.engine.diff.header_names import USUAL_MARKS
from studio.engine.diff.header_rules import FileEntry
from studio.engine.diff.hunks import PatchHunk
from studio.engine.plan import Fact, Operation, Problem, Severity
from studio.limits import SECOND_READER_BYTES, SECOND_READER_CHARACTERS
from studio.names import show_name

_MIB = 1024 * 1024
_WHAT_TO_DO = "Only the changes shown are written; check that every file the agent mentions is there."


def compare_readings(data: bytes, entries: tuple[FileEntry, ...]) -> tuple[Fact, ...]:
    """Parse `data` again with unidiff and compare; return facts for the reviewer.

    Raises DiffRefused `diff.second_reader` where the two readings differ.
    """
    if len(data) > SECOND_READER_BYTES:
        return (
            Fact(
                "second_reader",
                Severity.NOTE,
                f"This diff was checked once, not twice. It is larger than {SECOND_READER_BYTES // _MIB}"
                f" MiB, the limit of the second check. {_WHAT_TO_DO}",
            ),
        )
    import unidiff.errors

    try:
        # With metadata_only unidiff 1.0.1 takes a seventh of the time.
        other = unidiff.PatchSet(data.decode("latin-1"), metadata_only=True)
    except (unidiff.errors.UnidiffParseError, ValueError) as error:
        # The message may quote a line of any length, and is attached to every file of the diff.
        error_text = show_name(str(error)[:SECOND_READER_CHARACTERS])
        return (
            Fact(
                "second_reader",
                Severity.NOTE,
                f"This diff was checked once, not twice. The second check could not read it: {error_text}. "
                f"{_WHAT_TO_DO}",
            ),
        )
    if len(other) != len(entries):
        # unidiff 1.0.1 sees no file in "Binary files … differ" with dates, as rcsdiff 5.10 writes it.
        entries = tuple(entry for entry in entries if not _is_binary(entry))
    if len(other) != len(entries):
        _refuse_disagreement(
            entries[0].patch.line if entries else 1, f"{len(entries)} files versus {len(other)}"
        )
    for entry, other_file in zip(entries, other, strict=True):
        _compare_names(entry, other_file.source_file, other_file.target_file)
        hunks = entry.patch.hunks
        if len(hunks) != len(other_file):
            _refuse_disagreement(entry.patch.line, f"{len(hunks)} hunks versus {len(other_file)}")
        for own_hunk, hunk in zip(hunks, other_file, strict=True):
            if _numbers(own_hunk) != (
                *(hunk.source_start, hunk.source_length, hunk.target_start, hunk.target_length),
                *(hunk.added, hunk.removed),
            ):
                _refuse_disagreement(own_hunk.line, "another extent of this hunk")
    return ()


def _is_binary(entry: FileEntry) -> bool:
    return any(problem.code == "file.binary" for problem in entry.patch.problems)


def _numbers(hunk: PatchHunk) -> tuple[int, ...]:
    ranges = (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines)
    return (*ranges, hunk.added, hunk.removed)


def _compare_names(entry: FileEntry, source: str, target: str) -> None:
    patch = entry.patch
    # unidiff does not decode quoted names, and cuts a diff --git line at its last " b/", or at its last blank
    # where there is none.
    cut_at = " b/" if entry.marks == USUAL_MARKS else " "
    hidden = any(path is not None and cut_at in path for path in (patch.old_path, patch.new_path))
    if entry.quoted or hidden:
        return
    old_prefix, new_prefix = (mark.decode() for mark in entry.marks)
    sides = [
        (patch.old_path, old_prefix, source, patch.operation is not Operation.CREATE),
        (patch.new_path, new_prefix, target, patch.operation is not Operation.DELETE),
    ]
    for path, prefix, other_name, is_shown in sides:
        if not is_shown or path is None:
            continue
        # unidiff leaves a date in the name where no --- and +++ lines follow.
        name = other_name.partition("\t")[0]
        if (prefix + path).encode("utf-8", "surrogateescape").decode("latin-1") != name:
            _refuse_disagreement(patch.line, "another name of this file")


def _refuse_disagreement(line: int, difference: str) -> None:
    raise DiffRefused(
        (
            Problem(
                "diff.second_reader",
                f"Two parsers read this diff differently: {difference}.",
                "Create the diff again with git diff.",
                line=line,
                column=1,
            ),
        )
    )
