"""A release: everything that is shipped, made from one commit, tried out, and told in a table.

    python3 installer/release.py [--into FOLDER] [--only NAMES] [--quick] [--key KEY] REVISION

REVISION is a tag such as v0.1.0, which must be the version of the program, have its section in CHANGELOG.md
and be checked out with nothing changed; or any commit for a trial build. What is not committed is no part of
it. Into FOLDER (dist/ of the checkout) comes at the end what was made by parts of which nothing failed, in
the place of what an earlier run left there, with the table in RELEASE.txt. NAMES are parts, with commas.
--quick tries each part briefly. KEY signs the checksums where nothing failed: an id in your keyring of gpg,
or a file with a secret key (or STUDIO_RELEASE_KEY in the environment).

Exit codes: 0 nothing failed, 1 something did, 2 usage, 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace as changed
from pathlib import Path

from dev import OLDEST_PYTHON, start_again_with_newer_python
from shipping import parts
from shipping.checksums import TABLE, VARIABLE
from shipping.parts import PAGES, Outcome, Source, State, attempt, has_failed
from system_packages import Problem, exit_code, say

TAG = re.compile(r"v(\d+\.\d+\.\d+)")
RELEASE = "Release"

PARTS = ("site", "wheel", "deb", "appimage", "bill", "checksums", "signature")
"""In order: the first brings the documentation that the next three hold, and the last three are about all
that was made before. Each is a module of `shipping`, but for the signature, which `checksums` makes."""
_HOLD_PAGES = frozenset({"wheel", "deb", "appimage"})


def main(arguments: list[str]) -> int:
    if sys.version_info < OLDEST_PYTHON:
        return start_again_with_newer_python(Path(__file__))
    parser = argparse.ArgumentParser(
        prog="release.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--into", type=Path, default=Path(__file__).parents[1] / "dist", metavar="FOLDER")
    parser.add_argument("--only", type=parts_of, default="", metavar="NAMES")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--key", default="")
    parser.add_argument("revision", metavar="REVISION")
    given = parser.parse_args(arguments)
    code = exit_code(
        lambda: has_failed(release(given.revision, given.into, given.only, given.quick, given.key))
    )
    if code == 130:
        say("Interrupted: nothing was put in the place of an earlier release.")
    return code


def parts_of(names: str) -> list[str]:
    """Return the parts of these names in order, and what they need. Raises ArgumentTypeError."""
    wanted = {name for name in names.split(",") if name} or set(PARTS)
    unknown = ", ".join(sorted(wanted.difference(PARTS)))
    if unknown:
        raise argparse.ArgumentTypeError(f"There is no part {unknown}. The parts are: {', '.join(PARTS)}.")
    return [name for name in PARTS if name in wanted or (name == "site" and wanted & _HOLD_PAGES)]


def release(revision: str, into: Path, chosen: Sequence[str], is_quick: bool, key: str) -> list[Outcome]:
    """Make and try the parts, put the good ones into `into`, and print the table.

    Where nothing was made, `into` stays as it is. Raises Problem.
    """
    check_place(into)
    into = into.resolve()  # also of "." there is a folder beside it
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # its end is as clean as by Ctrl-C
    with tempfile.TemporaryDirectory(prefix="exacta-release-") as folder:
        # A branch may be called like a tag.
        named = f"refs/tags/{revision}" if TAG.fullmatch(revision) else revision
        tree = parts.lay_out(named, Path(folder, "source"))
        kind = kind_of(revision, tree)
        say(f"{kind}: Exacta Studio {tree.version}, commit {tree.commit[:12]}")
        if revision == "HEAD" and parts.uncommitted():  # it may have been meant
            say("Note: what is not committed in this checkout is no part of it")
        if key:
            os.environ[VARIABLE] = key
        made = Path(folder, "made")
        made.mkdir()
        outcomes = run_parts(chosen, tree, made, is_quick)
        text = f"{kind}: Exacta Studio {tree.version}, commit {tree.commit}\n\n{parts.table(outcomes)}"
        where = f"Nothing came of it, and {into} is as it was."
        if any(made.iterdir()):
            if kind == RELEASE:
                parts.check_out_is(tree)  # scripts are read until the end, and somebody may have changed one
            (made / TABLE).write_text(text, encoding="utf-8")
            replace(into, made)
            where = f"All of it is in {into}."
    print(f"\n{text}\n{where}", flush=True)
    return outcomes


def kind_of(revision: str, tree: Source) -> str:
    """Return what the run is called. Raises Problem for a tag that does not fit the tree or checkout."""
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
    parts.check_out_is(tree)
    return RELEASE


def run_parts(chosen: Sequence[str], tree: Source, made: Path, is_quick: bool) -> list[Outcome]:
    """Run each part. In `made` stay the files of parts of which nothing failed, as lines name them."""
    outcomes: list[Outcome] = []
    for part in chosen:
        why_not = ""
        if part == "signature" and has_failed(outcomes):
            why_not = "Something failed, and what is wrong is not signed."
        elif part in _HOLD_PAGES and not (tree.folder / PAGES).is_dir():
            why_not = "The documentation, which belongs into it, could not be made."
        lines = [Outcome(part, State.UNTRIED, why_not)] if why_not else run_part(part, tree, made, is_quick)
        outcomes += map(_withdrawn, lines) if has_failed(lines) else lines
        named = {each.file for each in outcomes if each.state in (State.BUILT, State.TESTED)}
        for path in sorted(set(made.iterdir()) - named):
            say(f"Left out, because no line names it as good: {path.name}")
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return outcomes


def _withdrawn(outcome: Outcome) -> Outcome:
    """Mark the line of a part of which something failed: its file is not shipped."""
    words = [outcome.words] if outcome.words else []
    if outcome.file is not None and outcome.state is not State.FAILED:
        words.append("left out, because something of this part failed")
    return changed(outcome, file=None, words="; ".join(words))


def run_part(part: str, tree: Source, into: Path, is_quick: bool) -> list[Outcome]:
    """Build one part and try it out; whatever becomes of it, the others go on."""
    is_signature = part == "signature"
    module = importlib.import_module(f"shipping.{'checksums' if is_signature else part}")
    say(f"{part}: building")
    built = attempt(part, lambda: (module.sign if is_signature else module.build)(tree, into))
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
    """Replace an earlier release by `made` as a whole; it goes back where that fails."""
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
