"""Deletion of a project's whole store folder."""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path

from studio.engine.store.database import translated
from studio.engine.store.selection import forget_steps


def delete_store(folder: Path) -> None:
    """Delete a store's folder with plans, decisions, history and undo.

    It is renamed first: a process that opens the project meanwhile creates a new store, and what an
    interrupted deletion leaves can't be taken for one. Raises Refused.
    """
    with translated(folder):
        for rest in folder.parent.glob(f"{folder.name}.forgotten-*"):
            shutil.rmtree(rest)
        doomed = folder.with_name(f"{folder.name}.forgotten-{uuid.uuid4().hex}")
        folder.rename(doomed)
        forget_steps()
        shutil.rmtree(doomed)
