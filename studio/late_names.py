"""Loading of a package's names on first access, for quick starts."""

from __future__ import annotations

import sys
from importlib import import_module

# Not typing.TYPE_CHECKING: see studio.doors.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


def late_names(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package that hands out names of modules.

    `modules` has the names, separated by blanks, for each module; the last part of a module's own name gives
    out the module. No other name may be a submodule's: Python sets a loaded submodule as an attribute of its
    package. The package imports the names under TYPE_CHECKING, too, for type checkers and import contracts.
    """
    found = {name: module for module, names in modules.items() for name in names.split()}

    def load(name: str) -> object:
        if name not in found:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(found[name])
        value = module if found[name].endswith(f".{name}") else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return load


def late_modules(package: str, names: Iterable[str]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package that hands out modules in it.

    A module is loaded by `package.module.name` in a function, and the import is at the top of its file.
    """
    return late_names(package, {f"{package}.{name}": name for name in names})
