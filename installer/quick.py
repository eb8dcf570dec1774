"""The quick set of tests, for the daily loop: about a minute on two cores, something of every layer."""

from __future__ import annotations

import testing
from environments import MAIN
from locked import ROOT
from system_packages import say

FILES = (
    "tests/engine/branch/test_leaves.py",
    "tests/engine/diff/test_apply.py",
    "tests/engine/diff/test_compute.py",
    "tests/engine/filesystem/test_suite_writing.py",
    "tests/engine/apply/test_gateway.py",
    "tests/engine/disk/test_disk.py",
    "tests/engine/test_errors.py",
    "tests/engine/test_names.py",
    "tests/engine/patterns/test_patterns.py",
    "tests/engine/test_plan.py",
    "tests/engine/policy/test_rules.py",
    "tests/engine/propose/test_check_steps.py",
    "tests/engine/history/test_rollback.py",
    "tests/engine/text/test_form.py",
    "tests/engine/system/test_own_files.py",
    "tests/formats/test_detect.py",
    "tests/formats/test_folding.py",
    "tests/doors/test_forgetting.py",
    "tests/faults/test_moments.py",
    "tests/journeys/test_guards.py",
    "tests/engine/review/test_conflict_choices.py",
    "tests/ui/panels/test_queue_model.py",
    "tests/ui/shell/test_actions.py",
    "tests/ui/test_theme.py",
    "tests/ui/test_widgets.py",
    "tests/repo/test_one_writer.py",
    "tests/repo/test_sources.py",
    "tests/repo/test_who_decides.py",
)
"""What is quick and says most: at least one file of every folder of tests that holds a layer."""

MEASURES = "tests/formats/test_detect.py::test_four_times_the_blocks_take_about_four_times_as_long"
"""Compares times of large texts: a tenth of the whole set, and less sure beside other work."""


def run() -> int:
    """Run the quick set, after saying what is left out; 0 where all passed."""
    every = sorted(file.relative_to(ROOT).as_posix() for file in (ROOT / "tests").rglob("test_*.py"))
    left_out = [file for file in every if file not in FILES]
    folders = sorted({folder_of(file) for file in left_out} - {folder_of(file) for file in FILES})
    say(f"The quick set: {len(every) - len(left_out)} of {len(every)} files of tests.")
    say(f"Left out is all of {', '.join(folders)}, and of the others what takes long. Before a commit: test")
    return testing.run(MAIN, "the quick set", [*FILES, "-m", "not network", "--deselect", MEASURES])


def folder_of(file: str) -> str:
    return file.rpartition("/")[0]
