"""What a sweep removed is read anew, whatever was known of the files before."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from studio.engine.root import hash_cache
from studio.errors import Refused
from studio.workspace import Workspace
from tests.engine.conftest import PERSON


def test_what_was_known_and_swept_is_kept_again(
    workspace: Workspace, project: Path, private_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A preview keeps what no snapshot has, and what no snapshot has goes with one that is deleted."""
    (private_folders / "studio-config/config.yaml").write_text("observe: {bytes: 100000}\n")
    # Nothing is young, else it would be read anew in any case.
    monkeypatch.setattr(hash_cache, "YOUNG_NS", -(10**18))
    (project / "file").write_text("first\n")
    first = workspace.snapshots.create("first")
    (project / "file").write_text("second\n")
    workspace.snapshots.preview("first")
    (project / "large").touch()
    os.truncate(project / "large", 1 << 30)
    with pytest.raises(Refused, match="would be stored"):
        workspace.snapshots.create("refused")
    (project / "large").unlink()
    workspace.reviewer(PERSON).snapshots.delete([first.id])
    workspace.snapshots.create("second")
    (project / "file").write_text("third\n")
    (step,) = workspace.snapshots.preview("second").steps
    assert (step.path, step.added, step.removed) == ("file", 1, 1)
