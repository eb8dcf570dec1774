"""Hostile and odd diffs, one file each: what is accepted, adapted, refused, and where.

A case file has the lines why, verdict, base, result and path, then the diff as it is. Verdicts:
accept; adapted FACT...; refused CODE LINE:COLUMN ... (all problems); step CODE (only this file is
invalid); target CODE (the file does not fit); name CODE (the path rules refuse it); git (a locked path,
which policy refuses).
"""

from __future__ import annotations

import ast
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from studio.engine.diff import DiffRefused, apply_with_facts, parse_unified
from studio.engine.plan import Operation
from studio.errors import InvalidPath, Refused
from studio.names import parse_name

CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Case:
    name: str
    why: str
    verdict: list[str]
    base: bytes
    result: bytes | None
    path: str | None
    diff: bytes


def read_case(file: Path) -> Case:
    head, _, diff = file.read_bytes().partition(b"\ndiff:\n")
    fields = dict(line.split(": ", 1) for line in head.decode().split("\n"))
    return Case(
        file.stem,
        fields["why"],
        fields["verdict"].split(),
        ast.literal_eval(fields.get("base", "b''")),
        ast.literal_eval(fields.get("result", "None")),
        ast.literal_eval(fields.get("path", "None")),
        diff,
    )


ALL = [read_case(file) for file in sorted(CASES.glob("*.case"))]


def of(*verdicts: str) -> list[object]:
    return [pytest.param(case, id=case.name) for case in ALL if case.verdict[0] in verdicts]


def test_there_are_enough_different_cases() -> None:
    assert len(ALL) >= 120
    assert all(case.why for case in ALL)
    known = {"accept", "adapted", "refused", "step", "target", "name", "git"}
    assert {case.verdict[0] for case in ALL} == known
    shapes: dict[bytes, str] = {}
    for case in ALL:
        shape = case.diff.translate(None, b"0123456789")
        assert shape not in shapes, f"{case.name} and {shapes[shape]} differ in a number only"
        shapes[shape] = case.name


@pytest.mark.parametrize("case", of("accept", "adapted"))
def test_accepted(case: Case) -> None:
    """C01, C04 and C04b take the marker where it is true of the old file, and keep it as proposed
    for the new one."""
    (patch,) = parse_unified(case.diff)
    assert not patch.problems
    applied = apply_with_facts(case.base, patch)
    assert applied.result == case.result
    assert [fact.kind for fact in applied.facts] == case.verdict[1:]
    if case.path is not None:
        assert patch.path == case.path


@pytest.mark.parametrize("case", of("accept"))
def test_git_gives_the_same_bytes(case: Case, tmp_path: Path) -> None:
    """An independent judge of what an accepted diff means."""
    (patch,) = parse_unified(case.diff)
    depth = "-p0" if case.name.startswith("D31") else "-p1"
    source = tmp_path / patch.path
    source.parent.mkdir(exist_ok=True)
    if patch.operation is not Operation.CREATE:
        source.write_bytes(case.base)
    (tmp_path / "patch.diff").write_bytes(case.diff)
    environment = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": str(tmp_path.parent),
    }
    done = subprocess.run(
        ["git", "apply", "--unidiff-zero", "--whitespace=nowarn", depth, "patch.diff"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=False,
    )
    if case.name.startswith(GIT_READS_LESS):
        assert done.returncode != 0
        return
    assert done.returncode == 0, done.stderr
    target = tmp_path / (patch.to or patch.path)
    assert target.exists() is (patch.operation is not Operation.DELETE)
    if target.exists():
        assert target.read_bytes() == case.result


GIT_READS_LESS = ("E28",)
"""Accepted here and not by git: nothing in it can be understood in two ways."""


@pytest.mark.parametrize("case", of("refused"))
def test_the_whole_text_is_refused(case: Case) -> None:
    """Case A50 is plausible, and its counts are wrong; A37 says that no change is needed."""
    with pytest.raises(DiffRefused) as caught:
        parse_unified(case.diff)
    found = [word for p in caught.value.problems for word in (p.code, f"{p.line}:{p.column}")]
    # Later problems may follow from the first; those that a case names must be there, in this order.
    assert found[: len(case.verdict) - 1] == case.verdict[1:]
    assert all(problem.message.endswith(".") and problem.hint for problem in caught.value.problems)


@pytest.mark.parametrize("case", of("step"))
def test_only_this_file_is_invalid(case: Case) -> None:
    """A healthy sibling in the same text stays valid."""
    sibling = b"diff --git a/sibling b/sibling\n--- a/sibling\n+++ b/sibling\n@@ -1 +1 @@\n-x\n+y\n"
    patch, other = parse_unified(case.diff + sibling)
    assert patch.problems[0].code == case.verdict[1]
    assert not other.problems
    with pytest.raises(Refused):
        apply_with_facts(case.base, patch)


@pytest.mark.parametrize("case", of("target"))
def test_the_file_does_not_fit(case: Case) -> None:
    """C02 and C03 say of the old file's end what is not true."""
    (patch,) = parse_unified(case.diff)
    with pytest.raises(Refused) as caught:
        apply_with_facts(case.base, patch)
    assert caught.value.code == case.verdict[1]
    assert caught.value.path == patch.path
    assert patch.path in caught.value.message


@pytest.mark.parametrize("case", of("name", "git"))
def test_names_are_handed_on_as_they_stand(case: Case) -> None:
    """The reader bends no name; the path rules see exactly what the diff says."""
    (patch,) = parse_unified(case.diff)
    assert patch.path == case.path
    if case.verdict[0] == "name":
        with pytest.raises(InvalidPath) as caught:
            parse_name(patch.path)
        assert caught.value.code == case.verdict[1]
