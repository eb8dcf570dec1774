"""Counting before parsing: what is refused for its size is always too large, whatever it looks like."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from studio.engine.diff import DiffRefused, parse_hunks, parse_unified
from studio.engine.plan import MORE_PROBLEMS, Fact, Problem, Severity
from studio.engine.policy import PolicyLimits
from studio.errors import Refused
from studio.formats import detect
from studio.formats.plan_json import read_plan

HUNK = "@@ -{0} +{0} @@\n-{1}\n+{2}\n"
LINES = st.sampled_from(["a", "", "@@ -1 +1 @@", "-- a/x", "++ b/x", "diff --git a/x b/x", "\u00e9"])
HUNKS = st.lists(st.tuples(LINES, LINES), max_size=6)
PATHS = st.sampled_from(["a", "b", "c", "d/e", "\u00e9"])
LOOSE = PolicyLimits()


def hunks_of(lines: list[tuple[str, str]]) -> str:
    return "".join(HUNK.format(2 * at + 1, *pair) for at, pair in enumerate(lines))


@st.composite
def steps(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(["mkdir", "create", "patch", "edits", "move"]))
    step: dict[str, Any] = {"op": kind, "path": draw(PATHS)}
    if kind == "create":
        step["content"] = hunks_of(draw(HUNKS))
    elif kind == "patch":
        step |= {"op": "modify", "patch": hunks_of(draw(HUNKS))}
    elif kind == "edits":
        step |= {"op": "modify", "edits": [{"old": "a,b", "new": "@@ -1 +1 @@"}]}
    elif kind == "move":
        step["to"] = draw(PATHS)
    return step


@given(st.lists(steps(), min_size=1, max_size=8), st.integers(1, 6), st.integers(0, 6), st.booleans())
def test_a_plan_is_refused_early_only_where_the_parser_finds_too_much(
    listed: list[dict[str, Any]], most_steps: int, most_hunks: int, escaped: bool
) -> None:
    data = json.dumps({"title": "t", "steps": listed}, ensure_ascii=escaped).encode()
    draft = read_plan(data, LOOSE)
    hunks = sum(len(step.patch.hunks) for step in draft.steps if step.patch is not None)
    lines = (line for step in listed for line in step.get("patch", "").split("\n"))
    given_hunks = sum(line.startswith("@@ -") for line in lines)
    try:
        early = read_plan(data, PolicyLimits(steps=most_steps, hunks=most_hunks))
    except Refused as refused:
        if refused.code == "plan.too_many_steps":
            assert len(draft.steps) > most_steps
        else:
            # What is folded into a refused step counted in the text.
            assert refused.code == "plan.too_many_hunks"
            assert max(hunks, given_hunks) > most_hunks
    else:
        assert early == draft


@given(HUNKS.filter(bool), st.integers(0, 6))
def test_a_diff_is_refused_early_only_where_it_has_too_many_hunks(
    lines: list[tuple[str, str]], most: int
) -> None:
    data = f"--- a/x\n+++ b/x\n{hunks_of(lines)}".encode()
    try:
        found = sum(len(patch.hunks) for patch in parse_unified(data))
    except DiffRefused:
        return
    try:
        detect.read(data, limits=PolicyLimits(hunks=most))
    except Refused:
        assert found > most
    else:
        assert found <= most


def test_entries_for_one_path_count_once() -> None:
    """Git writes a change of type as two entries: together they are one step."""
    twins = b"".join(
        b"diff --git a/f%d b/f%d\ndeleted file mode 100644\ndiff --git a/f%d b/f%d\nnew file mode 120000\n"
        % ((number,) * 4)
        for number in range(10)
    )
    assert len(detect.read(twins, limits=PolicyLimits(steps=10)).steps) == 10
    with pytest.raises(Refused) as caught:
        detect.read(twins, limits=PolicyLimits(steps=4))
    assert caught.value.code == "plan.too_many_steps"


@pytest.mark.parametrize(
    "plan",
    [
        {"title": [0] * 40_000, "steps": []},
        {"title": "t", "steps": [{"op": "mkdir", "path": "d", **{f"k{n}": 1 for n in range(20_000)}}]},
        {"title": "t", "steps": [{"op": "modify", "path": "d", "edits": [{"old": "a"}] * 30_000}]},
    ],
)
def test_a_plan_of_far_too_many_values_is_not_read_with_their_places(plan: dict[str, Any]) -> None:
    with pytest.raises(Refused) as caught:
        detect.read(json.dumps(plan).encode())
    assert caught.value.code == "plan.too_many_values"


def test_what_is_no_json_is_said_at_its_place() -> None:
    text = b'{"title": "t",\n"steps": [' + b"0," * 5000 + b"}"
    (problem,) = detect.read(text).problems
    assert (problem.code, problem.line) == ("plan.syntax", 2)


PROBLEMS = st.lists(
    st.builds(Problem, st.just("a.b"), st.text(max_size=5), st.just(""), st.sampled_from(Severity)),
    max_size=30,
)


@given(PROBLEMS, st.integers(1, 10), st.integers(1, 10))
def test_a_short_list_counts_every_problem_once(found: list[Problem], up_to: int, again: int) -> None:
    told = Problem.shorten(found, up_to)
    assert sum(problem.count for problem in told) == len(found)
    assert list(told[:up_to]) == found[:up_to]
    assert len(told) <= up_to + 1
    assert Problem.shorten(told, up_to) == told
    assert sum(problem.count for problem in Problem.shorten(told, again)) == len(found)
    assert all(problem.code != MORE_PROBLEMS for problem in told[:-1])


FACTS = st.lists(
    st.builds(Fact, st.sampled_from("abcdef"), st.sampled_from(Severity), st.text(max_size=3)), max_size=40
)


@given(FACTS, st.integers(1, 10))
def test_short_facts_keep_every_kind_and_the_gravest_severity(facts: list[Fact], up_to: int) -> None:
    told = Fact.shorten(facts, up_to)
    kinds = {fact.kind for fact in facts}
    assert kinds <= {fact.kind for fact in told}
    assert {fact.severity for fact in facts if fact.severity is Severity.ERROR} <= {f.severity for f in told}
    assert len(told) <= max(up_to, len(kinds)) + 1


def test_patches_of_a_plan_keep_a_hundred_problems() -> None:
    with pytest.raises(DiffRefused) as caught:
        parse_hunks(b"@@ -x +1 @@\n+a\n" * 150)
    assert len(caught.value.problems) <= 101
