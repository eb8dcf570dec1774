"""One run of the release command: a clean tree, each part in order, and the folder that is left."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import signal
import tempfile
from argparse import ArgumentTypeError
from collections.abc import Sequence
from dataclasses import replace as changed
from pathlib import Path

from system_packages import Problem, say

from shipping.checksums import TABLE
from shipping.parts import (
    PAGES,
    Outcome,
    Source,
    State,
    attempt,
    check_out_is,
    has_failed,
    lay_out,
    table,
    uncommitted,
)
from shipping.signature import VARIABLE

TAG = re.compile(r"v(\d+\.\d+\.\d+)")
RELEASE = "Release"


PARTS = {
    "site": "site",
    "wheel": "python_packages",
    "deb": "debian",
    "appimage": "appimage",
    "bill": "bill",
    "checksums": "checksums",
    "signature": "signature",
}
"""Each with the module of this package that makes and tries it, in this order: the first lays the
documentation where the others find it, and the last three are about all that was made before."""
_HOLD_PAGES = frozenset({"wheel", "deb", "appimage"})
_ABOUT_ALL = frozenset({"bill", "checksums", "signature"})


def parts_of(names: str) -> list[str]:
    """The parts that these names choose, with the documentation for what holds it, in the order of the table;
    all without names. Raises ArgumentTypeError."""
    wanted = {name for name in names.split(",") if name} or set(PARTS)
    unknown = ", ".join(sorted(wanted.difference(PARTS)))
    if unknown:
        raise ArgumentTypeError(f"There is no part {unknown}. The parts are: {', '.join(PARTS)}.")
    return [name for name in PARTS if name in wanted or (name == "site" and wanted & _HOLD_PAGES)]


def release(revision: str, into: Path, parts: Sequence[str], is_quick: bool, key: str) -> list[Outcome]:
    """Make and try the parts, put what came of them into `into`, and print the table. Where nothing came of
    them, what lies there stays. Raises Problem."""
    check_place(into)
    into = into.resolve()  # also of "." there is a folder beside it
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # its end is as clean as by Ctrl-C
    with tempfile.TemporaryDirectory(prefix="exacta-release-") as folder:
        # A branch may be called like a tag.
        named = f"refs/tags/{revision}" if TAG.fullmatch(revision) else revision
        tree = lay_out(named, Path(folder, "source"))
        kind = kind_of(revision, tree)
        say(f"{kind}: Exacta Studio {tree.version}, commit {tree.commit[:12]}")
        if revision == "HEAD" and uncommitted():  # it may have been meant
            say("Note: what is not committed in this checkout is no part of it")
        if key:
            os.environ[VARIABLE] = key
        made = Path(folder, "made")
        made.mkdir()
        outcomes = run_parts(parts, tree, made, is_quick)
        told = f"{kind}: Exacta Studio {tree.version}, commit {tree.commit}\n\n{table(outcomes)}"
        where = f"Nothing came of it, and {into} is as it was."
        if any(made.iterdir()):
            if kind == RELEASE:
                check_out_is(tree)  # scripts are read until the end, and somebody may have changed one
            (made / TABLE).write_text(told, encoding="utf-8")
            replace(into, made)
            where = f"All of it is in {into}."
    print(f"\n{told}\n{where}", flush=True)
    return outcomes


def kind_of(revision: str, tree: Source) -> str:
    """What the run is. Raises Problem for a tag that is not the version, that the change log does not know,
    or that is not what is checked out."""
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
    check_out_is(tree)
    return RELEASE


def run_parts(parts: Sequence[str], tree: Source, made: Path, is_quick: bool) -> list[Outcome]:
    """Run each part. In `made` stays what a line of the table names, of parts of which nothing failed."""
    outcomes: list[Outcome] = []
    for part in parts:
        if part in _ABOUT_ALL:
            leave_out_unnamed(made, outcomes)
        if part == "signature" and has_failed(outcomes):
            why_not = "Something failed, and what is wrong is not signed."
        elif part in _HOLD_PAGES and not (tree.folder / PAGES).is_dir():
            why_not = "The documentation, which belongs into it, could not be made."
        else:
            came = run_part(part, tree, made, is_quick)
            outcomes += map(_withdrawn, came) if has_failed(came) else came
            continue
        outcomes.append(Outcome(part, State.UNTRIED, why_not))
    leave_out_unnamed(made, outcomes)
    return outcomes


def _withdrawn(outcome: Outcome) -> Outcome:
    """What a part has made of which something failed is not shipped."""
    if outcome.file is None or outcome.state is State.FAILED:
        return changed(outcome, file=None)
    why = "left out, because something of this part failed"
    return changed(outcome, file=None, words=f"{outcome.words}; {why}" if outcome.words else why)


def leave_out_unnamed(made: Path, outcomes: Sequence[Outcome]) -> None:
    """Remove every file and folder that no outcome names as built or tested."""
    named = {each.file for each in outcomes if each.state in (State.BUILT, State.TESTED)}
    for path in sorted(set(made.iterdir()) - named):
        say(f"Left out, because no line names it as good: {path.name}")
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def run_part(part: str, tree: Source, into: Path, is_quick: bool) -> list[Outcome]:
    """Build one part and try it out; whatever becomes of it, the others go on."""
    module = importlib.import_module(f"shipping.{PARTS[part]}")
    say(f"{part}: building")
    built = attempt(part, lambda: module.build(tree, into))
    if not any(each.file for each in built) or not hasattr(module, "try_out"):
        return built
    say(f"{part}: trying")
    return built + attempt(part, lambda: module.try_out(tree, into, is_quick))


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
    """Put what was made in the place of an earlier release, as a whole: nothing of both is ever mixed. Where
    that fails or is interrupted, what was there goes back."""
    into.parent.mkdir(parents=True, exist_ok=True)
    new, old = (into.with_name(f".{into.name}.{os.getpid()}.{word}") for word in ("new", "old"))
    try:
        shutil.copytree(made, new)
        check_place(into)  # somebody may have laid something there meanwhile
        if into.exists():
            into.rename(old)
        new.rename(into)
    except BaseException:
        if old.exists() and new.exists():
            old.rename(into)
        raise
    finally:
        shutil.rmtree(new, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)
