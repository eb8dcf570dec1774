"""What of the home, the machine and the variables reaches a command."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from studio.extras.sandbox import Command, SandboxRefused
from studio.limits import SANDBOX_LOGIN_BYTES
from studio.system import isolation
from tests.tools.sandboxed import PYTHON, opened, state_of

pytestmark = pytest.mark.root


@pytest.fixture
def home(private_folders: Path) -> Path:
    folder = private_folders / "home"
    for name in (
        *(".cargo/bin/tool", ".cargo/credentials.toml", ".rustup/toolchain", ".local/bin/script"),
        *(".local/share/notes", ".local/share/claude/versions/2"),
        *(".venvs/work/bin/python", ".venvs/work/pyvenv.cfg"),
        *("go/bin/gopls", "go/notes"),
        *(".codex/auth.json", ".codex/sessions/old", ".ssh/id", ".claude.json"),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"of {name}\n")
    return folder


def seen(project: Path, home: Path, *logins: str) -> dict[str, str]:
    """Each file of the home, and what it holds, as a command sees it."""
    command = 'cd && find . -type f | while read -r name; do echo "$name=$(cat "$name")"; done'
    with opened(project) as sandbox:
        outcome = sandbox.run(Command(("/bin/sh", "-c", command), logins=logins))
    lines = [line.partition("=") for line in outcome.output.decode().splitlines()]
    return {name.removeprefix("./"): held for name, _, held in lines}


def test_tools_that_path_names_are_seen_and_nothing_else(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = (".cargo/bin", ".local/bin", ".venvs/work/bin", "go/bin")
    monkeypatch.setenv("PATH", os.pathsep.join([*(str(home / name) for name in names), os.environ["PATH"]]))
    found = seen(project, home)
    assert set(found) == {
        *(".cargo/bin/tool", ".cargo/credentials.toml", ".rustup/toolchain", ".local/bin/script"),
        *(".venvs/work/bin/python", ".venvs/work/pyvenv.cfg", "go/bin/gopls"),
        ".local/share/claude/versions/2",
    }
    assert found[".cargo/credentials.toml"] == ""


def test_logins_are_handed_in_where_they_are_named(project: Path, home: Path) -> None:
    assert seen(project, home) == {}
    assert set(seen(project, home, ".codex/auth.json")) == {".codex/auth.json"}
    both = seen(project, home, ".codex", ".codex/auth.json")
    assert set(both) == {".codex/auth.json", ".codex/sessions/old"}, "one lies in the other"
    assert set(seen(project, home, ".codex", ".claude.json", ".missing")) == {
        *(".codex/auth.json", ".codex/sessions/old", ".claude.json")
    }


def test_a_file_of_a_login_is_a_copy_that_goes_with_the_command(project: Path, home: Path) -> None:
    """Agents write beside it, and replace it whole; a folder is there to be read."""
    (home / ".claude.json").chmod(0o644)
    before = state_of(home)
    command = """cd; echo new > .codex/beside; echo more >> .claude.json; echo other > .codex/other
        mv .codex/other .codex/auth.json; cat .claude.json .codex/auth.json; stat -c %a .claude.json
        echo no > .codex/sessions/old || cat .codex/sessions/old"""
    logins = (".claude.json", ".codex/auth.json", ".codex/sessions")
    with opened(project) as sandbox:
        first = sandbox.run(Command(("/bin/sh", "-c", command), logins=logins))
        second = sandbox.run(Command(("/bin/sh", "-c", "cat ~/.claude.json; ls ~/.codex"), logins=logins))
    printed = b"of .claude.json\nmore\nother\n600\n"
    assert first.output.startswith(printed) and first.output.endswith(b"of .codex/sessions/old\n")
    assert second.output == b"of .claude.json\nauth.json\nsessions\n"
    assert state_of(home) == before


def test_a_file_of_a_login_may_hold_something_else_for_the_command(project: Path, home: Path) -> None:
    contents = {".claude.json": b"instead\n", ".codex/missing": b"none\n"}
    with opened(project) as sandbox:
        words = ("/bin/sh", "-c", "cd; find . -type f; cat .claude.json")
        command = Command(words, logins=tuple(contents), login_contents=contents)
        assert sandbox.run(command).output == b"./.claude.json\ninstead\n"


def test_a_login_too_large_for_a_copy_is_refused(project: Path, home: Path) -> None:
    with (home / ".claude.json").open("r+b") as file:
        file.truncate(SANDBOX_LOGIN_BYTES + 1)
    with opened(project) as sandbox, pytest.raises(SandboxRefused, match="more than"):
        sandbox.run(Command(("true",), logins=(".claude.json",)))


@pytest.mark.parametrize(
    "name", [".ssh", ".ssh/id", "../elsewhere", "/etc", ".", ".config/gh/hosts.yml", "x/../.ssh"]
)
def test_keys_are_handed_in_by_no_name(name: str, project: Path, home: Path) -> None:
    with opened(project) as sandbox, pytest.raises(SandboxRefused):
        sandbox.run(Command(("true",), logins=(name,)))


def test_a_home_can_be_written_to_and_is_thrown_away(project: Path, home: Path) -> None:
    with opened(project) as sandbox:
        write = "echo x > ~/.profile; echo x > /tmp/x; cat ~/.profile"
        assert sandbox.run(Command(("/bin/sh", "-c", write))).exit == 0
        assert sandbox.run(Command(("/bin/sh", "-c", "ls -A ~ /tmp/x"))).exit != 0
    assert not (home / ".profile").exists()


def test_a_socket_that_is_bound_later_beside_a_tool_is_not_reached(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The home of a test has too long a name for a socket: it is bound from its own folder."""
    folder = home / "go/bin"
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(folder)
    script = """import os, socket, sys
os.chdir(sys.argv[1]); print("begun", flush=True); input()
try: socket.socket(socket.AF_UNIX).connect("late"); print("reached")
except OSError as error: print("stopped", os.path.exists("late"))"""
    read, write = os.pipe()

    def bind(_printed: bytes) -> None:
        if not Path("late").exists():
            listener.bind("late")
            listener.listen()
            os.write(write, b"\n")

    with socket.socket(socket.AF_UNIX) as listener, opened(project) as sandbox:
        command = Command((PYTHON, "-I", "-S", "-c", script, str(folder)))
        outcome = sandbox.run(command, stdin=read, on_output=bind)
    for handle in (read, write):
        os.close(handle)
    assert outcome.output == b"begun\nstopped True\n"
    stops_all = isolation.landlock_version() >= isolation.SOCKETS_SINCE
    assert any("Sockets of other programs" in each for each in outcome.not_enforced) != stops_all


def test_few_variables_are_passed_on(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "SSH_AUTH_SOCK", "DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "LC_TIME", "TZ"):
        monkeypatch.setenv(name, "value")
    with opened(project) as sandbox:
        outcome = sandbox.run(Command(("env",), variables={"MINE": "given", "TZ": "UTC"}))
    found = dict(line.split("=", 1) for line in outcome.output.decode().splitlines())
    assert (found["LC_TIME"], found["TZ"], found["MINE"]) == ("value", "UTC", "given")
    assert found["HOME"] == os.environ["HOME"]
    assert not {"DATABASE_URL", "SSH_AUTH_SOCK", "DISPLAY", "STUDIO_STATE_DIR"} & set(found)


def test_names_are_found_where_the_network_is(project: Path) -> None:
    with opened(project) as sandbox:
        outcome = sandbox.run(Command(("cat", "/etc/resolv.conf"), network=True))
    assert outcome.output == Path("/etc/resolv.conf").read_bytes()


def test_what_path_names_may_be_closed(project: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As root's own folders are to who became somebody else and kept root's variables."""
    monkeypatch.setenv("PATH", f"{home / '.cargo/bin'}{os.pathsep}{os.environ['PATH']}")
    (home / ".cargo").chmod(0)
    assert not {".ssh/id", "go/notes", ".cargo/bin/tool"} & set(seen(project, home))
    (home / ".cargo").chmod(0o700)


def test_no_link_leads_around_what_is_hidden(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".cargo").rename(home / "dotfiles")
    (home / ".cargo").symlink_to("dotfiles")
    (home / "keys").symlink_to(".ssh")
    monkeypatch.setenv("PATH", f"{home / '.cargo/bin'}{os.pathsep}{os.environ['PATH']}")
    found = seen(project, home)
    assert (found[".cargo/bin/tool"], found[".cargo/credentials.toml"]) == ("of .cargo/bin/tool", "")
    for name in ("keys", "keys/id"):
        with opened(project) as sandbox, pytest.raises(SandboxRefused, match="never handed"):
            sandbox.run(Command(("true",), logins=(name,)))


def test_a_project_may_lie_in_what_is_hidden(outside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As that does by which a way is proved, in our own folder."""
    monkeypatch.setenv("STUDIO_STATE_DIR", str(outside / "state"))
    project = outside / "state/inner/project"
    project.mkdir(parents=True)
    (outside / "state/secret.txt").write_bytes(b"secret\n")
    with opened(project) as sandbox:
        command = 'ls "$1"; echo x > "$1/made"; echo x > made; cat "$1/secret.txt"'
        outcome = sandbox.run(Command(("/bin/sh", "-c", command, "sh", str(outside / "state"))))
        assert outcome.output.startswith(b"inner\n") and b"secret\n" not in outcome.output
        assert [each.name for each in sandbox.layer.path.iterdir()] == ["made"]
    assert not (outside / "state/made").exists()
