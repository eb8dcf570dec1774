"""`GIT binary patch`: what git writes is read to the same bytes, nothing else is believed."""

from __future__ import annotations

import base64
import hashlib
import os
import random
import subprocess
import zlib
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, example, given, strategies as st

from studio.engine.diff import (
    DiffRefused,
    DoesNotMatch,
    FilePatch,
    apply_strict,
    apply_with_facts,
    format_binary,
    parse_unified,
)
from studio.engine.diff.binary_apply import object_id
from studio.engine.plan import Operation
from studio.errors import Refused

GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CEILING_DIRECTORIES": "/",
}
BASE, RESULT = b"one\0two\n", b"one\0three\n"

# A seed and a length: bytes that zlib can't make smaller, and whose pieces git finds again.
NOISE = st.builds(
    lambda seed, size: random.Random(seed).randbytes(size), st.integers(0, 9), st.integers(0, 700)
)
CONTENTS = st.builds(
    lambda parts: b"\0" + b"".join(parts),
    st.lists(st.one_of(NOISE, st.binary(max_size=20), st.just(bytes(70_000))), max_size=4),
)


@dataclass(frozen=True)
class Change:
    """A file before and after, None where there is none, under its names and git's modes."""

    base: bytes | None
    result: bytes | None
    old_name: str = "f"
    new_name: str = "f"
    modes: tuple[int, int] = (0o644, 0o644)


CHANGES = st.builds(
    Change,
    st.none() | CONTENTS,
    st.none() | CONTENTS,
    st.just("f"),
    st.sampled_from(["f", "f", "dir/g h", "\u00e9"]),
    st.tuples(*[st.sampled_from([0o644, 0o755])] * 2),
)


def git(folder: Path, *words: str, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["git", *words], cwd=folder, env={**os.environ, **GIT}, input=text, capture_output=True, check=False
    )


def diff_by_git(change: Change, *options: str) -> bytes:
    """What git writes between two commits; `options` are those of git init."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        git(folder, "init", "-q", "--bare", "--template=", *options)
        sides = (
            ("a", change.old_name, change.modes[0], change.base),
            (
                "b",
                change.new_name,
                change.modes[1],
                change.result,
            ),
        )
        git(folder, "fast-import", "--quiet", text=b"".join(commit(*side) for side in sides))
        done = git(folder, "diff", "--binary", "-M1%", "a", "b")
        assert done.returncode == 0, done.stderr
        return done.stdout


def commit(branch: str, name: str, mode: int, data: bytes | None) -> bytes:
    """For git fast-import: a commit of one file, or of none."""
    head = f"commit refs/heads/{branch}\ncommitter a <a@b> 0 +0000\ndata 0\n"
    if data is None:
        return head.encode() + b"\n"
    return f"{head}M 100{mode:o} inline {name}\ndata {len(data)}\n".encode() + data + b"\n"


def put(file: Path, data: bytes | None, mode: int = 0o644) -> None:
    if data is not None:
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(data)
        file.chmod(mode)


def applied_by_git(base: bytes | None, patch: FilePatch, text: bytes) -> bytes | None:
    """The file as git leaves it, b"" for none; None where git refuses the diff."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        put(folder / patch.path, base)
        if git(folder, "apply", "-", text=text).returncode != 0:
            return None
        after = folder / (patch.to or patch.path)
        return after.read_bytes() if after.exists() else b""


@given(CHANGES)
@example(Change(BASE, None))
@example(Change(None, BASE, modes=(0o644, 0o755)))
@example(Change(b"\0" + bytes(70_000), b"\0" + bytes(140_000)))
def test_what_git_writes_is_read_to_the_same_bytes(change: Change) -> None:
    assume(change.base != change.result)
    after = {} if change.base is None else {change.old_name: change.base}
    for patch in parse_unified(diff_by_git(change)):
        assert patch.binary is not None and patch.binary.backward is not None
        assert not (patch.problems or patch.facts)
        base = after.pop(patch.path) if patch.old_path is not None else b""
        result = apply_strict(base, patch)
        if patch.new_path is not None:
            after[patch.new_path] = result
    assert after == ({} if change.result is None else {change.new_name: change.result})


@given(CONTENTS, CONTENTS, st.sampled_from(["modify", "create", "delete", "move", "copy"]), st.booleans())
def test_what_is_written_here_is_read_here_and_by_git(
    base: bytes, result: bytes, kind: str, executable: bool
) -> None:
    assume(base != result)
    before, after = (None if kind == "create" else base), (None if kind == "delete" else result)
    text = format_binary(
        before, after, "f", "g" if kind in ("move", "copy") else "f",
        old_mode=0o100644, new_mode=0o100755 if executable else 0o100644, copied=kind == "copy",
    )  # fmt: skip
    (patch,) = parse_unified(text)
    assert (patch.operation.value, patch.problems) == (kind, ())
    assert apply_strict(before or b"", patch) == (after or b"")
    assert applied_by_git(before, patch, text) == (after or b"")


def deflated(data: bytes) -> bytes:
    return zlib.compress(data)


def block(
    data: bytes, method: str = "literal", size: int | None = None, packed: bytes | None = None
) -> bytes:
    """A block as its bytes say, or with another size or other packed bytes."""
    packed = deflated(data) if packed is None else packed
    lines = b"".join(
        b"%c%s\n" % (64 + len(part) if len(part) <= 26 else 70 + len(part), base64.b85encode(part, pad=True))
        for part in (packed[start : start + 52] for start in range(0, len(packed), 52))
    )
    return b"%s %d\n%s\n" % (method.encode(), len(data) if size is None else size, lines)


def diff_of(*blocks: bytes, base: bytes = BASE, result: bytes = RESULT) -> bytes:
    ids = object_id(base, 40), object_id(result, 40)
    head = "diff --git a/f b/f\nindex {}..{} 100644\nGIT binary patch\n".format(*ids)
    return head.encode() + b"".join(blocks)


def delta_of(*parts: bytes) -> bytes:
    return block(b"".join(parts), "delta")


def number(value: int) -> bytes:
    """As deltas write their sizes."""
    low, rest = value & 0x7F, value >> 7
    return bytes((low | 0x80,)) + number(rest) if rest else bytes((low,))


SIZES = number(len(BASE)) + number(len(RESULT))
COPY = b"\x90\x04"
"""Four bytes from the beginning."""
INSERT = b"\x06three\n"


def test_blocks_made_by_hand_are_taken() -> None:
    """The traps below differ from these in one thing each."""
    for made in (block(RESULT), delta_of(SIZES, COPY, INSERT)):
        (patch,) = parse_unified(diff_of(made, block(BASE)))
        assert apply_strict(BASE, patch) == RESULT
        assert applied_by_git(BASE, patch, diff_of(made, block(BASE))) == RESULT


@pytest.mark.parametrize(
    ("made", "code", "words"),
    [
        (block(RESULT, size=9), "patch.binary_damaged", "more than the 9 bytes"),
        (block(RESULT, size=11), "patch.binary_damaged", "fewer than the 11 bytes"),
        (block(RESULT, packed=b""), "patch.binary_damaged", "fewer than"),
        (block(RESULT, packed=b"no zlib at all"), "patch.binary_damaged", "zlib can't unpack it"),
        (block(RESULT, packed=deflated(RESULT)[:-4]), "patch.binary_damaged", "do not end"),
        (block(RESULT, packed=deflated(RESULT) + b"\0"), "patch.binary_damaged", "after its compressed"),
        (block(RESULT, packed=deflated(RESULT)[:-1] + b"?"), "patch.binary_damaged", "zlib can't unpack it"),
        (block(b"one\0seven\n"), "patch.binary_damaged", "another content than its index line"),
        (block(bytes(10**8), size=10), "patch.binary_damaged", "more than the 10 bytes"),
        (
            block(b"", size=10 * 1024 * 1024 + 1),
            "patch.too_large",
            "10,485,761 bytes; the limit is 10,485,760",
        ),
        (block(b"", size=1 << 62), "patch.too_large", "the limit is"),
        (block(b"", "delta", size=1 << 62), "patch.too_large", "the limit is"),
        (delta_of(b"\x08\x0a", b""), "patch.binary_damaged", "too short"),
        (delta_of(number(9), number(10), COPY, INSERT), "patch.binary_damaged", "a delta for 9 bytes"),
        (
            delta_of(number(8), number(9), COPY, INSERT),
            "patch.binary_damaged",
            "more than its declared 9 bytes",
        ),
        (delta_of(number(8), number(11), COPY, INSERT), "patch.binary_damaged", "fewer than the 11 bytes"),
        (delta_of(SIZES, COPY, INSERT, b"\0"), "patch.binary_damaged", "the reserved command 0"),
        (delta_of(SIZES, COPY, INSERT[:-1]), "patch.binary_damaged", "cut off"),
        (delta_of(SIZES, INSERT, b"\x93\x04"), "patch.binary_damaged", "cut off"),
        (delta_of(SIZES, b"\x91\x06\x04", INSERT), "patch.binary_damaged", "beyond the end of the file"),
        (delta_of(SIZES, b"\x80", INSERT), "patch.binary_damaged", "beyond the end of the file"),
        (delta_of(SIZES, b"\x88\xff\x04", INSERT), "patch.binary_damaged", "beyond the end of the file"),
        (delta_of(number(8), number(1 << 62), COPY), "patch.too_large", "the limit is 10,485,760"),
        (delta_of(number(8), number(1 << 63), COPY), "patch.binary_damaged", "sizes can't be read"),
        (delta_of(number(8), b"\xff" * 40), "patch.binary_damaged", "sizes can't be read"),
        (delta_of(b"\xff" * 4), "patch.binary_damaged", "sizes can't be read"),
    ],
)
def test_a_trap_in_a_block_is_a_sentence_about_the_file(made: bytes, code: str, words: str) -> None:
    """And git, where it takes such a block nevertheless, would have made the same file of it."""
    text = diff_of(made)
    (patch,) = parse_unified(text)
    with pytest.raises(Refused) as caught:
        apply_strict(BASE, patch)
    assert (caught.value.code, caught.value.path) == (code, "f")
    assert caught.value.message.startswith("The binary patch of f ") and words in caught.value.message
    assert caught.value.hint.endswith(".")
    assert applied_by_git(BASE, patch, text) in (None, RESULT)


@pytest.mark.parametrize(
    "backward",
    [
        block(RESULT),
        block(BASE, size=1 << 62),
        block(BASE, packed=b"no zlib"),
        delta_of(number(10), number(8), b"\x0012345678"),
        block(b"", size=10**8, packed=deflated(bytes(10**8))),
    ],
)
def test_the_way_back_is_checked_too(backward: bytes) -> None:
    (patch,) = parse_unified(diff_of(block(RESULT), backward))
    with pytest.raises(Refused) as caught:
        apply_strict(BASE, patch)
    assert caught.value.code in ("patch.binary_damaged", "patch.too_large")


def test_the_limit_is_the_caller_s() -> None:
    (patch,) = parse_unified(diff_of(block(RESULT), block(BASE)))
    assert apply_with_facts(BASE, patch, at_most=10).result == RESULT
    with pytest.raises(Refused, match="the limit is 9") as caught:
        apply_with_facts(BASE, patch, at_most=9)
    assert caught.value.code == "patch.too_large"


def test_another_file_than_it_was_made_for_does_not_match() -> None:
    """As with a hunk whose lines are not there; a create wants no file at all."""
    (patch,) = parse_unified(diff_of(block(RESULT)))
    with pytest.raises(DoesNotMatch) as caught:
        apply_strict(BASE + b"!", patch)
    assert caught.value.code == "patch.does_not_match"
    assert object_id(BASE, 40)[:12] in caught.value.message
    (created,) = parse_unified(format_binary(None, RESULT, "f", "f"))
    with pytest.raises(Refused) as existing:
        apply_strict(BASE, created)
    assert existing.value.code == "patch.create_over_existing"


def test_ids_of_a_repository_with_sha256_are_read() -> None:
    text = diff_by_git(Change(BASE, RESULT), "--object-format=sha256")
    assert object_id(RESULT, 64).encode() in text
    (patch,) = parse_unified(text)
    assert apply_strict(BASE, patch) == RESULT


def test_ids_are_made_where_sha1_is_no_safeguard_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a Python does whose OpenSSL keeps to FIPS: git's ids are made there all the same."""

    def strict(data: bytes = b"", *, usedforsecurity: bool = True) -> object:
        if usedforsecurity:
            raise ValueError("disabled for FIPS")
        return sha1(data, usedforsecurity=False)

    sha1 = hashlib.sha1
    expected = object_id(BASE, 40)
    monkeypatch.setattr(hashlib, "sha1", strict)
    assert object_id(BASE, 40) == expected


def test_a_mode_and_a_name_change_with_the_content() -> None:
    noise = random.Random(1).randbytes(900)
    change = Change(b"\0" + noise, b"\0!" + noise, "f", "dir/g h", (0o644, 0o755))
    (patch,) = parse_unified(diff_by_git(change))
    assert (patch.operation, patch.path, patch.to) == (Operation.MOVE, "f", "dir/g h")
    assert (patch.old_mode, patch.new_mode) == (0o100644, 0o100755)
    assert apply_strict(change.base or b"", patch) == change.result


MUTATIONS = st.lists(
    st.tuples(
        st.sampled_from(["put", "cut", "insert", "line", "swap"]),
        st.integers(0, 10**6),
        st.integers(0, 10**6),
    ),
    min_size=1,
    max_size=4,
)
_BYTES = b"\n\r\0 0zA~`'\"\\+-"


def mutated(text: bytes, mutations: list[tuple[str, int, int]]) -> bytes:
    """The text with bytes put in, taken out or changed, and lines doubled or exchanged."""
    for kind, one, other in mutations:
        at, byte = one % (len(text) + 1), _BYTES[other % len(_BYTES)]
        lines = text.splitlines(keepends=True) or [b""]
        first, second = one % len(lines), other % len(lines)
        if kind == "put":
            text = text[:at] + bytes((byte,)) + text[at + 1 :]
        elif kind == "cut":
            text = text[:at] + text[at + 1 + other % 80 :]
        elif kind == "insert":
            text = text[:at] + bytes((byte,)) + text[at:]
        elif kind == "line":
            text = b"".join([*lines[:first], lines[second], *lines[first:]])
        else:
            lines[first], lines[second] = lines[second], lines[first]
            text = b"".join(lines)
    return text


DIFFS = st.sampled_from(
    [
        diff_of(block(RESULT), block(BASE)),
        diff_of(delta_of(SIZES, COPY, INSERT), delta_of(number(10), number(8), COPY, b"\x04two\n")),
        diff_of(block(bytes(range(256)) * 2), block(BASE), result=bytes(range(256)) * 2),
        format_binary(None, RESULT, "f", "f", new_mode=0o100644),
        format_binary(BASE, None, "f", "f", old_mode=0o100644),
        format_binary(BASE, RESULT, "f", "g", old_mode=0o100644, new_mode=0o100755),
    ]
)


@given(DIFFS, MUTATIONS)
def test_a_damaged_patch_is_refused_or_git_makes_the_same_of_it(
    text: bytes, mutations: list[tuple[str, int, int]]
) -> None:
    damaged = mutated(text, mutations)
    try:
        (patch, *others) = parse_unified(damaged)
        base = b"" if patch.operation is Operation.CREATE else BASE
        result = apply_strict(base, patch)
    except (DiffRefused, Refused) as error:
        assert error.message and error.hint
        return
    assert object_id(result, 40) in (
        object_id(side, 40) for side in (b"", BASE, RESULT, bytes(range(256)) * 2)
    )
    path = patch.path
    if others or not path.isprintable() or "/" in path or patch.operation is Operation.MODE:
        return
    git_s = applied_by_git(None if patch.operation is Operation.CREATE else BASE, patch, damaged)
    assert git_s == result


@given(st.binary(max_size=60), st.binary(max_size=40))
def test_any_delta_is_carried_out_or_refused(delta: bytes, base: bytes) -> None:
    """Of any bytes, and of those that begin with the right size."""
    for made in (delta, number(len(base)) + delta):
        (patch,) = parse_unified(diff_of(block(made, "delta"), base=base))
        try:
            result = apply_strict(base, patch)
        except Refused as error:
            assert error.code in ("patch.binary_damaged", "patch.too_large")
        else:
            assert result == RESULT


@given(
    st.lists(
        st.sampled_from(
            [
                b"GIT binary patch\n", b"literal 10\n", b"delta 13\n", b"\n", b"Rc$~}6OJyj@C`wJ`0ss^717!dJ\n",
                b"diff --git a/f b/f\n", b"index " + b"1" * 40 + b".." + b"2" * 40 + b" 100644\n",
                b"z" + b"0" * 65 + b"\n", b"A00000\n", b"A00000\r\n", b"B0\n",
                b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n",
            ]
        ),
        max_size=12,
    ).map(b"".join)
)  # fmt: skip
def test_any_lines_of_that_form_are_read_or_refused(data: bytes) -> None:
    try:
        patches = parse_unified(b"diff --git a/f b/f\n" + data)
    except DiffRefused as error:
        total = data.count(b"\n") + 2
        assert all(problem.line is not None and 1 <= problem.line <= total for problem in error.problems)
        assert all(problem.column is not None and problem.column >= 1 for problem in error.problems)
        return
    for patch in patches:
        assert patch.binary is None or not patch.hunks
