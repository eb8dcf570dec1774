"""The programs of docs/embedding.md run as they stand: what they assert holds."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "embedding.md"
PROGRAMS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def write_programs(folder: Path) -> list[Path]:
    files = [folder / f"program_{number}.py" for number in range(1, len(PROGRAMS) + 1)]
    for file, text in zip(files, PROGRAMS, strict=True):
        file.write_text(text, encoding="utf-8")
    return files


def test_there_are_four_short_programs() -> None:
    assert len(PROGRAMS) == 4
    assert all(text.count("\n") <= 60 for text in PROGRAMS)


@pytest.mark.process
@pytest.mark.parametrize("number", range(4))
def test_a_program_runs_as_it_stands(number: int, tmp_path: Path) -> None:
    file = write_programs(tmp_path)[number]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-W", "error", str(file)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stderr
    assert ran.stdout
