"""Every limit that a user or agent meets stands in a module for limits, and is kept."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIMITS = [
    ROOT / "studio" / file for file in ("limits.py", "formats/limits.py", "doors/limits.py", "ui/limits.py")
]
SAYS_A_LIMIT = re.compile(r"UP_TO|MOST|MAX|LIMIT|LONGEST|LARGEST|SHOWN|TRIED")
NAMES_A_LIMIT = re.compile(rf"^\w*(?:{SAYS_A_LIMIT.pattern})\w*\s*[:=]", re.MULTILINE)

INTERNAL = {
    "studio/engine/diff/apply.py: _ID_DIGITS_SHOWN": "enough of a hash to know it by",
    "studio/engine/disk/open_folders.py: HELD_UP_TO": "folders kept open; none is refused for it",
    "studio/engine/filesystem/grep_worker.py: _FOLDERS_OPEN_UP_TO": "handles that a worker holds",
    "studio/engine/filesystem/grep_workers.py: _WORKERS_UP_TO": "processes; the same is found with one",
    "studio/engine/patterns/matching.py: _CACHED_UP_TO": "a cache that begins anew",
    "studio/engine/policy/rules.py: _FOLDERS_UP_TO": "a cache that begins anew",
    "studio/engine/risks/lock_files.py: _NAMED_UP_TO": "the others are counted",
    "studio/engine/risks/placeholders.py: _WORDS_UP_TO": "a longer line is a sentence, no placeholder",
    "studio/engine/snapshot_store/walk.py: _QUICK_UP_TO": "larger folders are compared entry by entry",
    "studio/engine/store/database.py: _LOG_UP_TO_BYTES": "when SQLite's log is written back",
    "studio/engine/store/values.py: _LARGEST": "what a JSON number holds exactly",
    "studio/extras/observed/inotify_tree.py: _LEFT_UNWATCHED_UP_TO": "more are told as everything",
    "studio/program/notify_paths.py: MAX_SOCKETS": "names tried for a socket of this process",
    "studio/text/windows_paths.py: _NEAR_LIMIT": "from where the prefix is given",
    "studio/ui/actions/key_guard.py: _LONGEST_WAIT_MS": "a clock that was set back",
    "studio/ui/finders/finder.py: _ROWS_SHOWN": "the height of a list that scrolls",
    "studio/ui/review/backlogs.py: _MAX_CONCURRENT_READS": "the others wait for their turn",
    "studio/ui/review/observed.py: _MAX_SENT_CHARACTERS": "more changed paths are sent as everything",
    "studio/ui/review/observed.py: _MAX_STARTS": "a process that ends so often is not started anew",
}
"""Numbers that no user meets, and why."""


def numbers_of(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Names at the top of a module to the numbers they stand for."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            name, value = node.target.id, node.value
        else:
            continue
        parts = [part for part in ast.walk(value) if isinstance(part, ast.expr)]
        if all(isinstance(part, ast.Constant | ast.BinOp) for part in parts):
            numbers = [part.value for part in parts if isinstance(part, ast.Constant)]
            if all(type(number) in (int, float) for number in numbers):
                yield name, value


def stray_limits(text: str, file: str) -> list[str]:
    if not NAMES_A_LIMIT.search(text):
        return []  # to parse every module takes as long as all other tests of this folder
    found = (name for name, _value in numbers_of(ast.parse(text)) if SAYS_A_LIMIT.search(name))
    return [f"{file}: {name}" for name in found]


def modules() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "studio").rglob("*.py")):
        if path not in LIMITS:
            yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8")


def test_every_limit_stands_in_limits() -> None:
    found = [each for file, text in modules() for each in stray_limits(text, file)]
    assert sorted(found) == sorted(INTERNAL)


@pytest.mark.parametrize("line", ["_MOST_FILES = 6", "READ_MAX: Final = 2 * 1024", "ROWS_UP_TO = 1 << 4"])
def test_a_stray_limit_is_found(line: str) -> None:
    assert stray_limits(line, "a.py")


def test_each_limit_is_kept_by_somebody() -> None:
    texts = [path.read_text("utf-8") for path in LIMITS]
    text = "\n".join(texts)
    names = {name for each in texts for name, _value in numbers_of(ast.parse(each))}
    words = set(re.findall(r"\w+", " ".join(text for _file, text in modules())))
    # Some are parts of others.
    words |= set(re.findall(r"\w+", " ".join(re.findall(r"= (.+)", text))))
    assert len(names) > 100
    assert names <= words
