"""The archive of diffs that `python -m tests.diffs` makes: TOOL/FORM/CHANGE, and the tools' versions."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ARCHIVE: Final = Path(__file__).parents[1] / "data" / "diffs_of_tools.tar.xz"
VERSIONS: Final = "versions.json"


def read_archive() -> Iterator[tuple[str, bytes]]:
    """Each name with its bytes."""
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            file = archive.extractfile(member)
            assert file is not None
            yield member.name, file.read()
