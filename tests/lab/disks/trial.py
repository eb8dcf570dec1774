"""What becomes of the plans on one disk, by the command line: python -m tests.disks.trial FOLDER STATE

Prints one JSON object. Runs where the disk is mounted, as tests/lab/disks/__main__.py has it mounted.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.lab.disks.plans import START, TRIALS, Tree, Trial


class Wrong(Exception):
    """The disk holds something else than it must, or a command ended otherwise."""


class Studio:
    """The command line on one project, with a state and a configuration of its own."""

    def __init__(self, project: Path, state: Path) -> None:
        self.project = project
        (state / "config").mkdir(parents=True)
        (state / "config/config.yaml").write_text("review:\n  command_line: allow\n")
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(state),
            "LC_ALL": "C.UTF-8",
            "STUDIO_STATE_DIR": str(state / "state"),
            "STUDIO_CONFIG_DIR": str(state / "config"),
        }

    def __call__(self, *words: str, text: bytes = b"", may_refuse: bool = False) -> dict[str, Any]:
        """The answer of one command. Raises Wrong where it fails."""
        command = [sys.executable, "-m", "studio", "--project", str(self.project), "--json", *words]
        done = subprocess.run(command, input=text, capture_output=True, env=self._environment, check=False)
        if done.returncode not in ((0, 1) if may_refuse else (0,)) or not done.stdout.strip():
            raise Wrong(f"{words[0]}: {(done.stdout + done.stderr).decode().strip()[-400:]}")
        return json.loads(done.stdout)


def keeps_modes(folder: Path) -> bool:
    """Whether chmod changes anything there."""
    probe = folder / "probe"
    probe.touch()
    found: list[int] = []
    for mode in (0o600, 0o755, 0o640):
        probe.chmod(mode)
        found.append(stat.S_IMODE(probe.stat().st_mode))
    probe.unlink()
    return found == [0o600, 0o755, 0o640]


def lay_out(folder: Path) -> None:
    """Write the tree from which every plan begins."""
    for path, (mode, data) in START.items():
        if data is None:
            (folder / path).mkdir()
        else:
            (folder / path).write_bytes(data)
        (folder / path).chmod(mode)


def tree_of(folder: Path, *, modes: bool) -> Tree:
    """Every entry; without `modes` all have the same bits."""
    found: Tree = {}
    for path in folder.rglob("*"):
        mode = stat.S_IMODE(path.stat().st_mode) if modes else 0
        found[path.relative_to(folder).as_posix()] = (mode, None if path.is_dir() else path.read_bytes())
    return found


class Row:
    """All that is tried on one disk."""

    def __init__(self, folder: Path, state: Path) -> None:
        self.modes = keeps_modes(folder)
        self.project = folder / "project"
        self.project.mkdir()
        lay_out(self.project)
        self.studio = Studio(self.project, state)
        self.refused: dict[str, str] = {}
        self.wrong: dict[str, str] = {}
        self.right: list[str] = []

    def run(self) -> dict[str, Any]:
        """Try everything."""
        self.nothing_observed()
        for trial in TRIALS:
            self.judge(trial.name, lambda trial=trial: self.plan(trial))
        self.judge("observed changes", self.observed)
        self.judge("snapshot", self.snapshot)
        return {
            "modes": self.modes,
            "right": self.right,
            "refused": self.refused,
            "wrong": self.wrong,
        }

    def judge(self, name: str, act: Any) -> None:
        """Note how it ended; what is wrong does not disturb what comes next."""
        try:
            code = act()
        except Wrong as error:
            self.wrong[name] = str(error)
            self.begin_again()
            return
        if code:
            self.refused[name] = code
        else:
            self.right.append(name)

    def begin_again(self) -> None:
        """Have the folder, which must stay the same one, hold the first tree."""
        for entry in self.project.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry)
            else:
                entry.unlink()
        lay_out(self.project)
        for change in self.studio("observed", "list")["observed"]:
            self.studio("observed", "keep", change["observed"])

    def plan(self, trial: Trial) -> str:
        """Apply a plan and roll it back; the code of the problem for which it was refused when submitted."""
        answer = self.studio("submit", "-", text=trial.text, may_refuse=True)
        plan = answer["plan"]
        codes = {problem["code"] for step in answer["steps"] for problem in step["problems"]}
        if codes:
            self.compare(START, "refused, and the tree changed")
            return ", ".join(sorted(codes))
        if answer["state"] == "completed":
            # Every file of a disk without permission bits may be run already.
            self.compare(trial.expected(), "nothing to do")
            return ""
        self.studio("approve", plan, *trial.choose, "--apply")
        self.compare(trial.expected(), "applied")
        self.nothing_observed()
        self.studio("rollback", plan)
        self.compare(START, "rolled back")
        self.nothing_observed()
        return ""

    def nothing_observed(self) -> None:
        found = self.studio("observed", "list")["observed"]
        if found:
            raise Wrong(f"observed: {[(each.get('op'), each.get('path')) for each in found]}")

    def compare(self, wanted: Tree, moment: str) -> None:
        found = tree_of(self.project, modes=self.modes)
        if not self.modes:
            wanted = {path: (0, data) for path, (_, data) in wanted.items()}
        other = {
            path: [None if side.get(path) is None else oct(side[path][0]) for side in (wanted, found)]
            for path in wanted.keys() | found.keys()
            if wanted.get(path) != found.get(path)
        }
        if other:
            raise Wrong(f"{moment}: {other}")

    def observed(self) -> str:
        """What others do is listed, and nothing else."""
        (self.project / "a.txt").write_bytes(b"theirs\n")
        (self.project / "their.txt").write_bytes(b"new\n")
        (self.project / "left.txt").unlink()
        listed = self.studio("observed", "list")["observed"]
        found = {each["path"] for each in listed}
        if found != {"a.txt", "their.txt", "left.txt"}:
            raise Wrong(f"observed: {sorted(found)}")
        for each in listed:
            self.studio("observed", "revert", each["observed"])
        self.compare(START, "reverted")
        return ""

    def snapshot(self) -> str:
        """A snapshot brings back what was changed, made, moved and deleted."""
        made = self.studio("snapshot", "create", "before")
        (self.project / "a.txt").write_bytes(b"theirs\n")
        (self.project / "more").mkdir()
        (self.project / "more/their.txt").write_bytes(b"new\n")
        (self.project / "sub/b.txt").rename(self.project / "b.txt")
        shutil.rmtree(self.project / "gone")
        self.studio("snapshot", "restore", made["snapshot"])
        self.compare(START, "restored")
        return ""


def main(folder: str, state: str) -> None:
    print(json.dumps(Row(Path(folder), Path(state)).run()))


if __name__ == "__main__":
    main(*sys.argv[1:])
