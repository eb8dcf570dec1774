"""A project's store deleted, all of it, for a person who said so: plans, decisions, history and undo."""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path

from studio.engine.store.database import translated
from studio.engine.store.selection import forget_steps


def forget(folder: Path) -> None:
    """Delete a store's folder. Renamed first: whoever opens the project meanwhile begins a new store, and a
    deletion cut short leaves nothing that could be taken for one. Raises Refused.
    """
    with translated(folder):
        for rest in folder.parent.glob(f"{folder.name}.forgotten-*"):
            shutil.rmtree(rest)
        going = folder.with_name(f"{folder.name}.forgotten-{uuid.uuid4().hex}")
        folder.rename(going)
        forget_steps()
        shutil.rmtree(going)
