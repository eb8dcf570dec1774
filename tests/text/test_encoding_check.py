"""Whatever changes a file, the result is text in the file's own form, or it is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from studio.engine.diff import FilePatch, parse_hunks
from studio.engine.draft import DraftStep, TextEdit
from studio.engine.plan import Operation, Plan, PlanState, StepDecision, StepState
from studio.engine.propose.build_result import build_changed, build_new
from studio.errors import Refused, StudioError
from studio.text import NotText, TextForm, decode_text, describe
from studio.text.encoding_check import check_new_text, check_own_form
from studio.workspace import Reviewer

FORMS: dict[str, tuple[str, str, str | None]] = {
    "ascii": ("ascii", "", None),
    "ascii by setting": ("ascii", "", "ascii"),
    "utf-8": ("utf-8", "", None),
    "utf-8 with mark": ("utf-8", "\ufeff", None),
    "utf-16-le": ("utf-16-le", "\ufeff", None),
    "utf-16-be": ("utf-16-be", "\ufeff", None),
    "utf-16-le by setting": ("utf-16-le", "", "utf-16-le"),
    "windows-1252 guessed": ("cp1252", "", None),
    "windows-1252 by setting": ("cp1252", "", "windows-1252"),
}
TEXTS = st.text(st.sampled_from("ab\u00e9\u00c3\u00a9\u20ac\u0436\ufeff\r"), max_size=3)
RAW = st.lists(
    st.sampled_from([b"a", b"\xe9", b"\xff", b"\x81", b"\x80", b"\xc3\xa9", b"\xed\xa0\x80", b"\xd0\xb6"]),
    max_size=3,
).map(b"".join) | TEXTS.map(str.encode)  # fmt: skip
OPERATIONS = (Operation.MODIFY, Operation.MOVE, Operation.COPY)


@st.composite
def bases(draw: st.DrawFn) -> tuple[bytes, str | None]:
    """A file in one of the forms, of the lines `a`, `b` and some that are not ASCII, and its setting."""
    codec, mark, setting = FORMS[draw(st.sampled_from(sorted(FORMS)))]
    letters = "" if codec == "ascii" else "\u00e9\u20ac"
    lines = draw(st.lists(st.sampled_from(["a", "b", f"c{letters}"]), max_size=4))
    return (mark + "".join(f"{line}\n" for line in lines)).encode(codec), setting


@st.composite
def patches(draw: st.DrawFn, base: bytes) -> bytes:
    """A hunk that replaces one line, or adds one, its old line as the file has it or as UTF-8 says it."""
    form = describe(base)
    lines = base.split(b"\n")[:-1]
    said = decode_text(base, form).encode().split(b"\n")[:-1] if isinstance(form, TextForm) else lines
    new = draw(RAW)
    if not lines or draw(st.booleans()):
        return b"@@ -0,0 +1 @@\n+%b\n" % new
    index = draw(st.integers(0, len(lines) - 1))
    old = draw(st.sampled_from([lines, said if len(said) == len(lines) else lines]))[index]
    return b"@@ -%d +%d @@\n-%b\n+%b\n" % (index + 1, index + 1, old, new)


@st.composite
def drafts(draw: st.DrawFn, base: bytes) -> DraftStep:
    """Any change of the file: hunks, edits, its whole content, appended text."""
    way = draw(st.sampled_from(["patch", "edits", "content", "append"]))
    op = Operation.APPEND if way == "append" else draw(st.sampled_from(OPERATIONS))
    to = "to.txt" if op.has_target else None
    if way == "patch":
        try:
            hunks = parse_hunks(draw(patches(base)))
        except StudioError:
            hunks = parse_hunks(b"@@ -0,0 +1 @@\n+\xff\n")
        return DraftStep(op, "a.txt", to, patch=FilePatch(op, "a.txt", to or "a.txt", hunks))
    if way == "edits":
        edit = TextEdit(draw(st.sampled_from(["a", "c\u00e9", "\n"])), draw(TEXTS))
        return DraftStep(op, "a.txt", to, edits=(edit,))
    return DraftStep(op, "a.txt", to, content=draw(RAW))


def is_of_form(result: bytes, base: bytes, setting: str | None) -> bool:
    own, form = describe(base, setting), describe(result, setting)
    assert isinstance(own, TextForm) and isinstance(form, TextForm)
    if not result:
        return True
    if own.is_utf16:
        return (form.encoding, form.bom) == (own.encoding, own.bom)
    return form.encoding in {"ascii", own.encoding} | ({"utf-8"} if own.encoding == "ascii" else set())


@given(bases().flatmap(lambda base: st.tuples(st.just(base), drafts(base[0]))))
def test_what_is_taken_leaves_a_file_in_its_own_form(
    made: tuple[tuple[bytes, str | None], DraftStep],
) -> None:
    """What is refused is refused with a problem, never with an error of ours.

    A guess is nobody's word: the bytes of a diff may contradict it, and then the encoding is unknown.
    """
    (base, setting), draft = made
    try:
        result = build_changed(draft, base, setting).result
    except StudioError as error:
        assert error.code and error.message and error.hint
    else:
        own, form = describe(base, setting), describe(result, setting)
        if isinstance(form, NotText):
            assert isinstance(own, TextForm) and own.guessed and form.has_lines and draft.patch is not None
        else:
            assert is_of_form(result, base, setting), (draft, result)


@given(RAW, st.sampled_from(sorted({setting or "" for _, _, setting in FORMS.values()})))
def test_what_is_created_is_text_in_the_configured_encoding(content: bytes, setting: str) -> None:
    diffed = FilePatch(Operation.CREATE, None, "a.txt", parse_hunks(b"@@ -0,0 +1 @@\n+%b\n" % content))
    for draft in (
        DraftStep(Operation.CREATE, "a.txt", content=content),
        DraftStep(Operation.CREATE, "a.txt", patch=diffed),
    ):
        try:
            form = describe(build_new(draft, setting or None).result, setting or None)
        except StudioError as error:
            assert error.code in ("text.not_encodable", "text.undecodable", "text.binary")
        else:
            if isinstance(form, NotText):
                assert form.has_lines and draft.patch is not None and not setting
                continue
            assert form.bom or not setting or form.encoding in (setting, "ascii")


@pytest.mark.parametrize("setting", ["windows-1252", "utf-16-le"])
def test_what_a_diff_creates_is_written_in_the_configured_encoding(setting: str) -> None:
    diffed = FilePatch(Operation.CREATE, None, "a.txt", parse_hunks(b"@@ -0,0 +1 @@\n+\xc3\xa9\n"))
    built = build_new(DraftStep(Operation.CREATE, "a.txt", patch=diffed), setting)
    assert built.result == "\u00e9\n".encode(setting)


@pytest.mark.parametrize(
    ("base", "result", "setting"),
    [
        (b"caf\xe9\n", "caf\u00e9 \u0436\n".encode(), None),
        (b"caf\xe9\n", b"\xc3\xa9\n", None),
        (b"caf\xe9\n", b"\xef\xbb\xbfa\n", "windows-1252"),
        ("\ufeffa\n".encode("utf-16-le"), b"a\n", None),
        ("\ufeffa\n".encode("utf-16-le"), "\ufeffa\n".encode("utf-16-be"), None),
        ("a\n".encode("utf-16-be"), b"\xff\xfea\0", "utf-16-be"),
        (b"\xc3\xa9\n", b"\xe9\n", None),
        (b"a\n", b"\xe9\n", None),
        (b"a\n", b"\xc3\xa9\n", "ascii"),
    ],
)
def test_another_form_is_refused(base: bytes, result: bytes, setting: str | None) -> None:
    """A file that would be read in another encoding from then on, whatever its bytes are called now."""
    with pytest.raises(Refused) as caught:
        check_own_form(result, describe(base, setting), "a.txt", setting)
    assert caught.value.code == "text.not_encodable" and "a.txt" in caught.value.message
    assert "line 1" in caught.value.message.lower() or "and the file is" in caught.value.message or setting


def test_a_mark_of_utf8_may_come_and_go() -> None:
    """It stands in line 1 of a diff, and a fact tells of it."""
    assert check_own_form(b"\xef\xbb\xbfa\n", describe(b"a\n"), "a.txt").bom
    assert not check_own_form(b"a\n", describe(b"\xef\xbb\xbfa\n"), "a.txt").bom
    check_new_text(b"\xef\xbb\xbfa\n", "a.txt")


BASE = b"a\n1\n2\n3\n4\n5\n6\n7\n8\n9\n\xe9\n"
PATCH = b"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+\xe8\n@@ -11 +11 @@\n-\xe9\n+\xc3\xa9\n"
"""Windows-1252 before and after; with the second hunk alone it would be UTF-8 from then on."""


def test_chosen_hunks_leave_a_file_in_its_own_form(
    project: Path, propose: Callable[..., Plan], reviewer: Reviewer
) -> None:
    (project / "a.txt").write_bytes(BASE)
    plan = propose(PATCH)
    assert plan.steps[0].state is StepState.PENDING
    with pytest.raises(Refused) as caught:
        reviewer.approve(plan.id, [StepDecision(1, {1: False})])
    assert caught.value.code == "text.not_encodable"
    assert reviewer.approve(plan.id, [StepDecision(1, {2: False})]).state is PlanState.APPROVED


def test_a_rebase_leaves_a_file_in_its_own_form(
    project: Path, propose: Callable[..., Plan], reviewer: Reviewer
) -> None:
    """The file became ASCII meanwhile: what was proposed for it is text of another encoding."""
    (project / "a.txt").write_bytes(BASE.replace(b"5", b"\xe9"))
    plan = propose(b"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+\xe8\n")
    (project / "a.txt").write_bytes(BASE.replace(b"\xe9", b"e"))
    with pytest.raises(Refused) as caught:
        reviewer.rebase(plan.id, 1)
    assert caught.value.code == "text.not_encodable"


def test_a_proposed_mark_of_utf8_outlives_a_rebase(
    project: Path, propose: Callable[..., Plan], reviewer: Reviewer
) -> None:
    """A relative: neither a chosen hunk nor a rebase may refuse the mark that the proposal brought."""
    (project / "a.txt").write_bytes(BASE.replace(b"\xe9", b"e"))
    hunk = b"@@ -1 +1 @@\n-a\n+\xef\xbb\xbfa\n@@ -11 +11 @@\n-e\n+E\n"
    plan = propose(b"--- a/a.txt\n+++ b/a.txt\n" + hunk)
    (project / "a.txt").write_bytes(BASE.replace(b"\xe9", b"e").replace(b"5", b"five"))
    reviewer.rebase(plan.id, 1)
    reviewer.approve(plan.id, [StepDecision(1, {2: False})])
    assert reviewer.apply(plan.id).state is PlanState.COMPLETED
    assert (project / "a.txt").read_bytes().startswith(b"\xef\xbb\xbfa\n1\n2\n3\n4\nfive")
