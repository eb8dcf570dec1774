"""A plan of many files beside `git apply`, its rollback beside the apply, the journal's newest entries, and
what the store takes on disk."""

from __future__ import annotations

import json
import random
import sysconfig
import time
from collections.abc import Callable
from functools import cache
from itertools import count
from pathlib import Path

from studio.engine.plan import PersonSource, Plan, PlanState
from studio.engine.project.context import Person
from studio.engine.store import Store
from studio.formats import detect
from studio.journal.entries import FileStat
from studio.workspace import Reviewer, Workspace
from tests.bench.perf.apply_legs import Laps, legs_of
from tests.bench.perf.comparison import Benchmark, Comparison, compare
from tests.bench.perf.processes import environment, milliseconds, output, studio
from tests.bench.perf.writing import flush

FILES = 1000
ENTRIES = 1_000_000
_FEW_ENTRIES = 1000
_NEWEST = 200
_FOLDERS = 20
_BYTES = 20_000
_REPEATS = 20
_SOURCES = 100
_SOURCES_FROM, _SOURCES_UP_TO = 2_000, 200_000
_WORDS = "if for return self value = None + ( ) name text line with else: def import from".split()
_PERSON = Person(PersonSource.WINDOW, "benchmark")


def _name(number: int) -> str:
    return f"part{number % _FOLDERS:02d}/file{number:04d}.py"


@cache
def _source(number: int) -> tuple[str, ...]:
    """Lines as in a program, about 20 KB of them."""
    choose = random.Random(number)
    lines: list[str] = []
    size = 0
    while size < _BYTES:
        words = " ".join(choose.choices(_WORDS, k=choose.randrange(2, 9)))
        lines.append(f"{'    ' * choose.randrange(4)}{words} {choose.randrange(100_000)}\n")
        size += len(lines[-1])
    return tuple(lines)


def _changed(number: int) -> tuple[int, ...]:
    """The lines that the plan changes, counted from 0: one in each quarter but the last."""
    lines = len(_source(number))
    return (lines // 4, lines // 2, 3 * lines // 4)


def make_tree(root: Path) -> None:
    """Files of 20 KB in twenty folders, and on disk."""
    for number in range(FILES):
        file = root / _name(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(_source(number)))
    flush(root)


def make_diff() -> bytes:
    """Three changed lines in each of these files."""
    parts: list[str] = []
    for number in range(FILES):
        name, lines = _name(number), _source(number)
        parts.append(f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n")
        for place in _changed(number):
            parts.append(f"@@ -{place - 2},7 +{place - 2},7 @@\n")
            parts.extend(f" {line}" for line in lines[place - 3 : place])
            parts.append(f"-{lines[place]}+changed {lines[place]}")
            parts.extend(f" {line}" for line in lines[place + 1 : place + 4])
    return "".join(parts).encode()


def _check(root: Path, start: str) -> None:
    """Every changed line begins so."""
    for number in range(FILES):
        lines = (root / _name(number)).read_text().splitlines(keepends=True)
        assert all(lines[place] == start + _source(number)[place] for place in _changed(number))


class _Stage:
    """Fresh trees, and plans that are approved in them.

    Nothing is removed between turns: for half a minute ext4 looks twice at every place of a removed file
    before it gives it to a new one, and that would be measured.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count()
        self.diff = make_diff()
        self.patch = folder / "change.diff"
        self.patch.write_bytes(self.diff)

    def tree(self) -> Path:
        root = self._folder / f"tree{next(self._numbers)}"
        make_tree(root)
        return root

    def approved(self, workspace: Workspace) -> tuple[Reviewer, Plan]:
        """A plan whose contents are stored and durable."""
        plan = workspace.proposer.propose(detect.read(self.diff, "unified"))
        reviewer = workspace.reviewer(_PERSON)
        reviewer.approve(plan.id)
        flush(self._folder)
        return reviewer, plan


def _timed(act: Callable[[], Plan], laps: Laps) -> float:
    """Milliseconds of an apply or a rollback, leg by leg."""
    with legs_of(laps):
        done = act()
    assert done.state is PlanState.COMPLETED
    return sum(values[-1] for values in laps.values())


def _apply(folder: Path, pairs: int) -> Comparison:
    stage = _Stage(folder)
    variables = environment(folder)
    our_laps: Laps = {}
    peer_laps: Laps = {"git apply": [], "syncfs": []}

    def ours() -> float:
        root = stage.tree()
        workspace = Workspace.open(root)
        try:
            reviewer, plan = stage.approved(workspace)
            taken = _timed(lambda: reviewer.apply(plan.id), our_laps)
        finally:
            workspace.close()
        _check(root, "changed ")
        return taken

    def peer() -> float:
        root = stage.tree()
        applied = milliseconds(["git", "-C", str(root), "apply", str(stage.patch)], variables)
        started = time.perf_counter()
        flush(root)
        flushed = (time.perf_counter() - started) * 1000
        peer_laps["git apply"].append(applied)
        peer_laps["syncfs"].append(flushed)
        _check(root, "changed ")
        return applied + flushed

    mine, other = compare(ours, peer, pairs)
    legs = {name: tuple(values[1:]) for name, values in (our_laps | peer_laps).items()}
    return Comparison("Reviewer.apply", "git apply, then syncfs", mine, other, 1.7, legs=legs)


def _processes(folder: Path, pairs: int) -> Comparison:
    """What a script does that may decide: three commands, each with a start of its own."""
    stage = _Stage(folder)
    variables = environment(folder)
    settings = Path(variables["STUDIO_CONFIG_DIR"]) / "config.yaml"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text("schema_version: 1\nreview:\n  command_line: allow\n")
    laps: Laps = {"submit": [], "approve": [], "apply": []}

    def ours() -> float:
        project = ["--project", str(root := stage.tree())]
        started = time.perf_counter()
        submitted = output([studio(), *project, "submit", "--json", str(stage.patch)], variables)
        laps["submit"].append((time.perf_counter() - started) * 1000)
        plan = json.loads(submitted)["plan"]
        for command in ("approve", "apply"):
            laps[command].append(milliseconds([studio(), *project, command, plan], variables))
        _check(root, "changed ")
        return (time.perf_counter() - started) * 1000

    def peer() -> float:
        root = stage.tree()
        applied = milliseconds(["git", "-C", str(root), "apply", str(stage.patch)], variables)
        started = time.perf_counter()
        flush(root)
        return applied + (time.perf_counter() - started) * 1000

    mine, other = compare(ours, peer, pairs)
    legs = {name: tuple(values[1:]) for name, values in laps.items()}
    return Comparison("studio submit, approve, apply", "git apply, then syncfs", mine, other, 1.9, legs=legs)


def _rollback(folder: Path, pairs: int) -> Comparison:
    stage = _Stage(folder)
    our_laps: Laps = {}
    applied: list[float] = []

    def ours() -> float:
        """The rollback of what this turn applies, whose time is the peer's."""
        root = stage.tree()
        workspace = Workspace.open(root)
        try:
            reviewer, plan = stage.approved(workspace)
            applied.append(_timed(lambda: reviewer.apply(plan.id), {}))
            flush(folder)
            taken = _timed(lambda: reviewer.rollback(plan.id), our_laps)
        finally:
            workspace.close()
        _check(root, "")
        return taken

    ours()
    mine = tuple(ours() for _ in range(pairs))
    legs = {name: tuple(values[1:]) for name, values in our_laps.items()}
    return Comparison(
        "Reviewer.rollback", "Reviewer.apply of the same plan", mine, tuple(applied[1:]), 1.1, legs=legs
    )


def _newest(folder: Path, pairs: int) -> Comparison:
    def filled(entries: int) -> Store:
        store = Store(folder / str(entries))
        for first in range(0, entries, 10_000):
            with store.database.write() as connection:
                numbers = range(first, min(first + 10_000, entries))
                batch = (("", FileStat(f"c{number}", "a.txt")) for number in numbers)
                store.journal.append(connection, "", batch)
        return store

    def measured(store: Store) -> float:
        found = ()
        started = time.perf_counter()
        for _ in range(_REPEATS):
            found = store.journal.newest(limit=_NEWEST)
        taken = (time.perf_counter() - started) * 1000 / _REPEATS
        assert len(found) == _NEWEST
        return taken

    many, few = filled(ENTRIES), filled(_FEW_ENTRIES)
    try:
        mine, other = compare(lambda: measured(many), lambda: measured(few), pairs)
    finally:
        many.close()
        few.close()
    return Comparison(f"the newest {_NEWEST} of {ENTRIES:,}", f"of {_FEW_ENTRIES:,}", mine, other, 2.0)


def _library() -> list[bytes]:
    """Sources as people write them: those of Python's own library, small and large."""
    found = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    contents = [file.read_bytes() for file in found]
    return [data for data in contents if _SOURCES_FROM <= len(data) <= _SOURCES_UP_TO]


def _edited(data: bytes, choose: random.Random) -> bytes:
    """One line of fifty is changed, gone or new."""
    lines: list[bytes] = []
    for line in data.splitlines(keepends=True):
        fate = choose.randrange(150)
        lines.extend(([line.replace(b"e", b"E", 1)], [], [line, line.upper()])[fate] if fate < 3 else [line])
    return b"".join(lines)


def _store(folder: Path, pairs: int) -> Comparison:
    """Kilobytes: all that the store takes once real sources are proposed, and both their sides."""
    sources = _library()
    ours: list[float] = []
    raw: list[float] = []
    for turn in range(pairs):
        choose = random.Random(turn)
        root = folder / f"tree{turn}"
        root.mkdir()
        sides = {f"f{n}.py": data for n, data in enumerate(choose.sample(sources, k=_SOURCES))}
        edited = {name: _edited(data, choose) for name, data in sides.items()}
        for name, data in sides.items():
            (root / name).write_bytes(data)
        steps = [
            {"op": "modify", "path": name, "content": data.decode()}
            for name, data in edited.items()
            if _is_utf8(data)
        ]
        workspace = Workspace.open(root)
        text = json.dumps({"title": "sources", "steps": steps}).encode()
        plan = workspace.proposer.propose(detect.read(text))
        assert plan.state is PlanState.PENDING and len(plan.valid_steps) == len(steps)
        workspace.close()
        names = [str(step["path"]) for step in steps]
        raw.append(sum(len(sides[name]) + len(edited[name]) for name in names) / 1000)
        ours.append(_taken(workspace.state_folder) / 1000)
    return Comparison("the store", "all bases and results", tuple(ours), tuple(raw), 0.45, unit="kB")


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _taken(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


APPLYING = (
    Benchmark("apply", f"a plan of {FILES} files of 20 KB checked, written, flushed and journaled", _apply),
    Benchmark("processes", "that plan submitted, approved and applied by three processes", _processes),
    Benchmark("rollback", "that plan taken back", _rollback),
    Benchmark("newest", f"the newest {_NEWEST} entries of a long journal", _newest),
    Benchmark("store", f"{_SOURCES} real sources and their edited twins in the store", _store),
)
