"""What goes wrong: one sentence with what, where and what to do, an exit code, nothing lost."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from studio.doors.cli.commands.demo import prepare_demo
from studio.doors.cli.console.output import run_with_output
from studio.doors.cli.main import run
from studio.errors import StudioError
from tests.doors.conftest import CommandLine, plan_text, set_review
from tests.tools.mounts import mounted, mounted_full, mounted_read_only

CREATE = {"op": "create", "path": "new.txt", "content": "new\n"}
BINARY = (
    b"diff --git a/x.png b/x.png\nindex 1234567..89abcde 100644\nBinary files a/x.png and b/x.png differ\n"
)


# Runs where the disk is mounted: submits and approves with room, applies without, and then with room again.
_FILL_AND_APPLY = """
import json, os, subprocess, sys
os.chdir(sys.argv[1])
text = sys.stdin.buffer.read()

def studio(*words):
    command = [sys.executable, "-m", "studio", "--project", ".", "--json", *words]
    done = subprocess.run(command, input=text, capture_output=True)
    return done.returncode, json.loads(done.stdout)

code, plan = studio("submit")
studio("approve", plan["plan"])
with open("filler", "wb") as filler:
    filler.write(bytes(400_000))
before = sorted(os.listdir("."))
code, document = studio("apply", plan["plan"])
after = sorted(os.listdir("."))
os.unlink("filler")
again, _ = studio("apply", plan["plan"])
big = os.path.getsize("big.txt")
print(json.dumps({"code": code, "document": document, "files_before": before, "files_after": after,
                  "code_with_room": again, "big": big}))
"""


@pytest.fixture(autouse=True)
def files(project: Path) -> None:
    (project / "a.txt").write_bytes(b"one\ntwo\n")


@pytest.fixture
def store_file(studio: CommandLine) -> Path:
    """The database of the project, made by a first plan."""
    studio.submit(CREATE)
    return next(Path(os.environ["STUDIO_STATE_DIR"]).glob("*/store.sqlite3"))


class TestTexts:
    @pytest.mark.parametrize(
        ("text", "code", "path"),
        [
            (b"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-three\n+drei\n", "patch.does_not_match", "a.txt"),
            (BINARY, "file.binary", "x.png"),
            (plan_text({**CREATE, "path": "../out.txt"}), "name.climbs", "../out.txt"),
            (plan_text({**CREATE, "path": "/etc/x"}), "name.absolute", "/etc/x"),
            (plan_text({**CREATE, "path": ".git/hooks/pre-commit"}), "policy.denied", ".git"),
            (plan_text({"op": "delete", "path": "gone.txt"}), "target.missing", "gone.txt"),
        ],
    )
    def test_a_step_that_can_not_be_taken(
        self, studio: CommandLine, text: bytes, code: str, path: str
    ) -> None:
        said = studio("submit", stdin=text)
        assert said.code == 1
        assert said.json["state"] == "invalid"
        (step,) = said.json["steps"]
        assert step["state"] == "invalid"
        problem = step["problems"][0]
        assert problem["code"] == code
        assert problem["hint"]
        told = studio("show", said.json["plan"], json=False).text
        assert path in told
        assert problem["hint"] in told
        assert studio("plans", "--state", "pending").json == {"plans": []}

    def test_a_patch_that_does_not_match_says_where(self, studio: CommandLine) -> None:
        diff = b"--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-three\n+drei\n"
        (problem,) = studio("submit", stdin=diff).json["steps"][0]["problems"]
        assert (problem["at"], problem["line"]) == ("target", 2)

    @pytest.mark.parametrize(
        "text",
        [
            b"just words\n",
            b'{"title": "x", "steps": ',
            b"@@ -1 +1 @@\n-a\n+b\n",
            b"GIT binary patch",
            b'Binary files "a/x and b/x differ\n',
            b"It says:\n\nGIT binary patch: how it is read\n",
        ],
    )
    def test_a_text_of_no_format_is_kept_as_an_invalid_plan(self, studio: CommandLine, text: bytes) -> None:
        said = studio("submit", stdin=text)
        assert (said.code, said.json["state"]) == (1, "invalid")
        assert said.json["problems"][0]["message"]
        assert len(studio("plans", "--state", "invalid").json["plans"]) == 1

    def test_a_file_that_can_not_be_read_stores_nothing(self, studio: CommandLine, tmp_path: Path) -> None:
        (tmp_path / "empty.diff").write_bytes(b" \n")
        (tmp_path / "folder.diff").mkdir()
        cases = [("empty.diff", 1), ("folder.diff", 1), ("missing.diff", 4)]
        for name, code in cases:
            said = studio("submit", tmp_path / name)
            assert said.code == code, name
            assert name in said.error["message"]
            told = studio("submit", tmp_path / name, json=False)
            assert (told.code, told.out) == (code, b"")
            assert told.err.startswith("studio: ")
        assert studio("submit", "-", stdin=b"").code == 1
        assert studio("plans").json == {"plans": []}

    def test_one_bad_file_of_several_stores_nothing(self, studio: CommandLine, tmp_path: Path) -> None:
        (tmp_path / "good.json").write_bytes(plan_text(CREATE))
        assert studio("submit", tmp_path / "good.json", tmp_path / "missing.json").code == 4
        assert studio("plans").json == {"plans": []}


class TestUsage:
    @pytest.mark.parametrize(
        "words",
        [
            ("submit", "--format", "nonsense"),
            ("submit", "--wait", "soon"),
            ("submit", "--wait", "-1"),
            ("submit", "--unknown"),
            ("show",),
            ("show", "abc"),
            ("wait", "abcd", "--until", "tuesday"),
            ("approve", "abcd", "--step", "0"),
            ("approve", "abcd", "--step", "x"),
            ("check",),
            ("plans", "extra"),
            ("history", "--project"),
        ],
    )
    def test_usage_errors_are_sentences(self, studio: CommandLine, words: tuple[str, ...]) -> None:
        said = studio(*words, stdin=plan_text(CREATE))
        assert said.code == 2, said
        assert said.error
        told = studio(*words, json=False, stdin=plan_text(CREATE))
        assert (told.code, told.out) == (2, b"")
        assert told.err.count("\n") == 1
        assert studio("plans").json == {"plans": []}

    def test_help(self, studio: CommandLine) -> None:
        assert "submit" in studio("submit", "--help", json=False).text

    def test_a_reader_that_goes_away_is_no_error(self, studio: CommandLine) -> None:
        studio.submit(CREATE)
        reading = studio.stream("plans")
        reading.hang_up()
        assert reading.ended() == (0, "")


class TestRoot:
    def test_a_root_that_is_missing_or_a_file(self, studio: CommandLine, project: Path) -> None:
        for folder in (project / "missing", project / "a.txt"):
            said = studio("--project", folder, "plans")
            assert said.code == 4
            assert folder.name in said.error["message"]

    @pytest.mark.parametrize("folder", ["/", "/etc", "/usr", "/proc", "~"])
    def test_a_root_that_is_refused(self, studio: CommandLine, folder: str) -> None:
        root = Path(folder).expanduser()
        for words in (("plans",), ("submit",), ("check", "x")):
            said = studio("--project", root, *words, stdin=plan_text(CREATE))
            assert (said.code, said.error["code"]) == (1, "root.refused")
        assert not list(Path(os.environ["STUDIO_STATE_DIR"]).iterdir())

    def test_the_nearest_project_is_found_upwards(self, studio: CommandLine, project: Path) -> None:
        (project / "deep" / "er").mkdir(parents=True)
        studio.submit(CREATE)
        assert len(studio("plans", cwd=project / "deep" / "er").json["plans"]) == 1
        # A folder that is named is taken as it is.
        assert studio("--project", ".", "plans", cwd=project / "deep").json == {"plans": []}


class TestConfiguration:
    @pytest.mark.parametrize(
        ("text", "line", "key"),
        [
            ("schema_version: 1\nlimits: {steps: many}\n", 2, "limits.steps"),
            ("review:\n  command_line: perhaps\n", 2, "review.command_line"),
            ("file_rules: {deny: 3}\n", 1, "file_rules.deny"),
            ("schema_version: 2\n", 1, "schema_version"),
        ],
    )
    def test_errors_name_file_line_and_key(self, studio: CommandLine, text: str, line: int, key: str) -> None:
        file = Path(os.environ["STUDIO_CONFIG_DIR"], "config.yaml")
        file.write_text(text)
        for words in (("plans",), ("submit",), ("check", "x")):
            said = studio(*words, stdin=plan_text(CREATE))
            assert said.code == 1, said
            assert f"config.yaml, line {line}, {key}" in said.error["message"]
        (problem,) = said.json["error"]["problems"]
        assert problem["line"] == line

    def test_a_key_that_is_not_known_is_a_warning(self, studio: CommandLine, project: Path) -> None:
        (project / "studio.yaml").write_text("limts: {steps: 3}\n")
        said = studio("plans")
        assert said.code == 0
        assert "studio.yaml, line 1, limts" in said.err


class TestDisk:
    @pytest.mark.process
    def test_a_state_folder_that_can_not_be_written(self, studio: CommandLine) -> None:
        """One that is read-only, and one on a full disk."""
        state = Path(os.environ["STUDIO_STATE_DIR"])
        assert studio("plans").code == 0
        folder = next(state.glob("*"))
        for mount in (mounted_read_only, mounted_full):
            before = (folder / "store.sqlite3").read_bytes()
            said = studio("submit", prefix=mount(state), stdin=plan_text(CREATE))
            assert said.code == 1, said
            assert str(state) in said.error["message"]
            # SQLite meets a full disk in more than one way: no room for a page, or for its shared memory.
            assert said.error["code"] in ("state.unusable", "state.full")
            assert (folder / "store.sqlite3").read_bytes() == before
            assert studio("plans").json == {"plans": []}
            assert not list(state.glob("*/*damaged*"))

    @pytest.mark.process
    def test_a_project_on_a_full_disk(self, studio: CommandLine, tmp_path: Path) -> None:
        set_review("allow")
        (tmp_path / "disk").mkdir()
        steps = ({**CREATE, "path": "big.txt", "content": ("x" * 60 + "\n") * 5000}, CREATE)
        prefix = mounted('mount -t tmpfs -o size=600k x "$0"', tmp_path / "disk")
        driver = (sys.executable, "-c", _FILL_AND_APPLY, str(tmp_path / "disk"))
        done = subprocess.run(
            [*prefix, *driver], input=plan_text(*steps), capture_output=True, check=True, cwd=tmp_path
        )
        told = json.loads(done.stdout)
        assert told["code"] == 1, told
        assert "full" in told["document"]["error"]["message"]
        assert told["files_before"] == told["files_after"]
        assert told["code_with_room"] == 0
        assert told["big"] == 305_000

    @pytest.mark.process
    def test_a_project_on_a_read_only_disk(self, studio: CommandLine, project: Path) -> None:
        """Every obstacle is told at once, and the plan can be applied where there is none."""
        set_review("allow")
        mounted = mounted_read_only(project)
        delete = {"op": "delete", "path": "a.txt"}
        plan = studio("submit", prefix=mounted, stdin=plan_text(CREATE, delete)).json["plan"]
        assert studio("approve", plan).code == 0
        said = studio("apply", plan, prefix=mounted)
        assert said.code == 1
        assert "new.txt" in said.error["message"]
        assert {problem["step"] for problem in said.error["problems"]} == {1, 2}
        assert studio("show", plan).json["state"] == "approved"
        assert studio("apply", plan).code == 0


class TestStore:
    @pytest.mark.parametrize("damage", ["header", "middle", "text"])
    def test_a_damaged_store_is_set_aside(self, studio: CommandLine, store_file: Path, damage: str) -> None:
        data = store_file.read_bytes()
        places = {"header": 0, "middle": len(data) // 2 // 4096 * 4096, "text": 0}
        start = places[damage]
        broken = (
            b"not a database\n" if damage == "text" else data[:start] + b"\xff" * 4096 + data[start + 4096 :]
        )
        store_file.write_bytes(broken)
        said = studio("plans")
        assert said.code == 0, said
        assert said.json == {"plans": []}
        (aside,) = store_file.parent.glob("store.sqlite3.damaged-*Z")
        assert aside.read_bytes() == broken
        assert aside.name in said.err
        assert studio("submit", stdin=plan_text(CREATE)).code == 0
        again = studio("plans")
        assert (again.err, len(again.json["plans"])) == ("", 1)

    def test_a_newer_store_is_read_and_not_written(self, studio: CommandLine, store_file: Path) -> None:
        set_review("allow")
        plan = studio("plans").json["plans"][0]["plan"]
        other = studio.submit({**CREATE, "path": "other.txt"})["plan"]
        assert studio("approve", other, "--apply").code == 0
        with sqlite3.connect(store_file) as connection:
            connection.execute("PRAGMA user_version = 999")
        connection.close()
        before = store_file.read_bytes()
        for words in (("plans",), ("show", plan, "--diff"), ("history",), ("check", "x"), ("wait", other)):
            said = studio(*words)
            assert said.code == 0, (words, said)
            assert "newer" in said.err
        assert studio("wait", plan, "--timeout", "0").code == 5
        assert studio("rollback", other, "--dry-run").code == 0
        writing = [
            ("submit",),
            ("withdraw", plan),
            ("approve", plan),
            ("reject", plan, "--reason", "no"),
            ("rollback", other),
        ]
        for words in writing:
            said = studio(*words, stdin=plan_text({**CREATE, "path": "third.txt"}))
            assert (said.code, said.error["code"]) == (1, "store_newer"), (words, said)
        assert store_file.read_bytes() == before
        assert (studio.project / "other.txt").exists()
        assert not list(store_file.parent.glob("*damaged*"))


@pytest.mark.parametrize("name", ["inside/demo", "link", "link/demo"])
def test_the_demo_is_copied_into_no_project(project: Path, tmp_path: Path, name: str) -> None:
    """Neither beneath a project, nor through a link."""
    (tmp_path / "link").symlink_to(project / "empty")
    (project / "empty").mkdir()
    folder = project / name if name.startswith("inside") else tmp_path / name
    with pytest.raises(StudioError):
        prepare_demo(folder)
    assert not (project / "inside").exists() and not list((project / "empty").iterdir())


CLOSED = {"<&-": ["stdin"], ">&-": ["stdout"], ">&- 2>&-": ["stdout", "stderr"]}
CLOSED["<&- >&- 2>&-"] = ["stdin", *CLOSED[">&- 2>&-"]]


@pytest.mark.parametrize("words", [("plans",), ("connect", "mcp"), ("doctor",), ("hook", "codex"), ("mcp",)])
def test_streams_that_are_closed(
    words: tuple[str, ...], project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sentence and no internal error; what has no way to answer an agent answers no. What Python makes of a
    closed stream is None."""
    monkeypatch.chdir(project)
    for closed, names in CLOSED.items():
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", TextIOWrapper(BytesIO()))
            patch.setattr("studio.doors.cli.commands.hook.watch_parent", lambda _process: threading.Event())
            for name in names:
                patch.setattr(sys, name, None)
            code = run_with_output(lambda: run(words))
        out, err = capsys.readouterr()
        is_no = {"hook": 2, "mcp": 1}.get(words[0], 0 if closed == "<&-" else 1)
        assert (code, out.count("\n") > 0) == (is_no, is_no == 0), (closed, out, err)
        assert "Traceback" not in err and "went wrong" not in err
        assert bool(err) is (is_no != 0 and "2>&-" not in closed) or words[0] == "connect"


@pytest.mark.process
def test_a_process_without_any_stream(studio: CommandLine) -> None:
    """A handle of its own must not take the number of one of them."""
    said = studio("plans", json=False, prefix=("sh", "-c", 'exec "$0" "$@" <&- >&- 2>&-'))
    assert (said.code, said.out, said.err) == (1, b"", "")
