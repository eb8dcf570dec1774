"""Qt's library of language data (ICU), linked anew without what the program never asks it.

Runs where the package is made, with icupkg of Debian's icu-devtools and the linker; standard library only.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

from system_packages import Problem, run_quietly

TOOLS = ("binutils", "icu-devtools")
"""Debian's packages with what this starts."""

_NAMED_IN_LANGUAGES = frozenset({"", "curr", "lang", "region", "unit", "zone"})
"""How months, currencies, languages, places, units and time zones are called in each language: nothing
shows that, for Qt has names of its own. Orders of sorting, encodings and rules of zones stand elsewhere."""

_LANGUAGE = re.compile(r"(?!en\.|res_index)[a-z]{2,3}(_\w+)?\.res")
"""Not those that every other falls back to (root, en), and what is of no language (res_index)."""

_NEVER_OPENED = frozenset({"brkitr", "rbnf", "translit"})
_NEVER_OPENED_FILES = (".cfu", ".spp", "unames.icu")
"""For functions that no library of Qt calls: where words break, numbers in words, one script in another,
letters that look alike, names of hosts and of characters. Qt calls those that sort, that convert encodings
and that know calendars and time zones."""

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
    symbol = _only(_SYMBOL, run_quietly(["readelf", "--wide", "--dyn-syms", library]), library)
    name = _only(_NAME, run_quietly(["readelf", "--wide", "--dynamic", library]), library)
    with tempfile.TemporaryDirectory(prefix="exacta-icu-") as folder:
        whole = Path(folder, f"{symbol.removesuffix('_dat')}l.dat")
        run_quietly(["objcopy", "-O", "binary", "--only-section=.rodata", str(library), str(whole)])
        names = Path(folder, "names.txt")
        names.write_text("\n".join(left_out(run_quietly(["icupkg", "--list", whole]).split())))
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
    missing = (_NAMED_IN_LANGUAGES | _NEVER_OPENED) - {item.rpartition("/")[0] for item in chosen}
    if missing:
        raise Problem(f"ICU's data is laid out in an unknown way: no {', '.join(sorted(missing))} in it.")
    return chosen


def _is_left_out(item: str) -> bool:
    folder, _, file = item.rpartition("/")
    is_of_language = folder in _NAMED_IN_LANGUAGES and _LANGUAGE.fullmatch(file) is not None
    return is_of_language or folder in _NEVER_OPENED or file.endswith(_NEVER_OPENED_FILES)


def _only(pattern: re.Pattern[str], text: str, library: Path) -> str:
    """What a pattern finds once."""
    found: list[str] = pattern.findall(text)
    if len(found) != 1:
        times = f"{pattern.pattern} is {len(found)} times there"
        raise Problem(f"{library.name} is built in an unknown way: {times}.")
    return found[0]
