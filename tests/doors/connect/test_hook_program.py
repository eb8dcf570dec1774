"""The hook program: whatever happens, an agent gets a whole answer, or one sentence and exit code 2."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from studio.doors.clients.hook_program import (
    CLIENT_SECONDS,
    OWN_SECONDS,
    cline_hook,
    guarded,
    hook_program,
)
from tests.doors.awaited import soon

SECONDS = 10
SHELLS = ("dash", "bash")


@dataclass
class Hook:
    """The hook program in a folder that shells misread, with what stands in for `studio`."""

    folder: Path
    shell: str

    @property
    def file(self) -> Path:
        return self.folder / "hook"

    @property
    def pipe(self) -> Path:
        """What the program is called, and `.pipe`: there it tells how far it is."""
        return self.folder / "the studio.pipe"

    def start(self, body: str | None, *, seconds: int = 60) -> subprocess.Popen[bytes]:
        program = self.folder / "the studio"
        if body is not None:
            program.write_text(f"#!/bin/sh\n{body}\n")
            program.chmod(0o700)
        command = [str(program), "hook", "some-agent"]
        variables = {"STUDIO_STATE_DIR": "a 'b'"}
        self.file.write_bytes(hook_program("some-agent", command, self.folder, variables, seconds=seconds))
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [self.shell, self.file], stdin=pipe, stdout=pipe, stderr=pipe, cwd=self.folder
        )

    def run(self, body: str | None, *, seconds: int = 60) -> tuple[int, bytes, str]:
        process = self.start(body, seconds=seconds)
        out, err = process.communicate(b'{"tool": "x"}\n', timeout=SECONDS)
        assert {path.name for path in self.folder.iterdir()} <= {"hook", "the studio"}, "nothing stays behind"
        return process.returncode, out, err.decode()


@pytest.fixture(params=SHELLS)
def hook(request: pytest.FixtureRequest, tmp_path: Path) -> Hook:
    folder = tmp_path / 'it\'s a "$folder" `x`'
    folder.mkdir()
    return Hook(folder, request.param)


def test_a_whole_answer_is_passed_on(hook: Hook) -> None:
    body = 'read line; printf \'{"line": %s, "words": "%s", "state": "%s"}\' "$line" "$*" "$STUDIO_STATE_DIR"'
    answer = (
        b'{"line": {"tool": "x"}, "words": "hook some-agent --caller %d", "state": "a \'b\'"}\n' % os.getpid()
    )
    assert hook.run(body) == (0, answer, "")
    assert hook.run("echo 'a warning' >&2; echo '{}'") == (0, b"{}\n", "")
    large = b'{"a": "' + b"x" * 100_000 + b'"}\n'
    assert hook.run(f"cat <<'end'\n{large.decode()}end") == (0, large, "")


def test_a_refusal_is_passed_on_in_its_own_words(hook: Hook) -> None:
    words = "Rejected: the old name is public.\n"
    assert hook.run(f"echo '{words.strip()}' >&2; exit 2") == (2, b"", words)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (None, "it is missing or can't be started"),
        ("echo '{}'; echo Traceback >&2; exit 1", "it ended with code 1"),
        ("echo '{}'; exit 3", "it ended with code 3"),
        ("exit 2", "it gave no reason"),
        ("printf '{}'; kill -KILL $$", "it ended with code 137"),
        (":", "it sent no JSON object"),
        ("echo hello", "it sent no JSON object"),
        ("echo '[]'", "it sent no JSON object"),
        ("""printf '{"permissionDecision": "all'""", "it sent no JSON object"),
        ("echo 'a warning'; echo '{}'", "it sent more than one line"),
        ("echo '{}'; echo '{}'", "it sent more than one line"),
    ],
)
def test_whatever_is_no_answer_is_a_no(hook: Hook, body: str | None, why: str) -> None:
    code, out, err = hook.run(body)
    assert (code, out) == (2, b"")
    assert err == f"This was not done: Exacta Studio gave no valid answer, because {why}. Tell the user.\n"


def test_its_watch_ends_soon_though_it_was_not_told(hook: Hook) -> None:
    """A shell forgets what it is sent as it begins: here it hears none of it at all."""
    hook.start("echo '{}'").communicate(b"", timeout=SECONDS)
    deaf = ("sh", "-c", 'trap \'\' TERM; exec "$0" "$1"', hook.shell, str(hook.file))
    done = subprocess.run(deaf, input=b"", capture_output=True, timeout=SECONDS, check=False)
    assert (done.returncode, done.stdout) == (0, b"{}\n")

    def is_alone() -> bool:
        lines: list[bytes] = []
        for file in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):  # it has ended meanwhile
                lines.append(file.read_bytes())
        return not any(os.fsencode(hook.file) in line for line in lines)

    soon(is_alone, SECONDS)


def test_it_gives_up_before_the_agent_does(hook: Hook) -> None:
    assert OWN_SECONDS < CLIENT_SECONDS
    code, out, err = hook.run("exec sleep 60", seconds=1)
    assert (code, out) == (2, b"") and "timed out" in err


_TELLS = """\
trap 'kill $!; echo ended > "$0.pipe"; exit 9' TERM
echo '{}'
sleep 30 & echo started > "$0.pipe"
wait"""


def test_it_ends_its_program_where_it_is_stopped(hook: Hook) -> None:
    os.mkfifo(hook.pipe)
    process = hook.start(_TELLS)
    assert hook.pipe.read_text() == "started\n"
    process.send_signal(signal.SIGTERM)
    assert hook.pipe.read_text() == "ended\n"
    out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, out) == (2, b"") and b"was stopped" in err


def test_stopped_while_it_starts_its_program_it_says_no(hook: Hook) -> None:
    """A no without a word is a yes to some agents."""
    hook.run("echo '{}'")
    begins = b"watch=$!\n"
    text = hook.file.read_bytes()
    assert text.count(begins) == 1
    hook.file.write_bytes(text.replace(begins, begins + b"kill -TERM $$\n"))
    command = [hook.shell, hook.file]
    done = subprocess.run(command, input=b"{}\n", capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"Nothing was done: Exacta Studio said no, or gave no answer.\n"


def test_killed_itself_it_has_said_nothing(hook: Hook) -> None:
    """That is an answer to no agent; and nothing that it started holds one up."""
    os.mkfifo(hook.pipe)
    process = hook.start("echo '{}'; echo $$ > \"$0.pipe\"; exec sleep 30")
    number = int(hook.pipe.read_text())
    process.send_signal(signal.SIGKILL)
    out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, out, err) == (-signal.SIGKILL, b"", b"")
    os.kill(number, signal.SIGKILL)


def test_without_an_input_it_says_no(hook: Hook) -> None:
    hook.run("echo '{}'")
    command = ["sh", "-c", 'exec "$0" "$1" <&-', hook.shell, str(hook.file)]
    done = subprocess.run(command, capture_output=True, check=False, timeout=SECONDS)
    assert (done.returncode, done.stdout) == (2, b"") and b"gave no valid answer" in done.stderr


NOTHING = {"cancel": True, "errorMessage": "Nothing was done: Exacta Studio said no, or gave no answer."}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("""echo '{"cancel": false}'""", {"cancel": False}),
        ("echo no >&2; exit 2", NOTHING),
        ("exit 1", NOTHING),
        ("kill -9 $$", NOTHING),
        (None, NOTHING),
    ],
)
def test_cline_is_told_a_no_on_standard_output(
    tmp_path: Path, body: str | None, said: dict[str, object]
) -> None:
    """It takes no code for one; and the process that asks is named to the program."""
    program, file = tmp_path / "the hook", tmp_path / "PreToolUse"
    if body is not None:
        program.write_text(f"#!/bin/sh\necho $1 >&2\n{body}\n")
        program.chmod(0o700)
    file.write_bytes(cline_hook(program))
    file.chmod(0o700)
    done = subprocess.run([file], capture_output=True, text=True, check=False, timeout=SECONDS)
    assert json.loads(done.stdout) == said
    assert body is None or int(done.stderr.split()[0]) == os.getpid()


@pytest.mark.parametrize("shell", SHELLS)
def test_who_asks_is_named_to_the_command_from_behind_a_shell(hook: Hook, shell: str) -> None:
    """By the words that some clients' entries have around the program."""
    hook.start("""echo "{$4}" """).communicate(b"{}")
    hook.file.chmod(0o700)
    command = f"echo begun >&2; {guarded(hook.file)}"
    done = subprocess.run(
        [shell, "-c", command], input=b"{}", capture_output=True, check=False, timeout=SECONDS
    )
    assert (done.returncode, done.stdout) == (0, b"{%d}\n" % os.getpid()), done.stderr
