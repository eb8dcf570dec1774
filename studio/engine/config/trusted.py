"""Storage of the user's trust in project configuration files, by SHA-256."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import cast

from studio.engine.config.reading import TRUST_NAME, read_project_file
from studio.engine.root.foreign_file import read_foreign_file
from studio.errors import Conflict, Refused
from studio.limits import CONFIGURATION_BYTES
from studio.program.app_folders import project_key
from studio.system.own_files import write_own_file

_SHA256 = re.compile("[0-9a-f]{64}")
_TRUST_BYTES = CONFIGURATION_BYTES * 16


def read_trust(config_dir: Path, project_root: Path) -> frozenset[str]:
    """Return the trusted SHA-256 sums of a project's studio.yaml.

    Empty where the list is missing or damaged.
    """
    try:
        return frozenset(_read(config_dir).get(project_key(project_root), ()))
    except OSError:
        return frozenset()


def trust(project_root: Path, config_dir: Path, *, sha256: str) -> None:
    """Trust the project's studio.yaml while its bytes hash to `sha256`.

    `sha256` is that of the bytes shown to the user. Writes only the user's own configuration folder. Raises
    Conflict if the file has changed, ConfigRefused if it can't be read, OSError if the list can't be read or
    written: an unreadable list is not replaced by one with this entry alone.
    """
    data = read_project_file(project_root)
    if data is None or hashlib.sha256(data).hexdigest() != sha256:
        raise Conflict(
            "config.changed",
            "studio.yaml changed after it was shown.",
            "Review it again before you trust it.",
            path="studio.yaml",
        )
    sums_by_project = _read(config_dir)
    sums_by_project.setdefault(project_key(project_root), set()).add(sha256)
    _write(config_dir, sums_by_project)


def distrust(project_root: Path, config_dir: Path) -> None:
    """Remove all trust in the project's studio.yaml. Raises OSError."""
    sums_by_project = _read(config_dir)
    if sums_by_project.pop(project_key(project_root), None) is not None:
        _write(config_dir, sums_by_project)


def _read(config_dir: Path) -> dict[str, set[str]]:
    """Read the list, empty where it is missing or damaged.

    Raises OSError where the file can't be accessed.
    """
    try:
        content: object = json.loads(read_foreign_file(config_dir / TRUST_NAME, _TRUST_BYTES))
    except (FileNotFoundError, Refused, ValueError, RecursionError):
        return {}
    projects = cast("dict[str, object]", content).get("trusted") if isinstance(content, dict) else None
    if not isinstance(projects, dict):
        return {}
    return {
        key: {
            sha256
            for sha256 in cast("list[object]", sums)
            if isinstance(sha256, str) and _SHA256.fullmatch(sha256)
        }
        for key, sums in cast("dict[str, object]", projects).items()
        if isinstance(sums, list)
    }


def _write(config_dir: Path, sums_by_project: dict[str, set[str]]) -> None:
    content = {
        "schema_version": 1,
        "trusted": {key: sorted(sums) for key, sums in sorted(sums_by_project.items())},
    }
    # Atomically: a list cut short by a crash could not be read, and all trust would be lost.
    write_own_file(config_dir / TRUST_NAME, (json.dumps(content, indent=1) + "\n").encode())
