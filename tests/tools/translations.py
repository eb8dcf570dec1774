"""Writes the file of all texts of the window from the sources: python -m tests.tools.translations

It is made for a release, and for whoever begins a language. With `--language de` it writes the file of that
language beside it, with what was translated kept, and lists what of it the window would not take.
"""

from __future__ import annotations

import argparse
import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import PySide6

import studio
from studio.engine.config.schema import SETTINGS
from studio.ui.actions.table import ACTIONS
from studio.ui.agents.agents_part import STATES
from studio.ui.agents.gate_summary import SIGNS
from studio.ui.look.states import OPERATIONS, PLAN_LOOKS, STEP_LOOKS
from studio.ui.translation import Text, is_faithful, messages

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "resources" / "translations"
FILE = FOLDER / "studio.ts"

TABLES = {
    "studio/ui/actions/table.py": ("entry.text", "entry.synonyms"),
    "studio/ui/agents/agents_part.py": ("words",),
    "studio/ui/agents/gate_summary.py": ("self.text", "self.of_one", "self.of_many"),
    "studio/ui/configuration/parts.py": ("row.title", "row.means"),
    "studio/ui/look/states.py": ("word", "OPERATIONS[step.op]"),
    "studio/ui/runner.py": ("hint",),
}
"""Where a variable is translated that holds one of the texts that `_of_tables` finds."""


class NotLiteral(Exception):
    """A text that no tool can find in the sources."""


@cache
def texts() -> frozenset[Text]:
    """Every text of the window with its context."""
    found = set(_of_tables())
    package = Path(studio.__file__).parent  # of the checkout, or of the installed program
    for file in sorted(package.rglob("*.py")):
        found |= texts_of(file.read_text(encoding="utf-8"), file.relative_to(package.parent).as_posix())
    return frozenset(found)


def texts_of(source: str, name: str) -> set[Text]:
    """Those of one module. Raises NotLiteral."""
    reader = _Reader(ast.parse(source), name)
    return reader.found


def write(file: Path, language: str) -> None:
    """Have Qt's lupdate write a file of translations; what it says already is kept."""
    with TemporaryDirectory() as folder:
        # The one form that lupdate reads: it knows neither our functions nor our tables.
        calls = Path(folder, "texts.py")
        lines = (
            f"QCoreApplication.translate({_quoted(context)}, {_quoted(text)})\n"
            for context, text in sorted(texts())
        )
        calls.write_text("".join(lines), encoding="utf-8")
        lupdate = shutil.which("lupdate", path=str(Path(PySide6.__file__).parent))
        assert lupdate is not None, "lupdate comes with PySide6-Essentials"
        options = ("-silent", "-locations", "none", "-sort-messages", "-disable-heuristic", "similartext")
        languages = ("-source-language", "en", "-target-language", language)
        subprocess.run([lupdate, str(calls), *options, *languages, "-ts", str(file)], check=True)


def _of_tables() -> Iterator[Text]:
    for entry in ACTIONS:
        yield from (("Actions", text) for text in (entry.text, entry.synonyms) if text)
    for *_, words in STATES.values():
        yield "AgentRow", words
    for sign in SIGNS.values():
        yield from (("GateSummary", text) for text in (sign.text, sign.of_one, sign.of_many) if text)
    for setting in SETTINGS:
        yield from (("Settings", text) for text in (setting.title, setting.means))
    for *_, word in (*STEP_LOOKS.values(), *PLAN_LOOKS.values()):
        yield "States", word
    yield from (("States", word) for word in OPERATIONS.values())


class _Reader(ast.NodeVisitor):
    """Finds what a module has translated: by its class, by a function of its own, or by a context's name."""

    def __init__(self, tree: ast.Module, name: str) -> None:
        self.found: set[Text] = set()
        self._name = name
        self._classes: list[str] = []
        self._functions = dict(_translating(tree))
        self.visit(tree)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._classes.append(node.name)
        self.generic_visit(node)
        self._classes.pop()

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(ast.Name("self"), "tr"):
                self._take(self._classes[-1], node, node.args)
            case ast.Attribute(_, "tr"):
                raise self._not_literal(node, "its context is not known")
            case ast.Name(name) if name in self._functions:
                self._take(self._functions[name], node, node.args)
            case ast.Attribute(ast.Name("QCoreApplication"), "translate") | ast.Name("QT_TRANSLATE_NOOP"):
                self._take(self._literal(node, node.args[0]), node, node.args[1:])
            case _:
                pass

    def _take(self, context: str, node: ast.Call, given: list[ast.expr]) -> None:
        if len(given) != 1 or node.keywords:
            raise self._not_literal(node, "it takes one text")
        if ast.unparse(given[0]) not in TABLES.get(self._name, ()):
            self.found.add((context, self._literal(node, given[0])))

    def _literal(self, node: ast.Call, given: ast.expr) -> str:
        if not isinstance(given, ast.Constant) or not isinstance(given.value, str):
            raise self._not_literal(node, "it is no literal text")
        return given.value

    def _not_literal(self, node: ast.Call, why: str) -> NotLiteral:
        return NotLiteral(f"{self._name}, line {node.lineno}: {ast.unparse(node)}: {why}.")


def _translating(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names that a module gives to the translators of contexts."""
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name("translator"), [ast.Constant(str(context))])):
                yield name, context
            case _:
                pass


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.translations", description=__doc__)
    parser.add_argument("--language", help="the code of another language, such as de or pt_BR")
    language: str | None = parser.parse_args().language
    FOLDER.mkdir(exist_ok=True)
    if language is None:
        FILE.unlink(missing_ok=True)  # lupdate keeps what is no text any more
        write(FILE, "en")
        return 0
    file = FOLDER / f"studio_{language}.ts"
    write(file, language)
    for (context, text), words in messages(file.read_text(encoding="utf-8")):
        if words and not is_faithful(text, words):
            print(f"Not taken, {context}: {text} → {words}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
