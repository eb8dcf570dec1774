"""What is wrong with a proposed step, each in a sentence with a next step."""

from __future__ import annotations

from studio.engine.diff import DiffRefused, DoesNotMatch
from studio.engine.errors import Conflict, FileExists, FileMissing, Refused, StudioError
from studio.engine.filesystem.ruled import denied as denied_by
from studio.engine.limits import UNPACKED_BYTES
from studio.engine.names import show_name
from studio.engine.plan import Fact, Plan, Problem, Severity
from studio.engine.policy import PathVerdict
from studio.engine.root import EntryKind
from studio.engine.system.os_errors import failure

_ODD = {
    EntryKind.LINK: "a symbolic link",
    EntryKind.PIPE: "a pipe",
    EntryKind.SOCKET: "a socket",
    EntryKind.DEVICE: "a device",
}


def manual_only(path: str) -> Problem:
    """Two failed changes in a row: what needs more than an exact match is a person's (C41)."""
    return Problem(
        "patch.manual_only",
        f"Two changes of {show_name(path)} in a row did not match the file.",
        "Read the file again and match it exactly, or ask the user to make the change by hand.",
        at="target",
    )


def denied(verdict: PathVerdict) -> Problem:
    """A rule says no."""
    error = denied_by(verdict)
    return Problem(error.code, error.message, error.hint, at="target")


def beneath_file(path: str, above: str) -> Problem:
    """A file stands where a folder would have to be."""
    return Problem(
        "path.beneath_file",
        f"{show_name(path)} lies beneath {show_name(above)}, which is no folder.",
        "Choose another path.",
        at="target",
    )


def beneath_removed(path: str, above: str) -> Problem:
    """The plan itself takes away the folder that it would have to be in."""
    return Problem(
        "path.beneath_removed",
        f"{show_name(path)} lies beneath {show_name(above)}, which this plan takes away.",
        "Propose it after that plan has been applied.",
    )


def same_name(path: str, target: str) -> Problem:
    """Refuse to move a file between two spellings that name one file."""
    return Problem(
        "path.same_name",
        f"{show_name(path)} and {show_name(target)} are one name on this disk.",
        "Move the file to a third name in one plan, and from there in the next.",
    )


def needed_by_refused(path: str, target: str) -> Problem:
    """Refuse a step because another one of its unit was refused."""
    return Problem(
        "path.needed_by_refused",
        f"{show_name(path)} is not changed: {show_name(target)}, a part of the same change, was refused.",
        "Correct that step, or propose this one alone.",
    )


def unclear_order(path: str, target: str) -> Refused:
    """Refuse steps on one path that `git apply` and a carrying out one by one read in different ways."""
    return Refused(
        "path.unclear_order",
        f"{show_name(path)} is changed and renamed to {show_name(target)} in an order that has two meanings.",
        "Rename first and then change the new file, or make the diff with: git diff -M",
        path=path,
    )


def other_base(path: str) -> Conflict:
    """A step of several on one path was made for other bytes than the steps before it leave."""
    return Conflict(
        "target.other_base",
        f"{show_name(path)} is not the file that one of its changes was made for.",
        "Read the file again, and propose all changes anew.",
        path=path,
    )


def missing(path: str, *, is_diff: bool = False) -> FileMissing:
    """What is to be changed is not there.

    `is_diff`: svn diff, fossil diff and bzr diff write the edit of a renamed or copied file under its new
    name, and the rename not at all.
    """
    hint = "Check the path, or create the file."
    if is_diff:
        hint = (
            "Check the path. If it was renamed or copied, make the diff with git diff -M -C, which says so."
        )
    return FileMissing("target.missing", f"{show_name(path)} does not exist.", hint, path=path)


def exists(path: str) -> FileExists:
    """What is to be made is there already."""
    return FileExists(
        "target.exists",
        f"{show_name(path)} exists already.",
        "Propose a modify of the file as it is now.",
        path=path,
    )


def odd_entry(path: str, kind: EntryKind) -> Problem:
    """A link, a pipe or the like, which no plan of an agent makes."""
    what = _ODD.get(kind, "neither a file nor a folder")
    return Problem(
        "target.odd",
        f"{show_name(path)} is {what} now, and only files and folders can be proposed.",
        "Make it by hand, if it is wanted.",
    )


def other_modes(path: str, mode: int, count: int) -> Problem:
    """A command changed permission bits that no step can change, of so many files and folders."""
    others = f" and of {count - 1:,} more" if count > 1 else ""
    return Problem(
        "target.mode",
        f"The permissions of {show_name(path)} ({mode:04o}){others} are not proposed: "
        "a plan changes the executable bit alone.",
        "Set them by hand, if they are wanted.",
        at="target",
    )


def unchanged_mode(path: str, mode: int) -> Fact:
    """A command changed permission bits of a file that the step leaves as they are."""
    return Fact(
        "mode_unchanged",
        Severity.WARNING,
        f"Other permissions stay as they are. The command set {mode:04o} for {show_name(path)}, "
        "and a plan changes the executable bit alone.",
    )


def unclear_prefix(path: str) -> Refused:
    """Refuse a new file in a new folder that may be a prefix of its name in the diff."""
    folder = path.partition("/")[0]
    return Refused(
        "diff.prefix",
        f"It is not clear whether {show_name(folder)} is a new folder or a prefix of the name.",
        f"Write +++ b/{show_name(path)}, or make the diff with git diff.",
        path=path,
    )


def keeps_lines(path: str) -> Refused:
    """A deletion whose diff does not take every line."""
    return Refused(
        "patch.delete_leaves_lines",
        f"The deletion of {show_name(path)} does not take all of its lines away.",
        "Read the file again and make a new diff.",
        path=path,
    )


def stale_on_arrival(path: str) -> Fact:
    """The step was made for other bytes (contract 2)."""
    return Fact(
        "stale_on_arrival",
        Severity.WARNING,
        f"{show_name(path)} is not the file this step was made for: its hash differs from base_sha256.",
    )


def waits_for(path: str, plan: Plan) -> Fact:
    """The step was made on what another plan of the same session leaves."""
    return Fact(
        "waits_for_plan",
        Severity.WARNING,
        f"{show_name(path)} waits for plan {plan.short_id}: the step was made on what that one leaves there.",
    )


def moved_on(path: str) -> Fact:
    """The project changed the file after the session saw it."""
    return Fact(
        "stale_on_arrival",
        Severity.WARNING,
        f"{show_name(path)} has changed in the project since the agent saw it.",
    )


def other_round(path: str) -> Problem:
    """A step for bytes that the session's open plan no longer proposes."""
    return Problem(
        "target.other_round",
        f"{show_name(path)} is proposed otherwise by another call of this session.",
        "Read the file again, and make the change on what it is now.",
        at="target",
    )


def unreadable(path: str, error: OSError | Refused) -> Problem:
    """The disk, or a limit, does not let us look at the file."""
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
    """A plan's binary patches are more than one plan may unpack to."""
    return Problem(
        "plan.unpacks_too_much",
        f"The binary patches before {show_name(path)} unpack to almost {UNPACKED_BYTES:,} bytes, the limit "
        "of one plan.",
        "Propose this file in a plan of its own.",
    )
