"""Every code that an error, a problem or an answer of the program may carry, found in its sources.

A code is a literal such as "disk.full". Rather than knowing each way in which one is handed on, this takes
every literal of that shape and leaves out what is known to be something else: so a code that nobody thought
of is found, and a literal that is none fails the test until it is named here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from studio import errors
from studio.engine.config.schema import SETTINGS

ROOT = Path(__file__).parents[2]
CODE = re.compile(r"[a-z_]+\.[a-z][a-z0-9_]*")

OTHER_FILES = {
    "studio/doors/cli/command_table.py": "modules and functions of commands",
    "studio/engine/config/schema.py": "keys of the configuration, and who reads them",
}
"""Modules whose literals of that shape are no codes, and what they are."""

OTHER_WORDS = {
    "analytics.enabled": "a setting of Codex",
    "cgroup.controllers": "a file of the kernel",
    "cgroup.kill": "a file of the kernel",
    "cgroup.procs": "a file of the kernel",
    "cgroup.subtree_control": "a file of the kernel",
    "chat.completion": "a kind of object of a model's interface",
    "config.worktree": "a file of git",
    "core.attributesfile": "a setting of git",
    "core.autocrlf": "a setting of git",
    "core.excludesfile": "a setting of git",
    "core.filemode": "a setting of git",
    "core.ignorecase": "a setting of git",
    "extensions.partialclone": "a setting of git",
    "go.sum": "a lock file",
    "hooks.state": "a setting of Codex",
    "memory.max": "a file of the kernel",
    "metadata.files": "a table of poetry.lock",
    "package.source": "a table of poetry.lock",
    "permission.asked": "news of opencode",
    "response.completed": "news of a model's interface",
    "response.created": "news of a model's interface",
    "sandbox_workspace_write.exclude_slash_tmp": "a setting of Codex",
    "sandbox_workspace_write.exclude_tmpdir_env_var": "a setting of Codex",
    "session.error": "news of opencode",
    "session.idle": "news of opencode",
    "session.status": "news of opencode",
    "snapshots.git": "a folder of ours",
}
"""Literals of that shape that are no codes, and what they are."""

FILE_NAME = re.compile(
    r".*\.(?:cfg|exe|html|ini|jsonc?|lock|log|md|png|sock|sqlite3|svg|toml|ts|txt|yaml|zip)"
)
NAME_SPACE = re.compile(r"(?:security|studio|system|trusted|user)\..*")
"""Attributes of files, as the system names them, and modules of ours."""

_LISTED = ("plan", "call", "observed")
MADE = {
    "{word}.prefix": _LISTED,
    "{word}.not_found": _LISTED,
    "{word}.ambiguous": _LISTED,
    "{name}.no_command": ("run", "try"),
}
"""Codes that are made of a word and an ending, and which words may stand there."""


@cache
def codes() -> dict[str, str]:
    """Every code, and the first place where it stands."""
    settings = {setting.key for setting in SETTINGS} | {setting.section for setting in SETTINGS}
    found: dict[str, str] = {}
    for file in sorted((ROOT / "studio").rglob("*.py")):
        name = file.relative_to(ROOT).as_posix()
        if name in OTHER_FILES:
            continue
        for code, line in _codes_in(ast.parse(file.read_text(encoding="utf-8"))):
            if code not in settings and code not in OTHER_WORDS:
                found.setdefault(code, f"{name}:{line}")
    return found


def _codes_in(module: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
            if CODE.fullmatch(text) and not FILE_NAME.fullmatch(text) and not NAME_SPACE.fullmatch(text):
                yield text, node.lineno
        elif isinstance(node, ast.Call):
            yield from ((code, node.lineno) for code in _plain_code(node))
        elif isinstance(node, ast.FunctionDef):
            for made in ast.walk(node):
                if isinstance(made, ast.JoinedStr):
                    yield from ((code, made.lineno) for code in _made_codes(made, node, module))


def _plain_code(call: ast.Call) -> Iterator[str]:
    """A code without a dot: the first words of an error of ours."""
    kind = getattr(errors, ast.unparse(call.func), None)
    first = call.args[0] if call.args else None
    if (
        isinstance(kind, type)
        and issubclass(kind, errors.StudioError)
        and isinstance(first, ast.Constant)
        and isinstance(first.value, str)
        and "." not in first.value
    ):
        yield first.value


def _made_codes(made: ast.JoinedStr, around: ast.FunctionDef, module: ast.Module) -> Iterator[str]:
    """Codes that are put together: of words that `MADE` names, or of what the function around is given."""
    shape = ""
    for part in made.values:
        if isinstance(part, ast.FormattedValue):
            shape += "{" + ast.unparse(part.value) + "}"
        elif isinstance(part, ast.Constant):
            shape += str(part.value)
    tail = shape.partition(".")[2]
    yield from (f"{word}.{tail}" for word in MADE.get(shape, ()))
    ending = re.fullmatch(r"([a-z_]+\.)\{(\w+)\}", shape)
    names = [each.arg for each in around.args.args if each.arg != "self"]
    if ending is None or ending[2] not in names:
        return
    place = names.index(ending[2])
    for call in ast.walk(module):
        if isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] == around.name:
            given = call.args[place]
            for choice in ast.walk(given):
                if isinstance(choice, ast.Constant) and isinstance(choice.value, str):
                    yield ending[1] + choice.value
