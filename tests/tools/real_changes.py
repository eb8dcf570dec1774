"""Real file changes, out of two releases of public packages, judged by git and by mutations of the diffs.

`python -m tests.tools.real_changes` fetches the pairs below and goes through every changed text file of them:
what git's diff applied by us gives, what our computed diff applied by git gives, and whether five
mutations of the diff are refused. It prints what it saw, and ends with an error where anything differs,
a mutation is taken, or fewer than 2,000 changes were seen.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from studio.engine.diff import FilePatch, apply_strict, compute, format_unified, read_unified
from studio.errors import Refused
from tests.tools.mutations import MUTATIONS, mutate
from tests.tools.packages import Unavailable, Versions, contents, git_diff, wheel

FEWEST_CHANGES = 2_000
MOST_DRAWS = 20
"""Mutations drawn for one file and kind until one changes the meaning; no real file needs that many."""

WHEELS = {
    "Django-4.1": "031ccb717782f6af83a0063a1957686e87cb4581ea61b47b3e9addf60687989a",
    "Django-4.2.16": "1ddc333a16fc139fd253035a1606bb24261951bbc3a6ca256717fa06cc41a898",
    "Twisted-22.10.0": "86c55f712cc5ab6f6d64e02503352464f0400f66d4f079096d744080afcccbd0",
    "twisted-24.3.0": "039f2e6a49ab5108abd94de187fa92377abe5985c7a72d68d0ad266ba19eae63",
    "ansible_core-2.14.0": "b191d397c81514bd1922e00e16f0b8ec52e0bcb19b61cc4500085f5f92470cf2",
    "ansible_core-2.16.0": "6b4870ac65b708953e1509b8ccca669731a17d2beadabd8208c9f90d189058ca",
    "mypy-1.4.1": "45d32cec14e7b97af848bddd97d85ea4f0db4d5a149ed9676caa4eb2f7402bb4",
    "mypy-1.8.0": "538fd81bb5e430cc1381a443971c0475582ff9f434c16cd46d2c66763ce85d9d",
    "networkx-2.8.8": "e435dfa75b1d7195c7b8378c3859f0445cd88c6b0375c181ed66823a9ceb7524",
    "networkx-3.2.1": "f18c69adc97877c42332c170849c96cefa91881c99a7cb3e95b7c659ebdc1ec2",
    "pip-22.3": "1daab4b8d3b97d1d763caeb01a4640a2250a0ea899e257b1e44b9eded91e15ab",
    "pip-24.0": "ba0d021a166865d2265246961bec0152ff124de910c5cc39f1156ce3fa7c69dc",
    "sphinx-6.2.1": "97787ff1fa3256a3eef9eda523a63dbf299f7b47e053cfcf684a1c2a8380c912",
    "sphinx-7.2.6": "1e09160a40b956dc623c910118fa636da93bd3ca0b9876a7b3df90f07d691560",
    "sympy-1.11.1": "938f984ee2b1e8eae8a07b884c8b7a1146010040fccddc6539c54f401c8f6fcf",
    "sympy-1.12": "c3588cd4295d0c0f603d0f2ae780587e64e2efeedb3521e46b9bb1d08d184fa5",
}
"""Two releases of each package, the older one first, with the SHA-256 of its pure Python wheel."""


@dataclass(frozen=True, slots=True)
class Change:
    """One changed text file: git's diff of it, read, and its bytes on both sides."""

    text: bytes
    patch: FilePatch
    old: bytes
    new: bytes

    @property
    def paths(self) -> tuple[str, str]:
        assert self.patch.old_path is not None and self.patch.new_path is not None
        return self.patch.old_path, self.patch.new_path


@dataclass(frozen=True, slots=True)
class Seen:
    """What was done with the changes of one package.

    `refused` counts mutations, `drawn_again` those that left the meaning unchanged and so count nowhere;
    `failures` are sentences, none when all went well.
    """

    name: str
    changes: int
    refused: int
    drawn_again: int
    failures: tuple[str, ...]


def releases(folder: Path) -> Iterator[Versions]:
    """Every pair of wheels, unpacked into `folder`, with git's diff between the two.

    Raises tests.tools.packages.Unavailable where one can't be fetched.
    """
    for old, new in list(pairwise(WHEELS))[::2]:
        home = folder / old
        for release, side in ((old, "a"), (new, "b")):
            with zipfile.ZipFile(wheel(f"{release}-py3-none-any.whl", WHEELS[release])) as members:
                members.extractall(home / side)
        text = git_diff(home / "a", home / "b", home / "git")
        yield Versions(f"{old} to {new.rpartition('-')[2]}", home / "a", home / "b", text)


def changes_of(versions: Versions) -> list[Change]:
    """The text files that both releases have and that differ, renamed ones among them.

    What was an empty file is left out: its diff holds no line that the file must hold too.
    """
    old, new = contents(versions.old), contents(versions.new)
    texts = re.split(rb"(?m)^(?=diff --git )", versions.diff)[1:]
    found: list[Change] = []
    for text, patch in zip(texts, read_unified(versions.diff), strict=True):
        if patch.hunks and not patch.problems and patch.old_path and patch.new_path:
            if not old[patch.old_path].data:
                continue
            found.append(Change(text, patch, old[patch.old_path].data, new[patch.new_path].data))
    return found


def go_through(name: str, changes: Sequence[Change], folder: Path) -> Seen:
    """Apply, compute and mutate every change; git works in `folder`."""
    failures: list[str] = []
    by_git = apply_by_git(changes, b"".join(change.text for change in changes), folder / "a")
    ours_by_git = apply_by_git(changes, our_texts(changes), folder / "b")
    for change, result, result_of_ours in zip(changes, by_git, ours_by_git, strict=True):
        if not apply_strict(change.old, change.patch) == result == change.new:
            failures.append(f"{change.paths[1]}: git's diff gives us another result than git")
        if result_of_ours != change.new:
            failures.append(f"{change.paths[1]}: our diff gives git another result")
    refused = again = 0
    for change in changes:
        for kind in MUTATIONS:
            draws = draws_until_refused(kind, change, changes, folder / "c")
            if draws is None:
                failures.append(f"{change.paths[1]}: a mutation was taken: {kind}")
            else:
                refused += 1
                again += draws
    return Seen(name, len(changes), refused, again, tuple(failures))


def draws_until_refused(kind: str, change: Change, changes: Sequence[Change], folder: Path) -> int | None:
    """How many mutations left the meaning of the diff unchanged before one did not, which we refuse.

    None where we take one that git does not at the stated lines, or takes with another result.
    """
    chance = random.Random(f"{kind} {change.paths[1]}")
    for draws in range(MOST_DRAWS):
        mutated = mutate(kind, change.text, chance.choice(changes).text, chance)
        result = taken(change.old, mutated)
        if result is None:
            return draws
        if result != git_at_stated_lines(change, mutated, folder):
            return None
    return None


def our_texts(changes: Iterable[Change]) -> bytes:
    return b"".join(format_unified(compute(change.old, change.new), *change.paths) for change in changes)


def apply_by_git(changes: Iterable[Change], text: bytes, folder: Path) -> list[bytes]:
    """What one `git apply` of the whole text makes of the files, in a new folder."""
    for change in changes:
        write(folder / change.paths[0], change.old)
    done = git_apply(folder, text)
    assert done.returncode == 0, done.stderr.decode()
    return [(folder / change.paths[1]).read_bytes() for change in changes]


def git_at_stated_lines(change: Change, text: bytes, folder: Path) -> bytes | None:
    """Git's result of a diff of one file; None where it applies it elsewhere, or not at all."""
    write(folder / change.paths[0], change.old)
    done = git_apply(folder, text, "--verbose", "--unidiff-zero")
    if done.returncode != 0 or b"offset" in done.stderr or b"fuzz" in done.stderr:
        return None
    return (folder / change.paths[1]).read_bytes()


def git_apply(folder: Path, text: bytes, *options: str) -> subprocess.CompletedProcess[bytes]:
    environment = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": str(folder.parent.resolve()),
        "LC_ALL": "C",
    }
    command = ["git", "apply", "--whitespace=nowarn", *options]
    return subprocess.run(command, cwd=folder, env=environment, input=text, capture_output=True, check=False)


def write(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def taken(base: bytes, text: bytes) -> bytes | None:
    """What a diff of one file gives when it is taken; None where reading or applying refuses it."""
    try:
        (patch,) = read_unified(text)
        return apply_strict(base, patch)
    except Refused:
        return None


def main() -> int:
    """Go through all packages and print what was seen; 1 where anything failed."""
    seen: list[Seen] = []
    with tempfile.TemporaryDirectory(prefix="studio-real-changes-") as folder:
        try:
            for versions in releases(Path(folder)):
                work = Path(folder, "work", versions.name)
                seen.append(go_through(versions.name, changes_of(versions), work))
                print(sentence(seen[-1]), flush=True)
        except Unavailable as error:
            print(error, file=sys.stderr)
            return 1
    for failure in (failure for one in seen for failure in one.failures):
        print(f"FAILED {failure}")
    changes = sum(one.changes for one in seen)
    refused = sum(one.refused for one in seen)
    again = sum(one.drawn_again for one in seen)
    print(f"{changes} changed files in {len(seen)} pairs of releases")
    print(f"{refused} of {changes * len(MUTATIONS)} mutations refused, {again} drawn again")
    if changes < FEWEST_CHANGES:
        print(f"FAILED fewer than {FEWEST_CHANGES} changes")
    return int(changes < FEWEST_CHANGES or any(one.failures for one in seen))


def sentence(seen: Seen) -> str:
    return (
        f"{seen.name}: {seen.changes} changed files, {seen.refused} mutations refused, "
        f"{len(seen.failures)} failures"
    )


if __name__ == "__main__":
    sys.exit(main())
