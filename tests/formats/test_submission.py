"""How much is read, what is refused, several texts as one plan, and what it is called."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from studio.engine.draft import PlanDraft
from studio.engine.policy import PolicyLimits
from studio.errors import Refused, UsageError
from studio.formats import count_checks, submission
from studio.formats.detect import read
from studio.formats.submission import SubmissionOptions, SubmittedText, read_submission

MODIFY = b"--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-one\n+two\n"
BINARY = (
    b"diff --git a/p.png b/p.png\nindex 1111111..2222222 100644\nBinary files a/p.png and b/p.png differ\n"
)
PLAN = json.dumps({"title": "T", "agent": "x", "steps": [{"op": "delete", "path": "z"}]}).encode()


def submitted(*texts: bytes, names: tuple[str, ...] = ()) -> PlanDraft:
    return read_submission(
        SubmittedText(text, *names[number : number + 1]) for number, text in enumerate(texts)
    )


def test_several_texts_make_one_plan() -> None:
    merged = submitted(MODIFY, PLAN)
    assert [step.path for step in merged.steps] == ["src/a.py", "z"]
    assert (merged.format, merged.title, merged.agent) == ("unified+plan", "Change src/a.py and 1 more", "x")
    assert submitted(PLAN) == read(PLAN)
    twice = submitted(PLAN, PLAN.replace(b'"z"', b'"y"'))
    assert (twice.title, len(twice.steps)) == ("T", 2)


def test_one_path_in_several_texts_is_one_step() -> None:
    (step,) = submitted(MODIFY, MODIFY).steps
    assert len(step.following) == 1, "the files of a patch series"
    (step,) = submitted(MODIFY, PLAN.replace(b'"z"', b'"src/a.py"')).steps
    assert [part.op.value for part in step.parts] == ["modify", "delete"], "the order of the texts"


def test_a_text_that_cannot_be_read_refuses_all_and_is_named() -> None:
    merged = submitted(MODIFY, b"what?", names=("a.diff", "b\n.txt"))
    assert merged.steps == ()
    assert merged.problems[0].message == "b\\n.txt: The text is in no known format."
    binary = submitted(BINARY, PLAN, names=("many.diff",))
    assert binary.steps[0].problems[0].message.startswith("many.diff: ")


def test_nothing_submitted_is_a_mistake_of_the_call() -> None:
    with pytest.raises(UsageError):
        read_submission([])


def test_no_more_is_read_than_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader is asked for one byte more than the limit; a text that has it is refused before parsing."""
    monkeypatch.setattr(submission, "SUBMISSION_BYTES", len(PLAN))
    monkeypatch.setattr(count_checks, "SUBMISSION_BYTES", len(PLAN))
    asked: list[int] = []

    def reader(most: int) -> bytes:
        asked.append(most)
        return (PLAN + b" " * 100)[:most]

    with pytest.raises(Refused) as refused:
        read_submission([SubmittedText(reader, "big.json", "big.json")])
    assert refused.value.message == f"big.json is larger than {len(PLAN)} bytes."
    assert asked == [len(PLAN) + 1]
    assert read_submission([SubmittedText(lambda most: PLAN[:most])]).title == "T"


@pytest.mark.parametrize("text", [b"", b" \t\r\n\x0b\x0c\n"])
def test_an_empty_text_is_refused_or_shown(text: bytes) -> None:
    with pytest.raises(Refused) as refused:
        read_submission([SubmittedText(text, "-", "Standard input")])
    assert (refused.value.code, refused.value.message) == ("submit.empty", "Standard input is empty.")
    shown = read_submission([SubmittedText(text)], SubmissionOptions(shows_unusable=True))
    assert [problem.code for problem in shown.problems] == ["format.empty"]


def test_one_text_is_read_after_the_other() -> None:
    """What is wrong with the first is told before the second is opened."""
    opened: list[str] = []

    def texts() -> Iterator[SubmittedText]:
        for name in ("first", "second"):
            opened.append(name)
            yield SubmittedText(b"", name, name)

    with pytest.raises(Refused):
        read_submission(texts())
    assert opened == ["first"]


def test_the_limits_are_those_of_the_project() -> None:
    with pytest.raises(Refused):
        read_submission(
            [SubmittedText(MODIFY + MODIFY.replace(b"a.py", b"b.py"))], limits=PolicyLimits(hunks=1)
        )


@pytest.mark.parametrize(
    ("text", "options", "title", "agent"),
    [
        (PLAN, SubmissionOptions(title="Mine", agent="me"), "Mine", "me"),
        (PLAN, SubmissionOptions(usual_title="Pasted", usual_agent="you"), "T", "x"),
        (MODIFY, SubmissionOptions(usual_title="Pasted", usual_agent="you"), "Change src/a.py", "you"),
        (b"what?", SubmissionOptions(usual_title="Pasted"), "odd\\n.txt", ""),
    ],
)
def test_what_a_plan_is_called(text: bytes, options: SubmissionOptions, title: str, agent: str) -> None:
    """Somebody's own words, else the text's, else the name of its file."""
    draft = read_submission([SubmittedText(text, file_name="odd\n.txt")], options)
    assert (draft.title, draft.agent) == (title, agent)


def test_without_a_file_the_usual_title_stands_in() -> None:
    assert (
        read_submission([SubmittedText(b"what?")], SubmissionOptions(usual_title="Pasted")).title == "Pasted"
    )
