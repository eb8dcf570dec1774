"""Parser of the format `file-action`: marked blocks that create or append.

A block is a start marker, the headers `type` and `path`, a line `---`, the content as it is, and an end
marker. A marker is alone on its line, without indentation: an indented one is content, or prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

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
from studio.limits import PLAN_PROBLEMS_UP_TO, QUOTED_CHARACTERS
from studio.names import show_name
from studio.values import Value

NAME: Final = "file-action"

_START: Final = "===FILE_ACTION==="
_END: Final = "===END_FILE_ACTION==="
# Two fixed characters first: these are found many times faster than a line start.
_MARKER = re.compile(r"==={0,4}[ \t]?(END[ _])?FILE[ _]ACTION[ \t]?==={0,4}")
_CUT_CHARACTERS: Final = 4
"""The shortest beginning of a marker that shows a cut-off text.

Three equal signs underline a heading.
"""
_SEPARATOR = re.compile(r"^---\r?$", re.MULTILINE)
_HEADER = re.compile(r"([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*?)[ \t\r]*")
_HEADERS: Final = ("type", "path")
_OPERATIONS: Final = {"create": Operation.CREATE, "append": Operation.APPEND}
_BEFORE_APPENDED: Final = b"\n\n"
_GRAMMAR: Final = f"Write {_START}, type: and path:, ---, the content and {_END}, each on lines of its own."


class _Mark(NamedTuple):
    """A marker line, or nearly one: `fault` says why not."""

    start: int
    behind: int
    is_end: bool
    fault: str


class _Block(Value):
    """A block from its start marker's line to its end marker's.

    `end` is None where the text ends before. `inner` is a start marker in its content.
    """

    start: _Mark
    end: _Mark | None
    inner: _Mark | None


def find(reply: ReplyText) -> list[Span]:
    """Return the blocks, and each unindented marker that belongs to none.

    For a block that is cut off it is the marker alone, which may be in the content of another format.
    """
    return [
        _span(reply, found)
        if isinstance(found, _Block) and found.end is not None
        else Span(found.start.start, found.start.behind)
        if isinstance(found, _Block)
        else Span(found.start, found.behind)
        for found in reply.compute_once(_structure)
        if isinstance(found, _Block) or found.fault != "indented"
    ]


def read(reply: ReplyText, limits: PolicyLimits = USUAL_LIMITS) -> PlanDraft:
    """Parse the blocks of a reply, each as a step, in order.

    Steps of one path are folded. Never raises for bad content: `problems` says why the text can't be read; a
    wrong block refuses all of it. Raises Refused for more steps than `limits`.
    """
    reader = _Reader(reply, limits)
    spans: list[Span] = []
    for found in reply.compute_once(_structure):
        if isinstance(found, _Block):
            spans.append(_span(reply, found))
            reader.read_block(found)
        else:
            reader.refuse_stray(found)
    problems = reader.end(any_block=bool(spans))
    if problems:
        return PlanDraft(NAME, (), problems=problems)
    steps = fold(reader.steps)
    return PlanDraft(NAME, steps, title=title_for(steps), message=reply.text_outside(spans))


def _structure(reply: ReplyText) -> tuple[_Block | _Mark, ...]:
    return tuple(_blocks_and_marks(reply.text))


def _blocks_and_marks(text: str) -> Iterator[_Block | _Mark]:
    """Yield the blocks in order, and stray markers between them.

    Inside a block only a line that could be its end, or another start, matters: the first end marker at a
    line start ends it.
    """
    start: _Mark | None = None
    inner: _Mark | None = None
    # After an example in a block has been refused, its end marker is not reported again.
    examples = 0
    for mark in _marks(text):
        if start is None:
            if mark.is_end and examples:
                examples -= 1
            elif mark.is_end or mark.fault:
                yield mark
            else:
                start, examples = mark, 0
        elif mark.fault not in ("", "followed"):
            continue
        elif mark.is_end:
            if mark.fault:
                yield mark
            yield _Block(start, mark, inner)
            start = inner = None
        else:
            inner = inner or mark
            examples += 1
    if start is not None:
        yield _Block(start, None, inner)


def _marks(text: str) -> Iterator[_Mark]:
    # A single character is found far faster than a word: most texts that are no reply lack it.
    if "=" not in text or "ACTION" not in text:
        return
    for match in _MARKER.finditer(text):
        start = indented_line_start(text, match.start())
        if start is None:
            continue
        behind = next_line_start(text, match.end())
        is_alone = text[match.end() : behind].isspace() or match.end() == behind
        if match[0] not in (_START, _END):
            fault = "misspelled" if is_alone else "prose"
        elif start != match.start():
            fault = "indented" if is_alone else "prose"
        else:
            fault = "" if is_alone else "followed"
        if fault != "prose":
            yield _Mark(start, behind, bool(match[1]), fault)


def _span(reply: ReplyText, block: _Block) -> Span:
    if block.end is None:
        return Span(block.start.start, len(reply.text))
    return extend_to_own_fence(reply.text, Span(block.start.start, block.end.behind))


class _Reader:
    """Parser state: the steps so far, and the problems of the text."""

    def __init__(self, reply: ReplyText, limits: PolicyLimits) -> None:
        self.steps: list[DraftStep] = []
        self._reply = reply
        self._problems = ProblemList(PLAN_PROBLEMS_UP_TO)
        self._count = StepCount(limits)

    def read_block(self, block: _Block) -> None:
        """Parse one block, recording grammar errors."""
        start = block.start
        if block.end is None:
            message = f"The block is cut off: no line {_END} follows."
            self._refuse("action.cut_off", message, "Send the whole reply.", start.start)
            return
        if block.inner is not None:
            message = f"A start marker is inside the block of line {self._reply.line(start.start)}."
            hint = f"End that block with {_END}, or indent the markers of an example in its content."
            self._refuse("action.nested", message, hint, block.inner.start)
            return
        found = _SEPARATOR.search(self._reply.text, start.behind, block.end.start)
        headers = self._headers(start, found.start() if found is not None else block.end.start)
        if headers is None:
            return
        if found is None:
            message = "The block has no line ---, which ends its headers."
            self._refuse("action.separator", message, _GRAMMAR, start.start)
            return
        # The line end before the end marker ends the last line and is not part of the content.
        content = self._reply.text[min(found.end() + 1, block.end.start) : block.end.start]
        self._add(headers, content.removesuffix("\n"), start)

    def refuse_stray(self, mark: _Mark) -> None:
        """Report a marker that begins or ends no block; nothing is ignored."""
        marker = _END if mark.is_end else _START
        message, hint = {
            "": (f"{_END} closes no block.", f"Begin the block with {_START}, alone on its line."),
            "indented": ("A marker of FILE_ACTION is indented.", f"Begin the line with {marker}."),
            "misspelled": ("A marker of FILE_ACTION is misspelled.", f"Write {marker}."),
            "followed": (
                f"Unexpected text follows {marker} on its line.",
                "Write the marker alone on its line.",
            ),
        }[mark.fault]
        self._refuse("action.marker", message, hint, mark.start)

    def end(self, *, any_block: bool) -> tuple[Problem, ...]:
        """Return the problems of the text, after its last block."""
        text = self._reply.text
        last = text[-len(_START) :].rpartition("\n")[2]
        if _CUT_CHARACTERS <= len(last) < len(_START) and _START.startswith(last):
            message = "The text ends in the middle of a start marker."
            self._refuse("action.cut_off", message, "Send the whole reply.", len(text) - len(last))
        problems = self._problems.listed()
        if not problems and not any_block:
            return (Problem("action.no_block", "The text has no FILE_ACTION block.", _GRAMMAR),)
        return problems

    def _headers(self, start: _Mark, end: int) -> Mapping[str, str] | None:
        """Return a block's headers by name; report invalid ones and return None."""
        found: dict[str, str] = {}
        is_good = True
        at, text = start.behind, self._reply.text
        while at < end:
            behind = next_line_start(text, at)
            header = _HEADER.fullmatch(text, at, behind - 1)
            if header is None:
                message = "This line before --- is not a header."
                self._refuse("action.header", message, _GRAMMAR, at)
                return None
            if header[1] not in _HEADERS:
                self._refuse_header(header[1], at)
                is_good = False
            elif header[1] in found:
                message = f"The header {header[1]} is given twice in one block."
                self._refuse("action.header_twice", message, "Give each header once.", at)
                is_good = False
            found[header[1]] = header[2]
            at = behind
        for name in _HEADERS:
            if not found.get(name):
                message = f"The block has no {name}." if name not in found else f"The {name} is empty."
                self._refuse("action.missing_header", message, f"Add {name}: and its value.", start.start)
                is_good = False
        kind = found.get("type")
        if kind and kind not in _OPERATIONS:
            message = f"The type {show_name(kind[:QUOTED_CHARACTERS])} is not known."
            self._refuse("action.type", message, "Write type: create or type: append.", start.start)
            is_good = False
        return found if is_good else None

    def _refuse_header(self, name: str, at: int) -> None:
        hint = "Remove it; the only headers are type and path."
        if name == "DEV_SWITCH":
            hint = "Remove it, and write the whole path of the file."
        message = f"The header {show_name(name[:QUOTED_CHARACTERS])} is not known."
        self._refuse("action.unknown_header", message, hint, at)

    def _add(self, headers: Mapping[str, str], content: str, start: _Mark) -> None:
        line = self._reply.line(start.start)
        operation, data = _OPERATIONS[headers["type"]], content.encode()
        problems: tuple[Problem, ...] = ()
        if not data:
            message = f"The content for {show_name(headers['path'])} is empty."
            problems = (Problem("action.empty", message, "Write it between --- and the end.", line=line),)
        elif operation is Operation.APPEND:
            data = _BEFORE_APPENDED + data
        step = DraftStep(
            operation,
            headers["path"],
            content=data,
            ends_like_file=operation is Operation.APPEND,
            problems=problems,
            line=line,
        )
        self._count.add(step)
        self.steps.append(step)

    def _refuse(self, code: str, message: str, hint: str, at: int) -> None:
        if self._problems.room > 0:
            self._problems.add(self._reply.problem(code, message, hint, at))
        else:
            self._problems.count(1)
