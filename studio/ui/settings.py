"""Persistent window settings in an INI file: sizes, choices, recent projects."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import cast

from PySide6.QtCore import QByteArray, QSettings

from studio.ui.limits import RECENT_PROJECTS_UP_TO

_RECENT, _FIRST_DAY = "recent_projects", "first_day"


class Settings:
    """INI file in the state folder; `Settings(None)` keeps values in memory."""

    def __init__(self, file: Path | None) -> None:
        # A file with a path: the system's default is a registry or a plist, and no test could have its own.
        self._settings = QSettings(str(file), QSettings.Format.IniFormat) if file is not None else None
        self._values: dict[str, str] = {}

    def text(self, key: str) -> str:
        """Return a stored text, "" if there is none."""
        if self._settings is None:
            return self._values.get(key, "")
        return cast(str, self._settings.value(key, "", str))

    def store_text(self, key: str, text: str) -> None:
        """Store a text on disk at once; "" removes it.

        So a crash loses none.
        """
        if self._settings is None:
            self._values[key] = text
            return
        if text:
            self._settings.setValue(key, text)
        else:
            self._settings.remove(key)
        from studio.extras.home_files import make_own_file

        # Qt creates files with the umask's permissions, and preserves those of existing ones.
        with suppress(OSError):
            make_own_file(Path(self._settings.fileName()))
        self._settings.sync()

    def geometry(self, key: str) -> QByteArray:
        """Return a stored splitter or window state, empty if there is none."""
        return QByteArray.fromBase64(self.text(key).encode("ascii", "ignore"))

    def store_geometry(self, key: str, state: QByteArray) -> None:
        self.store_text(key, state.toBase64().toStdString())

    @property
    def is_first_day(self) -> bool:
        """Whether no project was ever opened and the first steps never shown.

        False where that can't be read or stored.
        """
        if self.text(_FIRST_DAY) or self.text(_RECENT):
            return False
        if self._settings is None:
            return True
        file = self._settings.fileName()
        is_kept = not os.path.lexists(file) or (Path(file).is_file() and os.access(file, os.R_OK | os.W_OK))
        return is_kept and self._settings.status() is QSettings.Status.NoError

    def end_first_day(self) -> None:
        """Note that the first steps were shown, or a project was opened."""
        if not self.text(_FIRST_DAY):
            self.store_text(_FIRST_DAY, "seen")

    def recent_projects(self) -> tuple[Path, ...]:
        """Return recent projects, last one first; some may be gone.

        Invalid entries, as from manual edits, are ignored.
        """
        entries = (entry for entry in self._list(_RECENT) if isinstance(entry, str))
        paths = (Path(entry) for entry in entries if "\0" not in entry)
        return tuple(path for path in paths if path.is_absolute())[:RECENT_PROJECTS_UP_TO]

    def store_recent_project(self, root: Path) -> None:
        others = [str(path) for path in self.recent_projects() if path != root]
        self._store_recent([str(root), *others][:RECENT_PROJECTS_UP_TO])

    def remove_recent_project(self, root: Path) -> None:
        """Remove a project from the recent ones, leaving it and its store."""
        self._store_recent([str(path) for path in self.recent_projects() if path != root])

    def _store_recent(self, paths: list[str]) -> None:
        import json

        self.store_text(_RECENT, json.dumps(paths))

    def _list(self, key: str) -> list[object]:
        text = self.text(key)
        if not text:
            return []
        import json

        try:
            value = json.loads(text)
        except ValueError:
            return []
        return cast("list[object]", value) if isinstance(value, list) else []
