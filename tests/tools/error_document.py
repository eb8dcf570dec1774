"""Writes docs/errors.md anew from the sources: python -m tests.tools.error_document"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby, product
from pathlib import Path
from typing import NamedTuple

from tests.tools import error_codes

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs" / "errors.md"

_HEAD = """\
# Errors

Every refusal, failure and note has a code. The window shows its sentence; on the command line `--json` shows
the code too, in `error` or among the `problems` of a plan and its steps. Below is for each code what
happened and, after *Do*, what to do; the command line adds the command, the window its own way. Capitals
replace names and numbers. Unless an entry says otherwise, nothing was written.

Beside its code an error has a `registry` code for its kind (FS-001: nothing is at the path, FS-002: access
is denied, FS-004: no space, FS-005: in use, SEC-001 to SEC-003: a path that would leave the project or is
locked, or a secret; ST, CFG, VAL and RES: store, configuration, a value, a resource), a `severity`, and
`retryable`, which is true where the same call may succeed later.

This page is generated from the sources (`python -m tests.tools.error_document`).

## Exit codes

The command line ends with one of these, whatever the code is:

| exit | means |
|---|---|
| 0 | done |
| 1 | refused by a check or a reviewer, or a reviewer is needed (`needs_person`) |
| 2 | the call is invalid; nothing was tried |
| 3 | stale, or in conflict with the disk or the store |
| 4 | the named plan, step, file or folder does not exist |
| 5 | the wait timed out; the awaited event may still come |
| 70 | an internal error; the log has the details |
| 130 | stopped by Ctrl-C |

The hook of an agent's client answers in that client's own way, and denies whenever it can't answer
completely. `studio mcp` marks an answer as an error and includes the message and the hint.
"""

_SUBJECTS = {"journal": "The journal PATH", "name": "The path PATH"}
"""What a message is about that begins with its verb."""

_OPTIONAL = ("around", "before", "guess", "more", "others", "to", "where")
"""Names of values that are often empty."""
_OPTIONAL_PART = re.compile(rf"(?<=\w)(?:{'|'.join(_OPTIONAL).upper()})\b")
_NOUNS = {
    **dict.fromkeys(("it", "shown_path"), "PATH"),
    **dict.fromkeys(("display_name", "shown", "shown_text"), "NAME"),
    **dict.fromkeys(
        (
            "at_most",
            "cap",
            "count",
            "counts",
            "depth",
            "files_up_to",
            "hunks",
            "limit",
            "number",
            "size",
            "up_to",
        ),
        "N",
    ),
    **dict.fromkeys(("short_id", "wanted"), "ID"),
    "what": "item",
}
"""Placeholders of names in the sources, beside the names themselves in capitals."""

OTHERS = {
    "action.marker": (
        "A marker of FILE_ACTION is indented, misspelled, not alone on its line, or belongs to no block.",
        "Write the marker as the message shows it.",
    ),
    "apply.put_back": (
        "The plan could not be recorded, so every file was restored.",
        "Fix what the message names, then apply again.",
    ),
    "apply_patch.indent": (
        "A line of the patch is indented less than its first line.",
        "Indent all lines alike, or none.",
    ),
    "apply_patch.lines": ("Lines follow a header that has none.", "Remove the lines."),
    "browse.pattern": ("The pattern of names can't be read.", "Write it like *.py."),
    "cell.not_found": (
        "No cell of the notebook has that id or number.",
        "Read the notebook again and name an existing cell.",
    ),
    "cell.not_unique": (
        "Several cells of the notebook have that id.",
        "Give each cell its own id first, or send the whole notebook.",
    ),
    "config.duplicate": ("A key is given twice.", "Remove one of them."),
    "diff.colour": ("The diff contains terminal colour codes.", "Make it again with git diff --no-color."),
    "diff.context_format": ("This is a context diff.", "Make a unified diff with diff -u or git diff."),
    "diff.ed_format": (
        "This is an ed script or a normal diff.",
        "Make a unified diff with diff -u or git diff.",
    ),
    "diff.named_only": (
        "A line names a change that the diff does not contain.",
        "Propose the changed folder as a whole, or make the diff as the hint says.",
    ),
    "diff.only_in": (
        "A line names a file of one side only, without its content.",
        "Propose the changed folder as a whole, or add the change to the diff.",
    ),
    "diff.utf16": ("The diff is UTF-16.", "Save it as UTF-8; in PowerShell use git diff --output=FILE."),
    "doctor.no_gate": ("The agent has no gate of that kind.", "Start it with studio agent NAME."),
    "doctor.not_trusted": ("The agent does not trust our hook.", "Run studio connect NAME."),
    "doctor.writes_itself": (
        "The agent writes by itself, so no gate can be tested.",
        "Run the command that the message names.",
    ),
    "edit.no_line": ("The edit names a line that the file does not have.", "Read the file again."),
    "edit.no_place": (
        "The edit names neither old text nor a position.",
        "Give old text that occurs exactly once.",
    ),
    "edit.not_unique": (
        "The old text occurs several times in the file.",
        "Give more of the text around it.",
    ),
    "file.too_large": (
        "PATH has N bytes; the limit is N.",
        "Exclude the file, or raise limits.file_bytes in the user configuration.",
    ),
    "file.unreadable": ("The file can't be read.", "Check the file and its permissions."),
    "fs.not_a_file": (
        "PATH is a folder, a link or a special file, not a regular file.",
        "Only regular files are read and changed.",
    ),
    "fs.too_large": ("The text is larger than the limit of one write.", "Write it in parts."),
    "installation.incomplete": (
        "A part of the installation is missing.",
        "Install the program again; in a checkout run python3 installer/dev.py run.",
    ),
    "internal": (
        "An internal error occurred in Exacta Studio.",
        "Try again; if it persists, report it with studio doctor --bundle FILE.",
    ),
    "journal.replay_stopped": (
        "The replay stopped at entry N; the folder holds what was written so far.",
        "Check that entry, then replay into an empty folder.",
    ),
    "journal.stopped": ("The export was cancelled; no file was written.", "Export again if you need it."),
    "name.empty_component": ("The path has an empty segment.", "Write single slashes, and none at the end."),
    "patch.invalid": ("The diff of this file can't be read.", "Correct what the message names."),
    "path.configuration": (
        "The path is the configuration of Exacta Studio.",
        "Only the user changes the configuration of Exacta Studio.",
    ),
    "path.git": ("The path is the project's .git, or in it.", "Exclude git's own files."),
    "path.git_folder": (
        "The path is in a git folder, or the plan would create one.",
        "Exclude git's own files; they are never changed.",
    ),
    "path.not_a_file": (
        "PATH is a folder, a pipe, a socket or a device.",
        "Only regular files are read and changed.",
    ),
    "path.locked": (
        "The file configures git, an agent, an editor or Exacta Studio.",
        "Exclude this file; no rule can allow it.",
    ),
    "plan.rejected_before": (
        "The same change was rejected before (a warning).",
        "Read the reason before you decide.",
    ),
    "recovery.blocked": (
        "An interrupted apply can't be finished.",
        "Fix what the message names, then recover the project.",
    ),
    "review.git_unread": ("Git data can't be read.", "Review the changes since a snapshot instead."),
    "review.no_base": (
        "There is no snapshot to compare with.",
        "Create a snapshot before the next change.",
    ),
    "review.no_commits": (
        "Git has no such commits, or they have none in common.",
        "Name two commits or branches, as in main..feature.",
    ),
    "sandbox.busy": (
        "A plan is being applied, or a command runs in the sandbox.",
        "Wait until it ends, then try again.",
    ),
    "search.expression": (
        "The search text is not a regular expression.",
        "Search for it as plain text, or correct it.",
    ),
    "search_replace.indent": (
        "A line of the block is indented less than its first marker.",
        "Indent all lines of the block alike, or none.",
    ),
    "snapshot.unchangeable": (
        "A file can't be changed, so nothing was restored; the message has the reason.",
        "Do what the hint says, then restore again.",
    ),
    "target.unchangeable": (
        "The file can't be changed, because of its disk, permissions, attributes, a mount or a long name.",
        "Do what the hint says, then apply again.",
    ),
    "tool.folder_missing": (
        "A folder of allowed_directories does not exist.",
        "Create it, or remove it from allowed_directories.",
    ),
    "usage": ("The words of the command are invalid.", "Read its --help, which ends with examples."),
    "wait.timed_out": ("The wait timed out; the plan stays in the queue.", "Wait again later."),
}
"""Sentences of codes whose source puts them together otherwise."""


class Sentence(NamedTuple):
    """What happened, and what to do ("" for a note that asks for nothing)."""

    message: str
    hint: str


Names = dict[str, list[ast.expr]]


@cache
def sentences(*, but: tuple[str, ...] = ()) -> dict[str, list[Sentence]]:
    """Return for each code the messages and hints of its sources, but of those below some folders."""
    found: defaultdict[str, list[Sentence]] = defaultdict(list)
    modules = {
        file.relative_to(ROOT).with_suffix("").as_posix().replace("/", "."): ast.parse(
            file.read_text(encoding="utf-8")
        )
        for file in sorted((ROOT / "studio").rglob("*.py"))
    }
    own = {name: _assigned(module.body) for name, module in modules.items()}
    for name, module in modules.items():
        if name.replace(".", "/").startswith(but):
            continue
        constants, endings = _imported(module, own) | own[name], _endings(module)
        functions = [each for each in ast.walk(module) if isinstance(each, ast.FunctionDef)]
        for scope in (module, *functions):
            names = constants if scope is module else constants | _assigned(ast.walk(scope))
            for node in ast.walk(scope):
                for code, sentence in _sentences(node, names, endings):
                    if sentence not in found[code]:
                        found[code].append(sentence)
    return found


def _assigned(nodes: Iterable[ast.AST]) -> Names:
    """Return what names stand for, with each of their values."""
    found: defaultdict[str, list[ast.expr]] = defaultdict(list)
    for node in nodes:
        match node:
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
                pairs = list(zip(targets, values, strict=True))
            case ast.Assign([target], value) | ast.AnnAssign(target, value=ast.expr() as value):
                pairs = [(target, value)]
            case _:
                pairs = []
        for target, value in pairs:
            if isinstance(target, ast.Name):
                found[target.id].append(value)
    return dict(found)


def _imported(module: ast.Module, own: Mapping[str, Names]) -> Names:
    """Return what imported names stand for."""
    imports = [each for each in module.body if isinstance(each, ast.ImportFrom)]
    return {
        alias.asname or alias.name: own[each.module or ""][alias.name]
        for each in imports
        for alias in each.names
        if alias.name in own.get(each.module or "", {})
    }


def _nearest(node: ast.expr, values: Sequence[ast.expr]) -> Sequence[ast.expr]:
    """Return the value that a name was given last before its use."""
    before = [each for each in values if each.lineno <= node.lineno]
    return [max(before, key=lambda each: each.lineno)] if before else values[:1]


def _endings(module: ast.Module) -> dict[str, tuple[str, int]]:
    """Return the functions that put a word before a code's ending, with its argument's position."""
    found: dict[str, tuple[str, int]] = {}
    for function in (each for each in ast.walk(module) if isinstance(each, ast.FunctionDef)):
        names = [each.arg for each in function.args.args if each.arg != "self"]
        for node in ast.walk(function):
            match node:
                case ast.JoinedStr([ast.Constant(str(word)), ast.FormattedValue(ast.Name(name))]) if (
                    name in names and re.fullmatch(r"[a-z_]+\.", word)
                ):
                    found[function.name] = (word, names.index(name))
                case _:
                    pass
    return found


def _sentences(
    node: ast.AST, names: Names, endings: dict[str, tuple[str, int]]
) -> Iterator[tuple[str, Sentence]]:
    match node:
        case ast.Call(args=arguments, keywords=keywords):
            word, place = endings.get(ast.unparse(node.func).rpartition(".")[2], ("", -1))
            named = {each.arg: each.value for each in keywords}
        case ast.Tuple(arguments):
            word, place, named = "", -1, {}
        case _:
            return
    for at, argument in enumerate(arguments):
        codes = list(_codes(argument, names, word if at == place else ""))
        if not codes:
            continue
        texts = [found for each in arguments[at + 1 :] if (found := list(_texts(each, names)))]
        messages = list(_texts(named["message"], names)) if "message" in named else (texts or [[]])[0]
        hints = list(_texts(named["hint"], names)) if "hint" in named else (texts[1:] or [[]])[0]
        pairs = zip(messages, hints, strict=True) if len(messages) == len(hints) else product(messages, hints)
        sentences = [Sentence(*pair) for pair in pairs if pair[0]]
        for code in codes:
            yield from ((code, sentence) for sentence in sentences)


def _codes(node: ast.expr, names: Names, word: str, depth: int = 0) -> Iterator[str]:
    match node:
        case ast.Constant(str(text)):
            if word + text in error_codes.codes():
                yield word + text
        case ast.JoinedStr([ast.FormattedValue(ast.Name(name)), ast.Constant(str(ending))]):
            yield from (f"{each}{ending}" for each in error_codes.MADE.get(f"{{{name}}}{ending}", ()))
        case ast.IfExp(_, body, orelse):
            yield from _codes(body, names, word, depth)
            yield from _codes(orelse, names, word, depth)
        case ast.Name(name) if depth < 2:
            for value in _nearest(node, names.get(name, ())):
                yield from _codes(value, names, word, depth + 1)
        case _:
            pass


def _texts(node: ast.expr, names: Names, depth: int = 0) -> Iterator[str]:
    """Yield the texts that an expression may have, with nouns for what is not known."""
    match node:
        case ast.Constant(str(text)) if " " in text or text == "":
            yield text
        case ast.JoinedStr(parts):
            yield _OPTIONAL_PART.sub("", "".join(_part(each, names, depth) for each in parts))
        case ast.IfExp(_, body, orelse):
            yield from _texts(body, names, depth)
            yield from _texts(orelse, names, depth)
        case ast.Name(name) if depth < 3:
            for value in _nearest(node, names.get(name, ())):
                yield from _texts(value, names, depth + 1)
        case _:
            pass


def _part(part: ast.expr, names: Names, depth: int) -> str:
    match part:
        case ast.Constant(str(text)):
            return text
        case ast.FormattedValue(value):
            return _noun(value, names, depth)
        case _:
            return ""


def _noun(node: ast.expr, names: Names, depth: int) -> str:
    """Return the text of a value, or a placeholder: `{show_name(step.path)}` becomes PATH."""
    match node:
        case ast.Name(name):
            values = names.get(name, ())
            if len(values) == 1 and isinstance(values[0], ast.Constant) and isinstance(values[0].value, str):
                return values[0].value
            texts = [] if name in _OPTIONAL else list(_texts(node, names, depth + 1))
            return texts[-1] if texts else _placeholder(name)
        case ast.Attribute(ast.Attribute(attr="state"), "words" | "value"):
            return "STATE"
        case ast.Attribute(attr=name):
            return _placeholder(name)
        case ast.Call(ast.Name("len" | "sum" | "max" | "min")) | ast.BinOp():
            return "N"
        case ast.Call(ast.Attribute(_, "join"), [ast.Name(name)]) if name.isupper():
            return "NAMES"
        case ast.Call(_, [argument, *_]):
            return _noun(argument, names, depth)
        case ast.Call(ast.Attribute(ast.Name("self"), name)):
            return _placeholder(name.removesuffix("_text"))
        case ast.Call(ast.Attribute(value)) | ast.Subscript(value) | ast.BoolOp(values=[value, *_]):
            return _noun(value, names, depth)
        case ast.GeneratorExp(element):
            return _noun(element, names, depth)
        case ast.IfExp(_, ast.Constant(), ast.Constant(str(text))):
            return text
        case _:
            return "…"


def _placeholder(name: str) -> str:
    word = name.strip("_")
    if word.isupper():  # a limit
        return "N"
    return _NOUNS.get(word, word.upper().replace("_", " "))


def text() -> str:
    """Return the whole page."""
    found = sentences()
    groups = groupby(sorted(error_codes.codes(), key=_order), key=_group)
    return "\n".join([_HEAD, *(line for group, codes in groups for line in _section(group, codes, found))])


def _order(code: str) -> tuple[str, str]:
    return _group(code), code


def _group(code: str) -> str:
    return code.partition(".")[0] if "." in code else ""


def _section(group: str, codes: Iterable[str], found: Mapping[str, list[Sentence]]) -> Iterator[str]:
    yield f"## `{group}`\n" if group else "## Without a prefix\n"
    for code in codes:
        known = (Sentence(*OTHERS[code]),) if code in OTHERS else _chosen(found[code])
        yield f"- **`{code}`** {' Or: '.join(_entry(group, each) for each in known)}"
    yield ""


def _chosen(known: list[Sentence]) -> list[Sentence]:
    """Return the shortest sentence, and the shortest one with another hint."""
    ordered = sorted(known, key=lambda each: (not each.hint, sum(map(len, each))))
    others = [each for each in ordered if each.hint != ordered[0].hint and each.message != ordered[0].message]
    return [*ordered[:1], *others[:1]]


def _entry(group: str, sentence: Sentence) -> str:
    message = sentence.message
    if re.match(r"(?:climbs|contains|has|is|names) ", message):
        message = f"{_SUBJECTS[group]} {message}"
    entry = _sentence(message)
    return f"{entry} *Do:* {_sentence(sentence.hint)}" if sentence.hint else entry


def _sentence(words: str) -> str:
    """Return a whole sentence, in which nouns stand for the values of a template."""
    words = re.sub(r"\{([a-z_]+)(?:![rs])?\}", lambda match: _placeholder(match[1]), words).strip()
    words = re.sub(r"([*<>])", r"\\\1", words)
    if "." not in words.partition(" ")[0]:
        words = words[:1].upper() + words[1:]
    return words if words.endswith((".", "…", "?")) else f"{words}."


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
