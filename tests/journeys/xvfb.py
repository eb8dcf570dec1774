"""Some journeys on an X server with a window manager: `python -m tests.journeys.xvfb [PICTURE.png]`.

Needs Xvfb, openbox and xdotool. Mouse and keyboard go through the X server, so that activation, focus and
key repeat are the real ones. With a file name, a picture of the screen is written to it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_SCREEN = "1600x1000x24"
_HERE = Path(__file__).parent
_JOURNEYS = (
    "with_window_manager.py",
    "test_deciding.py::test_approve_by_clicks_apply_and_undo",
    "test_deciding.py::test_the_whole_review_by_keyboard",
    "test_deciding.py::test_a_hunk_left_out_by_its_check_box_is_not_written",
    "test_reading.py::test_a_single_line_left_out_by_its_box_is_not_written",
    "test_reading.py::test_lines_are_chosen_by_keys_alone",
    "test_working.py::test_an_edited_result_is_what_is_written",
    "test_working.py::test_a_comment_stands_at_its_line_and_goes_with_the_rejection",
    "test_kept_text.py::test_a_kept_text_is_shown_holds_up_approving_and_is_used",
    "test_finding.py::test_what_is_typed_into_the_find_field_is_no_command",
    "test_stale.py::test_a_stale_step_is_rebased_where_it_merges",
    "test_stale.py::test_conflicts_are_settled_by_keys_and_typing",
    "test_panels.py::test_a_changed_file_goes_back_the_way_the_person_chose",
    "test_history.py::test_one_step_is_rolled_back_and_that_is_rolled_back",
    "test_long_talk.py::test_no_kind_of_turn_loses_or_decides_anything",
    "test_guards.py::test_a_new_plan_takes_neither_the_keyboard_nor_a_row_under_the_pointer",
)


def main(words: list[str]) -> int:
    """Run the journeys; returns pytest's exit code."""
    with screen() as environment:
        if environment is None:
            return 2
        if words:
            environment["STUDIO_JOURNEY_PICTURE"] = str(Path(words[0]).absolute())
        tests = [str(_HERE / journey) for journey in _JOURNEYS]
        command = [sys.executable, "-m", "pytest", "-q", f"--basetemp={environment['XDG_RUNTIME_DIR']}/t"]
        whole = [*command, *tests]
        return subprocess.run(whole, cwd=_HERE.parents[1], env=environment, check=False).returncode


@contextmanager
def screen() -> Iterator[dict[str, str] | None]:
    """The environment of programs on an X server with a window manager; None, and a sentence on stderr, where
    that is not installed."""
    missing = [name for name in ("Xvfb", "openbox", "xdotool") if shutil.which(name) is None]
    if missing:
        print(f"Install {', '.join(missing)} first.", file=sys.stderr)
        yield None
        return
    with _display() as display, tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "XDG_RUNTIME_DIR": home}
        window_manager = subprocess.Popen(["openbox"], env={**environment, "HOME": home})
        try:
            yield environment
        finally:
            window_manager.terminate()
            window_manager.wait()


@contextmanager
def _display() -> Iterator[str]:
    """An X server on a free display."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", _SCREEN, "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=(writing,), stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading) as told:
            yield f":{told.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
