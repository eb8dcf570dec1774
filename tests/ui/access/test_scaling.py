"""At 100, 200 and 300 % nothing is clipped and every measure follows: each scale in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ui.access.walk import WALKS

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize("percent", [200, 300])
def test_nothing_is_clipped_at_a_larger_scale(percent: int, walk: str, tmp_path: Path) -> None:
    """100 % is walked in test_access."""
    screen = {"name": "s", "x": 0, "y": 0, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}
    factor = percent / 100
    screen |= {"width": round(1600 * factor), "height": round(1000 * factor)}
    file = tmp_path / "screen.json"
    file.write_text(json.dumps({"screens": [screen]}))
    variables = {
        **os.environ,
        "QT_QPA_PLATFORM": f"offscreen:configfile={file}",
        "QT_SCALE_FACTOR": str(factor),
        "STUDIO_STATE_DIR": str(tmp_path / "state"),
        "STUDIO_CONFIG_DIR": str(tmp_path / "config"),
    }
    command = [sys.executable, "-m", "tests.ui.access.clipping", walk, str(tmp_path / "projects")]
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["ratio"] == factor
    assert seen["states"] > 15
    assert seen["clipped"] == {}
