"""A process keeps exchanging a folder or a file with a link to outside while the engine works there.

    python -m tests.tools.race SECONDS

Prints attempts, refusals, and how often a reader that checks names and then opens did get out: that proves
that the exchange hit the moment. Exit code 1 when it never did, when nothing was refused, when anything
outside changed, or when any of it was read.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from studio.engine.disk import image_at
from studio.engine.root import ProjectRoot, Unseen
from studio.errors import StudioError
from studio.journal.file_image import FileImage
from tests.engine.root.jail import SECRET, carry_out, opening, placement, shape
from tests.faults.rivals import running

INSIDE = b"inside\n"
_FILES = ("target.txt", "other.txt", "deep/target.txt")
_LONGEST_WAIT = 30.0
_READS_PER_WRITE = 8


@dataclass(frozen=True, slots=True)
class Way:
    """What the rival exchanges with a link to the same thing outside, how, and how paths are opened."""

    swapped: str
    manner: str
    opening: str

    def __str__(self) -> str:
        return f"{self.swapped} by {self.manner}, {self.opening}"


WAYS = (
    Way("sub", "exchange", "openat2"),
    Way("sub", "exchange", "components"),
    Way("sub", "rename", "openat2"),
    Way("sub", "rename", "components"),
    Way("sub/target.txt", "exchange", "openat2"),
    Way("sub/target.txt", "exchange", "components"),
)


@dataclass(slots=True)
class Outcome:
    """What was tried and how it ended; `escapes` are sentences, and there must be none."""

    way: Way
    attempts: Counter[str] = field(default_factory=Counter[str])
    ended: Counter[str] = field(default_factory=Counter[str])
    control: int = 0
    exchanges: int = 0
    escapes: list[str] = field(default_factory=list[str])

    @property
    def refusals(self) -> int:
        return self.ended["path.link"]

    @property
    def hit(self) -> bool:
        """Whether the exchange was met in the moment that counts, and the engine at a link."""
        return self.control > 0 and self.refusals > 0 and self.ended["done"] > 0

    def __str__(self) -> str:
        tried = ", ".join(f"{name} {count}" for name, count in sorted(self.attempts.items()))
        ended = ", ".join(f"{name} {count}" for name, count in self.ended.most_common())
        return (
            f"{self.way}: {self.attempts.total()} attempts ({tried})\n"
            f"  ended: {ended}\n"
            f"  {self.exchanges} exchanges; the control reader got out {self.control} times; "
            f"escapes of the engine: {len(self.escapes)}"
        )


def race(folder: Path, way: Way, seconds: float) -> Outcome:
    """Try for so many seconds, and longer until the exchange was met."""
    project, outside = folder / "project", folder / "outside"
    for base, content in ((project / "sub", INSIDE), (outside / "sub", SECRET)):
        (base / "deep").mkdir(parents=True)
        for name in _FILES:
            (base / name).write_bytes(content)
    (outside / "sub/only-outside.txt").write_bytes(SECRET)
    (project / "own.txt").write_bytes(INSIDE)
    where = (project / way.swapped).parent
    (where / "decoy").symlink_to(outside / way.swapped)
    outcome = Outcome(way)
    before = shape(outside)
    names = (Path(way.swapped).name, "decoy")
    with (
        opening(way.opening),
        ProjectRoot(project) as root,
        running(folder, way.manner, str(where), *names) as rival,
    ):
        _work(root, outcome, time.monotonic() + seconds)
    outcome.exchanges = rival.numbers["exchanges"]
    if shape(outside) != before:
        outcome.escapes.append("something outside changed")
    return outcome


def _work(root: ProjectRoot, outcome: Outcome, deadline: float) -> None:
    dice = random.Random(11)
    last = deadline + _LONGEST_WAIT
    reads, writes = tuple(READS.items()), tuple(WRITES.items())
    for number in itertools.count():
        now = time.monotonic()
        if now > (deadline if outcome.hit else last):
            return
        kinds = writes if number % _READS_PER_WRITE == 0 else reads
        name, act = kinds[dice.randrange(len(kinds))]
        outcome.attempts[name] += 1
        try:
            seen = act(root)
        except StudioError as error:
            outcome.ended[error.code] += 1
        except OSError as error:
            outcome.ended[type(error).__name__] += 1
        else:
            outcome.ended["done"] += 1
            if SECRET in seen or b"only-outside" in seen:
                outcome.escapes.append(f"{name} saw the outside")
        if number % 4 == 0 and _control(root.path) == SECRET:
            outcome.control += 1


def _control(project: Path) -> bytes:
    """What most programs do: resolve, compare with the root, open."""
    path = project / "sub/target.txt"
    with contextlib.suppress(OSError):
        if path.resolve().is_relative_to(project):
            return path.read_bytes()
    return b""


def _digest(root: ProjectRoot) -> bytes:
    found = root.digest("sub/target.txt")
    secret = image(SECRET).sha256
    return SECRET if found is not None and found[0] == secret else b""


def _state(root: ProjectRoot) -> bytes:
    state = root.state("sub/deep/target.txt")
    return SECRET if state is not None and state.size == len(SECRET) else b""


def _walk(root: ProjectRoot) -> bytes:
    return "\n".join(entry.path for entry in root.walk("sub") if not isinstance(entry, Unseen)).encode()


def image(data: bytes) -> FileImage:
    return placement("x", None, data).after or FileImage("", 0, 0)


READS: dict[str, Callable[[ProjectRoot], bytes]] = {
    "read": lambda root: root.read_bytes("sub/target.txt", 1000),
    "read deep": lambda root: root.read_bytes("sub/deep/target.txt", 1000),
    "digest": _digest,
    "state": _state,
    "list": lambda root: "\n".join(entry.path for entry in root.list_folder("sub")).encode(),
    "walk": _walk,
}


def _replace(root: ProjectRoot) -> bytes:
    data = root.read_bytes("sub/target.txt", 1000)
    return data + carry_out(
        root, placement("sub/target.txt", data, data + b"."[: len(data) < 900], root=root)
    )


def _create_and_delete(root: ProjectRoot) -> bytes:
    if image_at(root, "sub/new.txt") is None:
        return carry_out(root, placement("sub/new.txt", None, INSIDE))
    return carry_out(root, placement("sub/new.txt", INSIDE, None))


def _move(root: ProjectRoot) -> bytes:
    """To the folder and back again."""
    old, new = ("own.txt", "sub/moved.txt")
    if image_at(root, old) is None:
        old, new = new, old
    data = root.read_bytes(old, 1000)
    return data + carry_out(root, placement(new, None, data), placement(old, data, None))


def _make_and_remove_folder(root: ProjectRoot) -> bytes:
    folder = FileImage(None, 0, 0o755)
    state = root.state("sub/made")
    before, after = (None, folder) if state is None else (folder, None)
    return carry_out(root, placement("sub/made", before, after))


WRITES: dict[str, Callable[[ProjectRoot], bytes]] = {
    "replace": _replace,
    "create or delete": _create_and_delete,
    "move": _move,
    "make or remove folder": _make_and_remove_folder,
}


def main(words: list[str]) -> int:
    if len(words) != 1 or not words[0].replace(".", "", 1).isdecimal():
        print("usage: python -m tests.tools.race SECONDS", file=sys.stderr)
        return 2
    outcomes: list[Outcome] = []
    for way in WAYS:
        with tempfile.TemporaryDirectory(prefix="studio-race-") as folder:
            outcome = race(Path(folder).resolve(), way, float(words[0]) / len(WAYS))
        print(outcome, flush=True)
        outcomes.append(outcome)
    attempts = sum(outcome.attempts.total() for outcome in outcomes)
    writes = sum(outcome.attempts[name] for outcome in outcomes for name in WRITES)
    print(
        f"in all: {attempts} attempts, {writes} of them to write; "
        f"{sum(outcome.refusals for outcome in outcomes)} refused at a link; "
        f"the control reader got out {sum(outcome.control for outcome in outcomes)} times, "
        f"the engine {sum(len(outcome.escapes) for outcome in outcomes)} times"
    )
    return 1 if any(outcome.escapes or not outcome.hit for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
