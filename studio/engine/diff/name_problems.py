"""Error messages for file names in diffs, with hints to fix them."""

from __future__ import annotations

from typing import Final

from studio.engine.diff.cursor import Cursor
from studio.engine.diff.headers import Name
from studio.engine.limits import QUOTED_CHARACTERS
from studio.engine.names import show_name

_KEPT_ENDINGS: Final = (b".orig", b".old", b".bak", b"~")


def report_names(cursor: Cursor, line: int, old: Name | None, new: Name | None) -> None:
    """Report that a file's headers disagree on its names (None: not given)."""
    first, second = (name.value if name is not None else None for name in (old, new))
    message = "The headers of this file don't name the same file everywhere."
    hint = "Use one name in all headers; a rename needs the headers 'rename from' and 'rename to'."
    if first is not None and second is not None and first != second:
        folders, names = zip(*(_split(name) for name in (first, second)), strict=True)
        if names[0] == names[1] and all(folders) and folders != (b"a", b"b"):
            shown_folders = " and ".join(map(shown_name, folders))
            message = f"The two names begin with different folders: {shown_folders}."
            hint = (
                "Make it with git diff --src-prefix=a/ --dst-prefix=b/, quilt diff -p ab, brz diff "
                "--prefix=a/:b/, or diff -ru a b of folders that are called a and b."
            )
        elif any(first == second + ending for ending in _KEPT_ENDINGS):
            message = f"The old name is that of a kept copy: {shown_name(first)}."
            hint = "Make it with git diff, or with diff -u --label a/NAME --label b/NAME OLD NEW."
    cursor.report("diff.names", message, hint, line=line)


def _split(name: bytes) -> tuple[bytes, bytes]:
    """Split a name into its first folder and the rest."""
    folder, _, rest = name.partition(b"/")
    return (folder, rest) if rest else (b"", name)


def shown_name(name: bytes) -> str:
    """Return a name for a message, truncated where it is too long."""
    return show_name(name.decode("utf-8", "surrogateescape")[:QUOTED_CHARACTERS])


def report_quoting(cursor: Cursor, column: int, *, line: int | None = None) -> None:
    """Report an invalid quoted name, at the cursor's line or another."""
    cursor.report(
        "diff.quoting",
        "A quoted file name can't be read.",
        'End it with " and use only the escapes that git writes: \\n, \\t, \\", \\\\ and three octal digits.',
        line=line,
        column=column,
    )
