"""Ordinary source files of a released package raise hardly any warning, and no wrong one.

The whole measure, over twelve packages in many languages: `python -m tests.tools.wrong_warnings`.
"""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

from tests.tools.packages import NO_NETWORK, Unavailable
from tests.tools.wrong_warnings import (
    FEWEST_FILES,
    MOST_WRONG,
    Judged,
    read_judged,
    source_files,
    warnings_of,
)

RLO = "\u202e"


@pytest.mark.network
def test_the_files_of_docutils_are_warned_of_where_that_is_right() -> None:
    try:
        files = list(source_files(["docutils-0.21.2.tar.gz"]))
    except Unavailable:
        pytest.skip(NO_NETWORK)
    check(files)


def test_the_files_of_the_standard_library_are_warned_of_where_that_is_right() -> None:
    """Other people's code that every machine has; its own tests hold what warnings are for."""
    library = Path(sysconfig.get_path("stdlib"))
    names = (file.relative_to(library) for file in sorted(library.rglob("*.py")))
    wanted = [name for name in names if not {"test", "tests", "site-packages"} & {*name.parts}]
    check([(f"python/{name.as_posix()}", (library / name).read_bytes()) for name in wanted])


def check(files: list[tuple[str, bytes]]) -> None:
    judged = read_judged()
    found = [warned for path, data in files for warned in warnings_of(path, data, judged)]
    wrong = {warned.path for warned in found if not warned.right}
    print(f"{len(files)} files, {len({warned.path for warned in found})} warned of, {len(wrong)} wrongly")
    assert len(files) >= FEWEST_FILES / 2
    assert len(wrong) <= len(files) * MOST_WRONG, wrong


def test_a_warning_is_wrong_unless_it_was_found_right() -> None:
    judged = (Judged("bidi", "package-1/src/*", "on purpose"),)
    text = f"a = '{RLO}'\n".encode()
    assert [each.right for each in warnings_of("package-1/src/deep/a.py", text, judged)] == ["on purpose"]
    assert [each.right for each in warnings_of("package-2/src/a.py", text, judged)] == [""]
    assert [each.right for each in warnings_of("package-1/src/a.py", b"a\x1bb\n", judged)] == [""]
    assert warnings_of("package-1/src/a.py", b"a = 1\n", judged) == []
