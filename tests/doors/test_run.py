"""`studio run`: a command writes what it likes, and a plan is all that comes of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from unittest.mock import Mock

import pytest

from studio.doors.connect import carry_out, client_of, plan_connection
from studio.doors.sandboxed_call import run_sandboxed
from studio.engine.disk.run_lock import RunLock
from studio.errors import TimedOut
from studio.program.app_folders import state_directory
from studio.workspace import Workspace
from tests.doors.awaited import soon
from tests.doors.conftest import CommandLine, set_configuration
from tests.engine.git_data.repositories import commit, git, init
from tests.engine.snapshot_store.folders import standing
from tests.tools.mounts import mounted
from tests.tools.sandboxed import WITHOUT_SPACES, container_root, opened


@pytest.fixture(autouse=True)
def files(project: Path) -> None:
    opened(project).close()
    (project / "a.txt").write_text("a\n")
    (project / "gone.txt").write_text("gone\n")


def test_a_tool_call_that_an_apply_keeps_waiting_is_no_disk_error(
    project: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = TimedOut("sandbox.busy", "Nothing was run.", "")
    monkeypatch.setattr(RunLock, "running", Mock(side_effect=late))
    with pytest.raises(TimedOut) as caught:
        run_sandboxed(workspace, workspace.proposer.open_session("a", "hook"), ["true"], str(project))
    assert caught.value is late


def test_what_a_command_changed_is_one_plan_and_nothing_on_the_disk(
    studio: CommandLine, project: Path
) -> None:
    before = standing(project)
    said = studio(
        "run", "--", "sh", "-c", "echo said; echo more >> a.txt; rm gone.txt; mkdir b; echo b > b/b"
    )
    assert said.code == 0, said
    plan, command = said.json, said.json["command"]
    assert {step["path"]: step["op"] for step in plan["steps"]} == {
        "a.txt": "modify", "gone.txt": "delete", "b/b": "create",
    }  # fmt: skip
    assert command["argv"][0] == "sh" and command["exit"] == 0 and not command["network"]
    assert command["way"] in ("namespace", "reflink", "copy") and command["ended_by"] == "itself"
    assert "said\n" in said.err and standing(project) == before
    assert "said" in studio("show", plan["plan"], json=False).text
    applied = studio.at_terminal("approve", plan["plan"], "--apply", typed=f"{plan['plan'][:8]}\n")
    assert applied.json["state"] == "completed"
    assert (project / "a.txt").read_text() == "a\nmore\n" and not (project / "gone.txt").exists()


def test_in_a_container_what_a_command_changed_is_one_plan_and_a_trial_sees_it(
    studio: CommandLine, project: Path
) -> None:
    container = ("--container", container_root())
    before = standing(project)
    said = studio("run", *container, "--", "sh", "-c", "id -u; echo more >> a.txt; rm gone.txt; exit 3")
    assert {step["path"]: step["op"] for step in said.json["steps"]} == {
        "a.txt": "modify", "gone.txt": "delete",
    }  # fmt: skip
    command = said.json["command"]
    assert (command["way"], command["exit"], command["network"]) == ("container", 3, False)
    script = "cat a.txt; test -e gone.txt || echo b > b.txt"
    tried = studio("try", said.json["plan"], "--propose", *container, "--", "sh", "-c", script)
    assert "a\nmore\n" in tried.err
    assert [step["path"] for step in tried.json["proposed"]["steps"]] == ["b.txt"]
    assert standing(project) == before
    none = studio("run", "--container", "localhost/no-such-image", "--", "true")
    assert none.error["code"] == "sandbox.image" and none.code == 1


def test_permissions_that_a_command_set_are_in_its_plan_or_reported(
    studio: CommandLine, project: Path
) -> None:
    set_configuration("review: {command_line: allow}")
    (project / "src").mkdir()
    (project / "src/b.sh").write_text("b\n")
    for name in ("a.txt", "gone.txt", "src/b.sh"):
        (project / name).chmod(0o644)
    script = """umask 027; echo token > token; chmod 600 token; echo all > all; chmod 666 all; echo run > run
        chmod 4755 run; echo read > read; chmod 444 read; echo more >> a.txt; chmod 600 a.txt gone.txt
        chmod 700 src; chmod 755 src/b.sh; mkdir -m 700 keys keys/deep keys/empty; mkdir -m 755 open
        echo key > keys/deep/key; echo open > open/file"""
    said = studio("run", "--", "sh", "-c", script)
    [refused] = [step for step in said.json["steps"] if step["state"] == "invalid"]
    assert (
        refused["problems"][0]["code"] == "target.mode" and "and 1 more" in refused["problems"][0]["message"]
    )
    steps = studio("show", said.json["plan"]).json["steps"]
    kept = {step["path"] for step in steps for fact in step["facts"] if fact["kind"] == "mode_unchanged"}
    assert kept == {"a.txt"}
    folders = {step["path"] for step in steps if step["op"] == "mkdir"}
    assert folders == {"keys", "keys/deep", "keys/empty"}, "of usual ones the files in them tell"
    assert studio("approve", said.json["plan"], "--apply").code == 0
    modes = {path.name: f"{path.stat().st_mode & 0o7777:o}" for path in project.rglob("*")}
    assert modes.items() >= {
        "token": "600", "all": "644", "run": "755", "read": "444",
        "a.txt": "644", "gone.txt": "644", "b.sh": "755",
        "keys": "700", "deep": "700", "empty": "700", "open": "755",
    }.items()  # fmt: skip
    assert studio("rollback", said.json["plan"]).code == 0 and not (project / "read").exists()
    alone = studio("run", "--", "chmod", "640", "a.txt").json
    assert [step["problems"][0]["code"] for step in alone["steps"]] == ["target.mode"]


@pytest.mark.process
def test_where_name_spaces_are_refused_bubblewrap_makes_them_and_that_is_said(
    studio: CommandLine, project: Path
) -> None:
    """As it is where the system's AppArmor gives them to that program alone."""
    before = standing(project)
    refused = (sys.executable, "-c", WITHOUT_SPACES)
    said = studio("run", "--", "sh", "-c", "echo more >> a.txt; echo b > /usr/b || mkdir c", prefix=refused)
    assert said.code == 0, said
    assert {step["path"]: step["op"] for step in said.json["steps"]} == {"a.txt": "modify", "c": "mkdir"}
    not_enforced = said.json["command"]["not_enforced"]
    assert any("bubblewrap makes the sandbox" in each for each in not_enforced)
    assert standing(project) == before
    tried = studio("try", said.json["plan"], "--", "sh", "-c", "cat a.txt; rm a.txt", prefix=refused)
    assert "more\n" in tried.text + tried.err and standing(project) == before
    doctor = studio("doctor", prefix=refused)
    assert "bubblewrap" in doctor.text


WITH_KEY = """
import ctypes, os, sys
call = ctypes.CDLL(None, use_errno=True).syscall
keyctl, add_key = {"x86_64": (250, 248), "aarch64": (219, 217)}[os.uname().machine]
call(keyctl, 1, None)
key = call(add_key, b"user", b"exacta-secret", b"x", ctypes.c_size_t(1), -3)
call(keyctl, 5, key, 0x3F000000)
# A container may refuse both calls: there is no key to see then.
assert key < 0 or "exacta-secret" in open("/proc/keys").read()
os.execvp(sys.argv[1], sys.argv[1:])
"""
"""A program that starts a command with a key in its session keyring, which only who has that keyring sees."""


@pytest.mark.process
def test_a_command_has_no_key_of_the_session(studio: CommandLine) -> None:
    """Also where bubblewrap makes the sandbox."""
    for spaces in ((), (sys.executable, "-c", WITHOUT_SPACES)):
        prefix = (sys.executable, "-c", WITH_KEY, *spaces)
        said = studio("run", "--", "cat", "/proc/keys", prefix=prefix)
        assert "keyring" in said.err and "exacta-secret" not in said.err, said


@pytest.mark.process
def test_a_command_that_fills_the_disk_is_ended_before(studio: CommandLine, tmp_path: Path) -> None:
    """By bytes or by files: where its changes lie this program's own data does, too."""
    for number, (size, fills) in enumerate(
        (
            ("size=544m", "cat /dev/zero > filler"),
            ("size=700m,nr_inodes=10200", "while :; do number=$((number+1)); : > filler-$number; done"),
        )
    ):
        disk = tmp_path / f"disk-{number}"
        disk.mkdir()
        prefix = mounted(f'mount -t tmpfs -o {size} x "$0"', disk)
        command, environment = f"echo b >> a.txt; {fills}; sleep 60", {"STUDIO_STATE_DIR": str(disk)}
        said = studio("run", "--", "sh", "-c", command, prefix=prefix, environment=environment)
        assert said.json["command"]["ended_by"] == "disk", said
        states = {step["path"]: step["state"] for step in said.json["steps"]}
        assert said.code == 0 and states["a.txt"] == "pending"
        assert states.get("filler", "invalid") == "invalid", "it is too large for any plan"


def test_what_it_prints_is_no_command_to_the_terminal(studio: CommandLine, project: Path) -> None:
    said = studio.printed_at_terminal("run", "--", "printf", r"\033]0;title\007\n", of="stderr")
    assert b"title" in said and b"\x1b]" not in said


def test_a_command_that_changes_nothing_or_fails_says_so(studio: CommandLine) -> None:
    said = studio("run", "--", "sh", "-c", "exit 7")
    assert (said.code, said.json["plan"], said.json["command"]["exit"]) == (0, None, 7)
    missing = studio("run", "--", "no-such-command-at-all")
    assert missing.code in (1, 4) and "no-such-command-at-all" in missing.error["message"]
    assert studio("run").code == 2


def test_time_is_over_and_what_was_written_is_proposed(studio: CommandLine, project: Path) -> None:
    said = studio("run", "--timeout", "1", "--", "sh", "-c", "echo new > new.txt; sleep 60")
    assert said.json["command"]["ended_by"] == "time" and said.json["command"]["exit"] is None
    assert [step["path"] for step in said.json["steps"]] == ["new.txt"]


def test_ctrl_c_ends_the_command_and_proposes_what_is_there(studio: CommandLine) -> None:
    def press() -> None:
        soon(lambda: [*(state_directory() / "sandbox").glob("*/upper/new.txt")])
        os.kill(os.getpid(), signal.SIGINT)

    pressing = threading.Thread(target=press)
    pressing.start()
    said = studio("run", "--", "sh", "-c", "echo new > new.txt; sleep 60")
    pressing.join()
    assert said.json["command"]["ended_by"] == "cancel"
    assert [step["path"] for step in said.json["steps"]] == ["new.txt"]


@pytest.mark.process
def test_what_others_change_meanwhile_is_no_change_of_a_command(studio: CommandLine, project: Path) -> None:
    """Bubblewrap makes a copy before 0.11; an overlay holds nothing else than what was written."""
    new = project.with_name("new")
    for folder, text in ((project / "src", "old\n"), (new, "by others\n")):
        (folder / "in").mkdir(parents=True)
        (folder / "in/b.txt").write_text(text)
    (new / "mine.txt").write_text("by others\n")
    script = "echo q > q; echo begun; sleep 60"
    running = studio.start("run", "--", "sh", "-c", script, prefix=(sys.executable, "-c", WITHOUT_SPACES))
    assert running.stderr is not None
    while b"begun" not in running.stderr.readline():
        pass
    (project / "src").rename(project.with_name("away"))
    new.rename(project / "src")
    (project / "gone.txt").unlink()
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=30)
    assert [step["path"] for step in json.loads(out)["steps"]] == ["q"]


def test_a_login_is_given_by_a_person_or_by_the_user_s_own_file(studio: CommandLine) -> None:
    home = Path(os.environ["HOME"])
    (home / ".codex").mkdir()
    (home / ".codex/auth.json").write_text("{}")
    words = ("run", "--login", "codex", "--", "sh", "-c", 'cp "$HOME/.codex/auth.json" seen.json')
    assert studio(*words).error["code"] == "needs_person"
    given = studio.at_terminal(*words, typed="codex\n")
    assert [step["path"] for step in given.json["steps"]] == ["seen.json"]
    set_configuration("sandbox: {logins: [codex]}")
    assert studio(*words).json["plan"]
    without = studio("run", "--", "sh", "-c", 'cat "$HOME/.codex/auth.json" > other.json')
    assert without.json["command"]["exit"] == 1


def test_a_login_remembered_in_another_folder_of_settings_counts_for_nothing(
    studio: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent could name one of its own; a person decided with the user's."""
    (Path.home() / ".qwen").mkdir()
    words = ("run", "--login", "qwen", "--", "true")
    plan = studio.submit({"op": "create", "path": "c", "content": "c"})["plan"]
    studio.at_terminal("approve", plan, typed=f"{plan[:8]}\n")
    set_configuration("sandbox: {logins: [qwen]}")
    assert studio(*words).code == 0
    (tmp_path / "other").mkdir()
    (tmp_path / "other/config.yaml").write_text("sandbox: {logins: [qwen]}\n")
    monkeypatch.setenv("STUDIO_CONFIG_DIR", str(tmp_path / "other"))
    assert studio(*words).error["code"] == "needs_person"


@pytest.mark.parametrize("agent", ["claude-code", "gemini", "qwen"])
def test_a_connected_agent_asks_no_gate_in_there(studio: CommandLine, agent: str) -> None:
    """It did not report: where it is missing an agent does nothing, and its own file stays as it is."""
    folder = {"claude-code": ".claude"}.get(agent, f".{agent}")
    settings = Path.home() / folder / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"theme": "dark"}\n')
    carry_out(plan_connection(client_of(agent)))
    connected = settings.read_bytes()
    set_configuration(f"sandbox: {{logins: [{agent}]}}")
    copying = (
        f"cp ~/{folder}/settings.json seen.json; echo x >> ~/{folder}/settings.json; echo > ~/{folder}/new"
    )
    said = studio("run", "--login", agent, "--", "sh", "-c", copying)
    assert said.json["command"]["exit"] == 0, said
    diff = studio("show", said.json["plan"], "--diff", json=False).text
    assert '+{"theme": "dark"}\n' in diff and "hook" not in diff
    assert settings.read_bytes() == connected != b'{"theme": "dark"}\n'


def test_what_the_user_hides_is_not_seen(studio: CommandLine, tmp_path: Path) -> None:
    private = Path("/srv") if Path("/srv").is_dir() else tmp_path
    set_configuration(f"sandbox: {{hide: [{private}]}}")
    said = studio("run", "--", "sh", "-c", f"ls -A {private} > listed.txt; wc -c < listed.txt")
    assert said.json["command"]["exit"] == 0 and "\n0\n" in f"\n{said.err}"


def test_an_apply_waits_for_the_command_to_end(
    studio: CommandLine, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "studio.doors.cli.console.interrupts.signal", Mock()
    )  # the main thread alone may set one
    plan = studio.submit({"op": "modify", "path": "a.txt", "content": "b\n"})["plan"]
    running = studio.begin("run", "--", "sh", "-c", "echo new > new.txt; sleep 60")
    soon(lambda: [*(state_directory() / "sandbox").glob("*/upper/new.txt")])
    began = time.monotonic()
    applied = studio.at_terminal("approve", plan, "--apply", typed=f"{plan[:8]}\n")
    assert applied.json["state"] == "completed" and time.monotonic() - began < 20
    assert "The command running in the sandbox will be stopped" in applied.err
    said = running.end()
    assert said.json["command"]["ended_by"] == "apply"
    assert [step["path"] for step in said.json["steps"]] == ["new.txt"]


AT_TERMINAL = """
import os, sys
os.login_tty(int(sys.argv[1]))
os.execv(sys.executable, [sys.executable, "-m", "studio", *sys.argv[2:]])
"""


def test_enter_at_the_terminal_proposes_what_is_there_so_far(studio: CommandLine, project: Path) -> None:
    script = "echo one > one.txt; echo begun; while ! test -e two.txt; do sleep 0.1; done; echo seen"
    ours, terminal = os.openpty()
    words = [
        sys.executable,
        "-c",
        AT_TERMINAL,
        str(terminal),
        "run",
        "--timeout",
        "60",
        "--",
        "sh",
        "-c",
        script,
    ]
    running = subprocess.Popen(words, cwd=project, pass_fds=(terminal,))
    os.close(terminal)
    shown = b""

    def read_until(wanted: bytes) -> None:
        nonlocal shown
        while wanted not in shown:
            shown += os.read(ours, 4096)

    try:
        read_until(b"begun")
        os.write(ours, b"\n")
        read_until(b"so far: 1 step.")
        [plan] = studio("plans").json["plans"]
        assert [step["path"] for step in plan["steps"]] == ["one.txt"] and plan["agent"] == "sh"
        assert not (project / "one.txt").exists()
        os.write(ours, b"\x03")
        assert running.wait(30) in (0, 130)
    finally:
        running.kill()
        running.wait()
        os.close(ours)
    [same] = studio("plans").json["plans"]
    assert (same["plan"], same["version"]) == (plan["plan"], plan["version"])
    assert "was stopped by hand" in studio("show", same["plan"]).json["message"]


def test_what_is_ignored_or_denied_is_counted_and_listed_on_demand(
    studio: CommandLine, project: Path
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    (project / ".gitignore").write_text("build/\n*.log\n")
    script = "mkdir build; echo x > build/out; echo y > a.log; echo z > .env; echo more >> a.txt"
    plan = studio("run", "--", "sh", "-c", script).json
    assert [step["path"] for step in plan["steps"]] == ["a.txt"]
    [remark] = [problem for problem in plan["problems"] if problem["code"] == "tree.left_out"]
    assert "2 ignored by git" in remark["message"] and "1 denied by a rule" in remark["message"]
    listed = studio("show", plan["plan"], "--left-out")
    assert {(each["path"], each["why"]) for each in listed.json["left_out"]} == {
        ("build/", "ignored by git"),
        ("a.log", "ignored by git"),
        (".env", "denied by a rule"),
    }
    assert "build/  ignored by git" in studio("show", plan["plan"], "--left-out", json=False).text


@pytest.mark.parametrize(
    "command",
    ["update-index --split-index", "sparse-checkout set --cone --sparse-index src"],
    ids=["split", "sparse"],
)
def test_an_ignored_folder_is_left_out_with_an_index_that_libgit2_refuses(
    studio: CommandLine, project: Path, command: str
) -> None:
    init(project)
    commit(project, {".gitignore": "out/\n", "src/a.txt": "1\n", "lib/b.txt": "", "src/out/known": ""})
    git(project, *command.split())
    script = "mkdir -p out; echo x > out/made; echo x > src/out/known; echo 2 > src/a.txt"
    plan = studio("run", "--", "sh", "-c", script).json
    assert {step["path"] for step in plan["steps"]} == {"src/a.txt", "src/out/known"}
    [remark] = [problem for problem in plan["problems"] if problem["code"] == "tree.left_out"]
    assert "1 ignored by git" in remark["message"]
