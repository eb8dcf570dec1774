"""Detection of diff lines naming changes without content, such as `Only in`.

An example is `Only in b: n.txt` of GNU diff. The strict parser refuses them. The extraction of diffs from
prose keeps them with the diff: as prose they would be lost, and with them a file of the change.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from studio.engine.diff.cursor import FILE_ANCHOR, Cursor
from studio.limits import QUOTED_CHARACTERS
from studio.names import show_name

_TREE: Final = "Propose the changed folder as a whole, or add the change to the diff."
_SUBVERSION: Final = (
    "Make the diff with svn diff --git --patch-compatible; give bytes and properties in another way."
)
_ONLY_IN: Final = "Only in .+: .+"

# Pattern, code and hint of such lines. A line may be megabytes long: no pattern scans it twice.
_KINDS: Final = (
    # GNU diff 3.8 -r. Its -N is no alternative: it writes nothing about a file that is empty on its only
    # side.
    (_ONLY_IN, "diff.only_in", _TREE),
    # GNU diff 3.8 writes the others with -q, without -r, with --no-dereference and where the types differ.
    (
        (
            r"(?:Files|Symbolic links|(?:Block|Character) special files) (?>.+? and ).+(?<= differ)\r?$"
            r"|(?:File|Symbolic link) (?>.+? is an? )(?>.+? while )(?:file|symbolic link) .+"
            r"|Common subdirectories: (?>.+? and ).+"
        ),
        "diff.named_only",
        _TREE,
    ),
    # Fossil 2.21 pads the word. With -v the content follows, below an Index line of the same name.
    (
        (
            r"(?:ADDED|CHANGED|CONFLICT|DELETED|EDITED|MISSING|RENAMED) {2,}(?P<fossil>(?>[^ \n].*))"
            r"(?!\n(?:[ \t]*\n)*Index: (?P=fossil)\n=+\n--- )"
        ),
        "diff.named_only",
        _TREE,
    ),
    # Breezy 3.3.2 writes nothing else about a rename, a mode, an empty file, a folder or a link.
    (
        (
            r"=== (?!(?:added|modified|removed) file '(?P<bazaar>.*)'\n"
            r"(?:--- |Binary files )(?:[^/ \n]+/)?(?P=bazaar)[\t\n ])"
            r"(?:added|kind changed|modified|removed|renamed) "
            r"(?:directory|file|symlink|tree reference) ['\"].*"
        ),
        "diff.named_only",
        "Propose the changed folder as a whole; bzr diff has no option for it.",
    ),
    # Mercurial 6.3.2 without --git.
    (r"Binary file .+(?<= has changed)\r?$", "diff.named_only", "Create the diff with hg diff --git."),
    # Subversion 1.14.2 writes only the first for a file that is empty, renamed or binary.
    (
        (
            r"Index: (?P<index>.+)\n={66,67}\n(?!--- (?:[^/ \n]+/)?(?P=index)[\t\n]|diff --git )"
            r"|Property changes on: .+"
        ),
        "diff.named_only",
        _SUBVERSION,
    ),
    (
        r"Submodule .+ (?:[0-9a-f]{7,64}\.\.\.?[0-9a-f]{7,64}|contains (?:modified|untracked) content)",
        "diff.named_only",
        "Exclude the submodule; commit its changes in its own repository.",
    ),
    (r"\* Unmerged path .+", "diff.named_only", "Resolve the conflict, then make the diff again."),
    (
        (
            r"(?:copy|rename) from .+\n(?:copy|rename) to .+"
            r"|old mode [0-7]{6}\nnew mode [0-7]{6}$|(?:deleted file|new file) mode [0-7]{6}$"
        ),
        "diff.header",
        "Put it directly below the diff --git line of its file.",
    ),
)

NAMED_ONLY: Final = "(?:" + "|".join(f"(?P<kind{at}>{kind[0]})" for at, kind in enumerate(_KINDS)) + ")"
"""Pattern for the start of a line, with MULTILINE; it may extend into the next line."""

AS_PROSE: Final = rf"(?!Only in [^ \n]+: [^ \n]+$){_ONLY_IN}"
"""Those of the lines that may also be an agent's prose, unless they directly follow a diff."""


# Compiled at first use: both cost each hook 2 ms.
@cache
def _here() -> re.Pattern[bytes]:
    return re.compile(
        rb"(?:(?:[ \t]*|(?:(?:dis)?similarity )?index .*)\n)*+(?P<line>%s)" % NAMED_ONLY.encode(),
        re.MULTILINE,
    )


@cache
def _next() -> re.Pattern[bytes]:
    return re.compile(rb"^(?:%s|%s)" % (NAMED_ONLY.encode(), FILE_ANCHOR), re.MULTILINE)


def report_named_only(cursor: Cursor) -> bool:
    """Report lines before the next file that name changes without content.

    False where none is at the cursor. Empty lines and headers without a name before the first one are
    skipped.
    """
    found = _here().match(cursor.data, cursor.position)
    if found is None:
        return False
    start = found.start("line")
    cursor.jump(start, cursor.data.count(b"\n", cursor.position, start))
    while (kind := _kind(_next().match(cursor.data, cursor.position))) is not None:
        _, code, hint = kind
        line = show_name(cursor.current().decode("utf-8", "replace")[:QUOTED_CHARACTERS])
        cursor.report(code, f'The line "{line}" names a change that the diff does not contain.', hint)
        cursor.skip_to(_next())
    return True


def _kind(found: re.Match[bytes] | None) -> tuple[str, str, str] | None:
    name = found.lastgroup if found is not None else None
    return _KINDS[int(name.removeprefix("kind"))] if name is not None else None
