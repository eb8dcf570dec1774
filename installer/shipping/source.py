"""The tree that a release is made from: one commit, without anything that lies around in the checkout."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from locked import ROOT
from system_packages import Problem, captured, run_quietly

PAGES = Path("resources", "site")
"""Where the documentation is laid in the tree of a release, so that every package takes it along."""


@dataclass(frozen=True)
class Source:
    """A commit's files in a folder; `epoch` is when it was made, in seconds: the only time that may get into
    a package."""

    folder: Path
    version: str
    commit: str
    epoch: int


def lay_out(revision: str, folder: Path) -> Source:
    """Write the files of a tag or commit into an empty folder. Raises Problem where there is no such one."""
    commit = _git("rev-parse", "--verify", f"{revision}^{{commit}}")
    epoch = int(_git("show", "--no-patch", "--format=%ct", commit))
    folder.mkdir(parents=True, exist_ok=True)
    archive = folder / ".archive.tar"
    _git("archive", "--format=tar", f"--output={archive}", commit)
    run_quietly(["tar", "-x", "-C", folder, "-f", archive])
    archive.unlink()
    return Source(folder, version_of(folder), commit, epoch)


def check_out_is(tree: Source) -> None:
    """Raise Problem unless the checkout is this commit with nothing changed: the scripts that build are its
    own, and so are the lock and all else that they read here."""
    head = _git("rev-parse", "HEAD")
    if head != tree.commit:
        raise Problem(
            f"The checkout is at commit {head[:12]}, and the tag at {tree.commit[:12]}: a release is made by "
            "the scripts of its tag. Check the tag out, then run the command again."
        )
    if uncommitted():
        raise Problem(
            "The checkout holds changes that are not committed, and a release is made by the scripts of its "
            "tag. Commit them and tag that, or put them aside (git stash --include-untracked)."
        )


def version_of(folder: Path) -> str:
    """The version that the tree gives itself."""
    found = re.search(r'^__version__ = "(.+)"$', (folder / "studio/__init__.py").read_text("utf-8"), re.M)
    assert found is not None
    return found[1]


def uncommitted() -> bool:
    """Whether the checkout holds anything that is not committed."""
    return bool(_git("status", "--porcelain", "--untracked-files=normal"))


def _git(*words: str) -> str:
    # A checkout may belong to another user than the one who builds, as in a container: it is read only.
    trusted = f"safe.directory={ROOT}"
    done = captured(["git", "-C", ROOT, "-c", trusted, *words])
    if done.returncode:
        raise Problem(f"git {words[0]}: {done.stderr.strip()}")
    return done.stdout.strip()
