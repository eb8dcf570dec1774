"""The cache of clients, filled by an npm of the test's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lab.agents.cache import PACKAGES, Cache, Unavailable

PACKAGE = PACKAGES["codex"]
FILLS = f"mkdir -p node_modules/{PACKAGE.name}/{Path(PACKAGE.program).parent}\n"
FILLS += f"echo program > node_modules/{PACKAGE.name}/{PACKAGE.program}\n"


def npm(folder: Path, commands: str) -> tuple[str, ...]:
    """The words that start an npm that notes each start."""
    script = folder / "npm.sh"
    script.write_text(f"echo started >> '{folder}/starts'\n{commands}")
    return ("sh", str(script))


def starts(folder: Path) -> int:
    return len((folder / "starts").read_text().splitlines())


def test_a_client_is_fetched_once(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    assert cache.program("codex") is None
    words = npm(tmp_path, FILLS)
    program = cache.fetch("codex", words)
    assert program.read_text() == "program\n"
    assert cache.program("codex") == program
    assert cache.fetch("codex", words) == program
    assert starts(tmp_path) == 1


def test_npm_is_told_the_exact_version_and_its_hash(tmp_path: Path) -> None:
    program = Cache(tmp_path / "cache").fetch(
        "codex", npm(tmp_path, f'echo "$@" > "{tmp_path}/words"\n{FILLS}')
    )
    whole = program.parents[len(Path(PACKAGE.name, PACKAGE.program).parts)]
    lock = json.loads((whole / "package-lock.json").read_text())
    assert lock["packages"][f"node_modules/{PACKAGE.name}"] == {
        "version": PACKAGE.version,
        "integrity": PACKAGE.integrity,
    }
    words = (tmp_path / "words").read_text().split()
    assert words[0] == "ci"
    assert "--ignore-scripts" in words


def test_what_comes_with_a_client_is_the_same_or_none(tmp_path: Path) -> None:
    """npm checks each by the hash that the registry tells; that these are the ones, we check."""
    package = PACKAGES["inspector"]
    program = Path("node_modules", package.name, package.program)
    lock = {"": {}, f"node_modules/{package.name}": {"version": package.version, "integrity": "sha512-other"}}
    (tmp_path / "lock").write_text(json.dumps({"packages": lock}))
    fills = f"mkdir -p {program.parent}; touch {program}; cp '{tmp_path}/lock' package-lock.json\n"
    cache = Cache(tmp_path / "cache")
    with pytest.raises(Unavailable, match=r"others with .*/inspector .* than were tried"):
        cache.fetch("inspector", npm(tmp_path, f'echo "$@" > "{tmp_path}/words"\n{fills}'))
    assert cache.program("inspector") is None
    words = (tmp_path / "words").read_text().split()
    assert words[:2] == ["install", "--before=2026-11-01"] and "--ignore-scripts" in words


@pytest.mark.parametrize(
    ("commands", "message"),
    [
        (f"{FILLS} echo 'no way there' >&2; exit 1", "It needs the network.*\n*no way there"),
        ("exit 0", "holds no vendor"),
        (f"{FILLS} kill -9 $$", "could not install"),
    ],
)
def test_half_a_client_is_none(tmp_path: Path, commands: str, message: str) -> None:
    """Whatever npm left is fetched again as a whole."""
    cache = Cache(tmp_path / "cache")
    with pytest.raises(Unavailable, match=message):
        cache.fetch("codex", npm(tmp_path, commands))
    assert cache.program("codex") is None
    assert list(cache.folder.iterdir()) == []
    assert cache.fetch("codex", npm(tmp_path, FILLS)).read_text() == "program\n"
    assert [folder.name for folder in cache.folder.iterdir()] == [PACKAGE.folder]


def test_a_fetch_that_was_killed_leaves_nothing_that_counts(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    part = cache.folder / ".part" / "whole"
    part.mkdir(parents=True)
    place = cache.folder / PACKAGE.folder / "node_modules"
    place.mkdir(parents=True)
    assert cache.program("codex") is None
    cache.fetch("codex", npm(tmp_path, FILLS))
    assert [folder.name for folder in cache.folder.iterdir()] == [PACKAGE.folder]
