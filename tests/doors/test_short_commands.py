"""What short commands load: agents start them all day, and each module is paid for at every start.

`short_commands.txt` lists their modules of ours. It only shrinks: a module is added with a reason in the
commit message.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import takewhile
from pathlib import Path

import pytest

from tests.doors.hooks.conftest import use_of

LIST = Path(__file__).with_name("short_commands.txt")
FOREIGN = frozenset(
    (
        *("PySide6", "asyncio", "concurrent.futures", "dataclasses", "hypothesis", "inspect"),
        *("logging.handlers", "multiprocessing", "pygments", "typing_extensions", "unidiff", "watchdog"),
    )
)
CODE = """
import atexit, sys
atexit.register(lambda: print("\\n".join(sorted(sys.modules)), file=sys.stderr, flush=True))
from studio.__main__ import main
sys.exit(main())
"""


def listed(command: str) -> set[str]:
    """The modules that stand below the command."""
    lines = iter(LIST.read_text(encoding="utf-8").splitlines())
    assert any(line == f"# {command}" for line in lines)
    return set(takewhile(lambda line: not line.startswith("#"), lines))


@pytest.mark.process
def test_a_short_command_loads_what_is_listed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    reading = json.dumps(use_of("Read", {"file_path": "a.txt"}, tmp_path))
    for command, given in (
        ("hook claude-code --caller 1", reading),  # before each tool that an agent uses
        ("check a.txt", ""),
        ("fs read a.txt", ""),
        ("plans", ""),
        ("config show", ""),
    ):
        if command == "config show":  # with a file: it is parsed and searched for secrets
            config = Path(os.environ["STUDIO_CONFIG_DIR"], "config.yaml")
            config.parent.mkdir(exist_ok=True)
            config.write_text("schema_version: 1\n")
        done = subprocess.run(
            [sys.executable, "-c", CODE, *command.split()],
            cwd=tmp_path,
            input=given,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        loaded = done.stderr.split()
        assert {name for name in loaded if name.startswith("studio.")} == listed(command), command
        assert not FOREIGN.intersection(loaded), command
        assert not given or "pathlib" not in loaded
