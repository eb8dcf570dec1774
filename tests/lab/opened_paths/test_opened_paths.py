"""The comparison of two builds: what it lists, what it calls wrong, and that its paths are of every kind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from studio.engine.policy import DEFAULT_DENY, LOCKED
from tests.lab.opened_paths.comparison import Answer, Difference, ask, compare, on_ordinary_names
from tests.lab.opened_paths.paths import paths
from tests.lab.opened_paths.repositories import MAKERS, folders_with_files

ROOT = Path(__file__).parents[3]
ALLOWED, BY_NAME, BY_KEY = (
    Answer(True, "", "default"),
    Answer(False, "bin/", "default"),
    Answer(False, "*.key", "default"),
)
LOCK = Answer(False, ".git", "locked")


def test_paths_are_made_from_their_seed() -> None:
    made = paths(3_000, 7)
    assert made == paths(3_000, 7) != paths(3_000, 8)
    assert len(set(made)) == len(made) and max(path.count("/") for path in made) == 5


def test_paths_are_of_every_kind_that_a_rule_names() -> None:
    """But for patterns of whole paths, each of which is in a folder that they all deny."""
    names = {name for path in paths(20_000, 1) for name in path.split("/")}
    for pattern, _ in (*DEFAULT_DENY, *LOCKED):
        name = pattern.rpartition("/")[2] or pattern.removesuffix("/")
        ending = name.removeprefix("*").removesuffix("*")
        assert any(ending in each for each in names), pattern


@pytest.mark.parametrize(
    ("path", "before", "after", "in_head", "listed"),
    [
        ("bin/a", BY_NAME, ALLOWED, {"bin"}, {"opened"}),
        ("bin/a", BY_NAME, ALLOWED, set[str](), {"opened", "unexplained"}),
        ("bin/BIN/a", BY_NAME, ALLOWED, {"bin"}, {"opened", "unexplained"}),
        ("bin/a.key", BY_NAME, ALLOWED, {"bin"}, {"opened", "unexplained"}),
        ("src/a.key", BY_KEY, ALLOWED, {"src"}, {"opened", "unexplained"}),
        (".git/bin/a", LOCK, ALLOWED, {".git/bin"}, {"opened", "unexplained"}),
        ("bin/a", BY_NAME, BY_NAME, {"bin"}, {"missing"}),
        ("bin/a", BY_NAME, LOCK, {"bin"}, set[str]()),
        ("bin/a", BY_NAME, BY_NAME, set[str](), set[str]()),
        ("bin", BY_NAME, ALLOWED, {"bin"}, {"opened"}),
        ("bin", BY_NAME, BY_NAME, set[str](), set[str]()),
        ("src/a", ALLOWED, ALLOWED, set[str](), set[str]()),
        ("src/a", ALLOWED, BY_KEY, set[str](), {"closed"}),
    ],
)
def test_what_opens_has_to_be_gits(
    path: str, before: Answer, after: Answer, in_head: set[str], listed: set[str]
) -> None:
    plain = on_ordinary_names(path)
    ordinary = {plain: BY_KEY if plain.endswith(".key") else LOCK if ".git" in plain else ALLOWED}
    assert found(compare([path], [before], [after], ordinary, in_head)) == listed


def found(difference: Difference) -> set[str]:
    lists: Mapping[str, object] = {
        "opened": difference.opened,
        "closed": difference.closed,
        "unexplained": difference.unexplained,
        "missing": difference.missing,
    }
    return {name for name, value in lists.items() if value}


@pytest.mark.parametrize("name", ["nested", "submodule beside files", "only staged", "links and files"])
def test_this_build_opens_what_git_lists(name: str, tmp_path: Path) -> None:
    """The answers of this build alone: those for the project without git stand in for the older one."""
    root = MAKERS[name](tmp_path / "project")
    asked = paths(400, 3)
    every = list(dict.fromkeys([*asked, *map(on_ordinary_names, asked)]))
    plain = tmp_path / "plain"
    plain.mkdir()
    (before,) = ask(ROOT, [plain], every, tmp_path / "before")
    (after,) = ask(ROOT, [root], asked, tmp_path / "after")
    answers = dict(zip(every, before, strict=True))
    difference = compare(asked, [answers[path] for path in asked], after, answers, folders_with_files(root))
    assert not difference.unexplained and not difference.missing
    assert bool(difference.opened) == (name != "only staged")
