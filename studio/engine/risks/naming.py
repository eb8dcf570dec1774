"""Facts on file names: hidden characters, confusable siblings, path length."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from studio.engine.plan import Fact, Operation, Severity, Step
from studio.engine.risks.lookalikes import find_resemblance, has_visible_foreign_letter, skeleton_of
from studio.limits import FACT_PATH_UNITS, WINDOWS_PATH_UNITS
from studio.names import folded, is_hidden_character, show_name

_FOLDERS_KNOWN = 256
_WORD = re.compile(r"\w+")
_NEW_NAME = frozenset({Operation.CREATE, Operation.MKDIR, Operation.MOVE, Operation.COPY})


def name_facts(path: str) -> Iterator[Fact]:
    """Yield facts on hidden characters, unusual composition and confusable words."""
    if path.isascii() and path.isprintable():
        return
    hidden = next((character for character in path if is_hidden_character(character)), None)
    if hidden is not None:
        message = f"The name contains U+{ord(hidden):04X}, which is invisible: {show_name(path)}."
        yield Fact("name_hidden", Severity.DANGER, message)
    elif path != unicodedata.normalize("NFC", path):
        message = f"The name {show_name(path)} is not composed as usual; macOS treats two spellings as one."
        yield Fact("name_spelling", Severity.NOTE, message)
    if path.isascii():
        return
    for word in _WORD.findall(path):
        found = find_resemblance(word)
        if found is not None and not (found.needs_twin and has_visible_foreign_letter(path)):
            yield Fact("name_lookalike", found.severity, f"In the name, {found.message}")


def twin_facts(step: Step, beside: Mapping[str, Collection[str]]) -> Iterator[Fact]:
    """Yield facts on siblings with confusable names.

    `beside` has the names in each folder on the way to the target, by the folder's path ("" is the root). One
    fact for each component; names that differ in case or composition alone are one file to some systems.
    """
    parts = step.target.split("/")
    for index, name in enumerate(parts):
        others = beside.get("/".join(parts[:index]), ())
        alike = _group_by_appearance(frozenset(others)).get(_appearance_key(name), ())
        twin = min((other for other in alike if other != name), default=None)
        if twin is None:
            continue
        is_new = name not in others
        if folded(twin) == folded(name):
            severity = Severity.WARNING if is_new else Severity.NOTE
            reason = "some systems treat both as one file"
        else:
            severity = Severity.DANGER if is_new else Severity.WARNING
            reason = "the two are hard to tell apart"
        message = f"Beside {show_name(name)} there is {show_name(twin)}{_diff_names(name, twin)}: {reason}."
        yield Fact("name_twin", severity, message)


def length_facts(step: Step, root: str) -> Iterator[Fact]:
    """Yield a fact if a new path nears or exceeds Windows' limit.

    The length with the absolute path `root` counts in UTF-16 units, as in Windows. An existing file has the
    path already.
    """
    if step.op not in _NEW_NAME:
        return
    whole = f"{root}/{step.target}" if root else step.target
    units = len(whole.encode("utf-16-le", "surrogatepass")) // 2
    if units > WINDOWS_PATH_UNITS:
        message = f"The full path has {units} characters; many Windows programs can't open the file."
        yield Fact("path_length", Severity.WARNING, message)
    elif units >= FACT_PATH_UNITS:
        message = f"The full path has {units} characters, near the Windows limit of {WINDOWS_PATH_UNITS}."
        yield Fact("path_length", Severity.WARNING, message)


@lru_cache(_FOLDERS_KNOWN)
def _group_by_appearance(names: frozenset[str]) -> Mapping[str, Sequence[str]]:
    """Return a folder's names grouped by their confusability key.

    Cached, because a plan's steps in one folder all need the same.
    """
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(_appearance_key(name), []).append(name)
    return found


def _appearance_key(name: str) -> str:
    """Return a key that is equal for names with the same appearance.

    Also for names that some file system takes for the same.
    """
    if name.isascii():
        return folded(name)
    visible = "".join(character for character in name if not is_hidden_character(character))
    return folded(skeleton_of(visible))


def _diff_names(name: str, twin: str) -> str:
    """Return the only difference of two names, as words to append."""
    if name.casefold() == twin.casefold():
        return ", which differs in case"
    if unicodedata.normalize("NFC", name) == unicodedata.normalize("NFC", twin):
        return " in another Unicode form"
    visible = ("".join(each for each in text if not is_hidden_character(each)) for text in (name, twin))
    if len({each.casefold() for each in visible}) == 1:
        return ", which differs in a character that can't be seen"
    return ", which is visually similar" if skeleton_of(name) != name or skeleton_of(twin) != twin else ""
