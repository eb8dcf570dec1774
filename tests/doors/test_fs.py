"""`studio fs`: the file tool on the command line; its changes become plans."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
from datetime import datetime
from pathlib import Path

import pytest

from studio.doors.cli.commands.fs import OPERATIONS
from studio.doors.cli.main import run
from studio.extras.tools import FileSystemTool, operation_named
from tests.doors.conftest import CommandLine, set_configuration
from tests.extras.tools.truth import Cell, call_of, cells, codes, lay_out, word_for

WORDS = {name: word for word, name in OPERATIONS.items()}
CELLS = [cell for cell in cells() if cell.section == "a session's files"]


def words_of(name: str, given: dict[str, object]) -> list[str]:
    """The command line that says what a call says."""
    places, options = list[str](), list[str]()
    for parameter in operation_named(name).parameters:
        if parameter.name not in given:
            continue
        value = given[parameter.name]
        if parameter.is_required and parameter.name != "content":
            places.insert(0 if parameter.name == "text" else len(places), str(value))
        else:
            flag = parameter.name.replace("_", "-")
            options += [f"--{flag}"] if value is True else [f"--{flag}", str(value)]
    return ["fs", WORDS[name], *options, "--", *places]


def answered(cell: Cell, printed: pytest.CaptureFixture[bytes]) -> str:
    """What the command says, in this process: two hundred of their own would take a minute."""
    name, given = call_of(cell)
    run(["--json", *words_of(name, given)])
    said = json.loads(printed.readouterr().out)
    if "error" in said:
        found = [word for word, code in codes().items() if code == said["error"]["code"]]
        return cell.expected if cell.expected in found else said["error"]["code"]
    return word_for(cell.operation, said)


def test_each_cell_of_the_table_of_truth(
    project: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The very table that the tool in Python is held to; each cell that differs is named."""
    lay_out(project)
    monkeypatch.chdir(project)
    found = {str(cell): answered(cell, capsysbinary) for cell in CELLS}
    assert found == {str(cell): cell.expected for cell in CELLS}


def test_what_changes_joins_the_plan_of_the_session(studio: CommandLine, project: Path) -> None:
    """A session of the command line is the agent and the name; without a name each command is its own."""
    (project / "a.txt").write_text("one\n")
    named = ("--agent", "codex", "--session", "s1")
    first = studio("fs", "write", "deep/b.txt", *named, stdin=b"b\n").json
    second = studio("fs", "append", "a.txt", "--content", "two\n", *named).json
    assert first["state"] == second["state"] == "pending" and first["plan"] == second["plan"]
    assert studio("fs", "read", "a.txt", *named).json["content"] == "one\ntwo\n", "it sees its own changes"
    assert studio("fs", "read", "a.txt").json["content"] == "one\n"
    assert not (project / "deep").exists() and (project / "a.txt").read_text() == "one\n"
    (plan,) = studio("plans").json["plans"]
    assert sorted((step["op"], step["path"]) for step in plan["steps"]) == [
        ("create", "deep/b.txt"),
        ("modify", "a.txt"),
    ]


@pytest.mark.process
def test_commands_of_one_session_at_once_join_one_plan(studio: CommandLine, project: Path) -> None:
    """Each process would begin a plan of its own, if it did not look again before it is stored."""
    words = ("--agent", "codex", "--session", "s1", "--content", "x")
    running = [studio.start("fs", "write", f"{number}.txt", *words) for number in range(6)]
    for process in running:
        process.communicate()
        assert process.returncode == 0
    (plan,) = studio("plans").json["plans"]
    assert sorted(step["path"] for step in plan["steps"]) == [f"{number}.txt" for number in range(6)]


def test_a_command_that_proposes_nothing_leaves_no_session(studio: CommandLine, project: Path) -> None:
    (project / "a.txt").write_text("one\n")
    for _ in range(2):
        assert studio("fs", "read", "a.txt").code == 0
    assert studio("fs", "read", "missing.txt").code == 4
    assert studio("sessions").json["sessions"] == []
    studio("fs", "write", "b.txt", stdin=b"b\n")
    studio("fs", "read", "a.txt", "--session", "named")
    plans = [len(found["plans"]) for found in studio("sessions").json["sessions"]]
    assert plans == [1, 0], "its name may be used again"


def test_the_name_of_a_session_may_stand_in_the_environment(
    studio: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_SESSION", "from outside")
    first = studio("fs", "mkdir", "a").json["plan"]
    assert studio("fs", "mkdir", "b").json["plan"] == first


def test_it_prints_what_people_and_pipes_want(studio: CommandLine, project: Path) -> None:
    (project / "deep").mkdir()
    (project / "deep/a.txt").write_text("one\ntwo\n")
    said = {
        word: studio("fs", *words, json=False)
        for word, words in {
            "read": ["read", "deep/a.txt"],
            "list": ["list", "--recursive"],
            "tree": ["tree"],
            "search": ["search", "t.o"],
            "exists": ["exists", "deep"],
            "gone": ["exists", "none"],
            "some": ["read", "deep/a.txt", "--max-lines", "1"],
        }.items()
    }
    assert said["read"].text == "one\ntwo\n"
    assert said["list"].text.splitlines() == ["deep/", "deep/a.txt"]
    assert said["tree"].text.splitlines() == ["deep/", "  a.txt"]
    assert said["search"].text == "deep/a.txt:2:two\n"
    assert (said["exists"].text, said["exists"].code) == ("yes\n", 0)
    assert (said["gone"].text, said["gone"].code) == ("no\n", 4)
    assert said["some"].text == "one\n" and "output truncated" in said["some"].err


def test_bad_input_is_a_sentence(studio: CommandLine, project: Path) -> None:
    (project / "a.txt").write_text("one\n")
    assert studio("fs", "write", "a.txt", stdin=b"\xff").error["code"] == "fs.not_utf8"
    assert studio("fs", "write", "a.txt", "--no-overwrite", "--content", "x").error["code"] == "fs.exists"
    assert studio("fs", "read", "a.txt", "--max-lines", "-1").error["code"] == "tool.argument"
    assert studio("fs", "read", "../a.txt").code == 1
    assert studio("fs", "burn", "a.txt").code == 2
    assert studio("plans").json == {"plans": []}


def test_many_operations_become_one_plan_or_none(studio: CommandLine, project: Path) -> None:
    """`fs bulk`: from standard input or a file, whole or not at all, in one session."""
    (project / "a.txt").write_text("one\n")
    asked: list[dict[str, object]] = [
        {"operation": "read_file", "file_path": "a.txt"},
        {"operation": "write_file", "file_path": "b.txt", "content": "two\n"},
        {"operation": "append_file", "file_path": "a.txt", "content": "more\n"},
        {"operation": "read_file", "file_path": "a.txt"},
    ]
    (project.parent / "asked.json").write_text(json.dumps(asked))
    done = studio("fs", "bulk", "../asked.json", "--agent", "codex").json
    contents = [item["result"].get("content") for item in done["items"] if item["operation"] == "read_file"]
    assert contents == ["one\n", "one\nmore\n"] and done["state"] == "pending"
    (plan,) = studio("plans").json["plans"]
    assert plan["plan"] == done["plan"] and len(plan["steps"]) == 2 and not (project / "b.txt").exists()

    asked.append({"operation": "delete_file", "path": "missing.txt"})
    asked[1]["file_path"] = "c.txt"
    assert studio("fs", "bulk", stdin=json.dumps(asked).encode()).code == 4
    assert len(studio("plans").json["plans"]) == 1, "none of it was proposed"
    reads = json.dumps([asked[0], {**asked[0], "file_path": "x"}]).encode()
    lines = studio("fs", "bulk", stdin=reads, json=False)
    assert lines.code == 1 and lines.text.startswith("read_file a.txt\nread_file: ")


@pytest.mark.parametrize(
    ("stdin", "code", "exit_code"),
    [
        (b"", "fs.no_operations", 1),
        (b"[" * 100_000, "fs.no_operations", 1),
        (b"\xff", "fs.not_utf8", 1),
        (b"{}", "tool.argument", 2),
        (b"[1]", "tool.argument", 2),
        (b'[{"operation": "burn"}]', "tool.operation", 2),
        (b'[{"operation": "bulk_operations", "operations": []}]', "tool.argument", 2),
    ],
)
def test_what_is_no_list_of_operations(studio: CommandLine, stdin: bytes, code: str, exit_code: int) -> None:
    said = studio("fs", "bulk", stdin=stdin)
    assert (said.error["code"], said.code) == (code, exit_code)
    assert studio("sessions").json == {"sessions": []} and studio("fs", "bulk", "gone.json").code == 4


def test_the_description_is_that_of_the_tool() -> None:
    """No parameter of the tool is missing on the command line."""
    for name in OPERATIONS.values():
        operation = operation_named(name)
        taken = inspect.signature(getattr(FileSystemTool, operation.method)).parameters
        assert {parameter.name for parameter in operation.parameters} <= set(taken), name


def test_a_reader_that_goes_away_is_no_error(studio: CommandLine, project: Path) -> None:
    (project / "large.txt").write_text("a line\n" * 200_000)
    reading = studio.stream("fs", "read", "large.txt")
    assert reading.line() == b"a line\n"
    reading.hang_up()
    assert reading.ended() == (0, "")


def test_a_terminal_does_not_obey_what_a_file_holds(studio: CommandLine, project: Path) -> None:
    (project / "a.txt").write_bytes(b"\x1b[2Jone\ttwo\n\x1b]0;title\x07three\n")
    assert studio("fs", "read", "a.txt", json=False).out == b"\x1b[2Jone\ttwo\n\x1b]0;title\x07three\n"
    shown = studio.printed_at_terminal("fs", "read", "a.txt")
    assert b"\x1b" not in shown and b"one\ttwo" in shown, shown
    shown = studio.printed_at_terminal("fs", "search", "one")
    assert b"\x1b" not in shown and b"one" in shown, shown


def test_a_folder_that_the_user_allows_is_read_and_never_written(
    studio: CommandLine, project: Path, tmp_path: Path
) -> None:
    """Without the setting it is refused; a bad variable in it is an error of the configuration."""
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "base.txt").write_text("base\n")
    assert studio("fs", "read", shared / "base.txt").code == 1
    set_configuration("tool_configuration: {file_system: {allowed_directories: ['.', '../shared']}}")
    assert studio("fs", "read", shared / "base.txt").json["content"] == "base\n"
    assert studio("fs", "copy", shared / "base.txt", "base.txt").json["state"] == "pending"
    set_configuration(
        "tool_configuration: {file_system: {allowed_directories: ['.', {path: ../shared, write: true}]}}"
    )
    assert "write: true has no effect" in str(studio("config", "show").json)
    refused = studio("fs", "write", shared / "base.txt", "--content", "new\n")
    assert (refused.code, refused.json["error"]["code"]) == (1, "tool.elsewhere")
    assert (shared / "base.txt").read_text() == "base\n"
    set_configuration("tool_configuration: {file_system: {allowed_directories: ['${GONE_FROM_HERE}/x']}}")
    assert "GONE_FROM_HERE is not set" in studio("fs", "read", "base.txt").json["error"]["message"]


def test_a_folder_is_looked_through_and_a_file_told_of(studio: CommandLine, project: Path) -> None:
    """Pattern, depth, hidden files, and the mark that there is more; encoding, checksum and lines of a file;
    and a folder that is deleted is counted in the plan."""
    for path in ("src/a.py", "src/deep/b.py", "src/.hidden.py", "src/c.txt"):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_bytes("é\n".encode("utf-16"))

    def listed(*words: str) -> list[str]:
        found = studio("fs", "list", "src", "--pattern", "*.py", *words).json
        return [item["path"].removeprefix("src/") for item in found["items"]]

    assert listed() == ["a.py"] and listed("--recursive") == ["a.py", "deep/b.py"]
    assert listed("--recursive", "--include-hidden") == [".hidden.py", "a.py", "deep/b.py"]
    told = studio("fs", "read", "src/a.py").json
    assert (told["encoding"], told["lineCount"], len(told["checksum"])) == ("utf-16-le", 1, 64)
    plan = studio("fs", "delete", "src", "--recursive").json["plan"]
    assert len(studio("show", plan).json["steps"]) == 6
    set_configuration("limits: {steps: 2}")
    cut = studio("fs", "list", "src", "--include-hidden", json=False)
    assert "output truncated; there are more results" in cut.err


OPTIONS = {
    "list": ["src", "a.txt"],
    "list --no-recursive": ["src", "a.txt"],
    "list --recursive": ["src", "src/deep", "a.txt", "src/b.txt", "src/deep/c.txt"],
    "list --recursive --max-depth 1": ["src", "a.txt"],
    "list --include-hidden": ["src", ".hidden", "a.txt"],
    "tree --max-depth 1 --no-include-hidden": ["src", "a.txt"],
    "read a.txt --skip-lines 1": "two\nthree\n",
    "read a.txt --max-lines 1": "one\n",
    "read 1252.txt --encoding windows-1252": "\u20ac",
    "read 1252.txt --encoding ascii": "text.uneditable",
    "read big.txt --max-size-mb 1": "policy.denied",
    "read big.txt --max-size-mb 2 --max-lines 1": "x\n",
    "search one --max-matches 1": ["a.txt"],
    "search one --pattern b*": ["src/b.txt"],
    "copy a.txt src/b.txt --no-overwrite": "fs.exists",
    "copy a.txt src/b.txt --overwrite": "pending",
    "move a.txt src/b.txt --no-overwrite": "fs.exists",
    "move a.txt src/b.txt --overwrite": "pending",
    "write a.txt --no-overwrite --content x": "fs.exists",
    "write a.txt --overwrite --content x": "pending",
    "write new.txt --encoding utf-16-be --content x": "pending",
    "append 1252.txt --encoding windows-1252 --content x": "pending",
    "delete src --no-recursive": "fs.not_empty",
    "delete src --recursive": "pending",
    "mkdir deep/er --no-recursive": "fs.no_folder",
    "mkdir deep/er --recursive": "pending",
}
"""What each option makes of the answer: paths, a text, a state or the code of an error."""


@pytest.mark.parametrize("words", OPTIONS)
def test_each_option_does_what_its_help_says(
    project: Path, words: str, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = {"a.txt": b"one\ntwo\nthree\n", "src/b.txt": b"one\n", "src/deep/c.txt": b"", ".hidden": b""}
    if "big" in words:
        contents["big.txt"] = b"x\n" * 600_000
    if "1252" in words:
        contents["1252.txt"] = b"\x80"
    for path, content in contents.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_bytes(content)
    monkeypatch.chdir(project)
    run(["--json", "fs", *words.split()])
    said = json.loads(capsysbinary.readouterr().out)
    if "error" in said:
        assert said["error"]["code"] == OPTIONS[words]
    elif "items" in said or "matches" in said:
        assert [each["path"] for each in said.get("items", said.get("matches"))] == OPTIONS[words]
    else:
        assert said.get("content", said.get("state")) == OPTIONS[words]


def test_when_a_file_was_made_is_what_the_disk_says(studio: CommandLine, project: Path) -> None:
    """Python 3.11 has no statx; a disk that keeps no such time answers null."""
    (project / "a.txt").write_text("one\n")
    os.utime(project / "a.txt", (1, 1))
    born = subprocess.run(
        ["stat", "--format=%W", "a.txt"], cwd=project, check=True, capture_output=True, text=True
    ).stdout.strip()
    created = studio("fs", "info", "a.txt").json["created"]
    listed = studio("fs", "list", ".").json["items"]
    assert {item["created"] for item in listed if item["name"] == "a.txt"} == {created}
    if born in ("0", "-", "?"):
        assert created is None
    else:
        assert int(datetime.fromisoformat(created).timestamp()) == int(born)
