"""What an agent logged is submitted, decided and written: exact bytes from its calls to the disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.doors.conftest import CommandLine

NOTEBOOK = {
    "cells": [
        {
            "cell_type": "code",
            "execution_count": 1,
            "id": "c1",
            "metadata": {},
            "outputs": [],
            "source": ["1"],
        }
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def call(tool: str, **said: Any) -> str:
    return json.dumps({"cwd": "/home/dev/project", "tool_name": tool, "tool_input": said}) + "\n"


def write(studio: CommandLine, text: str) -> dict[str, Any]:
    """Submit a text, approve what is valid in it and write that."""
    plan = studio("submit", "-", stdin=text.encode()).json
    done = studio("approve", plan["plan"], "--apply")
    assert done.code == 0, done
    return plan


@pytest.mark.usefixtures("allow_review")
def test_edits_land_where_their_text_stands(studio: CommandLine, project: Path) -> None:
    (project / "a.py").write_bytes(b"x = 1\r\ny = 1\r\nx = 1\r\n")
    (project / "b.py").write_bytes(b"one\ntwo")
    plan = write(
        studio,
        call("Read", file_path="/home/dev/project/a.py")
        + call(
            "Edit",
            file_path="/home/dev/project/a.py",
            old_string="x = 1",
            new_string="x = 2",
            replace_all=True,
        )
        + call("Edit", file_path="/home/dev/project/a.py", old_string="y = 1\n", new_string="y = 3\nz = 4\n")
        + call(
            "str_replace_based_edit_tool", command="insert", path="b.py", insert_line=2, insert_text="three"
        )
        + call("Write", file_path="/home/dev/project/new.txt", content="neu\n"),
    )
    assert [(step["op"], step["path"]) for step in plan["steps"]] == [
        ("modify", "a.py"),
        ("modify", "b.py"),
        ("create", "new.txt"),
    ]
    assert (project / "a.py").read_bytes() == b"x = 2\r\ny = 3\r\nz = 4\r\nx = 2\r\n"
    assert (project / "b.py").read_bytes() == b"one\ntwo\nthree"
    assert (project / "new.txt").read_bytes() == b"neu\n"


@pytest.mark.usefixtures("allow_review")
def test_a_cell_of_a_notebook_changes_and_no_other_byte(studio: CommandLine, project: Path) -> None:
    text = json.dumps(NOTEBOOK, indent=1)
    (project / "a.ipynb").write_bytes(text.encode())
    write(studio, call("NotebookEdit", notebook_path="a.ipynb", cell_id="c1", new_source="2"))
    assert (project / "a.ipynb").read_bytes() == text.replace('"1"', '"2"').encode()


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (call("Edit", file_path="a.py", old_string="nothing", new_string="x"), "edit.not_found"),
        (call("Edit", file_path="a.py", old_string="x", new_string="y"), "edit.not_unique"),
        (call("Edit", file_path="a.py", old_string="", new_string="y"), "target.exists"),
        (call("Write", file_path="/etc/passwd", content="x"), "name.absolute"),
        (call("Write", file_path="../a", content="x"), "name.climbs"),
        (
            call(
                "str_replace_based_edit_tool", command="insert", path="a.py", insert_line=9, insert_text="x"
            ),
            "edit.no_line",
        ),
        (
            call("NotebookEdit", notebook_path="a.ipynb", cell_id="c1", new_source="2"),
            "notebook.not_written_again",
        ),
        (call("Write", file_path="a.bin", content="a\0b"), "text.binary"),
    ],
)
def test_what_can_t_be_done_as_it_says_is_one_invalid_step(
    studio: CommandLine, project: Path, said: str, code: str
) -> None:
    (project / "a.py").write_bytes(b"x = 1\nx = 2\n")
    (project / "a.ipynb").write_bytes(json.dumps(NOTEBOOK, indent=1).replace("4,", "4.0e0,").encode())
    submitted = studio("submit", "-", stdin=said.encode())
    assert submitted.code == 1
    (step,) = submitted.json["steps"]
    assert (step["state"], [problem["code"] for problem in step["problems"]]) == ("invalid", [code])
    assert (project / "a.py").read_bytes() == b"x = 1\nx = 2\n"
