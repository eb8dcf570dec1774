"""A sample of the power cuts (tests/faults/power_cut.py), and proof that they find what is left out.

All of them: `python -m tests.faults.power_cut`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.faults.power_cut import FLUSHES, SCENES

ROOT = Path(__file__).parents[3]
IMAGES = 12
WITHOUT_LINKS = [scene for scene in SCENES if scene.endswith("without-links")]
SAMPLE = ("--images", str(IMAGES), "--subsets", "4", "--seed", "5")


def cut(folder: Path, *arguments: str) -> tuple[int, str, Any]:
    """Exit code, output and numbers of one run, in a process of its own: it forks and is traced."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.power_cut", "--folder", str(folder), *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    return done.returncode, done.stdout, json.loads(done.stdout.splitlines()[-1])["scenes"]


def sample_of(scenes: list[str], tmp_path_factory: pytest.TempPathFactory) -> tuple[int, str, Any]:
    words = [word for scene in scenes for word in ("--scene", scene)]
    return cut(tmp_path_factory.mktemp("power"), *SAMPLE, *words)


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, str, Any]:
    return sample_of([scene for scene in SCENES if scene not in WITHOUT_LINKS], tmp_path_factory)


@pytest.fixture(scope="module")
def sampled_without_links(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, str, Any]:
    return sample_of(WITHOUT_LINKS, tmp_path_factory)


@pytest.mark.parametrize("scene", [scene for scene in SCENES if scene not in WITHOUT_LINKS])
def test_nothing_mixed_after_a_power_cut(scene: str, sampled: tuple[int, str, Any]) -> None:
    """What was not flushed may be lost in any combination; all old or all new."""
    assert_whole(scene, sampled)


@pytest.mark.parametrize("scene", WITHOUT_LINKS)
def test_nothing_mixed_where_a_new_name_is_reserved(
    scene: str, sampled_without_links: tuple[int, str, Any]
) -> None:
    assert_whole(scene, sampled_without_links)


def assert_whole(scene: str, sampled: tuple[int, str, Any]) -> None:
    code, output, scenes = sampled
    print(output)
    numbers = scenes[scene]
    assert numbers["failures"] == 0
    assert numbers["images"] == IMAGES
    assert numbers.get("old", 0) + numbers.get("new", 0) == IMAGES
    assert code == 0


@pytest.mark.parametrize("flush", FLUSHES)
def test_a_forgotten_flush_is_found(flush: str, tmp_path: Path) -> None:
    """The same cuts do leave mixed disks once a flush is left out."""
    code, output, scenes = cut(tmp_path, *SAMPLE, "--scene", "apply", "--without", flush)
    print(output)
    assert code == 1
    assert scenes["apply"]["failures"]
