"""The tools that write the diffs, as commands of a shell in a folder that holds the tree before a change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class Tool:
    """How one tool is started, told of a change and asked for it; commands run in the tree.

    `begin` keeps the tree before. `move` and `copy` take `$old` and `$new`; without them the files are moved
    and copied alone. `settle` runs when the tree is that after the change. Each form is one way to ask.
    """

    name: str
    version: str
    """A command whose output holds the version."""
    forms: Mapping[str, str]
    begin: str = ""
    move: str = ""
    copy: str = ""
    settle: str = ""
    keeps_mode: str | None = None
    """A word of the forms whose diffs can say that a file may be executed; None where none can."""
    tells_last_newline: bool = True
    """Whether its diffs say that a file does not end with a newline."""
    refuses: frozenset[str] = frozenset()
    """Changes that the tool itself can't be told of whole."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


_GIT_MAIL: Final = "git -c user.name=T -c user.email=t@example.org commit -q -m 'Change the text' && "
_LATIN: Final = (
    "printf 'Gr\\374\\337e\\n\\nL\\366sch es.\\n' > ../words && "
    "git -c i18n.commitEncoding=ISO-8859-1 commit -q -F ../words && "
    "git -c i18n.logOutputEncoding=ISO-8859-1 format-patch --stdout -1"
)
# Puts the tree before the change beside that after it: ../old and ../new.
_TWO: Final = "cp -a ../before ../old && cp -a . ../new && rm -rf ../new/.git && cd .. && "

_NO_INDEX: Final = (
    'for each in $names; do [ -f "$each" ] && [ -f "../before/$each" ] && '
    '{} diff --no-index "../before/$each" "$each"; done'
)

TOOLS: Final = (
    Tool(
        "Git",
        "git --version",
        {
            "git diff": "git diff HEAD",
            "git diff --binary -M -C": "git diff HEAD --binary -M -C --find-copies-harder",
            "git diff --full-index -B -M": "git diff HEAD --full-index -B -M",
            "git diff --no-renames --text": "git diff HEAD --no-renames --text",
            "git diff --cached, mnemonic": "git -c diff.mnemonicPrefix=true diff --cached",
            "git diff HEAD, mnemonic": "git -c diff.mnemonicPrefix=true diff HEAD",
            "git diff, mnemonic": (
                "git reset -q && git ls-files -zo | xargs -0r git add -N && "
                "git -c diff.mnemonicPrefix=true diff"
            ),
            "git diff -R, mnemonic": "git stash -q && git -c diff.mnemonicPrefix=true diff -R stash@{0}",
            "git diff --no-prefix": "git diff HEAD --no-prefix",
            "git diff, own prefixes": "git diff HEAD --src-prefix=old/ --dst-prefix=new/",
            "git diff --no-index": _NO_INDEX.format("git"),
            "git diff --no-index, mnemonic": _NO_INDEX.format("git -c diff.mnemonicPrefix=true"),
            "git diff -U0": "git diff HEAD -U0",
            "git diff -W --patch-with-stat": "git diff HEAD -W --patch-with-stat",
            "git diff --patch-with-raw": "git diff HEAD --patch-with-raw",
            "git diff, diff.suppressBlankEmpty": "git -c diff.suppressBlankEmpty=true diff HEAD",
            "git diff -D": "git diff HEAD -D",
            "git diff --color": "git diff HEAD --color=always",
            "git diff --word-diff": "git diff HEAD --word-diff",
            "git diff --stat": "git diff HEAD --stat",
            "git diff --ignore-space-at-eol": "git diff HEAD --ignore-space-at-eol",
            "git diff, lines saved with CRLF": "git diff HEAD | sed 's/$/\\r/'",
            "git diff, saved as UTF-16": (
                "git diff HEAD | iconv -c -f UTF-8 -t UTF-16LE | (printf '\\377\\376'; cat)"
            ),
            "git diff, saved with byte order mark": "git diff HEAD | (printf '\\357\\273\\277'; cat)",
            "git format-patch": _GIT_MAIL + "git format-patch --stdout -1",
            "git format-patch --attach": _GIT_MAIL + "git format-patch --attach --stdout -1",
            "git format-patch --inline": _GIT_MAIL + "git format-patch --inline --stdout -1",
            "git format-patch, Latin-1": _LATIN,
            "git show": _GIT_MAIL + "git show",
            "git log -p": _GIT_MAIL + "git log -p -1",
        },
        begin="git init -q -b main && git add -A && git commit -q -m before",
        move='mkdir -p "$(dirname "$new")" && git mv -- "$old" "$new"',
        settle="git add -A",
        keeps_mode="",
    ),
    Tool(
        "Mercurial",
        "hg --version -q",
        {
            "hg diff": "hg diff",
            "hg diff --git": "hg diff --git",
            "hg export": "hg commit -q -m change && hg export tip",
            "hg export --git": "hg commit -q -m change && hg export --git tip",
            "hg log -p": "hg commit -q -m change && hg log -p -r tip",
        },
        begin="hg init && hg add -q . && hg commit -q -m before",
        move='hg mv -q "$old" "$new"',
        copy='hg cp -q "$old" "$new"',
        settle="hg addremove -q -s 0",
        keeps_mode="--git",
        environment={"HGUSER": "t", "HGENCODING": "UTF-8"},
    ),
    Tool(
        "Subversion",
        "svn --version -q",
        {
            "svn diff": "svn diff",
            "svn diff --git": "svn diff --git",
            "svn diff --git --patch-compatible": "svn diff --git --patch-compatible",
            "svn diff --patch-compatible": "svn diff --patch-compatible",
            "svn diff --show-copies-as-adds": "svn diff --show-copies-as-adds",
            "svn diff -x -U0": "svn diff -x -U0",
        },
        begin=(
            "scheme=file && svnadmin create ../store && "
            'svn checkout -q "$scheme://$(realpath ../store)" . && '
            "svn add -q --force . && svn commit -q -m before && svn update -q"
        ),
        move='svn mv -q --parents "$old@" "$new"',
        copy='svn cp -q "$old@" "$new"',
        settle=(
            "svn status | sed -n 's/^! *//p' | while read -r gone; do svn rm -q \"$gone@\"; done; "
            "svn add -q --force . ; "
            'for each in $executable; do svn propset -q svn:executable on "$each"; done'
        ),
        refuses=frozenset({"file to folder", "folder to file", "name with a tab"}),
    ),
    Tool(
        "Fossil",
        "fossil version",
        {
            "fossil diff": "fossil diff",
            "fossil diff -N": "fossil diff -N",
            "fossil diff -v": "fossil diff -v",
            "fossil diff --numstat": "fossil diff --numstat",
        },
        begin=(
            "fossil init ../store.fossil > ../out && fossil open -f ../store.fossil > ../out && "
            "fossil add . > ../out && fossil commit -m before --no-warnings > ../out"
        ),
        move='mkdir -p "$(dirname "$new")" && fossil mv --hard "$old" "$new" > ../out',
        settle="fossil addremove > ../out",
        tells_last_newline=False,
        environment={"USER": "t"},
    ),
    Tool(
        "Breezy",
        "brz --version",
        {
            "brz diff": "brz diff",
            "brz diff, prefixes a and b": "brz diff --prefix=a/:b/",
            "brz send": "brz commit -q -m change && brz send -q -r -2..-1 -o - .",
        },
        begin=(
            "brz init -q && brz add -q && brz whoami --branch 'T <t@example.org>' && brz commit -q -m before"
        ),
        move='mkdir -p "$(dirname "$new")" && brz add -q "$(dirname "$new")" && brz mv -q "$old" "$new"',
        settle="brz add -q",
        refuses=frozenset({"file to folder", "folder to file"}),
    ),
    Tool(
        "CVS",
        "cvs --version",
        {
            "cvs diff -u": "cvs -Q diff -u",
            "cvs diff -uN": "cvs -Q diff -uN",
            "cvs diff": "cvs -Q diff",
            "cvs rdiff -u": "cvs -Q commit -m change && cvs -Q rdiff -u -r before -r HEAD m",
        },
        begin=(
            "cvs -Q init && mkdir -p $CVSROOT/m && cp -a ../before ../import && cd ../import && "
            "cvs -Q import -k o -m before m v before && cd .. && rm -rf w && cvs -Q checkout -d w m && cd w"
        ),
        settle=(
            "cvs -Q -n update 2>/dev/null; cvs -q -n update 2>/dev/null | sed -n 's/^U //p' | "
            'while read -r gone; do cvs -Q remove "$gone"; done; '
            "cvs -q -n update 2>/dev/null | sed -n 's/^? //p' | while read -r new; do "
            'if [ -d "$new" ]; then find "$new" ! -path "*/CVS*" | while read -r each; do '
            'cvs -Q add -k o "$each"; done; else cvs -Q add -k o "$new"; fi; done'
        ),
        refuses=frozenset({"file to folder", "folder to file"}),
        environment={"CVSROOT": "$PWD/../cvsroot"},
    ),
    Tool(
        "RCS",
        "rcsdiff --version",
        {"rcsdiff -u": 'for each in *; do [ -f "$each" ] && rcsdiff -q -u "$each"; done; true'},
        begin='mkdir RCS && for each in *; do [ -f "$each" ] && ci -q -l -t-x -mx "$each"; done; true',
    ),
    Tool(
        "quilt",
        "quilt --version",
        {
            "quilt diff": "quilt diff",
            "quilt diff -p ab": "quilt diff -p ab",
            "quilt diff -p 0": "quilt diff -p 0",
        },
        begin='quilt new p.patch > ../out; for each in $names; do quilt add "$each" > ../out; done',
        refuses=frozenset({"file to folder", "folder to file"}),
    ),
    Tool(
        "darcs",
        "darcs --version",
        {
            "darcs diff": "darcs diff",
            "darcs diff --no-unified": "darcs diff --no-unified",
            "darcs whatsnew": "darcs whatsnew | grep -v ^No.changes",
            "darcs whatsnew -u": "darcs whatsnew -u | grep -v ^No.changes",
            "darcs log -v": (
                "darcs record -q -a -A t -m change > ../out; grep -q . ../out || darcs log -v --last 1"
            ),
        },
        begin="darcs init -q && darcs add -q -r * && darcs record -q -a -A t -m before",
        move='mkdir -p "$(dirname "$new")" && (darcs add -q "$(dirname "$new")"; darcs mv -q "$old" "$new")',
        settle="darcs add -q -r * ; true",
    ),
    Tool(
        "GNU diff",
        "diff --version",
        {
            "diff -ru": _TWO + "diff -ru old new",
            "diff -ruN": _TWO + "diff -ruN old new",
            "diff -ruN a b": _TWO + "mv old a && mv new b && diff -ruN a b",
            "diff -Naur --no-dereference": _TWO + "diff -Naur --no-dereference old new",
            "diff -ruaN": _TWO + "diff -ruaN old new",
            "diff -uN f.orig f": (
                'for each in $names; do [ -f "../before/$each" ] && cp "../before/$each" "$each.orig"; '
                'diff -uN "$each.orig" "$each"; done'
            ),
            "diff -u, names by --label": (
                'for each in $names; do [ -f "$each" ] && [ -f "../before/$each" ] && '
                'diff -u --label "a/$each" --label "b/$each" "../before/$each" "$each"; done'
            ),
            "diff -uN, paths of two folders": (
                'for each in $names; do diff -uN "../before/$each" "$each"; done'
            ),
            "diff -ruNp --suppress-blank-empty": _TWO + "diff -ruNp --suppress-blank-empty old new",
            "diff -ruN --strip-trailing-cr": _TWO + "diff -ruN --strip-trailing-cr old new",
            "diff -rcN": _TWO + "diff -rcN old new",
            "diff -rN": _TWO + "diff -rN old new",
            "diff -reN": _TWO + "diff -reN old new",
            "diff -rqN": _TWO + "diff -rqN old new",
            "diff -ruN --color": _TWO + "diff -ruN --color=always old new",
        },
    ),
    Tool(
        "patchutils",
        "interdiff --version",
        {
            "interdiff": _TWO + "diff -ruN old new > p; : > empty; interdiff -q empty p",
            "filterdiff": _TWO + "diff -ruN old new | filterdiff",
            "filterdiff --format=context": _TWO + "diff -ruN old new | filterdiff --format=context",
        },
    ),
    Tool(
        "BusyBox",
        "busybox",
        {
            "busybox diff -ru": _TWO + "busybox diff -ru old new",
            "busybox diff -ruN": _TWO + "busybox diff -ruN old new",
            "busybox diff -u f.orig f": (
                'for each in $names; do [ -f "../before/$each" ] && cp "../before/$each" "$each.orig"; '
                'busybox diff -uN "$each.orig" "$each"; done'
            ),
        },
    ),
    Tool(
        "pygit2",
        "$PYTHON -c 'import pygit2; print(pygit2.__version__)'",
        {
            "Repository.diff": "$PYTHON $HERE/libraries.py pygit2 plain",
            "Repository.diff, SHOW_BINARY, find_similar": "$PYTHON $HERE/libraries.py pygit2 binary",
        },
        begin="git init -q -b main && git add -A && git commit -q -m before",
        settle="git add -A",
        keeps_mode="",
    ),
    Tool(
        "Dulwich",
        "$PYTHON -c 'import dulwich; print(*dulwich.__version__, sep=\".\")'",
        {
            "porcelain.diff_tree": "$PYTHON $HERE/libraries.py dulwich trees",
            "porcelain.diff": "$PYTHON $HERE/libraries.py dulwich staged",
        },
        begin="git init -q -b main && git add -A && git commit -q -m before",
        settle="git add -A",
        keeps_mode="",
    ),
    Tool(
        "Python",
        "$PYTHON --version",
        {
            "difflib.unified_diff": "$PYTHON $HERE/libraries.py difflib kept $names",
            "difflib.context_diff": "$PYTHON $HERE/libraries.py difflib context $names",
            "unidiff.PatchSet": "git diff HEAD --no-renames | $PYTHON $HERE/libraries.py unidiff",
        },
        begin="git init -q -b main && git add -A && git commit -q -m before",
        settle="git add -A",
    ),
    Tool(
        "jsdiff",
        "node $HERE/jsdiff.cjs version",
        {
            "createPatch": "node $HERE/jsdiff.cjs createPatch $names",
            "createTwoFilesPatch": "node $HERE/jsdiff.cjs createTwoFilesPatch $names",
            "formatPatch, parsed again": "node $HERE/jsdiff.cjs formatPatch $names",
        },
    ),
)
