"""A project's files can be written through a HostFilesystem in the gateway's leaf only.

Whoever asks on behalf of an agent gets a layer over the project. So the doors, formats, tools, actions and
the window never name the class; the rest of the engine makes it with `read_only=True`, spelled out.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMES = frozenset({"HostFilesystem", "HostBacking"})
MODULES = frozenset({"studio.engine.filesystem.host", "studio.engine.filesystem.host_backing"})

WRITING = (
    "studio/engine/filesystem/",
    "studio/engine/branch/",
    "studio/extras/sandbox/layer_files.py",
)
"""Where it is made of, where the leaf is, and the layer of a sandbox: these may make it as they like."""

NEVER = (
    "studio/doors/",
    "studio/formats/",
    "studio/ui/",
    "studio/extras/tools",
    "studio/files/",
    "studio/__main__.py",
)
"""Who may not even name it."""


def offences(module: str, source: str) -> list[str]:
    """`line: code` for each use of the class that the module may not make."""
    if module.startswith(WRITING) or not any(name in source for name in (*NAMES, "host")):
        return []
    may_name = not module.startswith(NEVER)
    tree = ast.parse(source)
    harmless = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call) and is_read_only(node)}
    return [
        f"{getattr(node, 'lineno', 0)}: {ast.unparse(node)}"
        for node in ast.walk(tree)
        if names_it(node) and not (may_name and (node in harmless or isinstance(node, ast.ImportFrom)))
    ]


def names_it(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        return any(alias.name in NAMES or f"{node.module}.{alias.name}" in MODULES for alias in node.names)
    if isinstance(node, ast.Import):
        return any(alias.name in MODULES for alias in node.names)
    if isinstance(node, ast.Constant):
        return node.value in NAMES  # getattr(filesystem, "HostFilesystem")
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name in NAMES and isinstance(getattr(node, "ctx", None), ast.Load)


def is_read_only(call: ast.Call) -> bool:
    return any(
        keyword.arg == "read_only" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True
        for keyword in call.keywords
    )


def test_nobody_outside_the_leaf_makes_a_writable_one() -> None:
    found = [
        f"{module}:{offence}"
        for file in sorted((ROOT / "studio").rglob("*.py"))
        for module in [file.relative_to(ROOT).as_posix()]
        for offence in offences(module, file.read_text(encoding="utf-8"))
    ]
    assert not found, "A HostFilesystem that may write:\n" + "\n".join(found)


def test_one_place_opens_folders_outside_of_a_project() -> None:
    """They may be written at once, so only the tools' context opens them, as the user's file says."""
    naming = {
        file.relative_to(ROOT).as_posix()
        for file in (ROOT / "studio").rglob("*.py")
        if "ExternalFolder" in file.read_text(encoding="utf-8")
    }
    assert naming == {"studio/engine/filesystem/external_folder.py", "studio/extras/tools/context.py"}


IMPORT = "from studio.engine.filesystem import HostFilesystem\n"


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("studio/doors/mcp/tools.py", IMPORT),
        ("studio/ui/app/main.py", "import studio.engine.filesystem.host\n"),
        ("studio/extras/tools.py", "from studio.engine.filesystem import host\n"),
        ("studio/extras/tools/reading.py", IMPORT + "HostFilesystem(root, read_only=True)\n"),
        (
            "studio/files/manager.py",
            "from studio.engine import filesystem\nfilesystem.HostFilesystem(root)\n",
        ),
        ("studio/formats/detect.py", "getattr(filesystem, 'HostFilesystem')(root)\n"),
        ("studio/workspace.py", IMPORT + "HostFilesystem(root)\n"),
        ("studio/workspace.py", IMPORT + "HostFilesystem(root, read_only=False)\n"),
        ("studio/workspace.py", IMPORT + "HostFilesystem(root, read_only=flag)\n"),
        ("studio/workspace.py", IMPORT + "HostFilesystem(root, **options)\n"),
        ("studio/workspace.py", IMPORT + "make = HostFilesystem\n"),
    ],
)
def test_an_offence_is_found(module: str, source: str) -> None:
    assert offences(module, source)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("studio/engine/branch/posix.py", IMPORT + "HostFilesystem(root)\n"),
        ("studio/workspace.py", IMPORT + "HostFilesystem(root, read_only=True)\n"),
        ("studio/engine/proposer.py", "filesystem.HostFilesystem(root, read_only=True)\n"),
        ("studio/doors/mcp/tools.py", "from studio.engine.filesystem import OverlayFilesystem\n"),
    ],
)
def test_what_is_allowed_is_not_found(module: str, source: str) -> None:
    assert not offences(module, source)
