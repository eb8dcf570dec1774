"""Lines are found in plans, in the project and in the history, as a slow look at every line finds them."""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from studio.engine.history import line_search
from studio.engine.plan import Plan
from studio.engine.store.blobs import Blobs
from studio.errors import Refused
from studio.extras.reader import LineHit, LineQuery, SearchPlace
from studio.workspace import Reviewer, Workspace
from tests.engine.git_data.repositories import git, init

WORDS = ("alpha", "beta", "Gamma", "x+y", "naïve", "{")
Found = tuple[str, int, str, str, bool, int]


def found(workspace: Workspace, query: LineQuery) -> tuple[list[LineHit], bool]:
    hits: list[LineHit] = []
    is_whole = workspace.reader.search(query, hits.extend, threading.Event())
    return hits, is_whole


def told(hits: list[LineHit]) -> list[Found]:
    return [(hit.path, hit.line, hit.text, hit.side, hit.is_changed, hit.step) for hit in hits]


def _text(chance: random.Random) -> list[str]:
    return [" ".join(chance.choices(WORDS, k=chance.randrange(1, 4))) for _ in range(chance.randrange(1, 12))]


def _expected(query: LineQuery, files: list[tuple[str, list[str], list[str]]]) -> set[Found]:
    """By looking at each line; lines that are equal on both sides of these files stand in one place only."""
    text = query.words if query.is_expression else re.escape(query.words)
    matches = re.compile(text, 0 if query.matches_case else re.IGNORECASE).search
    expected: set[Found] = set()
    for number, (path, before, after) in enumerate(files, 1):
        for line, text in enumerate(after, 1):
            is_changed = text not in before
            if matches(text) and query.side != "base" and (is_changed or not query.changed_only):
                expected.add((path, line, text, "result", is_changed, number))
        for line, text in enumerate(before, 1):
            is_changed = text not in after
            wanted = is_changed or (query.side == "base" and not query.changed_only)
            if matches(text) and query.side != "result" and wanted:
                expected.add((path, line, text, "base", is_changed, number))
    return expected


@pytest.mark.parametrize("seed", range(6))
def test_a_plan_and_the_history_hold_what_a_look_at_every_line_finds(
    seed: int, project: Path, workspace: Workspace, propose: Callable[..., Plan], reviewer: Reviewer
) -> None:
    chance = random.Random(seed)
    files: list[tuple[str, list[str], list[str]]] = []
    for number in range(5):
        # Each line once, so that which of two equal lines is meant is no question.
        before = [f"{number} {at} {line}" for at, line in enumerate(_text(chance))]
        after = [line for line in before if chance.random() < 0.7]
        after[len(after) // 2 : len(after) // 2] = [
            f"{number} new {at} {each}" for at, each in enumerate(_text(chance))
        ]
        files.append((f"f{number}.txt", before, after))
        (project / f"f{number}.txt").write_text("".join(f"{line}\n" for line in before))
    steps = [
        {"op": "modify", "path": path, "content": "".join(f"{line}\n" for line in after)}
        for path, _, after in files
    ]
    plan = propose(json.dumps({"title": "Many", "steps": steps}))
    queries = [
        LineQuery(words, SearchPlace.PLAN, plan.id, matches_case=case, changed_only=only, side=side)
        for words in ("alpha", "GAMMA", "x+y", "naïve", "{")
        for case in (False, True)
        for only in (False, True)
        for side in ("", "base", "result")
    ]
    queries.append(LineQuery(r"new \d", SearchPlace.PLANS, is_expression=True))
    for query in queries:
        hits, is_whole = found(workspace, query)
        assert is_whole and set(told(hits)) == _expected(query, files), query
        assert len(hits) == len(set(told(hits))), "nothing twice"
        assert {hit.text[hit.start : hit.end].casefold() for hit in hits} <= {
            query.words.casefold()
        } or query.is_expression
    assert not found(workspace, LineQuery("alpha", SearchPlace.HISTORY))[0]
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    query = LineQuery("alpha", SearchPlace.HISTORY)
    assert set(told(found(workspace, query)[0])) == _expected(query, files)
    assert not found(workspace, LineQuery("alpha", SearchPlace.PLANS))[0]


def test_the_project_is_searched_without_what_git_ignores_or_tools_fill(
    project: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    init(project)
    (project / ".gitignore").write_text("build/\n")
    for path in ("a.txt", "src/b.py", "build/c.txt", "node_modules/d.js", ".hidden/e.txt"):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text("one\nneedle here\n")
    git(project, "add", "a.txt")
    expected = [("a.txt", 2), ("src/b.py", 2)]
    query = LineQuery("NEEDLE", SearchPlace.PROJECT)
    hits, is_whole = found(workspace, query)
    assert is_whole and [(hit.path, hit.line) for hit in hits] == expected
    assert (hits[0].text, hits[0].start, hits[0].end) == ("needle here", 0, 6)
    monkeypatch.setattr(line_search, "find_candidate_files", lambda *_: None)
    assert [(hit.path, hit.line) for hit in found(workspace, query)[0]] == expected, "and without ripgrep"


def test_it_ends_at_the_limit_and_when_it_is_told_to(
    project: Path, workspace: Workspace, propose: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_search, "SEARCH_HITS_UP_TO", 3)
    step = {"op": "create", "path": "a.txt", "content": "needle\n" * 9}
    propose(json.dumps({"title": "t", "steps": [step]}))
    hits, is_whole = found(workspace, LineQuery("needle", SearchPlace.PLANS))
    assert (len(hits), is_whole) == (3, False)
    cancel = threading.Event()
    cancel.set()
    assert workspace.reader.search(LineQuery("needle", SearchPlace.PLANS), hits.extend, cancel) is False
    assert len(hits) == 3


def test_what_is_not_utf8_is_found_in_its_own_encoding_and_what_is_binary_is_not(
    project: Path, workspace: Workspace, propose: Callable[..., Plan]
) -> None:
    (project / "old.txt").write_bytes("naïve\nold\n".encode("cp1252"))
    (project / "data.bin").write_bytes(b"\0naive")
    steps = [{"op": "delete", "path": "old.txt"}, {"op": "delete", "path": "data.bin"}]
    propose(json.dumps({"title": "t", "steps": steps}))
    hits, _ = found(workspace, LineQuery("naïve", SearchPlace.PLANS))
    assert told(hits) == [("old.txt", 1, "naïve", "base", True, 1)]


def test_an_expression_that_cant_be_read_is_refused_in_a_sentence(workspace: Workspace) -> None:
    with pytest.raises(Refused) as caught:
        found(workspace, LineQuery("(", SearchPlace.PLANS, is_expression=True))
    assert caught.value.hint and caught.value.code == "search.expression"


def test_the_next_letter_reads_no_content_again_and_a_damaged_one_is_never_found(
    workspace: Workspace, propose: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = propose(
        json.dumps({"title": "New", "steps": [{"op": "create", "path": "a.txt", "content": "lantern\n"}]})
    )
    read: list[str] = []
    read_unverified = Blobs.read_unverified

    def spied(blobs: Blobs, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        for name, content in read_unverified(blobs, names):
            read.append(name)
            yield name, content.replace(b"lamp", b"lantern")

    monkeypatch.setattr(Blobs, "read_unverified", spied)
    for words in ("l", "la", "lan"):
        assert [hit.text for hit in found(workspace, LineQuery(words, SearchPlace.PLAN, plan.id))[0]] == [
            "lantern"
        ]
    assert len(read) == 1

    other = propose(
        json.dumps({"title": "New", "steps": [{"op": "create", "path": "b.txt", "content": "lamp\n"}]})
    )
    assert found(workspace, LineQuery("lan", SearchPlace.PLAN, other.id))[0] == []
    assert len(read) == 2


def test_a_longer_word_is_searched_only_where_the_shorter_one_was_found(
    workspace: Workspace, propose: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [
        {"op": "create", "path": f"{name}.txt", "content": f"{name}\n"} for name in ("lantern", "lamp", "Oil")
    ]
    plan = propose(json.dumps({"title": "New", "steps": steps}))
    monkeypatch.setattr(line_search, "SEARCH_KEPT_BYTES", 0)
    read: list[int] = []
    read_unverified = Blobs.read_unverified

    def spied(blobs: Blobs, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        read.append(len(names))
        yield from read_unverified(blobs, names)

    monkeypatch.setattr(Blobs, "read_unverified", spied)

    def paths(words: str, *, matches_case: bool = False, is_expression: bool = False) -> list[str]:
        query = LineQuery(
            words, SearchPlace.PLAN, plan.id, matches_case=matches_case, is_expression=is_expression
        )
        read.clear()
        return [hit.path for hit in found(workspace, query)[0]]

    assert paths("la") == ["lantern.txt", "lamp.txt"] and read == [3]
    assert paths("LAN") == ["lantern.txt"] and read == [2]
    assert paths("lant") == ["lantern.txt"] and read == [1]
    assert paths("an") == ["lantern.txt"] and read == [3], "a part of the word says nothing"
    assert paths("o", matches_case=True) == [] and read == [3]
    assert paths("oil") == ["Oil.txt"] and read == [3]
    assert paths("oil.*|lamp", is_expression=True) == ["lamp.txt", "Oil.txt"] and read == [3]
    assert paths("oil|lamp") == [] and read == [3]


def test_contents_above_the_room_for_kept_ones_are_read_each_time(
    workspace: Workspace, propose: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_search, "SEARCH_KEPT_BYTES", 10)
    read: list[int] = []
    read_unverified = Blobs.read_unverified

    def spied(blobs: Blobs, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        read.append(len(names))
        yield from read_unverified(blobs, names)

    monkeypatch.setattr(Blobs, "read_unverified", spied)
    steps = [{"op": "create", "path": f"{name}.txt", "content": f"lantern {name}\n"} for name in "abc"]
    plan = propose(json.dumps({"title": "New", "steps": steps}))
    for words in ("l", "la"):
        assert len(found(workspace, LineQuery(words, SearchPlace.PLAN, plan.id))[0]) == 3
    assert read == [3, 2], "there is room for one of ten bytes"
