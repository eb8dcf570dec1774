"""The long search for failing examples runs what it names, and says when it found one."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import is_hypothesis_test

from tests.lab.fuzz.targets import TARGETS

ROOT = Path(__file__).parents[3]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.lab.fuzz", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("place", [place for places in TARGETS.values() for place in places])
def test_every_property_is_there(place: str) -> None:
    module, _, function = place.partition(":")
    assert is_hypothesis_test(getattr(import_module(module), function))


def test_without_a_name_the_targets_are_listed() -> None:
    assert [line.split()[0] for line in run().stdout.splitlines()] == list(TARGETS)


@pytest.mark.parametrize("words", [["nothing", "1"], ["text"], ["text", "long"], ["text", "1", "2"]])
def test_wrong_words_are_a_usage_error(words: list[str]) -> None:
    refused = run(*words)
    assert refused.returncode == 2
    assert "SECONDS" in refused.stderr


def test_a_property_that_fails_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(
        "from hypothesis import given, strategies as st\n"
        "@given(st.binary())\n"
        "def never_long(data: bytes) -> None:\n"
        "    assert len(data) < 3\n"
    )
    script = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}]\n"
        "from tests.lab.fuzz import __main__ as fuzz, targets\n"
        "targets.TARGETS = fuzz.TARGETS = {'broken': ('broken:never_long',)}\n"
        "sys.exit(fuzz.main(['broken', '0']))\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.returncode == 1
    assert "broken: failed in round 1" in found.stderr
    assert "never_long" in found.stderr
