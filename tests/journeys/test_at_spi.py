"""The program as a screen reader gets it: read and pressed over AT-SPI by a process outside of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour
from tests.journeys.xvfb import screen

ROOT = Path(__file__).parents[2]
READER = ROOT / "tests/tools/at_spi.py"
CLIENT = "import gi; gi.require_version('Atspi', '2.0'); from gi.repository import Atspi"
ROLES = frozenset(
    "push button|check box|radio button|combo box|text|tree|list|table|table cell|list item|tree item|"
    "page tab list|page tab|scroll bar|split pane|menu item".split("|")
)
"""Roles of what takes the focus."""

ANSWER = "answer "
Node = dict[str, Any]


def client_python() -> str | None:
    """The first Python here that has an AT-SPI client."""
    for python in (sys.executable, shutil.which("python3", path=os.defpath) or ""):
        with suppress(OSError):
            if subprocess.run([python, "-c", CLIENT], capture_output=True, check=False).returncode == 0:
                return python
    return None


def all_nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node["children"]:
        yield from all_nodes(child)


class Reader:
    """A program on an X server, and a client of its accessibility beside it."""

    def __init__(self, process: subprocess.Popen[str], environment: dict[str, str]) -> None:
        self._process, self._environment = process, environment

    def shown(self) -> list[Node]:
        """What is on screen now."""
        tree = self._ask(None)
        nodes = [node for application in tree or () for node in all_nodes(application)]
        return [node for node in nodes if "showing" in node["states"]]

    def find(self, role: str, name: str) -> Node:
        """The one object of that role whose name begins so, once it is shown."""
        return self.wait_for(
            lambda nodes: [node for node in nodes if node["role"] == role and node["name"].startswith(name)],
            f"{role} {name}",
        )[-1]

    def wait_for(self, found: Callable[[list[Node]], list[Node]], words: str) -> list[Node]:
        last: list[list[Node]] = [[]]

        def is_found() -> bool:
            last[0] = found(self.shown())
            return bool(last[0])

        wait_for(is_found, words, seconds=40)
        return last[0]

    def press(self, role: str, name: str, action: str = "Press") -> None:
        """Carry out an action of an object that is on."""
        self.wait_for(
            lambda nodes: [
                node
                for node in nodes
                if node["role"] == role and node["name"].startswith(name) and "enabled" in node["states"]
                if self._ask((node["number"], action))
            ],
            f"{action} {name}",
        )

    def type_keys(self, *keys: str) -> None:
        subprocess.run(["xdotool", "key", *keys], env=self._environment, check=True)

    def _ask(self, wanted: object) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(wanted) + "\n")
        self._process.stdin.flush()
        # The registry of AT-SPI, which the bus starts, writes to the same output.
        return json.loads(
            next(line for line in self._process.stdout if line.startswith(ANSWER))[len(ANSWER) :]
        )


@pytest.fixture
def begin(qapp: QApplication, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Starts the program with these words, and a client of it."""
    python = client_python()
    with screen() as environment:
        if environment is None or python is None or shutil.which("dbus-run-session") is None:
            pytest.skip("no X server, message bus or AT-SPI client is here")
        environment |= {"QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1", "PYTHONPATH": str(ROOT)}

        @contextmanager
        def begun(*words: str) -> Iterator[Reader]:
            script = f'"$@" >"{tmp_path}/said" 2>&1 <&- & P=$!; {python} {READER}; kill $P; wait $P'
            program = [sys.executable, "-X", "faulthandler", "-m", "studio", *words]
            with subprocess.Popen(
                ["dbus-run-session", "--", "sh", "-c", script, "sh", *program], env=environment, cwd=tmp_path,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            ) as process:  # fmt: skip
                assert process.stdin is not None and process.stdout is not None
                try:
                    yield Reader(process, environment)
                finally:
                    process.stdin.close()
                    process.wait(30)
                    print((tmp_path / "said").read_text())

        yield begun


AREAS = [("filler", "Settings in this section")]
"""What scrolls by keys, as Qt gives a scroll area no role of its own."""
ITEMS = ("page tab", "table cell", "list item", "tree item")


def focused(nodes: Sequence[Node]) -> list[tuple[str, str]]:
    """Role and name of what has the focus. Not items: Qt gives it to the current one of each list."""
    found = [node for node in nodes if "focused" in node["states"] and node["role"] not in ITEMS]
    return [(node["role"], node["name"]) for node in found]


def faults(nodes: Sequence[Node]) -> list[tuple[str, str]]:
    """Role and name of what takes the focus and has no name, or a role that says nothing."""
    takes = [(node["role"], node["name"]) for node in nodes if "focusable" in node["states"]]
    return [each for each in takes if not each[1] or (each[0] not in ROLES and each not in AREAS)]


def test_one_object_has_the_focus_and_all_that_take_it_have_a_name(
    begin: Callable[..., Any], harbour: Harbour
) -> None:
    harbour.propose_three()
    with begin(str(harbour.root)) as reader:
        reader.find("push button", "Approve step")
        places: list[list[tuple[str, str]]] = [[]]

        def is_elsewhere(nodes: list[Node]) -> list[Node]:
            return nodes if len(focused(nodes)) == 1 and focused(nodes) != places[-1] else []

        for keys in ((), ("F6",), ("F6",), ("F6",), ("alt+1",), ("ctrl+shift+p",), ("Escape", "ctrl+comma")):
            if keys:
                reader.type_keys(*keys)
            nodes = reader.wait_for(is_elsewhere, f"one focus after {keys}, other than {places[-1]}")
            places.append(focused(nodes))
            assert faults(nodes) == [], keys
        kinds = {role for place in places for role, _name in place}
        assert {"text", "tree"} <= kinds and len(places) == 8, places


def test_a_plan_is_read_and_approved_by_actions(begin: Callable[..., Any], harbour: Harbour) -> None:
    plan = harbour.propose_three()
    with begin(str(harbour.root)) as reader:
        diff = reader.wait_for(
            lambda nodes: [node for node in nodes if node["name"] == "Diff" and node["text"]], "the diff"
        )[0]
        assert diff["role"] == "text" and "editable" not in diff["states"]
        lines = diff["text"].splitlines()
        assert "-     3 line 3" in lines and "+     3 changed 3" in lines
        assert diff["line"].rstrip("\n") in lines
        assert "checked" not in reader.find("check box", "Viewed")["states"]
        reader.press("check box", "Viewed", "Toggle")
        reader.wait_for(
            lambda nodes: [
                node for node in nodes if node["name"] == "Viewed" and "checked" in node["states"]
            ],
            "the check mark",
        )
        for done in (["approved", "pending", "pending"], ["approved"] * 2 + ["pending"], ["approved"] * 3):
            reader.press("push button", "Approve step")
            wait_for(lambda done=done: harbour.agent.states(plan) == done, f"{done}")
        reader.press("push button", "Apply")
        wait_for(lambda: harbour.agent.states(plan) == ["applied"] * 3, "the plan applied")
