"""Writes docs/filesystem.md anew from the protocol's docstrings: python -m tests.tools.filesystem_document"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import FunctionType

from msgspec import Struct

from studio.engine import filesystem as module
from studio.engine.filesystem import protocol
from tests.tools.public_names import fields

FILE = Path(__file__).parents[2] / "docs" / "filesystem.md"

_HEAD = (
    """\
# The `Filesystem` protocol

What `HostFilesystem`, `InMemoryFilesystem` and `OverlayFilesystem` of `studio.engine.filesystem` offer to
[programs that embed the engine](embedding.md).

Streams are context managers with `path`, `closed` and `close()`. Listings and searches return `Results`: a
sorted tuple with `unseen`, the names and folders that could not be read, and `truncated`.

This page is made from the docstrings (`python -m tests.tools.filesystem_document`).

"""
    + (inspect.getdoc(protocol) or "").partition("\n\n")[2]
    + "\n"
)
_PROTOCOLS = (
    protocol.Filesystem,
    protocol.SnapshotableFilesystem,
    protocol.ByteReader,
    protocol.ByteWriter,
    protocol.TextReader,
)


def text() -> str:
    """The whole page."""
    sections = (line for kind in _PROTOCOLS for line in _section(kind))
    return "\n".join([_HEAD, *sections, *_results()])


def _section(kind: type) -> Iterator[str]:
    yield f"## {kind.__name__}\n\n{inspect.getdoc(kind)}\n"
    yield "| call | returns | does |\n|---|---|---|"
    for name, member in vars(kind).items():
        if not name.startswith("_"):
            call = member.fget if isinstance(member, property) else member
            assert call is not None
            returns = inspect.signature(call).return_annotation
            yield f"| `{name}{_arguments(member)}` | `{returns}` | {_cell(call)} |"
    yield ""


def _arguments(member: object) -> str:
    """The arguments of a method, "" for a property."""
    if not isinstance(member, FunctionType):
        return ""
    signature = inspect.signature(member)
    _self, *parameters = signature.parameters.values()
    plain = [
        each.replace(
            annotation=each.empty,
            default=each.default.value if isinstance(each.default, Enum) else each.default,
        )
        for each in parameters
    ]
    return str(signature.replace(parameters=plain, return_annotation=signature.empty))


def _results() -> Iterator[str]:
    yield "## Results\n\n| value | fields | meaning |\n|---|---|---|"
    for name in module.__all__:
        kind = getattr(module, name)
        if isinstance(kind, type) and issubclass(kind, Struct):
            shown = fields(kind)[1:-1].replace("|", "\\|")
            yield f"| `{name}` | `{shown}` | {_cell(kind)} |"
    yield ""


def _cell(documented: object) -> str:
    return " ".join((inspect.getdoc(documented) or "").split())


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
