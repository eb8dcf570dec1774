"""One error model: class, fault kind, builtin and registry code, with a sentence."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

import pytest

from studio import errors
from studio.doors.json_documents import error_json
from studio.engine.config import ConfigRefused
from studio.engine.store.database import translated
from studio.errors import (
    AppendError,
    Conflict,
    FaultKind,
    FileError,
    Refused,
    StudioError,
    WriteError,
)
from studio.system.os_errors import failure, find_cause, wrap_os_errors

TABLE: dict[FaultKind, tuple[type[BaseException], str, tuple[int, ...], tuple[int, ...]]] = {
    FaultKind.NOT_FOUND: (FileNotFoundError, "FS-001", (errno.ENOENT,), (2, 3)),
    FaultKind.ALREADY_EXISTS: (FileExistsError, "FS-006", (errno.EEXIST,), (80, 183)),
    FaultKind.ACCESS_DENIED: (
        PermissionError,
        "FS-002",
        (errno.EACCES, errno.EPERM, errno.EROFS),
        (5, 19),
    ),
    FaultKind.INVALID_PATH: (ValueError, "FS-003", (errno.EINVAL, errno.EILSEQ), (123, 161)),
    FaultKind.DIRECTORY_NOT_EMPTY: (IsADirectoryError, "FS-007", (errno.ENOTEMPTY,), (145,)),
    FaultKind.NOT_A_DIRECTORY: (NotADirectoryError, "FS-008", (errno.ENOTDIR,), (267,)),
    FaultKind.NOT_A_FILE: (IsADirectoryError, "FS-009", (errno.EISDIR,), ()),
    FaultKind.DISK_FULL: (OSError, "FS-004", (errno.ENOSPC, errno.EDQUOT), (39, 112, 1295)),
    FaultKind.IO_ERROR: (OSError, "FS-010", (errno.EIO, errno.EMFILE, errno.ENFILE, errno.EXDEV), (4, 17)),
    FaultKind.PATH_TOO_LONG: (OSError, "FS-011", (errno.ENAMETOOLONG,), (206,)),
    FaultKind.TIMEOUT: (TimeoutError, "RES-003", (errno.ETIMEDOUT,), (121, 1460)),
}
"""Fault kind → Python's exception, registry code, POSIX numbers, Win32 codes."""

LOCKED = ((errno.EBUSY, errno.ETXTBSY, errno.EAGAIN, errno.EDEADLK), (32, 33, 170))
LINK = ((errno.ELOOP,), (1920,))
GONE = ((errno.ENODEV, errno.ENXIO, errno.ESTALE, errno.ENOTCONN, errno.EHOSTDOWN), (21, 53, 55, 64, 67))

SPECIAL: dict[str, tuple[FaultKind, str, type[BaseException], tuple[tuple[int, ...], tuple[int, ...]]]] = {
    "locked": (FaultKind.ACCESS_DENIED, "FS-005", PermissionError, LOCKED),
    "link": (FaultKind.ACCESS_DENIED, "SEC-002", PermissionError, LINK),
    "gone": (FaultKind.IO_ERROR, "FS-010", RuntimeError, GONE),
}


def posix(number: int) -> OSError:
    return OSError(number, os.strerror(number), "secret/place")


class OfWindows(OSError):
    """As Windows raises it: the code decides, not the number that Python made of it."""

    winerror = 0


def windows(code: int) -> OSError:
    error = OfWindows(errno.EINVAL, "The system said so in its own language.", "secret/place")
    error.winerror = code
    return error


ROWS = [
    pytest.param(make(number), kind, registry, builtin, id=f"{kind.value}-{make.__name__}-{number}")
    for kind, registry, builtin, numbers in (
        *((kind, row[1], row[0], (row[2], row[3])) for kind, row in TABLE.items()),
        *SPECIAL.values(),
    )
    for make, group in zip((posix, windows), numbers, strict=True)
    for number in group
]


@pytest.mark.parametrize("role", [None, WriteError, AppendError])
@pytest.mark.parametrize(("error", "kind", "registry", "builtin"), ROWS)
def test_every_row_of_the_table(
    error: OSError,
    kind: FaultKind,
    registry: str,
    builtin: type[BaseException],
    role: type[WriteError] | type[AppendError] | None,
) -> None:
    made = failure(error, "Nothing was written", it="notes/a.txt", path="notes/a.txt", role=role)
    assert isinstance(made, StudioError) and isinstance(made, FileError) and isinstance(made, builtin)
    assert (made.fault, made.registry, made.path) == (kind, registry, "notes/a.txt")
    if role is not None:
        assert isinstance(made, role), "what the file manager expects"
    if isinstance(made, OSError):
        assert made.errno == type(made).number and made.filename == "notes/a.txt"
    assert_sentence(made, error)


def assert_sentence(made: StudioError, error: OSError) -> None:
    """What happened, to which file, what to do next; never the system's words alone."""
    assert re.fullmatch(r"Nothing was written: .*[a-z0-9)]\.", made.message), made.message
    assert "notes/a.txt" in made.message
    assert made.hint.endswith(".") and made.hint[0].isupper() and made.hint not in made.message
    assert re.fullmatch(r"[a-z]+\.[a-z_]+", made.code)
    assert "secret/place" not in str(made) and "Errno" not in str(made) and "{" not in str(made)
    assert made.message != f"Nothing was written: {error.strerror}."


def test_the_table_has_every_fault_kind() -> None:
    assert set(TABLE) == set(FaultKind)


@pytest.mark.parametrize("number", sorted(errno.errorcode))
def test_every_number_of_the_system_has_a_sentence(number: int) -> None:
    """An unknown one is an error of the disk, with the system's words in brackets."""
    error = posix(number)
    made = failure(error, "Nothing was written", it="notes/a.txt")
    assert made.fault in FaultKind
    assert_sentence(made, error)
    assert find_cause(error).hint == made.hint


@pytest.mark.parametrize("code", [0, 1, 9, 31, 1117, 65_000, -1])
def test_an_unknown_code_of_windows_is_an_error_of_the_disk(code: int) -> None:
    error = windows(code)
    if code == 0:
        error.errno = errno.EIO
    made = failure(error, "Nothing was written", it="notes/a.txt")
    # A code that is not in the table falls back on the number that Python made of it.
    assert made.fault in (FaultKind.IO_ERROR, FaultKind.INVALID_PATH)
    assert_sentence(made, error)


@pytest.mark.parametrize(
    ("error", "registry", "severity", "retryable"),
    [
        (Conflict("store.busy", "m", "h"), "FS-005", "error", True),
        (Conflict("step.stale", "m", "h"), "VAL-005", "error", False),
        (Refused("plan.state", "m", "h"), "ST-001", "fatal", False),
        (Refused("store.damaged", "m", "h"), "ST-002", "fatal", False),
        (Refused("disk.full", "m", "h"), "FS-004", "error", True),
        (Refused("diff.header", "m", "h"), "VAL-003", "error", False),
        (Refused("anything", "m", "h"), "VAL-002", "error", False),
        (errors.TimedOut("wait.timed_out", "m", "h"), "RES-003", "error", True),
        (errors.UsageError("usage", "m", "h"), "VAL-001", "error", False),
        (errors.InternalError("internal", "m", "h"), "VAL-002", "fatal", False),
        (errors.PathTraversal("name.climbs", "m", "h"), "SEC-001", "fatal", False),
        (errors.LeadsOutside("path.link", "m", "h"), "SEC-002", "fatal", False),
        (errors.FileLocked("disk.locked", "m", "h"), "FS-005", "error", True),
        (ConfigRefused("config.secret", "m", "h"), "SEC-003", "fatal", False),
    ],
)
def test_every_error_says_how_grave_it_is_and_whether_to_try_again(
    error: StudioError, registry: str, severity: str, retryable: bool
) -> None:
    """In JSON as in Python."""
    assert (error.registry, error.severity.value, error.retryable) == (registry, severity, retryable)
    printed = error_json(error)["error"]
    said = {"code": error.code, "registry": registry, "severity": severity, "retryable": retryable}
    assert said.items() <= printed.items()


@pytest.mark.parametrize("words", ["", "{it} {0} {", None])
def test_words_of_the_system_are_only_words(words: str | None) -> None:
    error = OSError(4444, words)
    message = failure(error, "Nothing was written", it="a{b}.txt").message
    assert message.startswith("Nothing was written: the disk reported an error at a{b}.txt (")


def test_what_may_succeed_later_says_so() -> None:
    """The retry is offered for these and for nothing else."""
    retryable = {
        kind.__name__
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, FileError) and kind.retryable
    }
    assert retryable == {"FileLocked", "DiskFull", "FileTimedOut"}


def test_content_that_is_no_text_is_a_decode_error_and_no_fault() -> None:
    """4.18, last row."""
    made = errors.Undecodable("text.bad", "a.txt is not text.", "Look.", path="a.txt", data=b"a\xff", start=1)
    assert isinstance(made, UnicodeDecodeError) and isinstance(made, ValueError)
    assert (made.fault, made.registry, made.start, made.end) == (None, "VAL-006", 1, 2)


def test_a_climbing_path_and_one_over_the_limits() -> None:
    """4.18: SEC-001 for "..", FS-011 for depth and segment; both are ValueErrors."""
    climbing = errors.PathTraversal("path.climbs", "No.", "Look.", path="../a")
    long = errors.PathOverLimit("path.deep", "No.", "Look.", path="a/b")
    assert (climbing.registry, climbing.fault) == ("SEC-001", FaultKind.INVALID_PATH)
    assert (long.registry, long.fault) == ("FS-011", FaultKind.PATH_TOO_LONG)
    assert isinstance(climbing, ValueError) and isinstance(long, ValueError) and isinstance(long, WriteError)


def test_a_wait_that_ran_out_is_no_error_of_the_store_s_disk(tmp_path: Path) -> None:
    with pytest.raises(errors.TimedOut), translated(tmp_path / "store.db"):
        raise errors.TimedOut("lock.held", "No.", "Look.")


def test_errors_of_ours_pass_as_they_are() -> None:
    refused = Refused("a.b", "No.", "Look.")
    with pytest.raises(Refused) as caught, wrap_os_errors("Nothing was written"):
        raise refused
    assert caught.value is refused
    own = errors.FileMissing("a.b", "Gone.", "Look.")
    assert failure(own, "Nothing was written") is own
    with (
        pytest.raises(FileNotFoundError, match="Nothing was written") as second,
        wrap_os_errors("Nothing was written"),
    ):
        raise FileNotFoundError(errno.ENOENT, "No such file or directory")
    assert isinstance(second.value, errors.FileMissing) and second.value.__cause__ is not None
