"""Cut the power after every call of an apply, a rollback and a recovery; look what is left.

    python -m tests.faults.power_cut                     every image (many minutes)
    python -m tests.faults.power_cut --images 100        so many images of each scene, drawn by --seed
    python -m tests.faults.power_cut --scene rollback    one scene
    python -m tests.faults.power_cut --without files     leave out flushes, to see that this is found

For every prefix of the recorded calls every subset of what was not flushed yet is dropped (1,024 of them
where there are more), and the newest write is torn as well. Each image that differs is built in a folder
and recovered twice: every file old or new, the plan all or none, journal and history agree with the disk,
nothing of ours is left. The last line is one JSON object; the exit code is 1 if anything was mixed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import pytest

from studio.engine.disk import disk_writes, files, folders
from studio.formats import detect
from tests.faults.bench import ALL_OPERATIONS, PERSON, Bench, Saved, Tree, lay_tree, plan_text, tree
from tests.faults.injection import Injection, inject, stop_here
from tests.faults.lacking import lacking_exchange, lacking_links
from tests.faults.outcomes import Numbers, Scene
from tests.faults.power import Disk, Images, without_locks
from tests.faults.recording import Call, record
from tests.faults.settling import judge_here
from tests.faults.sweep import LARGE, Sweep

T = TypeVar("T")

SUBSETS_UP_TO = 1024

FLUSHES = ("files", "folders", "store")
"""What can be left out: the flush of the results, of the folders, of the store's write-ahead file."""


class PowerCut:
    """Scenes over one bench, recorded and cut short."""

    def __init__(self, folder: Path, subsets_up_to: int, seed: int) -> None:
        self.sweep = Sweep(folder, 0, seed)
        self.bench: Bench = self.sweep.bench
        self.trace = folder / "trace"
        self.subsets_up_to = subsets_up_to
        self.seed = seed
        self.is_store_flushed = True

    def record(self, start: Saved, action: Callable[[], int]) -> tuple[Call, ...]:
        """The calls of an action from a start. The model must agree with the disk at the end of them."""
        self.bench.restore(start)
        calls = record(action, self.trace)
        disk = Disk(self.bench, start)
        for call in calls:
            if disk.is_inside(call):
                disk.play(call)
        now, seen = self.bench.save(), disk.seen()
        assert without_locks(now.project) == seen.project, "the model of the project differs from the disk"
        assert without_locks(now.state) == seen.state, "the model of the state differs from the disk"
        return calls

    def images(self, start: Saved, calls: Sequence[Call]) -> Images:
        return Images(start, tuple(calls), self.subsets_up_to, random.Random(self.seed))

    def cut(self, scene: Scene, calls: Sequence[Call], up_to: int = 0) -> tuple[Numbers, Images]:
        """Judge every image of a recorded scene, or so many of them spread over it."""
        images = self.images(scene.start, calls)
        drawn = images.draw(self.bench, self.is_left_out)
        numbers = Numbers()
        for number, image in enumerate(spread(drawn, up_to, random.Random(self.seed)) if up_to else drawn):
            self.build(image)
            outcome, faults = judge_here(self.bench, scene)
            numbers.add(outcome, faults, f"image {number}")
        return numbers, images

    def is_left_out(self, call: Call) -> bool:
        """Whether a call is to be taken as if it did nothing."""
        return not self.is_store_flushed and "sync" in call.name and call.paths[0].name.endswith("-wal")

    def build(self, image: Saved) -> None:
        lay_difference(self.bench.project, image.project)
        lay_difference(self.bench.state, image.state)

    def act(self, scene: Scene) -> Callable[[], int]:
        return lambda: self.sweep.act(scene.plan_id, is_rollback=scene.is_rollback, begun=stop_here)

    def crashed(self, scene: Scene) -> Saved:
        """The scene's disk after its process was killed at its last exchange."""
        for call in ("renameat2", "renameat"):
            last = sum(each.name == call for each in self.record(scene.start, self.act(scene)))
            if last:
                break
        self.bench.restore(scene.start)
        assert inject(self.act(scene), Injection(call, last)) == -9
        return self.bench.save()

    def first(self, apply: Scene) -> tuple[Scene, tuple[Call, ...]]:
        """From no store at all: proposed, approved and applied, with contents beside the database."""
        start = Saved(apply.start.project, {})
        steps = [*ALL_OPERATIONS, {"op": "create", "path": "large.txt", "content": LARGE["log.txt"]}]

        def action() -> int:
            stop_here()
            workspace = self.bench.open()
            reviewer = workspace.reviewer(PERSON)
            plan = workspace.proposer.propose(detect.read(plan_text(*steps)))
            reviewer.approve(plan.id)
            reviewer.apply(plan.id)
            self.bench.tell(plan.id)
            workspace.close()
            return 0

        calls = self.record(start, action)
        new = tree(self.bench.project)
        return Scene("first plan", start, self.bench.told(), start.project, new, is_first=True), calls

    def scenes(self, chosen: Collection[str]) -> Iterator[tuple[str, Scene, tuple[Call, ...]]]:
        """The chosen scenes with their calls."""
        apply, rollback, many = self.sweep.scenes()
        for name, scene in (("apply", apply), ("rollback", rollback), ("many", many)):
            if name in chosen:
                yield name, scene, self.record(scene.start, self.act(scene))
        for name, scene in (("recovery", apply), ("recovery-of-rollback", rollback)):
            if name in chosen:
                crashed = replace(scene, start=self.crashed(scene))
                yield name, crashed, self.record(crashed.start, self.sweep.recover)
        if "first" in chosen:
            yield "first", *self.first(apply)
        for name, scene in (("without-exchange", apply), ("rollback-without-exchange", rollback)):
            if name in chosen:
                with lacking_exchange():
                    yield name, scene, self.record(scene.start, self.act(scene))
        for name, scene in (("without-links", apply), ("rollback-without-links", rollback)):
            if name in chosen:
                with lacking_links():
                    yield name, scene, self.record(scene.start, self.act(scene))


SCENES = (
    "apply",
    "rollback",
    "many",
    "recovery",
    "recovery-of-rollback",
    "first",
    "without-exchange",
    "rollback-without-exchange",
    "without-links",
    "rollback-without-links",
)


@contextmanager
def lacking_flush(power: PowerCut, what: str) -> Iterator[None]:
    """As if somebody had forgotten a flush."""
    with pytest.MonkeyPatch.context() as patch:
        if what == "files":
            patch.setattr(disk_writes, "FLUSH_EACH_UP_TO", -1)
            patch.setattr(files, "flush_files", lambda *_: None)
        elif what == "folders":
            patch.setattr(folders, "flush_folders", lambda *_: None)
        else:
            patch.setattr(power, "is_store_flushed", what != "store")
        yield


def lay_difference(folder: Path, wanted: Tree) -> None:
    """Make the contents of an existing folder those of `wanted`, touching only what differs."""
    now = tree(folder)
    if _kinds(now) != _kinds(wanted):
        lay_tree(folder, wanted)
        return
    for name, (kind, mode, data) in wanted.items():
        if now[name] != (kind, mode, data):
            if kind == "file":
                (folder / name).write_bytes(data)
            (folder / name).chmod(mode)


def _kinds(found: Tree) -> set[tuple[str, str]]:
    return {(name, kind) for name, (kind, _, _) in found.items()}


def spread(drawn: Iterable[T], count: int, dice: random.Random) -> Iterator[T]:
    """So many of a stream: its very last for a quarter, of the others each as likely as any other."""
    last: deque[T] = deque(maxlen=max(1, count // 4))
    chosen: list[T] = []
    size = count - max(1, count // 4)
    for number, item in enumerate(drawn):
        oldest = last[0] if len(last) == last.maxlen else None
        last.append(item)
        place = number - len(last)
        if oldest is None:
            continue
        if place < size:
            chosen.append(oldest)
        elif (taken := dice.randrange(place + 1)) < size:
            chosen[taken] = oldest
    return chain(chosen, last)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--images", type=int, default=0, help="images of each scene; 0: every one")
    parser.add_argument("--subsets", type=int, default=SUBSETS_UP_TO, help="subsets after each call")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scene", choices=SCENES, action="append")
    parser.add_argument("--without", choices=FLUSHES, default="", help="a flush to leave out")
    parser.add_argument("--folder", type=Path, help="where to work; a fresh temporary folder otherwise")
    chosen = parser.parse_args(arguments)
    os.umask(0o022)
    results: dict[str, Any] = {}
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="power-", dir=chosen.folder))
        power = PowerCut(Path(folder), chosen.subsets, chosen.seed)
        stack.enter_context(lacking_flush(power, chosen.without))
        for name, scene, calls in power.scenes(chosen.scene or SCENES):
            started = time.monotonic()
            numbers, images = power.cut(scene, calls, chosen.images)
            seconds = round(time.monotonic() - started, 1)
            print(
                f"{name}: cut after {images.points} calls, {images.subsets} subsets of what was not flushed "
                f"({images.sampled} points sampled), {numbers.points} images recovered in {seconds} s: "
                f"{dict(numbers.outcomes)}, mixed: {len(numbers.failures)}",
                flush=True,
            )
            for failure in numbers.failures[:20]:
                print(f"  FAILED {failure}", flush=True)
            results[name] = {
                "calls": images.points,
                "subsets": images.subsets,
                "images": numbers.points,
                **numbers.outcomes,
                "failures": len(numbers.failures),
            }
    print(json.dumps({"seed": chosen.seed, "images": chosen.images, "scenes": results}))
    return 1 if any(scene["failures"] for scene in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
