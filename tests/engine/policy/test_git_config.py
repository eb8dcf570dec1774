"""Git's configuration is read as git reads it; git itself is the judge."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from studio.engine.policy.git_config import parse_git_config

PIECES = st.sampled_from(
    [
        *("[core]", "[Core]", '[a "b c"]', '[a "x\\"]y"]', "[a.b]", "[ core]", "[core", '[a "'),
        *("hooksPath", "x-1", "1x", " = ", "=", "value", "a/b", "é", "~/x", "/"),
        *(
            " ",
            "  ",
            "\t",
            "\n",
            "\r\n",
            "\r",
            "\\\n",
            "\\\r\n",
            '"',
            '""',
            "\\",
            "\\n",
            "\\t",
            "\\q",
            "\\\\",
        ),
        *("#", "# note", "; note \\\n", ";", "[core] hooksPath = z\n", "\nk = v\n", "\v", "\ufeff"),
    ]
)
TEXTS = st.lists(PIECES, max_size=14).map("".join)


def read_by_git(text: str, file: Path) -> list[tuple[str, str, str]] | None:
    """What git lists; None where it refuses the file."""
    file.write_bytes(text.encode())
    listed = subprocess.run(
        ["git", "config", "--file", file, "--list", "--null"], capture_output=True, check=False
    )
    if listed.returncode:
        return None
    found: list[tuple[str, str, str]] = []
    for entry in listed.stdout.decode().split("\0")[:-1]:
        name, _, value = entry.partition("\n")
        section, _, rest = name.partition(".")
        found.append((section, rest.rpartition(".")[2], value) if rest else ("", section, value))
    return found


def spaced(value: str) -> str:
    """Git made every white space inside of a value a blank, before 2.45."""
    return value.replace("\t", " ").replace("\r", " ")


@settings(max_examples=200)
@given(text=TEXTS)
def test_it_is_read_as_git_reads_it(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    said = parse_git_config(text.encode())
    by_git = read_by_git(text, tmp_path_factory.getbasetemp() / "config")
    assert said.is_whole == (by_git is not None)
    if by_git is not None:
        ours = [(each.section, each.key, spaced(each.value)) for each in said.variables]
        assert ours == [(section, key, spaced(value)) for section, key, value in by_git]


@given(data=st.binary(max_size=200))
def test_no_bytes_stop_it(data: bytes) -> None:
    parse_git_config(data)


@pytest.mark.parametrize(
    "text",
    [
        "[core] ; a note that ends in \\\nhooksPath = evil\n",
        "[other] [core] hooksPath = evil",
        "[core]\nx = 1 # \\\nhooksPath = evil",
        "what is this\n[core]\nhooksPath = evil",
        '[core]\nx = "open\nhooksPath = evil',
    ],
)
def test_nothing_before_it_hides_a_variable(text: str) -> None:
    """Also where git itself stops: the next program may go on."""
    found = parse_git_config(text.encode()).variables
    assert ("core", "hookspath", "evil") in [(each.section, each.key, each.value) for each in found]


def test_a_long_value_is_read_in_one_pass() -> None:
    """A long line of escapes or quotes once took minutes."""
    for piece in (b"\\n", b'"a"', b"a ", b"\\\\", b"# \\\n"):
        assert parse_git_config(b"[core]\nx = " + piece * (100_000 // len(piece))).variables
