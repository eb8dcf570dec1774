"""One run of the release command: a clean tree, each part in order, and the folder that is left."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, NoReturn

from system_packages import Problem, say

from shipping import source
from shipping.checksums import TABLE
from shipping.outcome import Outcome, State, Unavailable
from shipping.signature import VARIABLE
from shipping.source import Source
from shipping.table import table

TAG = re.compile(r"v(\d+\.\d+\.\d+)")


class Part(NamedTuple):
    """One part of a release: what it is called, and the module of this package that makes and tries it."""

    name: str
    module: str


PARTS = (
    Part("wheel", "python_packages"),
    Part("site", "site"),
    Part("deb", "debian"),
    Part("appimage", "appimage"),
    Part("windows", "windows"),
    Part("macos", "macos"),
    Part("bill", "bill"),
    Part("checksums", "checksums"),
    Part("signature", "signature"),
)
"""In this order: the last three are about all that was made before."""


def parts_of(names: str) -> list[Part]:
    """The parts that these names choose, in the order of the table; all without names. Raises Problem."""
    wanted = {name for name in names.split(",") if name}
    unknown = wanted - {part.name for part in PARTS}
    if unknown:
        known = ", ".join(part.name for part in PARTS)
        raise Problem(f"There is no part {', '.join(sorted(unknown))}. The parts are: {known}.")
    return [part for part in PARTS if not wanted or part.name in wanted]


def release(revision: str, into: Path, parts: Sequence[Part], is_quick: bool, key: str) -> list[Outcome]:
    """Make and try the parts, put what came of them into `into`, and print the table. Raises Problem."""
    check_place(into)
    began = time.monotonic()
    with _interruptible(), tempfile.TemporaryDirectory(prefix="exacta-release-") as folder:
        tree = source.lay_out(revision, Path(folder, "source"))
        kind = kind_of(revision, tree)
        say(f"{kind}: Exacta Studio {tree.version}, commit {tree.commit[:12]}")
        _say_uncommitted(revision)
        if key:
            os.environ[VARIABLE] = key
        made = Path(folder, "made")
        made.mkdir()
        outcomes = [each for part in parts for each in run_part(part, tree, made, is_quick)]
        minutes = (time.monotonic() - began) / 60
        told = f"{kind}: Exacta Studio {tree.version}, commit {tree.commit}\n\n{table(outcomes)}"
        (made / TABLE).write_text(told, encoding="utf-8")
        replace(into, made)
    print(f"\n{told}\n{minutes:.1f} minutes. All of it is in {into}.", flush=True)
    return outcomes


def kind_of(revision: str, tree: Source) -> str:
    """What the run is. Raises Problem for a tag that is not the version, or that the change log does not
    know."""
    tag = TAG.fullmatch(revision)
    if tag is None:
        return "Trial build"
    if tag[1] != tree.version:
        raise Problem(
            f"The tag is {revision}, and the program in it calls itself {tree.version}: tag the commit that "
            "changes studio/__init__.py."
        )
    if f"\n## [{tree.version}]" not in (tree.folder / "CHANGELOG.md").read_text("utf-8"):
        raise Problem(f"CHANGELOG.md has no section [{tree.version}]: write it, and tag that commit.")
    return "Release"


def run_part(part: Part, tree: Source, into: Path, is_quick: bool) -> list[Outcome]:
    """Build one part and try it out; whatever becomes of it, the others go on."""
    if importlib.util.find_spec(f"shipping.{part.module}") is None:
        return [Outcome(part.name, State.UNTRIED, f"There is no installer/shipping/{part.module}.py.")]
    module = importlib.import_module(f"shipping.{part.module}")
    built = _attempt(part.name, "building", module.build, tree, into)
    # How it is signed is tried with a key of its own, also where nobody named one.
    if not any(each.file for each in built) and part.name != "signature":
        return built
    try_out = getattr(module, "try_briefly", module.try_out) if is_quick else module.try_out
    return built + _attempt(part.name, "trying", try_out, tree, into)


def _attempt(
    name: str, doing: str, do: Callable[[Source, Path], list[Outcome]], tree: Source, into: Path
) -> list[Outcome]:
    say(f"{name}: {doing}")
    began = time.monotonic()
    try:
        outcomes = do(tree, into)
    except Unavailable as reason:
        outcomes = [Outcome(name, State.UNTRIED, str(reason))]
    except (Problem, OSError, subprocess.SubprocessError) as problem:
        outcomes = [Outcome(name, State.FAILED, str(problem))]
    except Exception as error:  # a fault of ours: the other parts are made all the same
        traceback.print_exc()
        outcomes = [Outcome(name, State.FAILED, f"{type(error).__name__}: {error}")]
    for each in outcomes:
        if each.state in (State.FAILED, State.UNTRIED):
            say(f"{name}: {each.what}: {each.state.value}: {each.words}")
    say(f"{name}: {doing} took {time.monotonic() - began:.0f} s")
    return outcomes


def check_place(into: Path) -> None:
    """Raise Problem where something else than an earlier release is in the way."""
    if into.is_symlink() or (into.exists() and not into.is_dir()):
        raise Problem(f"{into} is no folder: name another one with --into.")
    if into.is_dir() and any(into.iterdir()) and not (into / TABLE).is_file():
        raise Problem(
            f"{into} holds something that no release has put there: move it away, or name another folder "
            "with --into."
        )


def replace(into: Path, made: Path) -> None:
    """Put what was made in the place of an earlier release, as a whole: nothing of both is ever mixed."""
    into.parent.mkdir(parents=True, exist_ok=True)
    new, old = (into.with_name(f".{into.name}.{os.getpid()}.{word}") for word in ("new", "old"))
    try:
        shutil.copytree(made, new)
        check_place(into)  # somebody may have laid something there meanwhile
        if into.exists():
            into.rename(old)
        new.rename(into)
    finally:
        for folder in (new, old):
            shutil.rmtree(folder, ignore_errors=True)


def _say_uncommitted(revision: str) -> None:
    """Say that changes in the checkout are left out, where HEAD is built: they may have been meant."""
    if revision == "HEAD" and source.uncommitted():
        say("Note: what is not committed in this checkout is no part of it")


@contextmanager
def _interruptible() -> Iterator[None]:
    """An end that is asked for by SIGTERM is as clean as one by Ctrl-C."""

    def end(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
