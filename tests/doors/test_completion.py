"""`studio completion`: scripts by which shells complete commands, formats, states and files."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from studio.doors.cli.command_table import TABLE
from studio.doors.cli.commands.fs import OPERATIONS
from studio.engine.plan import PlanState
from studio.formats.detect import FORMATS
from tests.doors.conftest import CommandLine

# Asks the function that the script registers, as the tab key does: lines of words in, lines of answers out.
_ASK = """
source "$1"
while IFS= read -r line; do
  read -ra COMP_WORDS <<< "$line"
  [[ $line == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
  _shtab_studio 2> /dev/null
  echo "${COMPREPLY[*]}"
done
"""


@pytest.fixture
def bash(studio: CommandLine, tmp_path: Path) -> Path:
    script = tmp_path / "studio.bash"
    script.write_bytes(studio("completion", "bash", json=False).out)
    return script


def test_bash_completes_what_can_be_typed(bash: Path, project: Path) -> None:
    """Asked of a real bash, which has no other completions."""
    (project / "notes.md").touch()
    (project / "docs").mkdir()
    wanted = {
        "studio su": "submit",
        "studio fs re": "read",
        "studio fs read no": "notes.md",
        "studio --json --project . wit": "withdraw",
        "studio plans --state ": " ".join(state.value for state in PlanState),
        "studio submit --format ": " ".join(FORMATS),
        "studio submit --tree d": "docs",
        "studio rollback 1a2b --on-drift s": "save-beside",
        "studio journal --ver": "--verify",
        "studio completion ": "bash zsh fish",
    }
    done = subprocess.run(
        ["bash", "--norc", "-c", _ASK, "bash", str(bash)],
        input="".join(f"{line}\n" for line in wanted),
        cwd=project,
        capture_output=True,
        text=True,
        check=True,
    )
    assert dict(zip(wanted, done.stdout.splitlines(), strict=True)) == wanted


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_script_knows_every_command(studio: CommandLine, shell: str) -> None:
    """zsh and fish are not on every machine: the words must be there, where their scripts name commands."""
    script = studio("completion", shell, json=False).text
    described = {
        "bash": lambda word: rf"_shtab_studio_subparsers=\(.*'?\b{word}\b",
        "zsh": lambda word: rf"(?m)^    {word}:'",
        "fish": lambda word: rf"complete -c studio -n .*-a '?{word}'?( |$)",
    }[shell]
    for word in TABLE:
        assert re.search(described(word), script), word
    for word in OPERATIONS:
        assert word in script
    for word in (*FORMATS, *(state.value for state in PlanState), "--on-drift", "save-beside"):
        assert word in script or word.removeprefix("--") in script, word
    assert studio("completion", shell).json == {"shell": shell, "script": script.rstrip("\n")}


def test_a_script_needs_no_project(studio: CommandLine, tmp_path: Path) -> None:
    words = ("--project", str(tmp_path / "gone"), "completion", "fish")
    assert studio(*words, json=False).code == 0
    assert studio("completion", "csh").error["code"] == "usage"
