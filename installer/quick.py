"""The quick set of tests, for the daily loop: about a minute on two cores, something of every layer."""

from __future__ import annotations

import testing
from environments import MAIN
from locked import ROOT
from system_packages import say

FILES: tuple[str, ...] = ("tests/engine/test_text.py",)


def run() -> int:
    """Run the quick set, after saying what is left out; 0 where all passed."""
    every = sorted(file.relative_to(ROOT).as_posix() for file in (ROOT / "tests").rglob("test_*.py"))
    left_out = [file for file in every if file not in FILES]
    folders = sorted({folder_of(file) for file in left_out} - {folder_of(file) for file in FILES})
    say(f"The quick set: {len(every) - len(left_out)} of {len(every)} files of tests.")
    say(f"Left out is all of {', '.join(folders)}, and of the others what takes long. Before a commit: test")
    return testing.run(MAIN, "the quick set", FILES)


def folder_of(file: str) -> str:
    return file.rpartition("/")[0]
