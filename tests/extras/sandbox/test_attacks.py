"""Hostile commands in each way: what they try by every means they have, and that nothing came of it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from studio.extras.sandbox import Command, EndedBy, Sandbox, Spaces, sandbox as sandbox_module
from studio.program.app_folders import state_directory
from studio.workspace import Workspace
from tests.tools.rights import IS_ROOT
from tests.tools.sandboxed import PYTHON, WITHOUT_LANDLOCK, opened, state_of

pytestmark = pytest.mark.root

ATTACKS = Path(__file__).with_name("attacks.py")
PROCESSES = 400
PRIVATE_BYTES = 4 << 20


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_module, "SANDBOX_PROCESSES_UP_TO", PROCESSES)
    monkeypatch.setattr(sandbox_module, "SANDBOX_PRIVATE_BYTES", PRIVATE_BYTES)


@pytest.fixture
def secrets(private_folders: Path, project: Path) -> list[Path]:
    """In the home, and in our own folders: a real store among them."""
    home = private_folders / "home"
    found = [home / ".ssh/id_ed25519", home / ".config/gh/hosts.yml", home / "notes.txt"]
    for file in found:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"secret\n")
    Workspace.open(project).close()
    stores = [each for each in state_directory().rglob("*") if each.is_file()]
    assert "store.sqlite3" in [each.name for each in stores]
    return [*found, *stores]


@pytest.fixture
def listeners(
    outside: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[list[str], int]]:
    """Who listens on this machine: where a command can see it, where not, and by a name alone."""
    with ExitStack() as held:
        names = [str(outside / "listens"), f"\0exacta-{os.getpid()}"]
        monkeypatch.chdir(outside)
        for name in ("relative", "before"):
            each = held.enter_context(socket.socket(socket.AF_UNIX))
            each.bind(name)
            each.listen()
        (outside / "before").rename(outside / "renamed")
        with tempfile.TemporaryDirectory(prefix="s") as short:
            names.append(f"{short}/listens")
            with suppress(OSError):  # only root may
                folder = held.enter_context(tempfile.TemporaryDirectory(dir="/run"))
                names.append(f"{folder}/listens")
            for name in names:
                each = held.enter_context(socket.socket(socket.AF_UNIX))
                each.bind(name)
                each.listen()
            port = held.enter_context(socket.create_server(("127.0.0.1", 0)))
            found = [*names, str(outside / "relative"), str(outside / "renamed")]
            yield found, port.getsockname()[1]


@pytest.fixture
def devices(outside: Path) -> list[str]:
    """Nodes on the disk: what a device node of the machine would be to a command."""
    found = ["/dev/sda", "/dev/vda", "/dev/mem", "/dev/kmsg", "/dev/loop0", "/dev/fuse"]
    if IS_ROOT:
        os.mknod(outside / "zero", 0o20666, os.makedev(1, 5))
        found.append(str(outside / "zero"))
    return found


def named(*, network: bool) -> set[str]:
    """What is not enforced where bubblewrap makes the name spaces, and is said to be."""
    return {"write_into_pipes", "start_too_many", *(["reach_sockets"] if network else [])}


@pytest.mark.parametrize("network", [False, True])
def test_no_attack_gets_through(
    *,
    network: bool,
    devices: list[str],
    secrets: list[Path],
    listeners: tuple[list[str], int],
    sandbox: Sandbox,
    project: Path,
    outside: Path,
) -> None:
    before = {secret: secret.read_bytes() for secret in secrets if secret.suffix != ".lock"}
    given = {
        "project": str(project),
        "outside": str(outside),
        "devices": devices,
        "secrets": [str(secret) for secret in secrets],
        "sockets": listeners[0],
        "port": listeners[1],
        "network": network,
        "process": os.getpid(),
        "processes": PROCESSES,
        "private_bytes": PRIVATE_BYTES,
    }
    command = (PYTHON, "-I", "-S", "-c", ATTACKS.read_text(), json.dumps(given))
    outcome = sandbox.run(Command(command, network=network, seconds=60))
    assert outcome.ended_by is EndedBy.ITSELF and outcome.exit == 0, outcome.output.decode()
    told = json.loads(outcome.output.splitlines()[-1])
    through = {name for name, said in told.items() if not said.startswith("stopped")}
    # What is outside may lie where no command sees it: less gets through then.
    assert through <= (set() if sandbox.spaces is Spaces.OWN else named(network=network)), told
    assert any("bubblewrap" in each for each in outcome.not_enforced) == bool(through)
    assert {secret: secret.read_bytes() for secret in before} == before
    assert "moved" in state_of(sandbox.layer.path), "it did write into its layer"


def test_the_first_process_is_not_read_where_there_is_no_landlock(project: Path) -> None:
    opened(project).close()
    looks = "for name in environ maps; do cat /proc/1/$name && echo read; done"
    words = (sys.executable, "-c", WITHOUT_LANDLOCK, str(project), "/bin/sh", "-c", looks)
    ran = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "pipes" in ran.stdout and "read\n" not in ran.stdout
