"""Qt's library of language data (ICU), linked anew without what the program never asks it.

Runs where the package is made, with icupkg of Debian's icu-devtools and the linker; standard library only.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from system_packages import Problem, run_quietly

TOOLS = ("binutils", "icu-devtools")
"""Debian's packages with what this starts."""

_NAMED_IN_LANGUAGES = frozenset({"curr", "lang", "region", "unit", "zone"})
"""How currencies, languages, places, units and time zones are called in each language: nothing shows that.
Orders of sorting, encodings, and the rules of time zones stand elsewhere."""

_NEVER_OPENED = frozenset({"brkitr", "rbnf", "translit"})
"""For functions that no library of Qt calls: where words break, numbers in words, one script in another.
Qt calls those that sort, that convert encodings and that know calendars and time zones."""

_OF_ALL_LANGUAGES = frozenset({"en", "pool", "res_index", "root", "supplementalData", "tzdbNames"})
"""What every other bundle falls back to, and what is no language."""

_SYMBOL = re.compile(r" OBJECT +GLOBAL +DEFAULT +\d+ (icudt\d+_dat)$", re.MULTILINE)
_NAME = re.compile(r"\(SONAME\).*\[(libicudata\.so\.\d+)\]")

# One object in memory that is only read, where the library of before had it.
_ASSEMBLY = """
.section .rodata
.balign 16
.globl {symbol}
.type {symbol}, @object
{symbol}:
.incbin "{data}"
.size {symbol}, . - {symbol}
.section .note.GNU-stack, "", @progbits
"""


def relink(library: Path) -> None:
    """Replace libicudata.so.N by one that holds less. Raises Problem where it is built as none was before."""
    symbol = _only(_SYMBOL, _said("readelf", "--wide", "--dyn-syms", str(library)), library)
    name = _only(_NAME, _said("readelf", "--wide", "--dynamic", str(library)), library)
    with tempfile.TemporaryDirectory(prefix="exacta-icu-") as folder:
        whole = Path(folder, f"{symbol.removesuffix('_dat')}l.dat")
        run_quietly(["objcopy", "-O", "binary", "--only-section=.rodata", str(library), str(whole)])
        names = Path(folder, "names.txt")
        names.write_text("\n".join(left_out(_said("icupkg", "--list", str(whole)).split())))
        # The name of the file is that of what it holds.
        rest = Path(folder, "rest", whole.name)
        rest.parent.mkdir()
        run_quietly(["icupkg", "--remove", str(names), str(whole), str(rest)])
        source, made = Path(folder, "data.s"), Path(folder, "data.o")
        source.write_text(_ASSEMBLY.format(symbol=symbol, data=rest))
        run_quietly(["as", "-o", str(made), str(source)])
        library.unlink()
        options = ["-shared", "--build-id=none", "-z", "noexecstack", "-soname", name]
        run_quietly(["ld", *options, "-o", str(library), str(made)])


def left_out(items: Iterable[str]) -> list[str]:
    """Which of its items, such as zone/de.res, are left out. Raises Problem where it has none of a kind."""
    chosen = [item for item in items if _is_left_out(item)]
    missing = (_NAMED_IN_LANGUAGES | _NEVER_OPENED) - {item.partition("/")[0] for item in chosen}
    if missing:
        raise Problem(f"ICU's data is laid out in an unknown way: no {', '.join(sorted(missing))} in it.")
    return chosen


def _is_left_out(item: str) -> bool:
    folder, _, file = item.partition("/")
    if folder in _NAMED_IN_LANGUAGES:
        return file.removesuffix(".res") not in _OF_ALL_LANGUAGES
    return folder in _NEVER_OPENED


def _only(pattern: re.Pattern[str], text: str, library: Path) -> str:
    """What a pattern finds once."""
    found: list[str] = pattern.findall(text)
    if len(found) != 1:
        times = f"{pattern.pattern} is {len(found)} times there"
        raise Problem(f"{library.name} is built in an unknown way: {times}.")
    return found[0]


def _said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
