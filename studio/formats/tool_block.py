"""Parser of the format `tool-block`: file tool calls in `{{invoke_tool: ...}}`.

Each parameter is on a line of its own. Calls that change files become steps. Those that read or list are
excluded, and the plan's message says so. A grammar error refuses the whole text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Final

from msgspec import field

from studio.engine import DraftStep, Operation, PlanDraft, PolicyLimits, Problem, ProblemList
from studio.formats.count_checks import USUAL_LIMITS, StepCount
from studio.formats.folding import fold, title_for
from studio.formats.reply_text import (
    ReplyText,
    Span,
    extend_to_own_fence,
    indented_line_start,
    next_line_start,
)
from studio.limits import NAMED_LINES_UP_TO, PLAN_PROBLEMS_UP_TO, QUOTED_CHARACTERS
from studio.names import show_name
from studio.values import Value

NAME: Final = "tool-block"

_HEAD: Final = "{{invoke_tool:"
_TOOL = re.compile(r"[ \t]*(\w+)[ \t\r]*\n?")
_END_LINE = re.compile(r"[ \t]*\}\}[ \t\r]*$", re.MULTILINE)
_BLANK_LINE = re.compile(r"[ \t\r]*$", re.MULTILINE)
_PARAMETER = re.compile(r"[ \t]*(\w+)[ \t]*:[ \t]*")
_WORD = re.compile(r"true|false|-?[0-9]+(?:\.[0-9]+)?")
_VARIABLE = re.compile(r"\{\{[^{}\n]*\}\}")
_STRINGS = json.JSONDecoder(strict=False)
"""Strings may contain line ends, as when a content replaced a variable."""
_UTF8: Final = frozenset({"utf-8", "utf8"})
_GRAMMAR: Final = (
    f"Write {_HEAD} NAME, each parameter as name: value on a line of its own, and }}}} on the last."
)
_ALWAYS_RECURSIVE: Final = "Line {line} says recursive: false; missing parent folders are created anyway."

ArgumentValue = str | bool | int
"""A number is read as 0; no changing tool takes one."""


class _Tool(Value):
    """A tool that changes files: its parameters, and old names for them."""

    op: Operation
    texts: tuple[str, ...]
    optional_texts: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    older: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def parameters(self) -> tuple[str, ...]:
        return (*self.texts, *self.optional_texts, *self.flags)


_WRITE = _Tool(Operation.CREATE, ("file_path", "content"), ("encoding",), ("create_backup", "overwrite"))
_APPEND = _Tool(Operation.APPEND, ("file_path", "content"), ("encoding",), ("create_backup",))
_CHANGING: Final[Mapping[str, _Tool]] = {
    "write_file": _WRITE,
    "file_write": _WRITE,
    "append_file": _APPEND,
    "file_append": _APPEND,
    "create_directory": _Tool(Operation.MKDIR, ("directory_path",), flags=("recursive",)),
    "copy_file": _Tool(Operation.COPY, ("source_path", "destination_path"), flags=("overwrite",)),
    "move_file": _Tool(Operation.MOVE, ("source_path", "destination_path"), flags=("overwrite", "confirm")),
    "delete_file": _Tool(
        Operation.DELETE, ("path",), flags=("recursive", "confirm"), older={"file_path": "path"}
    ),
}
_READING: Final = (
    "read_file",
    "file_read",
    "file_exists",
    "get_file_info",
    "list_directory",
    "directory_tree",
    "search_files",
)


class _Argument(Value):
    """A parameter's value and unresolved variable; `at` and `variable` are offsets."""

    value: ArgumentValue
    at: int
    variable: int | None = None


class _Block(Value):
    """A block with valid grammar; offsets are from the text's start."""

    name: str
    arguments: Mapping[str, _Argument]
    span: Span


class _BlockError(Exception):
    """A grammar error of a block, with hint and offset."""

    def __init__(self, code: str, message: str, hint: str, at: int) -> None:
        super().__init__(message)
        self.code, self.message, self.hint, self.at = code, message, hint, at


def find(reply: ReplyText) -> list[Span]:
    """Return the blocks; of an incomplete one, its first line."""
    return [
        Span(start, next_line_start(reply.text, start))
        if isinstance(block, _BlockError)
        else extend_to_own_fence(reply.text, block.span)
        for start, block in reply.compute_once(_blocks)
    ]


def read(reply: ReplyText, limits: PolicyLimits = USUAL_LIMITS) -> PlanDraft:
    """Parse the blocks of a reply; each change is a step.

    Steps are in their order. Never raises for bad content: `problems` says why the text can't be read; a
    wrong block refuses all of it, an unresolved variable its own step. Raises Refused for more steps than
    `limits`.
    """
    problems = ProblemList(PLAN_PROBLEMS_UP_TO)
    count = StepCount(limits)
    steps: list[DraftStep] = []
    spans: list[Span] = []
    notes: list[str] = []
    excluded: list[tuple[str, int]] = []
    for start, block in reply.compute_once(_blocks):
        if isinstance(block, _BlockError):
            _refuse(reply, problems, block)
            continue
        spans.append(block.span)
        line = reply.line(start)
        if block.name in _READING:
            excluded.append((block.name, line))
            continue
        try:
            step = _step(reply, block)
        except _BlockError as error:
            _refuse(reply, problems, error)
            continue
        recursive = block.arguments.get("recursive")
        if recursive is not None and recursive.value is False:
            notes.append(_ALWAYS_RECURSIVE.format(line=line))
        count.add(step)
        steps.append(step)
    if not len(problems):
        for at in _indented_heads(reply.text, spans):
            error = _BlockError(
                "tool.indented", "A tool block is indented.", f"Begin the line with {_HEAD}.", at
            )
            _refuse(reply, problems, error)
    if not len(problems):
        for at in _stray_ends(reply.text, spans):
            hint = 'Write a quote in a text as \\": one may have ended the block before too early.'
            _refuse(reply, problems, _BlockError("tool.outside", "The line }} ends no block.", hint, at))
    if not steps and not len(problems):
        problems.add(_no_change_problem(excluded))
    if listed := problems.listed():
        return PlanDraft(NAME, (), problems=listed)
    folded = fold(steps)
    words = reply.text_outside([extend_to_own_fence(reply.text, span) for span in spans])
    message = "\n\n".join(filter(None, (words, *notes, _excluded_note(excluded))))
    return PlanDraft(NAME, folded, title=title_for(folded), message=message)


def _blocks(reply: ReplyText) -> tuple[tuple[int, _Block | _BlockError], ...]:
    """Return each block's start, and the block or its error."""
    return tuple((start, _parse_block(piece, start)) for start, piece in _pieces(reply.text))


def _parse_block(piece: str, start: int) -> _Block | _BlockError:
    try:
        return _read_block(piece, start)
    except _BlockError as error:
        # Without its traceback, whose frames would each keep a copy of the text.
        return error.with_traceback(None)


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Yield each block's start, and the text until the next.

    No block extends into another.
    """
    start = 0 if text.startswith(_HEAD) else text.find(f"\n{_HEAD}") + 1
    while start or text.startswith(_HEAD):
        following = text.find(f"\n{_HEAD}", start) + 1
        yield start, text[start : following or len(text)]
        if not following:
            return
        start = following


def _refuse(reply: ReplyText, problems: ProblemList, error: _BlockError) -> None:
    if problems.room > 0:
        problems.add(reply.problem(error.code, error.message, error.hint, error.at))
    else:
        problems.count(1)


def _indented_heads(text: str, spans: list[Span]) -> Iterator[int]:
    """Yield blocks that do not begin their line; nothing is ignored."""
    at = 0
    for span in (*spans, Span(len(text), len(text))):
        while (at := text.find(_HEAD, at, span.start)) >= 0:
            if indented_line_start(text, at) is not None:
                yield at
            at += len(_HEAD)
        at = span.end


def _stray_ends(text: str, spans: list[Span]) -> Iterator[int]:
    """Yield the offsets of end lines that belong to no block."""
    for span, following in zip_longest(spans, spans[1:]):
        end = following.start if following is not None else len(text)
        yield from (line.start() for line in _END_LINE.finditer(text, span.end, end))


def _no_change_problem(excluded: list[tuple[str, int]]) -> Problem:
    if excluded:
        message = "The text only reads and lists files."
        return Problem("tool.only_reads", message, "Send the blocks that write.", line=excluded[0][1])
    return Problem("tool.no_block", "The text has no tool block.", _GRAMMAR)


def _excluded_note(excluded: list[tuple[str, int]]) -> str:
    """Return a sentence for the reviewer on what was excluded."""
    if not excluded:
        return ""
    names = ", ".join(f"{name} (line {line})" for name, line in excluded[:NAMED_LINES_UP_TO])
    more = f" and {len(excluded) - NAMED_LINES_UP_TO} more" if len(excluded) > NAMED_LINES_UP_TO else ""
    return f"Excluded, because it changes nothing: {names}{more}."


def _read_block(piece: str, start: int) -> _Block:
    """Parse the block that begins a piece of the text at `start`.

    Raises _NoBlock.
    """
    name = _parse_tool_name(piece, start)
    arguments: dict[str, _Argument] = {}
    at = next_line_start(piece, 0)
    while at < len(piece):
        if _END_LINE.match(piece, at):
            return _Block(name, arguments, Span(start, start + next_line_start(piece, at)))
        if _BLANK_LINE.match(piece, at) is None:
            at = _parse_parameter(piece, at, start, arguments)
        at = next_line_start(piece, at)
    message = "The tool block is cut off: no line }} ends it."
    raise _BlockError("tool.cut_off", message, "Send the whole reply.", start)


def _parse_tool_name(piece: str, start: int) -> str:
    match = _TOOL.fullmatch(piece, len(_HEAD), next_line_start(piece, 0))
    if match is None:
        message = "The first line of a tool block does not name exactly one tool."
        raise _BlockError("tool.head", message, _GRAMMAR, start)
    if match[1] in _CHANGING or match[1] in _READING:
        return match[1]
    message = f"The tool {show_name(match[1][:QUOTED_CHARACTERS])} is not known."
    raise _BlockError("tool.unknown", message, f"Known tools: {', '.join((*_CHANGING, *_READING))}.", start)


def _parse_parameter(piece: str, at: int, start: int, arguments: dict[str, _Argument]) -> int:
    """Parse one parameter; return the offset after its value.

    The value must end its line. Raises _NoBlock.
    """
    parameter = _PARAMETER.match(piece, at)
    if parameter is None:
        message = "This line of a tool block is not a parameter."
        raise _BlockError("tool.line", message, _GRAMMAR, start + at)
    key = parameter[1]
    if key in arguments:
        message = f"The parameter {show_name(key[:QUOTED_CHARACTERS])} is given twice in one block."
        raise _BlockError("tool.twice", message, "Give each parameter once.", start + at)
    value, end = _parse_value(piece, parameter.end(), start)
    variable = _VARIABLE.search(piece, parameter.end(), end) if isinstance(value, str) else None
    arguments[key] = _Argument(value, start + at, start + variable.start() if variable is not None else None)
    if _BLANK_LINE.match(piece, end) is None:
        hint = 'End the line after the value; a quote in a text is written \\".'
        raise _BlockError("tool.value", "Something follows the value on its line.", hint, start + end)
    return end


def _parse_value(piece: str, at: int, start: int) -> tuple[ArgumentValue, int]:
    if not piece.startswith('"', at):
        word = _WORD.match(piece, at)
        if word is not None:
            return {"true": True, "false": False}.get(word[0], 0), word.end()
        message = "This value is neither quoted nor a number, true or false."
        raise _BlockError("tool.value", message, 'Write text in double quotes: "...".', start + at)
    try:
        value, end = _STRINGS.raw_decode(piece, at)
    except json.JSONDecodeError as error:
        if error.pos == at:
            hint = 'Send the whole reply, and close the text with ". A quote in it is written \\".'
            message = "The quote that begins here is not closed before the next block, or the end."
            raise _BlockError("tool.cut_off", message, hint, start + at) from None
        message, hint = "This is not a JSON escape.", "Write \\\\ for a backslash itself."
        raise _BlockError("tool.escape", message, hint, start + error.pos) from None
    return str(value), end


def _check_parameters(name: str, arguments: Mapping[str, _Argument], start: int) -> None:
    """Raise _NoBlock for the first missing, mistyped or unknown parameter."""
    tool = _CHANGING[name]
    for key, each in arguments.items():
        shown = show_name(key[:QUOTED_CHARACTERS])
        if key not in tool.parameters:
            hint = f"It takes {', '.join(tool.parameters)}."
            raise _BlockError("tool.parameter", f"{name} has no parameter {shown}.", hint, each.at)
        if key in tool.flags and not isinstance(each.value, bool):
            raise _BlockError(
                "tool.type", f"{shown} is not true or false.", "Write it without quotes.", each.at
            )
        if key not in tool.flags and not isinstance(each.value, str):
            raise _BlockError("tool.type", f"{shown} is not text.", 'Write it in quotes: "...".', each.at)
    for key in tool.texts:
        if key not in arguments:
            message = f"{name} needs the parameter {key}."
            raise _BlockError("tool.missing", message, f"It takes {', '.join(tool.parameters)}.", start)


def _step(reply: ReplyText, block: _Block) -> DraftStep:
    """Return the step of a block whose tool changes files.

    Raises _NoBlock for its parameters.
    """
    tool = _CHANGING[block.name]
    arguments: dict[str, _Argument] = {}
    for key, each in block.arguments.items():
        if tool.older.get(key) in block.arguments:
            message = f"The parameter {tool.older[key]} is given twice in one block, once as {key}."
            raise _BlockError("tool.twice", message, "Give each parameter once.", each.at)
        arguments[tool.older.get(key, key)] = each
    _check_parameters(block.name, arguments, block.span.start)
    path, second = (str(arguments[key].value) for key in (*tool.texts, tool.texts[0])[:2])
    problems = [
        _unresolved_problem(reply, key, each.variable)
        for key, each in arguments.items()
        if each.variable is not None
    ]
    encoding = arguments.get("encoding")
    if encoding is not None and str(encoding.value).lower() not in _UTF8:
        message = f"The encoding {show_name(str(encoding.value)[:QUOTED_CHARACTERS])} can't be requested."
        hint = "Remove it; a changed file keeps its encoding."
        problems.append(reply.problem("tool.encoding", message, hint, encoding.at))
    content: bytes | None = None
    if "content" in tool.texts:
        try:
            content = second.encode()
        except UnicodeEncodeError:
            message, hint = "The content holds half of a surrogate pair.", "Write the whole character."
            problems.append(reply.problem("tool.half_character", message, hint, arguments["content"].at))
    overwrite = arguments.get("overwrite")
    return DraftStep(
        tool.op,
        _project_path(path),
        to=_project_path(second) if tool.op.has_target else None,
        content=content,
        may_exist=tool.op is Operation.CREATE and (overwrite is None or overwrite.value is True),
        problems=tuple(problems),
        line=reply.line(block.span.start),
    )


def _project_path(path: str) -> str:
    """Return the path without a leading "./".

    Tools name paths of the project so.
    """
    return path.removeprefix("./") or path


def _unresolved_problem(reply: ReplyText, key: str, at: int) -> Problem:
    shown = show_name(reply.text[at : reply.text.index("}}", at) + 2][:QUOTED_CHARACTERS])
    hint = "Replace it with its value; write literal braces as \\u007b\\u007b."
    return reply.problem("tool.variable", f"The variable {shown} in {key} was not resolved.", hint, at)
