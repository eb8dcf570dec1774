"""Only pages that the system's own package installed are taken for the documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.ui.help import documentation

MODULE = "lib/python3.11/site-packages/studio/ui/help/documentation.py"


@pytest.mark.parametrize(
    "below", ["x/venv", "lib/exacta-studio", "usr/lib/exacta-studio-2", "usr/share", "usr/lib/exacta-studio"]
)
def test_pages_that_anybody_may_have_put_there_are_not_taken(below: str, tmp_path: Path) -> None:
    """Whatever the program is installed below: it was packaged for one folder of the system."""
    for prefix in (tmp_path, tmp_path / "x", tmp_path / "usr"):
        page = prefix / "share/doc/exacta-studio/html/index.html"
        page.parent.mkdir(parents=True)
        page.write_text("<p>Pages")
    program = tmp_path / below / MODULE
    assert documentation.first_page(program) is None
    is_packaged = below == "usr/lib/exacta-studio"
    assert documentation.first_page(program, tmp_path / "usr") == (page if is_packaged else None)
