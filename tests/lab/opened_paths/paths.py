"""Paths of every kind that the rules know, made from a seed: the same seed makes the same paths."""

from __future__ import annotations

import random
from collections.abc import Iterator

_OPENED = "bin packages Bin BIN Packages PACKAGES"
_FOLDERS = """
    src app lib inner core web tools docs vendored linked test ui cli
    obj OBJ node_modules Node_Modules secrets Secrets .git .GIT .hidden .vs .github .claude .codex .gemini
    .qwen .opencode .cursor .cline .continue .vscode .idea .husky .githooks .svn .devcontainer .cargo
"""
_FILES = """
    main.js index.js cli.js run x.txt new.js README.md package.json Makefile setup.py Dockerfile conftest.py
    .env .env.local .ENV a.key A.KEY a.pem a.pfx a.p12 a.exe a.dll a.so a.dylib a.so.1 keys
    .mcp.json opencode.json opencode.jsonc .aider.conf.yml settings.json tasks.json launch.json
    .gitignore .gitattributes .gitmodules .npmrc AGENTS.md config HEAD pre-commit studio.yaml Studio.YAML
"""
_SPELLINGS = [
    *"""
    .git. GIT~1 git~2 .g\u200cit .git::$INDEX_ALLOCATION .g\u0131t studio~1.yam bin. b\u0131n \uff42in
    bi\u200dn bin::$DATA BIN~1 packages. pac\u212aages packages\\app PACKAG~1 p\u0430ckages package\u017f
    node_modules. NODE_M~1 con NUL.txt aux.js com1 lpt\u00b9 .. . ... a:b C: \ufeffbin na\u00efve secrets.
    .env. .env::$DATA a.key. a.k\u0435y .exacta-1.tmp
    """.split(),
    *(".git ", "bin ", "packages ", "obj ", "", "x" * 256),
]
_DEEPEST = 6


def paths(count: int, seed: int) -> list[str]:
    """Return that many different paths of at most six segments."""
    found: dict[str, None] = {}
    made = _made(random.Random(seed))
    while len(found) < count:
        found[next(made)] = None
    return list(found)


def _made(chance: random.Random) -> Iterator[str]:
    opened, folders, files = _OPENED.split(), _FOLDERS.split(), _FILES.split()
    while True:
        depth = chance.randint(1, _DEEPEST)
        parts = [
            chance.choice(
                # Half of all folders are ones that git's HEAD may open, or lie on the way to them.
                chance.choice((opened[:2], opened, folders[:12], folders[:12], folders, _SPELLINGS, files))
            )
            for _ in range(depth - 1)
        ]
        yield "/".join((*parts, chance.choice(chance.choice((files, files, folders, opened, _SPELLINGS)))))
