"""Paths as agents name them: in the project's spelling, or refused."""

from __future__ import annotations

import posixpath
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from studio.errors import InvalidPath
from studio.names import is_in_project, parse_name, project_path

ROOT = Path("/no/such/project")
SEGMENTS = st.lists(
    st.sampled_from(["a", "b.c", "..", ".", "", "aux.c", "a:b", ".git", "no", "such", "project"]), max_size=8
)


@pytest.mark.parametrize(
    ("text", "cwd", "path"),
    [
        ("./a", "", "a"),
        ("a//b", "", "a/b"),
        ("/no/such/project/a", "", "a"),
        ("/no//such/./project//a", "", "a"),
        ("/no/such/project/aux.c", "", "aux.c"),
        ("/no/such/project/a:b\\c", "", "a:b\\c"),
        ("./a", "/no/such/project/sub", "sub/a"),
        ("./a//b", "/no/such/./project/", "a/b"),
        ("a", "/no/such", "/no/such/a"),
        ("../a", "", "../a"),
        ("../a", "/no/such/project/sub", "/no/such/project/sub/../a"),
        ("/no/such/project/../a", "", "/no/such/project/../a"),
        ("/no/such/project-a/a", "", "/no/such/project-a/a"),
        ("//no/such/project/a", "", "//no/such/project/a"),
        ("", "", ""),
    ],
)
def test_a_path_has_the_spelling_of_the_project(text: str, cwd: str, path: str) -> None:
    assert project_path(text, (ROOT,), cwd) == path


@given(
    start=st.sampled_from(["", "./", "/no/such/project/", "/no//such/./project/", "/no/such/", "/", "//"]),
    segments=SEGMENTS,
    cwd=st.sampled_from(["", "/no/such/project", "/no/such/project/sub", "/no/such"]),
)
@example(start="/no/such/", segments=["project", "..", "project", "a"], cwd="")
def test_what_is_taken_is_where_the_standard_library_finds_it(
    start: str, segments: list[str], cwd: str
) -> None:
    text = start + "/".join(segments)
    path = project_path(text, (ROOT,), cwd)
    assert project_path(path, (ROOT,)) == path
    try:
        taken = parse_name(path, exists=True)
    except InvalidPath:
        return
    named = posixpath.normpath(posixpath.join(cwd or str(ROOT), text))
    assert posixpath.join(str(ROOT), taken) == named
    assert ".." not in text.split("/") and Path(named).is_relative_to(ROOT)


def test_another_link_to_the_project_is_the_project(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to(project)
    for text in (f"{tmp_path}/link/sub/aux.c", f"{tmp_path}//link/./sub/aux.c"):
        assert project_path(text, (project,)) == "sub/aux.c"
    assert is_in_project(f"{tmp_path}/link/sub", project) and not is_in_project(str(tmp_path), project)
    too_long = f"{tmp_path}/link/" + "a/" * 3000 + "a"
    assert project_path(too_long, (project,)) == too_long
