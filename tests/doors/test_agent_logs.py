"""What an agent logged or answered is submitted, decided and written: exact bytes from text to disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.doors.conftest import CommandLine

REPLIES = Path(__file__).parents[1] / "formats/replies"
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
    return json.dumps({"cwd": "/w/project", "tool_name": tool, "tool_input": said}) + "\n"


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
        call("Read", file_path="/w/project/a.py")
        + call(
            "Edit",
            file_path="/w/project/a.py",
            old_string="x = 1",
            new_string="x = 2",
            replace_all=True,
        )
        + call("Edit", file_path="/w/project/a.py", old_string="y = 1\n", new_string="y = 3\nz = 4\n")
        + call(
            "str_replace_based_edit_tool", command="insert", path="b.py", insert_line=2, insert_text="three"
        )
        + call("Write", file_path="/w/project/new.txt", content="neu\n"),
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
@pytest.mark.parametrize("tool", ["NotebookEdit", "notebook_edit"])
def test_a_cell_of_a_notebook_changes_and_no_other_byte(
    studio: CommandLine, project: Path, tool: str
) -> None:
    text = json.dumps(NOTEBOOK, indent=1)
    (project / "a.ipynb").write_bytes(text.encode())
    write(studio, call(tool, notebook_path="a.ipynb", cell_id="c1", new_source="2"))
    assert (project / "a.ipynb").read_bytes() == text.replace('"1"', '"2"').encode()


@pytest.mark.usefixtures("allow_review")
@pytest.mark.parametrize(
    ("said", "sources"),
    [
        ({"cell_number": 1, "new_source": "2"}, ["0", "2"]),
        ({"cell_number": 0, "new_source": "", "edit_mode": "delete"}, ["1"]),
        ({"cell_number": 1, "new_source": "2", "edit_mode": "insert", "cell_type": "code"}, ["0", "2", "1"]),
        ({"cell_number": 2, "new_source": "2", "edit_mode": "insert", "cell_type": "code"}, ["0", "1", "2"]),
    ],
)
def test_a_cell_is_named_by_its_number(
    studio: CommandLine, project: Path, said: dict[str, Any], sources: list[str]
) -> None:
    cells = [{"cell_type": "raw", "id": name, "metadata": {}, "source": [name]} for name in ("0", "1")]
    (project / "a.ipynb").write_text(json.dumps({**NOTEBOOK, "cells": cells}, indent=1))
    write(studio, call("NotebookEdit", notebook_path="a.ipynb", **said))
    found = json.loads((project / "a.ipynb").read_text())["cells"]
    assert ["".join(cell["source"]) for cell in found] == sources


@pytest.mark.usefixtures("allow_review")
def test_calls_of_editors_change_what_they_say(studio: CommandLine, project: Path) -> None:
    (project / "a.py").write_bytes(b"def f():\r\n    return 1\r\n\r\ndef g():\r\n    return 1")
    (project / "b.py").write_bytes(b"x = 1\ny = 1\n")
    diff = "<<<<<<< SEARCH\n:start_line:5\n-------\n    return 1\n=======\n    x = 1\n    return 2\n"
    plan = write(
        studio,
        call("apply_diff", path="a.py", diff=f"{diff}>>>>>>> REPLACE\n")
        + call("write_to_file", path="new/c.html", content="<p>A &amp; B</p>\n", line_count=1)
        + call("replace_string_in_file", filePath="/w/project/b.py", oldString="x = 1", newString="x = 2")
        + call("replace_in_file", path="b.py", diff="<<<<<<< SEARCH\ny = 1\n=======\n>>>>>>> REPLACE\n"),
    )
    assert [(step["op"], step["path"]) for step in plan["steps"]] == [
        ("modify", "a.py"),
        ("create", "new/c.html"),
        ("modify", "b.py"),
    ]
    assert (project / "a.py").read_bytes() == (
        b"def f():\r\n    return 1\r\n\r\ndef g():\r\n    x = 1\r\n    return 2"
    )
    assert (project / "new/c.html").read_bytes() == b"<p>A &amp; B</p>\n"
    assert (project / "b.py").read_bytes() == b"x = 2\n"


@pytest.mark.usefixtures("allow_review")
def test_no_old_text_fills_a_file_that_is_empty_or_not_there_and_writes_over_no_text(
    studio: CommandLine, project: Path
) -> None:
    """tests/formats has the tools whose calls say so."""
    said = call("Edit", file_path="a.py", old_string="", new_string="x\n")
    assert [step["op"] for step in write(studio, said)["steps"]] == ["create"]
    assert (project / "a.py").read_bytes() == b"x\n"
    (project / "a.py").write_bytes(b"")
    assert [step["op"] for step in write(studio, said)["steps"]] == ["modify"]
    assert (project / "a.py").read_bytes() == b"x\n"
    (project / "a.py").write_bytes(b"\n")
    (step,) = studio("submit", stdin=said.encode()).json["steps"]
    assert (step["state"], [problem["code"] for problem in step["problems"]]) == (
        "invalid",
        ["target.exists"],
    )


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
        (
            call(
                "apply_diff",
                path="a.py",
                diff="<<<<<<< SEARCH\n:start_line:2\n-------\nx = 1\n=======\ny\n>>>>>>> REPLACE",
            ),
            "edit.not_found",
        ),
        (call("NotebookEdit", notebook_path="b.ipynb", cell_number=1, new_source=""), "cell.not_found"),
        (call("insert_edit_into_file", filePath="a.py", code="# ...existing code..."), "calls.sketch"),
        (call("Write", file_path="a.bin", content="a\0b"), "text.binary"),
    ],
)
def test_what_can_t_be_done_as_it_says_is_one_invalid_step(
    studio: CommandLine, project: Path, said: str, code: str
) -> None:
    (project / "a.py").write_bytes(b"x = 1\nx = 2\n")
    (project / "a.ipynb").write_bytes(json.dumps(NOTEBOOK, indent=1).replace("4,", "4.0e0,").encode())
    (project / "b.ipynb").write_bytes(json.dumps(NOTEBOOK, indent=1).encode())
    submitted = studio("submit", "-", stdin=said.encode())
    assert submitted.code == 1
    (step,) = submitted.json["steps"]
    assert (step["state"], [problem["code"] for problem in step["problems"]]) == ("invalid", [code])
    assert (project / "a.py").read_bytes() == b"x = 1\nx = 2\n"


@pytest.mark.usefixtures("allow_review")
def test_files_in_fences_are_written_to_the_byte(studio: CommandLine, project: Path) -> None:
    (project / "b.txt").write_bytes(b"one\r\ntwo\r\n")
    text = "I changed b.\n\n```text b.txt\none\nzwei\n```\n\n`src/c.py`:\n```python\nx = 'ü'\n```\n"
    text += "\nRun:\n\n```sh\nmake\n```\n"
    plan = write(studio, text)
    steps = [(step["op"], step["path"]) for step in plan["steps"]]
    assert steps == [("modify", "b.txt"), ("create", "src/c.py")]
    assert (project / "b.txt").read_bytes() == b"one\r\nzwei\r\n"
    assert (project / "src/c.py").read_bytes() == "x = 'ü'\n".encode()


def test_an_empty_fence_empties_no_file(studio: CommandLine, project: Path) -> None:
    (project / "b.txt").write_bytes(b"one\n")
    submitted = studio("submit", "-", stdin=b"```text b.txt\n```\n")
    assert submitted.code == 1
    assert [problem["code"] for problem in submitted.json["steps"][0]["problems"]] == ["target.exists"]


@pytest.mark.usefixtures("allow_review")
@pytest.mark.parametrize("name", ["two-mails", "several-fences", "indented-fence", "fences-inside-the-diff"])
def test_diffs_in_mails_and_fences_are_applied_to_the_byte(
    studio: CommandLine, project: Path, name: str
) -> None:
    for file in ("a.py", "b.py", "c.py", "d.py"):
        (project / file).write_bytes(b"x\n")
    (project / "README.md").write_bytes(b"# App\n```bash\nmake\n```\n")
    plan = write(studio, (REPLIES / f"unified/{name}.txt").read_text("utf-8"))
    for step in plan["steps"]:
        wanted = b"# App\n```bash\nmake all\n```\n" if step["path"] == "README.md" else b"y\n"
        assert (project / step["path"]).read_bytes() == wanted


def call_of(folder: Path, path: str, content: str) -> bytes:
    return json.dumps(
        {"cwd": str(folder), "tool_name": "Write", "tool_input": {"file_path": path, "content": content}}
    ).encode()


@pytest.mark.usefixtures("allow_review")
def test_logged_path_is_the_file_that_the_call_named(
    studio: CommandLine, project: Path, tmp_path: Path
) -> None:
    """Agents log the folder they are in, which moves with `cd`; relative paths count from it."""
    app = project / "services" / "app"
    app.mkdir(parents=True)
    (project / "a.ts").write_text("root\n")
    (app / "a.ts").write_text("app\n")
    link = tmp_path / "another-name"
    link.symlink_to(project)
    log = b"\n".join(
        [
            call_of(app, str(app / "b.ts"), "absolute\n"),
            call_of(app, "c.ts", "relative\n"),
            call_of(project, str(project / "d.ts"), "in the root\n"),
            call_of(app, str(link / "services" / "app" / "e.ts"), "by a link\n"),
            call_of(app, str(tmp_path / "outside.ts"), "elsewhere\n"),
        ]
    )
    plan = studio("submit", stdin=log).json
    assert [step["path"] for step in plan["steps"][:4]] == [
        "services/app/b.ts",
        "services/app/c.ts",
        "d.ts",
        "services/app/e.ts",
    ]
    assert [step["state"] for step in plan["steps"]] == ["pending"] * 4 + ["invalid"]
    assert studio("approve", plan["plan"], "--apply").code == 0
    assert (app / "e.ts").read_text() == "by a link\n"
    assert ((project / "a.ts").read_text(), (app / "a.ts").read_text()) == ("root\n", "app\n")
    assert not (tmp_path / "outside.ts").exists()


def test_a_log_never_hides_an_edit_or_a_command(studio: CommandLine, project: Path) -> None:
    (project / "a.py").write_text("x = 1\n")
    plan = studio(
        "submit",
        stdin="".join(
            [
                call("Read", file_path="a.py"),
                call("Edit", file_path="a.py", old_string="1", new_string="2"),
                call("rewrite_lines", path="b.py", new_content="y\n"),
                call("Bash", command="rm c.py\nls"),
            ]
        ).encode(),
    ).json
    assert [(step["path"], step["state"]) for step in plan["steps"]] == [
        ("a.py", "pending"),
        ("b.py", "invalid"),
    ]
    (refused,) = plan["steps"][1]["problems"]
    assert refused["code"] == "calls.unknown_tool" and "rewrite_lines" in refused["message"]
    codes = {problem["code"]: problem for problem in plan["problems"]}
    assert "rm c.py" in codes["calls.commands"]["message"]
    assert codes["calls.commands"]["severity"] == "warning"
    assert "Read" in codes["calls.left_out"]["message"]
    assert not plan.get("message") and "rm" not in plan["title"]
    shown = studio("show", plan["plan"], json=False).text
    assert "rm c.py" in shown and "rewrite_lines" in shown


def test_a_log_of_commands_alone_says_that_they_may_have_changed_files(studio: CommandLine) -> None:
    said = studio("submit", stdin=call("execute_command", command="git apply x.diff").encode())
    (problem,) = said.json["problems"]
    assert problem["code"] == "calls.no_edit"
    assert "git apply x.diff" in problem["message"] and "may have changed" in problem["message"]
