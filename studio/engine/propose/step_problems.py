"""Constructors of the problems and facts that step checks report, with hints."""

from __future__ import annotations

from studio.engine.diff import DiffRefused, DoesNotMatch
from studio.engine.plan import REPLACES_STALE, Fact, Plan, Problem, Severity
from studio.engine.policy import PathVerdict
from studio.engine.root import EntryKind
from studio.errors import Conflict, FileExists, FileMissing, Refused, StudioError
from studio.limits import UNPACKED_BYTES
from studio.names import show_name
from studio.system.os_errors import failure

_ODD = {
    EntryKind.LINK: "a symbolic link",
    EntryKind.PIPE: "a pipe",
    EntryKind.SOCKET: "a socket",
    EntryKind.DEVICE: "a device",
}


def manual_only(path: str) -> Problem:
    """Report two mismatches in a row, left to a person."""
    return Problem(
        "patch.manual_only",
        f"Two consecutive changes to {show_name(path)} did not match the file.",
        "Read the file again and match it exactly, or ask the user to make the change by hand.",
        at="target",
    )


def denied(verdict: PathVerdict) -> Problem:
    """Return the problem of a path that a rule denies."""
    error = verdict.denial()
    return Problem(error.code, error.message, error.hint, at="target")


def beneath_file(path: str, above: str) -> Problem:
    """Return the problem of a path whose parent is a file."""
    return Problem(
        "path.beneath_file",
        f"{show_name(path)} is beneath {show_name(above)}, which is not a folder.",
        "Choose another path.",
        at="target",
    )


def beneath_removed(path: str, above: str) -> Problem:
    """Return the problem of a path whose parent the plan removes."""
    return Problem(
        "path.beneath_removed",
        f"{show_name(path)} is beneath {show_name(above)}, which this plan deletes.",
        "Propose it after that plan has been applied.",
    )


def same_name(path: str, target: str) -> Problem:
    """Return the problem of a move between two spellings of one file."""
    return Problem(
        "path.same_name",
        f"{show_name(path)} and {show_name(target)} are the same name on this disk.",
        "Move the file to a temporary name in one plan, and to its final name in the next.",
    )


def needed_by_refused(path: str, target: str) -> Problem:
    """Return the problem of a step whose unit has a refused one."""
    return Problem(
        "path.needed_by_refused",
        (f"{show_name(path)} was not changed: {show_name(target)}, part of the same change, was refused."),
        "Fix that step, or propose only this one.",
    )


def unclear_order(path: str, target: str) -> Refused:
    """Return the error for steps on one path with an ambiguous order.

    `git apply` and an execution one by one would leave different files.
    """
    return Refused(
        "path.unclear_order",
        f"{show_name(path)} is changed and renamed to {show_name(target)} in an ambiguous order.",
        "Rename first and then change the new file, or make the diff with: git diff -M",
        path=path,
    )


def other_base(path: str) -> Conflict:
    """Return the error for a step whose base earlier steps don't leave."""
    return Conflict(
        "target.other_base",
        f"One change to {show_name(path)} is based on another version of the file.",
        "Read the file again, then propose all changes again.",
        path=path,
    )


def missing(path: str, *, is_diff: bool = False) -> FileMissing:
    """Return the error for a missing file.

    `is_diff`: svn diff, fossil diff and bzr diff write the edit of a renamed or copied file under its new
    name, and omit the rename.
    """
    hint = "Check the path, or create the file."
    if is_diff:
        hint = (
            "Check the path. If it was renamed or copied, make the diff with git diff -M -C, which says so."
        )
    return FileMissing("target.missing", f"{show_name(path)} does not exist.", hint, path=path)


def exists(path: str) -> FileExists:
    """Return the error for a new file whose path exists."""
    return FileExists(
        "target.exists",
        f"{show_name(path)} exists already.",
        "Propose a modify of the file as it is now.",
        path=path,
    )


def unsupported_entry(path: str, kind: EntryKind) -> Problem:
    """Return the problem of a link, pipe or the like."""
    description = _ODD.get(kind, "neither a file nor a folder")
    return Problem(
        "target.odd",
        f"{show_name(path)} is {description} now, and only files and folders can be proposed.",
        "Create it by hand if you need it.",
    )


def other_modes(path: str, mode: int, count: int) -> Problem:
    """Return the problem of permission bits that no step can change.

    `count` is the number of files and folders concerned.
    """
    others = f" and {count - 1:,} more" if count > 1 else ""
    return Problem(
        "target.mode",
        f"The permissions of {show_name(path)} ({mode:04o}){others} are not proposed: a plan changes only"
        " the executable bit.",
        "Set them by hand if you need them.",
        at="target",
    )


def unchanged_mode(path: str, mode: int) -> Fact:
    """Return the fact that a step does not change other permission bits."""
    return Fact(
        "mode_unchanged",
        Severity.WARNING,
        (
            f"Other permissions are unchanged. The command set {mode:04o} for {show_name(path)}, "
            "but a plan changes only the executable bit."
        ),
    )


def unclear_prefix(path: str) -> Refused:
    """Return the error for a folder that may be a diff's prefix."""
    folder = path.partition("/")[0]
    return Refused(
        "diff.prefix",
        f"It is unclear whether {show_name(folder)} is a new folder or a prefix.",
        f"Write +++ b/{show_name(path)}, or create the diff with git diff.",
        path=path,
    )


def deletion_leaves_lines(path: str) -> Refused:
    """Return the error for a deletion whose diff leaves lines."""
    return Refused(
        "patch.delete_leaves_lines",
        f"The deletion of {show_name(path)} does not remove all of its lines.",
        "Read the file again and make a new diff.",
        path=path,
    )


def stale_on_arrival(path: str) -> Fact:
    """Return the fact that a step was made for other bytes."""
    return Fact(
        "stale_on_arrival",
        Severity.WARNING,
        (f"{show_name(path)} differs from the file that this step is based on: its hash is not base_sha256."),
    )


def waits_for(path: str, plan: Plan) -> Fact:
    """Return the fact that a step's base is another plan's result."""
    return Fact(
        "waits_for_plan",
        Severity.WARNING,
        f"{show_name(path)} waits for plan {plan.short_id}, “{show_name(plan.title)}”: the step changes"
        " its result.",
    )


def moved_on(path: str) -> Fact:
    """Return the fact that the file changed after the session read it."""
    return Fact(
        "stale_on_arrival",
        Severity.WARNING,
        f"{show_name(path)} has changed in the project since the agent saw it.",
    )


def replaces_stale(path: str) -> Fact:
    """Return the fact that an earlier change of the file is discarded."""
    return Fact(
        REPLACES_STALE,
        Severity.NOTE,
        f"This step starts from {show_name(path)} on disk and replaces an earlier step that was stale.",
    )


def other_round(path: str) -> Problem:
    """Return the problem of a step whose base is no longer proposed."""
    return Problem(
        "target.other_round",
        f"Another call of this session proposes another change of {show_name(path)}.",
        "Read the file again, then change its current content.",
        at="target",
    )


def unreadable(path: str, error: OSError | Refused) -> Problem:
    """Return the problem of a file that can't be read."""
    lead = f"{show_name(path)} can't be read"
    failed = failure(error, lead, path=path) if isinstance(error, OSError) else error
    return Problem(failed.code, failed.message, failed.hint, at="target")


def problems_of(path: str, error: StudioError | OSError) -> tuple[Problem, ...]:
    """Return the problems of a step whose check ended with this error."""
    if isinstance(error, DiffRefused | DoesNotMatch):
        return error.problems
    if isinstance(error, OSError):
        return (unreadable(path, error),)
    return (Problem(error.code, error.message, error.hint, at="target"),)


def unpacks_too_much(path: str) -> Problem:
    """Return the problem of binary patches that unpack to too much."""
    return Problem(
        "plan.unpacks_too_much",
        f"The binary patches before {show_name(path)} unpack to almost {UNPACKED_BYTES:,} bytes, the limit "
        "of one plan.",
        "Propose this file in a plan of its own.",
    )
