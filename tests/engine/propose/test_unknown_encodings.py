"""Files in no known encoding: exact diffs and ASCII edits change their bytes, other text is refused."""

from __future__ import annotations

import difflib
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import assume, given, strategies as st

from studio.engine.diff import compute
from studio.engine.draft import CellChange, CellEdit, DraftStep, TextEdit
from studio.engine.plan import Operation, Step, StepState
from studio.engine.propose.build_result import build_changed, build_new
from studio.engine.risks import facts_of
from studio.errors import Refused, StudioError
from studio.formats.unified import read_unified_diff
from studio.journal.file_image import FileImage, sha256
from studio.text import NotText, decode_text, describe, encode_text, form_on_bytes

ANY = "ascii"
"""A setting that the bytes contradict: nothing says in which encoding they are."""
CODECS = (
    *("shift_jis", "cp932", "euc_jp", "gbk", "gb18030", "big5", "big5hkscs", "euc_kr", "cp949", "johab"),
    *("koi8_r", "cp1251", "cp866", "mac_cyrillic", "iso8859_5", "utf_8"),
)
BASES = {
    "shift_jis": "ソース表\n表示 = 10 # 能力\nend\n",
    "gb18030": "配置㐀文件\n值 = 10 # 㐂\nend\n",
    "euc_kr": "설정 파일\n값 = 10 # 한국어\nend\n",
    "big5": "功能設定\n許可 = 10 # 蓋\nend\n",
    "koi8_r": "файл настройки\nключи = 10 # ключ\nend\n",
    "cp1251": "ђљњџ\nљњ = 10 # њ\nend\n",
}
DATA = {codec: text.encode(codec) for codec, text in BASES.items()} | {
    "stray": "größe\nlänge = 10 # für\nend\n".encode() + b"\x9d\n"
}


def letters(codec: str) -> st.SearchStrategy[str]:
    """ASCII, mostly what may be the second byte of a character, and what the codec has beyond it."""
    pool = "表ソ能予十貼噂欺圭構設定値本語功許蓋㐀𠀀한국어설정файлю"
    beyond = [each for each in pool if each.encode(codec, "ignore")]
    return st.one_of(st.sampled_from('\\|@A[]{}~09^_` =#"'), st.sampled_from(beyond))


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, list[str]]:
    codec = draw(st.sampled_from(CODECS))
    return codec, draw(st.lists(st.text(letters(codec), max_size=8), min_size=1, max_size=8))


def content(codec: str, lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode(codec)


def step_of(base: bytes, result: bytes) -> DraftStep:
    """The step of a diff that Python's difflib makes of bytes."""
    (step,) = read_unified_diff(diff_of(base, result)).steps
    return step


def diff_of(base: bytes, result: bytes) -> bytes:
    old, new = (data.splitlines(keepends=True) for data in (base, result))
    return b"".join(difflib.diff_bytes(difflib.unified_diff, old, new, b"a/f", b"b/f", n=1))


@given(texts(), st.data())
def test_the_result_of_a_diff_of_bytes_is_what_it_says(
    made: tuple[str, list[str]], data: st.DataObject
) -> None:
    codec, lines = made
    base = content(codec, lines)
    at = data.draw(st.integers(0, len(lines)))
    new = data.draw(st.lists(st.text(letters(codec), max_size=8), max_size=3))
    result = content(codec, [*lines[:at], *new, *lines[at + data.draw(st.integers(0, 2)) :]])
    assume(base != result and not base.isascii())
    assert build_changed(step_of(base, result), base, ANY).result == result


@given(
    texts(),
    st.text('\\|@A[]{}~09^_` =#"', min_size=1, max_size=2),
    st.text("ab\n|", max_size=3),
    st.booleans(),
)
def test_ascii_text_is_never_found_inside_a_character(
    made: tuple[str, list[str]], old: str, new: str, every: bool
) -> None:
    """Whatever is written is what an editor that knows the encoding would have written."""
    codec, lines = made
    base = content(codec, lines)
    assume(not base.isascii())
    try:
        result = build_changed(modify(TextEdit(old, new, every=every)), base, ANY).result
    except StudioError:
        return
    text = base.decode(codec)
    assert every or text.count(old) == 1
    assert result == text.replace(old, new).encode(codec)


@given(texts(), st.data())
def test_whole_ascii_lines_are_changed_in_every_encoding(
    made: tuple[str, list[str]], data: st.DataObject
) -> None:
    codec, lines = made
    at = data.draw(st.integers(0, len(lines)))
    base = content(codec, [*lines[:at], "key = 1", *lines[at:]])
    assume(not base.isascii())
    for edit in (
        TextEdit("key = 1\n", "key = 2\n", whole_lines=True),
        TextEdit("key = 1", "key = 2"),
        TextEdit("", "key = 2\n", after=("key = 1",)),
    ):
        built = build_changed(modify(edit), base, ANY)
        new = ["key = 2"] if edit.old else ["key = 1", "key = 2"]
        assert built.result == content(codec, [*lines[:at], *new, *lines[at:]])


@given(st.binary(max_size=60))
def test_any_bytes_are_read_without_loss_and_have_facts(data: bytes) -> None:
    form = form_on_bytes(data)
    assert encode_text(decode_text(data, form), form) == data
    base, result = data + b"\x81\n", data + b"\x81\nnew\xff line\n"
    before, after = (FileImage(sha256(side), len(side), 0o644) for side in (base, result))
    step = Step(1, "id", Operation.MODIFY, "a.txt", None, StepState.PENDING, before, after)
    facts_of(step, base, result)
    facts_of(step, base, result, setting="utf-8", diff=compute(base, result))


@pytest.mark.parametrize("name", DATA)
def test_a_diff_leaves_the_bytes_that_git_leaves(name: str, tmp_path: Path) -> None:
    base = DATA[name]
    result = base.replace(b"= 10 ", b"= 20 ").replace(b"end\n", base.partition(b"\n")[0] + b"\nend\n")
    file = tmp_path / "f"
    file.write_bytes(base)
    around = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    diff = diff_of(base, result)
    subprocess.run(["git", "apply"], input=diff, cwd=tmp_path, check=True, env=around)
    assert build_changed(step_of(base, result), base, None).result == file.read_bytes() == result
    gone = diff_of(base, b"").replace(b"+++ b/f", b"+++ /dev/null")
    (step,) = read_unified_diff(gone).steps
    assert step.op is Operation.DELETE and build_changed(step, base, None).result == b""
    made = diff_of(b"", base).replace(b"--- a/f", b"--- /dev/null")
    (step,) = read_unified_diff(made).steps
    assert step.op is Operation.CREATE and build_new(step).result == base
    with pytest.raises(Refused, match="no text in the file's own encoding"):
        build_new(step, "ascii")


@pytest.mark.parametrize("name", DATA)
def test_ascii_edits_leave_every_other_byte(name: str) -> None:
    base = DATA[name]
    crlf = base.replace(b"\n", b"\r\n")
    for draft, after in (
        (modify(TextEdit(" = 10 #", " = 20 #")), base.replace(b"= 10 ", b"= 20 ")),
        (modify(TextEdit("end\n", "fin\nend\n", whole_lines=True)), base.replace(b"end\n", b"fin\nend\n")),
        (modify(TextEdit("\nend", "\nfin\nend")), base.replace(b"end\n", b"fin\nend\n")),
        (DraftStep(Operation.APPEND, "a.txt", content=b"more\n"), base + b"more\n"),
        (DraftStep(Operation.MODIFY, "a.txt", content=b"new\n"), b"new\n"),
    ):
        assert build_changed(draft, base, None).result == after
        assert build_changed(draft, crlf, None).result == after.replace(b"\n", b"\r\n")


@pytest.mark.parametrize(
    ("draft", "code"),
    [
        (TextEdit("end", "ende ü"), "text.uneditable"),
        (TextEdit("設定", "x"), "text.uneditable"),
        (TextEdit("", "x\n", after=("設定",)), "text.uneditable"),
        (DraftStep(Operation.MODIFY, "a.txt", content="ü\n".encode()), "text.uneditable"),
        (DraftStep(Operation.APPEND, "a.txt", content=b"\xff\n"), "text.uneditable"),
        (DraftStep(Operation.MODIFY, "a.txt", cells=(CellEdit(CellChange.DELETE, "a"),)), "text.uneditable"),
        (TextEdit("\\", "/"), "edit.inside_character"),
        (TextEdit("\\", "/", every=True), "edit.inside_character"),
        (TextEdit("absent", "x"), "edit.not_found"),
        (TextEdit("e", "x"), "edit.not_unique"),
    ],
)
def test_what_the_bytes_do_not_say_is_refused(draft: DraftStep | TextEdit, code: str) -> None:
    base = "表.txt\nready\nend\n".encode("shift_jis") + b"\x81\n"
    with pytest.raises(Refused) as caught:
        build_changed(modify(draft) if isinstance(draft, TextEdit) else draft, base, None)
    assert caught.value.code == code and caught.value.hint


@pytest.mark.parametrize("base", [b"\xff\xfea\0\n\0\0", b"\0\x81\n", b"\x89PNG\r\n\x1a\n\n"])
def test_binary_files_and_damaged_utf_16_take_no_ascii(base: bytes) -> None:
    with pytest.raises(Refused) as caught:
        build_changed(modify(TextEdit("a", "b")), base, None)
    assert caught.value.code == "text.uneditable"


def test_an_exact_diff_may_contradict_a_guess_and_no_named_encoding() -> None:
    base, result = "テスト\n".encode("shift_jis"), "テスト\n設定。\n".encode("shift_jis")
    form = describe(base)
    assert not isinstance(form, NotText) and form.guessed
    assert build_changed(step_of(base, result), base, None).result == result
    with pytest.raises(Refused, match="no text in the file's own encoding"):
        build_changed(step_of(base, result), base, "windows-1252")
    with pytest.raises(Refused, match="binary"):
        build_changed(step_of(base, b"a\0\n"), base, None)


def modify(*edits: TextEdit) -> DraftStep:
    return DraftStep(Operation.MODIFY, "a.txt", edits=edits)
