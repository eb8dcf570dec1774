"""What a change of a lock file does to packages: true files, known changes, attacks, any text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from studio.engine.plan import Severity
from studio.engine.risks.lock_files import compare_locks, lock_facts

FILES = Path(__file__).parents[2] / "data/locks"
NAMES = {
    "npm-1": "package-lock.json",
    "npm-2": "package-lock.json",
    "npm-3": "npm-shrinkwrap.json",
    "pnpm-5": "pnpm-lock.yaml",
    "pnpm-6": "pnpm-lock.yaml",
    "pnpm-9": "a/pnpm-lock.yaml",
    "yarn-1": "yarn.lock",
    "yarn-4": "yarn.lock",
    "uv": "uv.lock",
    "poetry": "poetry.lock",
    "cargo": "Cargo.lock",
    "go": "go.sum",
}
"""Written by npm 11.19, pnpm 7, 8 and 12, yarn 1.22 and 4.18, uv and poetry 2.5; the last two by hand."""


def read(kind: str, which: str) -> bytes:
    return (FILES / f"{kind}-{which}").read_bytes()


def said(path: str, base: bytes | None, result: bytes) -> list[tuple[str, str]]:
    return [(fact.kind, fact.message) for fact in lock_facts(path, base, result)]


@pytest.mark.parametrize("kind", NAMES)
def test_the_files_of_each_tool_are_summed_up(kind: str) -> None:
    old, new = read(kind, "old"), read(kind, "new")
    few = "1 package up, 1 new, 1 removed."
    sentence = few if kind in ("uv", "poetry", "cargo", "go") else "3 packages up, 3 new, 1 removed."
    assert said(NAMES[kind], old, new) == [("lock_file", sentence)]
    assert said(NAMES[kind], old, old) == [("lock_file", "No package changes its version.")]
    assert said(NAMES[kind], old.replace(b"\n", b"\r\n"), new) == [("lock_file", sentence)]


NPM = "https://registry.example/ms/-/ms-2.0.0.tgz"
YARN = "https://registry.example/ms/-/ms-2.0.0.tgz"
MS = "sha512-Tpp60P6IUJDTuOq/5Z8cdskzJujfwqfOTkrwIwj7IRISpnkJnT6SyJ4PCPnGMoFjC9ddhal5KVIYtAt97ix05A=="


@pytest.mark.parametrize(
    ("kind", "before", "after", "named"),
    [
        ("npm-1", NPM, "https://evil.example/ms/-/ms-2.0.0.tgz", "ms"),
        ("npm-2", NPM, NPM.replace("https", "http"), "ms"),
        ("npm-3", NPM, "https://registry.example/ms-evil/-/ms-evil-2.0.0.tgz", "ms"),
        ("npm-3", f'"resolved": "{NPM}"', '"link": true, "resolved": "evil"', "ms"),
        ("npm-3", "/kind-of-6.0.3.tgz", "/lind-of-6.0.3.tgz", "kind-of"),
        ("pnpm-5", MS, f"{MS}, tarball: https://evil.example/ms.tgz", "ms"),
        ("pnpm-6", MS, f"{MS}, tarball: https://evil.example/ms.tgz", "ms"),
        ("pnpm-9", MS, f"{MS}, tarball: https://evil.example/ms.tgz", "ms"),
        ("yarn-1", YARN, "https://evil.example/ms/-/ms-2.0.0.tgz", "ms"),
        (
            "yarn-1",
            "\nms@2.0.0:",
            '\nevil@1:\n  version "1"\n  resolved "https://evil.example/a"\n\nms@2.0.0:',
            "evil",
        ),
        ("yarn-4", '"ms@npm:2.0.0"\n', '"evil@npm:2.0.0"\n', "ms"),
        ("uv", "https://files.example/", "https://evil.example/", "h11"),
        ("uv", "/h11-0.14.0-", "/evil-0.14.0-", "h11"),
        ("poetry", 'url = "https://pypi.example/simple"', 'url = "https://evil.example/simple"', "h11"),
        ("cargo", "https://code.example/rust-lang/crates.io-index", "https://evil.example/index", "fnv"),
    ],
)
def test_a_package_from_another_source_is_named(kind: str, before: str, after: str, named: str) -> None:
    new = read(kind, "new")
    changed = new.replace(before.encode(), after.encode())
    assert changed != new
    facts = list(lock_facts(NAMES[kind], read(kind, "old"), changed))
    (fact,) = [fact for fact in facts if fact.kind == "lock_source"]
    assert fact.severity is Severity.WARNING
    assert named in fact.message.partition(": ")[2]


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("npm-1", MS, MS.replace("Tpp", "Tqq")),
        ("npm-2", f'"integrity": "{MS}"', '"license": "MIT"'),
        ("npm-3", MS, MS.replace("Tpp", "Tqq")),
        ("pnpm-5", MS, MS.replace("Tpp", "Tqq")),
        ("pnpm-9", MS, MS.replace("sha512", "sha1")),
        ("yarn-1", MS, MS.replace("Tpp", "Tqq")),
        ("yarn-4", "10c0/f8fda", "10c0/f8fdb"),
        ("go", "NqM8EUOU14", "NqM8EUOU15"),
    ],
)
def test_other_contents_under_one_version_are_named(kind: str, before: str, after: str) -> None:
    new = read(kind, "new")
    changed = new.replace(before.encode(), after.encode())
    assert changed != new
    facts = list(lock_facts(NAMES[kind], read(kind, "old"), changed))
    (fact,) = [fact for fact in facts if fact.kind == "lock_contents"]
    assert fact.message.startswith("1 package with other contents under the same version: ")
    assert fact.line


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("npm-3", "{", "[{"),
        ("npm-3", '"version": "2.0.0"', '"version": 2'),
        ("pnpm-9", "packages:\n", '"packages":\n'),
        ("pnpm-9", "    resolution: {", "    resolution: &a {"),
        ("pnpm-9", "  ms@2.0.0:", "  ? ms@2.0.0\n  :"),
        ("pnpm-9", f"{{integrity: {MS}}}", f"{{integrity: {MS},\n      tarball: https://evil.example/a}}"),
        ("yarn-1", "ms@2.0.0:\n", '<<<<<<< HEAD\nms@2.0.0:\n  "resolved" "https://evil.example/a"\n'),
        ("yarn-4", "  resolution: ", "  resolution: &a "),
        ("uv", "wheels = [\n", 'wheels = [ # "\n    { "url" = "https://evil.example/a" },\n'),
        ("uv", "[[package]]", '[["package"]]'),
        ("cargo", 'name = "fnv"', 'description = """\n[[package]]\n"""\nname = "fnv"'),
        ("go", " h1:", " h2:"),
    ],
)
def test_what_the_tool_does_not_write_is_not_summed_up(kind: str, before: str, after: str) -> None:
    """A reader of lines would else miss what a parser finds; the reviewer is warned."""
    new = read(kind, "new")
    changed = new.replace(before.encode(), after.encode(), 1)
    assert changed != new
    (fact,) = lock_facts(NAMES[kind], read(kind, "old"), changed)
    assert (fact.kind, fact.severity) == ("lock_unread", Severity.WARNING)


def npm(packages: dict[str, str]) -> bytes:
    entries = {
        f"node_modules/{name}": {
            "version": version,
            "resolved": f"https://registry.example/{name}/-/{name.rpartition('/')[2]}-{version}.tgz",
            "integrity": f"sha512-{name}{version}",
        }
        for name, version in packages.items()
    }
    return json.dumps({"lockfileVersion": 3, "packages": {"": {}, **entries}}).encode()


def pnpm(packages: dict[str, str]) -> bytes:
    entries = (
        f"  '{name}@{version}':\n    resolution: {{integrity: sha512-{version}}}\n    dev: false\n\n"
        for name, version in packages.items()
    )
    return ("lockfileVersion: '9.0'\n\npackages:\n\n" + "".join(entries)).encode()


def yarn(packages: dict[str, str]) -> bytes:
    entries = (
        f'"{name}@^1", "{name}@1 || 2":\n  version "{version}"\n  resolved "https://registry.example/{name}'
        f'/-/{name.rpartition("/")[2]}-{version}.tgz#aa"\n  dependencies:\n    a "1"\n\n'
        for name, version in packages.items()
    )
    return ("# yarn lockfile v1\n\n\n" + "".join(entries)).encode()


def cargo(packages: dict[str, str]) -> bytes:
    entries = (
        f'[[package]]\nname = "{name}"\nversion = "{version}"\nsource = "registry+https://x.example/y"\n\n'
        for name, version in packages.items()
    )
    return ("version = 4\n\n" + "".join(entries)).encode()


def go(packages: dict[str, str]) -> bytes:
    return "".join(
        f"{name} v{version}{of} h1:{version}\n"
        for name, version in packages.items()
        for of in ("", "/go.mod")
    ).encode()


WRITERS: dict[str, Callable[[dict[str, str]], bytes]] = {
    "package-lock.json": npm,
    "pnpm-lock.yaml": pnpm,
    "yarn.lock": yarn,
    "Cargo.lock": cargo,
    "go.sum": go,
}
VERSION = st.tuples(st.integers(0, 12), st.integers(0, 12), st.sampled_from([-1, 0, 3]))
"""-1 is a pre-release."""
NAME = st.from_regex(r"(@[a-z]{1,3}/)?[a-z][a-z0-9-]{0,3}", fullmatch=True)


def text_of(version: tuple[int, int, int]) -> str:
    major, minor, patch = version
    return f"{major}.{minor}.0-rc.1" if patch < 0 else f"{major}.{minor}.{patch}"


@given(
    st.sampled_from(sorted(WRITERS)),
    st.dictionaries(NAME, st.tuples(st.none() | VERSION, st.none() | VERSION), max_size=8),
)
def test_known_changes_are_counted(
    path: str, versions: dict[str, tuple[tuple[int, int, int] | None, tuple[int, int, int] | None]]
) -> None:
    before = {name: text_of(old) for name, (old, _) in versions.items() if old is not None}
    after = {name: text_of(new) for name, (_, new) in versions.items() if new is not None}
    both = [(old, new) for old, new in versions.values() if old is not None and new is not None]
    found = compare_locks(path, WRITERS[path](before), WRITERS[path](after))
    assert found is not None
    assert (found.up, found.down) == (
        sum(old < new for old, new in both),
        sum(old > new for old, new in both),
    )
    assert (found.new, found.removed) == (len(after.keys() - before), len(before.keys() - after))
    if before:
        assert not found.other_source
    assert not found.other_contents


FRAGMENTS = st.sampled_from(
    [
        *(
            "packages:\n",
            "  a@1:\n",
            "    resolution: {integrity: x}\n",
            "      tarball: x\n",
            "[[package]]\n",
        ),
        *(
            'name = "a"\n',
            "files = [\n",
            '    {file = "a", hash = "b"},\n',
            "]\n",
            "[metadata.files]\n",
            "a = [\n",
        ),
        *(
            '{"packages":{"node_modules/a":{"version":"',
            '"resolved":"\\ud800"',
            '"}}}',
            "a@1:\n",
            '  version "1"\n',
        ),
        *(
            "[package.source]\n",
            '  resolution: "a@npm:1"\n',
            "a v1 h1:x\n",
            " ",
            "\n",
            "'",
            '"',
            "lockfileVersion: 5\n",
        ),
    ]
)


@given(
    st.sampled_from([*WRITERS, "uv.lock", "other.lock"]),
    st.binary(max_size=80) | st.lists(FRAGMENTS, max_size=9).map(lambda parts: "".join(parts).encode()),
    st.binary(max_size=80) | st.lists(FRAGMENTS, max_size=9).map(lambda parts: "".join(parts).encode()),
)
@example("package-lock.json", b"{}", b'{"dependencies":{"a":' * 100_000)
@example("yarn.lock", b"", b'a@1:\n  version "' + b"9" * 10_000 + b'"\n')
@example("Cargo.lock", b"", b"a." * 500_000 + b"a = 1\n")
def test_no_text_breaks_it(path: str, base: bytes, result: bytes) -> None:
    for fact in lock_facts(path, base, result):
        assert fact.message.isprintable()
