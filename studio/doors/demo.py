"""Demo project: creation, listing and removal of copies, and sample plans."""

from __future__ import annotations

import itertools
import os
import shutil
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path

from studio.engine import find_project_above
from studio.errors import Refused
from studio.names import show_name
from studio.program.app_folders import demo_directory, project_key, state_directory
from studio.resources import resource
from studio.system.os_errors import reason
from studio.values import Value

EXECUTABLE = frozenset({"scripts/deploy.sh"})
"""The files made executable after copying.

Packaging may have dropped the mode bits.
"""

READINGS_FILE = "data/readings.csv"
READING_COUNT = 20_000
_FIRST_READING = datetime(2026, 1, 1, tzinfo=UTC)
_MINUTES_APART = 15
_FAULTY_READINGS = range(14_231, 14_240)
"""Readings with nonsense values, which one of the plans repairs."""

_TIDE_MINUTES = 745
"""Minutes from one high water to the next: 12 h 25 min."""

STALE_FILE = "src/tidewatch/store.py"
_CLOSE_BEFORE = "    def close(self) -> None:\n"
_CLOSE_AFTER = _CLOSE_BEFORE + '        self.connection.execute("PRAGMA optimize")\n'


STORE_NAME = "store.sqlite3"


class DemoSubmission(Value):
    """One plan as text, as passed to `studio submit`."""

    text: bytes
    file_name: str
    title: str
    agent: str
    format: str


def demo_submissions() -> tuple[DemoSubmission, ...]:
    """Return the demo's plans in the order in which to submit them."""
    folder = resource("demo", "plans")
    index = tomllib.loads((folder / "index.toml").read_text("utf-8"))
    return tuple(
        DemoSubmission(
            text=(folder / entry["file"]).read_bytes(),
            file_name=entry["file"],
            title=entry["title"],
            agent=entry["agent"],
            format=entry["format"],
        )
        for entry in index["plan"]
    )


def default_demo_folder() -> Path:
    """Create an empty folder for one demo and return its path.

    It is named like the project, numbered from 2, and is in `STUDIO_STATE_DIR` when that is set, else in the
    user's data folder. Raises Refused.
    """
    if (project := find_project_above(demo_directory().resolve())) is not None:
        raise Refused(
            "file.in_project",
            (
                f"{show_name(str(demo_directory()))} is inside the project "
                f"{show_name(str(project))}, where only approved plans may write."
            ),
            "Use --dir with a folder outside any project.",
        )
    for number in itertools.count(1):
        folder = demo_directory() / ("tidewatch" if number == 1 else f"tidewatch-{number}")
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir()
        except FileExistsError:
            if not folder.parent.is_dir():
                raise _cannot_write(folder, "a file is in the way") from None
        except OSError as error:
            raise _cannot_write(folder, reason(error)) from error
        else:
            return folder
    raise AssertionError


def demo_copies() -> tuple[Path, ...]:
    """Return the demo projects made by `default_demo_folder`, sorted by name.

    Only real folders at that location that have a store, so whose plans were submitted; links are skipped.
    """
    if demo_directory().is_symlink():
        return ()  # a link leads to someone's own files, and callers delete these folders
    try:
        found = sorted(demo_directory().iterdir())
    except OSError:
        return ()
    return tuple(
        folder
        for folder in found
        if not folder.is_symlink() and folder.is_dir() and (store_folder(folder) / STORE_NAME).is_file()
    )


def store_folder(project: Path) -> Path:
    """Return the folder of a project's store."""
    return state_directory() / project_key(project)


def size_of(folder: Path) -> int:
    """Return the bytes of all regular files beneath a folder, without links."""
    return sum(
        (Path(above) / name).lstat().st_size
        for above, _, names in os.walk(folder)
        for name in names
        if not (Path(above) / name).is_symlink()
    )


def remove_demo(folder: Path) -> None:
    """Delete a demo project with everything in it; links are not followed.

    Raises Refused.
    """
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise Refused(
            "demo.cannot_remove",
            f"The demo project {folder} could not be removed: {reason(error)}.",
            "Delete the remaining files manually; its store is already deleted.",
        ) from error


def make_demo(target: Path) -> Path:
    """Copy the demo project into `target` and return its resolved path.

    `target` must be missing or an empty folder. The 20,000 readings are computed, always the same bytes.
    Raises Refused; then nothing has been written unless the disk itself failed halfway.
    """
    if target.exists() and not target.is_dir():
        raise Refused("demo.not_a_folder", f"{target} is a file.", "Use a new or empty folder.")
    try:
        if target.is_dir() and any(target.iterdir()):
            raise Refused(
                "demo.folder_not_empty",
                f"{target} is not empty; the demo overwrites no files.",
                "Use a new or empty folder.",
            )
        _copy(resource("demo", "project"), target)
        readings = target / READINGS_FILE
        readings.parent.mkdir()
        with readings.open("xb") as written:
            written.write(_readings())
        _set_modes(target)
    except OSError as error:
        raise _cannot_write(target, reason(error)) from error
    return target.resolve()


def after_submission(target: Path) -> None:
    """Change one file on disk, so that its step turns stale."""
    file = target / STALE_FILE
    file.write_bytes(file.read_bytes().replace(_CLOSE_BEFORE.encode(), _CLOSE_AFTER.encode(), 1))


def _cannot_write(folder: Path, why: str) -> Refused:
    return Refused(
        "demo.cannot_write",
        f"The demo project could not be copied to {folder}: {why}.",
        "Free some disk space, or use another folder with --dir.",
    )


def _copy(source: Path, target: Path) -> None:
    """Copy names and bytes only, not modes.

    Installed files may be read-only or lack mode bits.
    """
    target.mkdir(parents=True, exist_ok=True)
    for entry in sorted(source.iterdir()):
        if entry.name == "__pycache__":
            continue
        if entry.is_dir():
            _copy(entry, target / entry.name)
        else:
            # "x" mode: overwrite nothing and follow no link, whatever appeared in the folder since it was
            # empty.
            with entry.open("rb") as read, (target / entry.name).open("xb") as written:
                shutil.copyfileobj(read, written)


def _set_modes(target: Path) -> None:
    for file in target.rglob("*"):
        is_executable = file.is_dir() or file.relative_to(target).as_posix() in EXECUTABLE
        file.chmod(0o755 if is_executable else 0o644)


def _readings() -> bytes:
    """Return the CSV: a header and one line every 15 minutes.

    Columns: local time, metres above chart datum, quality.
    """
    lines = ["time;metres;quality"]
    for index in range(READING_COUNT):
        minutes = index * _MINUTES_APART
        time = (_FIRST_READING + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M")
        if index in _FAULTY_READINGS:
            lines.append(f"{time};9.99;fault")
        else:
            lines.append(f"{time};{_centimetres(minutes) / 100:.2f};measured")
    return "\n".join([*lines, ""]).encode()


def _centimetres(minutes: int) -> int:
    """Return the water level in centimetres, computed in integers only.

    Every machine thus computes the same. Bhaskara's approximation replaces the sine.
    """
    phase = minutes * 360 // _TIDE_MINUTES % 360
    half = phase % 180
    swing = 4 * half * (180 - half) * 150 // (40_500 - half * (180 - half))
    return 190 + (swing if phase < 180 else -swing)
