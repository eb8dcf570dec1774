"""Any path, any layout of links, any operation, judged by a second opinion that knows no handles.

The oracle walks the layout as a table of names: it says where a path leads, and what may change.
"""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from studio.engine.disk import batch
from studio.engine.root import ProjectRoot
from studio.errors import StudioError
from studio.names import parse_branch, parse_lexical, parse_name
from tests.engine.root.jail import ACTS, OUTSIDE, Act, lay_ground, no_handle_left, opening, shape, told

NAMES = ("a", "b", "vault", "own.txt", "secret.txt", "\u00e9", "..a")
TARGETS = (
    *(".", "..", "a", "../a", "a/b", "vault", "own.txt", "/", "/proc/self/root", "/proc/self/cwd"),
    *(f"../{OUTSIDE}", f"../../{OUTSIDE}/vault", f"../{OUTSIDE}/secret.txt", "loop", "../../../../.."),
)
LAYOUTS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join),
        st.one_of(st.none(), st.binary(max_size=4), st.sampled_from(TARGETS)),
    ),
    max_size=6,
)
SEGMENTS = st.sampled_from((*NAMES, *NAMES, "..", ".", "", OUTSIDE, "new.txt", "new", "empty", "inner.txt"))
PATHS = st.one_of(
    st.lists(SEGMENTS, min_size=1, max_size=5).map("/".join),
    st.text("ab./\\\0\u00e9~:", max_size=12),
    st.sampled_from([f"/proc/self/root/{OUTSIDE}", f"//{OUTSIDE}", f"a/../../{OUTSIDE}/secret.txt"]),
)

Table = dict[str, bytes | str | None]
"""What is at each path beneath the project: bytes of a file, target of a link, None for a folder."""


def lay_out(project: Path, layout: list[tuple[str, bytes | str | None]]) -> None:
    """As much of a layout as goes; it may contradict itself."""
    for name, what in layout:
        path = project / name
        with contextlib.suppress(OSError):
            if not all((project / above).is_dir() for above in Path(name).parents):
                continue
            if any((project / above).is_symlink() for above in Path(name).parents):
                continue
            if what is None:
                path.mkdir()
            elif isinstance(what, bytes):
                if not path.is_symlink():
                    path.write_bytes(what)
            else:
                path.symlink_to(what)


def table_of(project: Path) -> Table:
    found: Table = {"": None}
    for path in project.rglob("*"):
        name = path.relative_to(project).as_posix()
        if path.is_symlink():
            found[name] = str(path.readlink())
        else:
            found[name] = path.read_bytes() if path.is_file() else None
    return found


def leads_to_itself(table: Table, path: str) -> bool:
    """Whether a path names something by plain names alone, through folders that are folders."""
    parts = path.split("/")
    if {"", ".", ".."} & set(parts) or "\0" in path:
        return False
    above = ["/".join(parts[:count]) for count in range(1, len(parts))]
    return all(folder in table and table[folder] is None for folder in above)


@given(layout=LAYOUTS, path=PATHS, act=st.sampled_from(ACTS), way=st.sampled_from(["openat2", "components"]))
def test_no_operation_goes_where_the_table_does_not(
    layout: list[tuple[str, bytes | str | None]], path: str, act: Act, way: str
) -> None:
    with tempfile.TemporaryDirectory() as folder, opening(way), pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch, "AGAIN_SECONDS", 0.0)
        ground = lay_ground(Path(folder))
        lay_out(ground.project, layout)
        table, outside, secrets = table_of(ground.project), shape(ground.outside), told(ground)
        before = shape(ground.project)
        seen = None
        with (
            ProjectRoot(ground.project) as root,
            no_handle_left(),
            contextlib.suppress(StudioError, OSError),
        ):
            seen = act.guarded(root, path)
        after = shape(ground.project)
        assert shape(ground.outside) == outside, "something outside changed"
        if seen:
            assert not [secret for secret in secrets - {b"inner.txt"} if secret in seen], (
                "the outside was told"
            )
            assert leads_to_itself(table, path) or (path == "" and act.reads), "a path was bent"
        if act.name in ("read", "read bytes"):
            expected = table.get(path) if leads_to_itself(table, path) else None
            assert seen == (expected if isinstance(expected, bytes) else None)
        allowed = {path, "own.txt", "moved.txt"} if leads_to_itself(table, path) else set[str]()
        changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        ours = {name for name in changed if ".exacta-" in name and name not in before}
        assert changed - ours <= (allowed if not act.reads else set())


@given(PATHS)
def test_what_a_parser_takes_is_plain_for_the_handles(text: str) -> None:
    """The parsers and the handles agree on what a plain path is; the handles hold without the parsers."""
    for parse in (parse_name, parse_branch, parse_lexical):
        with contextlib.suppress(StudioError):
            path = parse(text)
            assert path == "" or not {"", ".", ".."} & set(path.split("/"))
            with tempfile.TemporaryDirectory() as folder, ProjectRoot(Path(folder)) as root:
                assert root.state(path) is None or path == ""


def test_the_oracle_knows_plain_paths() -> None:
    assert leads_to_itself({"": None, "a": None}, "a/b")
    assert not leads_to_itself({"": None, "a": "link"}, "a/b")
    assert not leads_to_itself({"": None, "a": b"file"}, "a/b")
    assert not leads_to_itself({"": None, "a": None}, "a/../b")
