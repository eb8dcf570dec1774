"""What the window remembers, whatever somebody made of its file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from studio.ui.settings import Settings
from tests.tools.rights import IS_ROOT


@pytest.mark.parametrize(
    "text",
    [
        "[General]\nrecent_projects=12\n",
        "\0\xff[[",
        "first_day",
        '[General]\nrecent_projects="no json["\n',
        '[General]\nrecent_projects="[1, null, \\"relative\\", \\"a\\\\u0000b\\"]"\n',
    ],
)
def test_a_broken_file_has_no_projects_and_keeps_what_is_done_next(
    qapp: object, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "window.ini"
    file.write_bytes(text.encode("latin-1"))
    settings = Settings(file)
    assert settings.recent_projects() == ()
    settings.end_first_day()
    settings.store_recent_project(tmp_path)
    again = Settings(file)
    assert not again.is_first_day and again.recent_projects() == (tmp_path,)


def _close(ini: Path) -> None:
    ini.write_text("[General]\ntheme=dark\n")
    ini.chmod(0o400)


@pytest.mark.parametrize(
    "spoil",
    [Path.mkdir, lambda ini: ini.symlink_to("/nowhere/at/all.ini"), _close],
    ids=["a folder", "a link to nowhere", "read only"],
)
def test_a_file_that_keeps_nothing_has_no_first_day(
    qapp: object, tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    """The first steps would come at every start."""
    file = tmp_path / "window.ini"
    spoil(file)
    assert Settings(file).is_first_day == (spoil is _close and IS_ROOT)
