"""Writes tests/engine/public_names.txt anew, what programs may call: python -m tests.tools.public_names"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Protocol, get_overloads

from msgspec import NODEFAULT, Struct

MODULES = (
    "studio.branch",
    "studio.engine.filesystem",
    "studio.engine.tools",
    "studio.errors",
    "studio.files",
    "studio.formats.detect",
    "studio.formats.submission",
    "studio.engine",
)
"""As docs/embedding.md lists them; of the last one the others use names, which are listed there."""

FILE = Path(__file__).parents[1] / "engine" / "public_names.txt"
_PLAIN = (str, bytes, int, float, type(None))


def text() -> str:
    """The whole table."""
    listed: dict[object, str] = {}
    lines: list[str] = []
    for place in MODULES:
        module = import_module(place)
        for name in sorted(_names(module)):
            value = getattr(module, name)
            known = listed.get(value) if isinstance(value, type) else None
            lines += [f"{place}.{name} is {known}"] if known else _lines(f"{place}.{name}", value)
            if isinstance(value, type):
                listed.setdefault(value, f"{place}.{name}")
    return "".join(f"{line}\n" for line in lines)


def _names(module: ModuleType) -> Iterator[str]:
    """Names that a module hands out: those it lists, those it loads late, or else those it defines."""
    if late := vars(module).get("_MODULES"):
        yield from (name for names in late.values() for name in names.split())
    elif "__all__" in vars(module):
        yield from module.__all__
    else:
        for name, value in vars(module).items():
            if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__:
                yield name


def _lines(name: str, value: Any) -> Iterator[str]:
    if not isinstance(value, type):
        yield from _calls(name, value) if inspect.isfunction(value) else [name]
        return
    if issubclass(value, Enum):
        yield f"{name}: {', '.join(f'{each.name} = {each.value!r}' for each in value)}"
    else:
        yield name + (_signature(value) if _has_constructor(value) else "")
    members = {
        member: each
        for kind in reversed(value.__mro__)
        if kind.__module__.startswith("studio.") and (kind is value or kind.__name__.startswith("_"))
        for member, each in vars(kind).items()
        if not member.startswith("_")
    }
    for member, each in sorted(members.items()):
        found = each.__func__ if isinstance(each, (classmethod, staticmethod)) else each
        if isinstance(found, property):
            yield f"{name}.{member}: property"
        elif isinstance(found, FunctionType):
            yield from _calls(f"{name}.{member}", found)


def _has_constructor(kind: type) -> bool:
    """Whether it says itself how it is called, and its base does not say all."""
    if issubclass(kind, Struct):
        return True
    return Protocol not in kind.__bases__ and any(name in vars(kind) for name in ("__init__", "__new__"))


def _calls(name: str, value: FunctionType) -> Iterator[str]:
    """The ways to call a function: its overloads, or itself."""
    yield from (name + _signature(each) for each in get_overloads(value) or [value])


def _signature(value: Any) -> str:
    if isinstance(value, type) and issubclass(value, Struct):
        return fields(value)
    signature = inspect.signature(value)
    parameters = [
        each if each.default is each.empty or _is_plain(each.default) else each.replace(default=Ellipsis)
        for each in signature.parameters.values()
    ]
    shown = str(signature.replace(parameters=parameters))
    return shown.replace("'", "").replace("Ellipsis", "...")


def fields(kind: type[Struct]) -> str:
    """The fields of a value; inspect evaluates their types, some of which only type checkers import."""
    types: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        types |= vars(each).get("__annotations__", {})
    defaults = dict(zip(reversed(kind.__struct_fields__), reversed(kind.__struct_defaults__), strict=False))
    shown = [
        f"{name}: {types[name]}"
        + ("" if (default := defaults.get(name, NODEFAULT)) is NODEFAULT else f" = {_default(default)}")
        for name in kind.__struct_fields__
    ]
    return f"({', '.join(shown)})"


def _default(value: object) -> str:
    return repr(value) if _is_plain(value) else "..."


def _is_plain(value: object) -> bool:
    return all(map(_is_plain, value)) if isinstance(value, tuple) else type(value) in (*_PLAIN, bool)


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
