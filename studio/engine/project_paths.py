"""Conversion of agents' and clients' path spellings to project paths."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from studio.engine.errors import InvalidPath
from studio.engine.limits import PATH_BYTES
from studio.engine.names import normalized, parse_tool


def project_path(path: str, roots: Sequence[Path], cwd: str = "") -> str:
    """Return a path relative to the project, or absolute if outside.

    A relative path counts from `cwd`, where that is absolute, else from the project. `roots` are names of the
    project's folder; another link to it is the same folder. The engine refuses an absolute path that is
    returned, and a relative one with "..".
    """
    absolute = path = normalized(path)
    if not path.startswith("/"):
        if not path or not cwd.startswith("/"):
            return path
        absolute = normalized(f"{cwd.rstrip('/')}/{path}")
    try:
        _, beneath = parse_tool(absolute, roots, exists=True)
    except InvalidPath:
        return _resolve_beneath_link(absolute, roots) or absolute
    return beneath or path


def is_in_project(folder: str, project: Path) -> bool:
    """Return whether an absolute folder is in the project, through any link."""
    return not project_path(f"{folder.rstrip('/')}/x", (project,)).startswith("/")


def _resolve_beneath_link(absolute: str, roots: Sequence[Path]) -> str:
    parts = absolute.split("/")
    if len(absolute) > PATH_BYTES or any(part in ("", ".", "..") for part in parts[1:]):
        return ""
    for count in range(len(parts) - 1, 1, -1):
        folder = "/".join(parts[:count])
        if any(_is_same(folder, root) for root in roots):
            return "/".join(parts[count:])
    return ""


def _is_same(folder: str, root: Path) -> bool:
    try:
        return Path(folder).samefile(root)
    except (OSError, ValueError):
        return False
