"""Kill, and fail, an apply, a rollback and a recovery at every system call; look what is left.

    python -m tests.faults.sweep                       everything (minutes)
    python -m tests.faults.sweep --sample 60 --seed 7  so many points of each part, drawn by that seed
    python -m tests.faults.sweep --part apply          one part

First strace and our own table (tests/faults/disk_calls.py) count the calls that change the project; they must
agree, so that no call of ours escapes the sweep. Then each system call is swept by itself.

After each kill a new process recovers: the tree must be all old or all new (bytes, modes, no file of ours
left), the plan's state must agree, the journal be whole, and a second recovery must change nothing. After
each error the tree must be whole as well, somebody was told in a sentence, and the plan can be applied.
The last line is one JSON object with the numbers; the exit code is 1 if anything was mixed.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from studio.engine.disk import Batch
from studio.engine.root import ProjectRoot
from studio.engine.store import Store
from studio.errors import StudioError
from studio.formats import detect
from studio.program.app_folders import project_key, state_directory
from studio.workspace import Workspace
from tests.faults import settling
from tests.faults.bench import (
    ALL_OPERATIONS,
    LINKED,
    MANY,
    PERSON,
    TOGETHER,
    Bench,
    Saved,
    lay_out,
    lay_together,
    plan_text,
    propose_and_approve,
    tree,
)
from tests.faults.disk_calls import CHANGING, ERRORS, counted_by_strace, counted_by_us
from tests.faults.injection import (
    Action,
    Injection,
    count_calls,
    count_calls_of_one_thread,
    inject,
    run_plain,
    stop_here,
)
from tests.faults.lacking import without_exchange, without_links
from tests.faults.outcomes import Numbers, Scene
from tests.faults.recording import record
from tests.tools.restoring import plan_to

LARGE = {
    name: base64.encodebytes(random.Random(name).randbytes(300_000)).decode()
    for name in ("sub/b.txt", "log.txt")
}
"""Contents that are stored as files beside the database."""

TOLD = 10
"""Exit code of a child that was refused with a sentence."""

Watch = Callable[[], None]


def _unseen() -> None:
    return None


class Sweep:
    """All parts over one bench."""

    def __init__(self, folder: Path, sample: int, seed: int) -> None:
        self.bench = Bench(folder)
        self.trace = folder / "trace"
        self.sample = sample
        self.random = random.Random(seed)

    def scenes(self) -> tuple[Scene, Scene, Scene]:
        """An apply, its rollback, and an apply with more results than are flushed one by one.

        Making them also loads every module the children will need.
        """
        bench = self.bench
        lay_out(bench.project)
        with_store = bench.open()
        plan_id = propose_and_approve(with_store, *ALL_OPERATIONS)
        with_store.close()
        apply_start = bench.save()
        assert self.act(plan_id, is_rollback=False) == 0
        rollback_start = bench.save()
        assert self.act(plan_id, is_rollback=True) == 0
        old, new = apply_start.project, rollback_start.project
        assert tree(bench.project) == old, "a rollback must give back what was there"
        with_store = bench.open()
        many_id = propose_and_approve(with_store, *MANY)
        with_store.close()
        many_start = bench.save()
        assert self.act(many_id, is_rollback=False) == 0
        return (
            Scene("apply", apply_start, plan_id, old, new),
            Scene("rollback", rollback_start, plan_id, new, old, is_rollback=True),
            Scene("apply of many", many_start, many_id, old, tree(bench.project)),
        )

    def linking(self) -> Scene:
        """An apply that turns files into links and links into files, and changes bits of all kinds."""
        there, wanted = LINKED
        self.bench.restore(Saved(there, {}))
        return self.applying("links", lambda opened: plan_to(opened, wanted))

    def finishing(self) -> Scene:
        """An apply of so many files that several threads remove the displaced ones."""
        self.bench.restore(Saved({}, {}))
        lay_together(self.bench.project)
        return self.applying("finish", lambda opened: propose_and_approve(opened, *TOGETHER))

    def applying(self, name: str, plan: Callable[[Workspace], str]) -> Scene:
        """The apply of an approved plan to what is there."""
        with closing(self.bench.open()) as opened:
            plan_id = plan(opened)
        start = self.bench.save()
        assert self.act(plan_id, is_rollback=False) == 0
        return Scene(name, start, plan_id, start.project, tree(self.bench.project))

    def parting(self) -> Scene:
        """The second part of a plan, while a step of it is undecided."""
        self.bench.restore(Saved({}, {}))
        lay_out(self.bench.project)
        with closing(self.bench.open()) as opened:
            plan = opened.proposer.propose(detect.read(plan_text(*ALL_OPERATIONS)))
            reviewer = opened.reviewer(PERSON)
            reviewer.approve(plan.id, [1, 2, 3])
            reviewer.apply(plan.id, approved_only=True)
            # Step 4 stays undecided.
            reviewer.approve(plan.id, [step.number for step in plan.steps[4:]])
        start = self.bench.save()
        assert self.act(plan.id, is_rollback=False) == 0
        return Scene("part", start, plan.id, start.project, tree(self.bench.project), in_parts=True)

    def finish(self, scene: Scene) -> int:
        """The scene's apply; its system calls count from where everything is recorded."""
        whole = Batch.finish

        def stopped(batch: Batch) -> tuple[str, ...]:
            stop_here()
            return whole(batch)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Batch, "finish", stopped)
            return self.act(scene.plan_id, is_rollback=False)

    def act(self, plan_id: str, *, is_rollback: bool, opened: Watch = _unseen, begun: Watch = _unseen) -> int:
        """Apply or roll back; 0, or TOLD with the sentence as the answer. Watched from one of two moments."""
        begun()
        try:
            workspace = self.bench.open()
            opened()
            reviewer = workspace.reviewer(PERSON)
            if is_rollback:
                reviewer.rollback(plan_id)
            else:
                reviewer.apply(plan_id, approved_only=True)
            workspace.close()
        except StudioError as error:
            self.bench.tell([error.code, error.message, error.hint])
            return TOLD
        return 0

    def open_store(self) -> int:
        """Open what every process opens first; 0, or TOLD."""
        stop_here()
        try:
            with ProjectRoot(self.bench.project) as root:
                store = Store(state_directory() / project_key(root.path))
                store.plans.all()
                store.close()
        except StudioError as error:
            self.bench.tell([error.code, error.message, error.hint])
            return TOLD
        return 0

    def propose_large(self) -> int:
        """Begin a store and propose contents that lie beside the database."""
        stop_here()
        workspace = self.bench.open()
        steps = [{"op": "modify", "path": name, "content": text} for name, text in LARGE.items()]
        workspace.proposer.propose(detect.read(plan_text(*steps)))
        workspace.close()
        return 0

    def kill_proposing(self, scene: Scene) -> Numbers:
        """Kill the first proposal of a project: the store is sound, and the same proposal goes through."""
        numbers = Numbers()
        start = Saved(scene.start.project, {})
        self.bench.restore(start)
        for call, number in self.points(count_calls_of_one_thread(self.propose_large, self.trace), 2):
            self.bench.restore(start)
            injection = Injection(call, number)
            code = inject(self.propose_large, injection)
            faults = [] if code in (-9, 0) else [f"ended with {code}"]
            if run_plain(self.propose_large) != 0 or run_plain(self.apply_only_plan) != 0:
                faults.append("could not be proposed and applied afterwards")
            now = tree(self.bench.project)
            if {name: now[name][2].decode() for name in LARGE} != LARGE:
                faults.append("the bytes are not those that were proposed")
            numbers.add("new", faults, injection)
        return numbers

    def apply_only_plan(self) -> int:
        stop_here()
        workspace = self.bench.open()
        (plan,) = workspace.proposer.plans()
        reviewer = workspace.reviewer(PERSON)
        reviewer.approve(plan.id)
        reviewer.apply(plan.id)
        told = workspace.notices
        workspace.close()
        return len(told)

    def recover(self) -> int:
        stop_here()
        settling.recover(self.bench)
        return 0

    def recover_twice(self) -> int:
        stop_here()
        self.bench.tell(settling.recover_twice(self.bench))
        return 0

    def judge(self, scene: Scene) -> tuple[str, list[str]]:
        """Recover in a new process; old, new or mixed, and everything else that is wrong."""
        if run_plain(self.recover_twice) != 0:
            return "unrecovered", ["recovery itself failed"]
        return settling.judge(self.bench, scene, self.bench.told())

    def points(self, counts: Counter[str], share: int = 1) -> list[tuple[str, int]]:
        """Every call of a run, or that share of a sample: half of it from the calls that change something."""
        every = [(call, number) for call, count in sorted(counts.items()) for number in range(1, count + 1)]
        size = max(2, self.sample // share)
        if not self.sample or size >= len(every):
            return every
        changing = [point for point in every if point[0] in CHANGING]
        chosen = set(self.random.sample(changing, min(size // 2, len(changing))))
        rest = [point for point in every if point not in chosen]
        return sorted(chosen | set(self.random.sample(rest, size - len(chosen))))

    def kill(self, scene: Scene, action: Action | None = None) -> Numbers:
        """Kill the scene's action, the whole of it if none is given, at its system calls."""
        numbers = Numbers()

        def whole() -> int:
            return self.act(scene.plan_id, is_rollback=scene.is_rollback, begun=stop_here)

        action = action or whole
        self.bench.restore(scene.start)
        counts = count_calls_of_one_thread(action, self.trace)
        for call, number in self.points(counts):
            self.bench.restore(scene.start)
            injection = Injection(call, number)
            code = inject(action, injection)
            outcome, faults = self.judge(scene)
            if code not in (-9, 0):
                faults.append(f"ended with {code}")
            numbers.add(outcome, faults, injection)
        return numbers

    def kill_recovery(self, scene: Scene) -> Numbers:
        """Kill the recovery of crashed states at its system calls, then recover."""
        numbers = Numbers()

        def action() -> int:
            return self.act(scene.plan_id, is_rollback=scene.is_rollback, begun=stop_here)

        crashes = self.crashes(scene, action)
        for crash in crashes:
            self.bench.restore(scene.start)
            assert inject(action, crash) == -9
            crashed = self.bench.save()
            counts = count_calls_of_one_thread(self.recover, self.trace)
            for call, number in self.points(counts, len(crashes)):
                self.bench.restore(crashed)
                injection = Injection(call, number)
                code = inject(self.recover, injection)
                outcome, faults = self.judge(scene)
                if code not in (-9, 0):
                    faults.append(f"ended with {code}")
                numbers.add(outcome, faults, f"{crash}, recovery: {injection}")
        return numbers

    def agree(self, scenes: Sequence[Scene]) -> Numbers:
        """Count the calls that change the project: strace and our own table must count the same ones."""
        numbers = Numbers()
        project = self.bench.project
        for scene in scenes:
            action = partial(self.act, scene.plan_id, is_rollback=scene.is_rollback, begun=stop_here)
            starts: list[tuple[str, Saved, Action]] = [(scene.name, scene.start, action)]
            crashes = self.crashes(scene, action)
            for crash in crashes[2:3] if self.sample else crashes:
                self.bench.restore(scene.start)
                inject(action, crash)
                starts.append((f"recovery of {scene.name}, {crash}", self.bench.save(), self.recover))
            for name, start, run_it in starts:
                self.bench.restore(start)
                every = count_calls(run_it, self.trace)
                self.bench.restore(start)
                calls = record(counted_by_us(run_it, project, self.bench.tell), self.trace)
                seen, ours = counted_by_strace(calls, project), self.bench.told()
                print(
                    f"  {name}: {every.total()} system calls, {sum(seen.values())} change the project by "
                    f"strace, {sum(ours.values())} by our own table"
                )
                numbers.add("agreed" if seen == ours else "apart", [] if seen == ours else [f"{seen}"], name)
        return numbers

    def crashes(self, scene: Scene, action: Any) -> list[Injection]:
        """Where the runs crash whose recovery is swept: in the staging, in the exchanges, in the sweeping."""
        self.bench.restore(scene.start)
        counts = count_calls_of_one_thread(action, self.trace)
        rename = "renameat2" if counts["renameat2"] else "renameat"
        wanted = [
            Injection("mkdirat", counts["mkdirat"]),
            Injection(rename, 1),
            Injection(rename, counts[rename] // 2),
            Injection(rename, counts[rename]),
            Injection("unlinkat", counts["unlinkat"]),
        ]
        return [crash for crash in wanted if 0 < crash.number <= counts[crash.call]]

    def fail(self, scene: Scene, action: Action | None = None) -> Numbers:
        """Make the system calls of the scene's action fail, once and from there on."""
        numbers = Numbers()

        def whole() -> int:
            return self.act(scene.plan_id, is_rollback=scene.is_rollback, opened=stop_here)

        action = action or whole
        self.bench.restore(scene.start)
        for injection in self.errors(count_calls_of_one_thread(action, self.trace)):
            self.bench.restore(scene.start)
            self.bench.tell([])
            code = inject(action, injection)
            faults = self.after_error(scene, code)
            outcome, more = self.judge(scene)
            faults += more
            if not more and not scene.is_rollback and outcome == "old":
                faults += self.again(scene)
            numbers.add(outcome, faults, injection)
        return numbers

    def errors(self, counts: Counter[str]) -> list[Injection]:
        chosen: list[Injection] = []
        for error, calls in ERRORS.items():
            every = [
                Injection(call, number, error, onwards)
                for call in calls
                for number in range(1, counts[call] + 1)
                for onwards in (False, True)
            ]
            # A sample holds the same number of each error.
            wanted = -(-self.sample // len(ERRORS)) or len(every)
            chosen += self.random.sample(every, min(wanted, len(every)))
        return chosen

    def fail_opening(self, scene: Scene) -> Numbers:
        """Make the opening of root and store fail: that is told, and nothing is set aside."""
        numbers = Numbers()
        self.bench.restore(scene.start)
        for injection in self.errors(count_calls_of_one_thread(self.open_store, self.trace)):
            self.bench.restore(scene.start)
            self.bench.tell([])
            faults = self.after_error(scene, inject(self.open_store, injection))
            outcome, more = self.judge(scene)
            numbers.add(outcome, [*faults, *more], injection)
        return numbers

    def after_error(self, scene: Scene, code: int) -> list[str]:
        now = tree(self.bench.project)
        if code == 0:
            return []
        if code != TOLD:
            return [f"ended with {code}: no sentence"]
        told = self.bench.told()
        if not (len(told) == 3 and told[1].endswith(".") and told[2]):
            return [f"not a sentence with a hint: {told}"]
        if "othing was" in told[1] and now == scene.new:
            return [f"said {told[1]!r}, but everything is written"]
        return []

    def again(self, scene: Scene) -> list[str]:
        """Once the trouble is over the very same plan can be applied."""
        code = run_plain(lambda: self.act(scene.plan_id, is_rollback=False, begun=stop_here))
        if code != 0:
            told = self.bench.told() if code == TOLD else ""
            return [f"could not be applied again: {code} {told}"]
        return [] if tree(self.bench.project) == scene.new else ["applied again, the tree is not the new one"]


PARTS = (
    "counts",
    "apply",
    "rollback",
    "many",
    "recovery",
    "recovery-of-rollback",
    "errors",
    "errors-of-rollback",
    "errors-of-many",
    "errors-of-opening",
    "proposing",
    "without-exchange",
    "rollback-without-exchange",
    "recovery-without-exchange",
    "finish",
    "errors-of-finish",
    "links",
    "recovery-of-links",
    "errors-of-links",
    "links-without-exchange",
    "without-links",
    "rollback-without-links",
    "recovery-without-links",
    "recovery-of-rollback-without-links",
    "errors-without-links",
    "links-without-links",
    "part",
    "recovery-of-part",
    "errors-of-part",
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sample", type=int, default=0, help="points of each part; 0: every one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--folder", type=Path, help="where to work; a fresh temporary folder otherwise")
    chosen = parser.parse_args(arguments)
    os.umask(0o022)
    with tempfile.TemporaryDirectory(prefix="faults-", dir=chosen.folder) as folder:
        sweep = Sweep(Path(folder), chosen.sample, chosen.seed)
        apply, rollback, many = sweep.scenes()
        finishing = sweep.finishing()
        linking = sweep.linking()
        parting = sweep.parting()
        finish = partial(sweep.finish, finishing)
        parts = {
            "counts": lambda: sweep.agree((apply, rollback, many, finishing, linking)),
            "apply": lambda: sweep.kill(apply),
            "rollback": lambda: sweep.kill(rollback),
            "many": lambda: sweep.kill(many),
            "recovery": lambda: sweep.kill_recovery(apply),
            "recovery-of-rollback": lambda: sweep.kill_recovery(rollback),
            "errors": lambda: sweep.fail(apply),
            "errors-of-rollback": lambda: sweep.fail(rollback),
            "errors-of-many": lambda: sweep.fail(many),
            "errors-of-opening": lambda: sweep.fail_opening(apply),
            "proposing": lambda: sweep.kill_proposing(apply),
            "without-exchange": lambda: without_exchange(sweep.kill, apply),
            "rollback-without-exchange": lambda: without_exchange(sweep.kill, rollback),
            "recovery-without-exchange": lambda: without_exchange(sweep.kill_recovery, apply),
            "finish": lambda: sweep.kill(finishing, finish),
            "errors-of-finish": lambda: sweep.fail(finishing, finish),
            "links": lambda: sweep.kill(linking),
            "recovery-of-links": lambda: sweep.kill_recovery(linking),
            "errors-of-links": lambda: sweep.fail(linking),
            "links-without-exchange": lambda: without_exchange(sweep.kill, linking),
            "without-links": lambda: without_links(sweep.kill, apply),
            "rollback-without-links": lambda: without_links(sweep.kill, rollback),
            "recovery-without-links": lambda: without_links(sweep.kill_recovery, apply),
            "recovery-of-rollback-without-links": lambda: without_links(sweep.kill_recovery, rollback),
            "errors-without-links": lambda: without_links(sweep.fail, apply),
            "links-without-links": lambda: without_links(sweep.kill, linking),
            "part": lambda: sweep.kill(parting),
            "recovery-of-part": lambda: sweep.kill_recovery(parting),
            "errors-of-part": lambda: sweep.fail(parting),
        }
        results: dict[str, Any] = {}
        for name in chosen.part or PARTS:
            started = time.monotonic()
            numbers = parts[name]()
            seconds = round(time.monotonic() - started, 1)
            counted = f"{dict(numbers.outcomes)}, {dict(numbers.kinds)}"
            print(f"{name}: {numbers.points} points in {seconds} s: {counted}", flush=True)
            for failure in numbers.failures:
                print(f"  FAILED {failure}", flush=True)
            results[name] = {
                "points": numbers.points,
                **numbers.outcomes,
                "failures": len(numbers.failures),
                "kinds": dict(numbers.kinds),
            }
    print(json.dumps({"seed": chosen.seed, "sample": chosen.sample, "parts": results}))
    return 1 if any(part["failures"] for part in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
