"""Parser of the format `fences`: Markdown code blocks with complete, named files.

The info string of a fence names its file in one of these spellings, where LANG is one word and PATH has no
blanks:

- `LANG PATH`, `LANG:PATH`, or `PATH` alone with a / and an ending;
- `key=PATH` among the words, where key is file, filename or path, or title with what looks like a path; in
  quotes the path may have blanks.

Or the line before it does, with at most one empty line between, and with or without a colon at its end:

- the path alone, plain, in backticks, in bold or both;
- `File:`, `Filename:` or `Path:` and the path, plain or in backticks;
- a heading that is the path, or has exactly one path among its words in backticks.

What looks like a path has a / in it, or an ending. Where info string and line both name a file alone, it must
be the same one. A fence that begins as a block of another format does is no file, and neither is one of a
diff. The content of a fence is never searched for its name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from studio.engine import DraftStep, Operation, PlanDraft, PolicyLimits, Problem, ProblemList
from studio.formats.count_checks import USUAL_LIMITS
from studio.formats.folding import title_for
from studio.formats.reply_text import Fence, ReplyText, Span, line_start, next_line_start
from studio.limits import NAMED_LINES_UP_TO, PLAN_PROBLEMS_UP_TO
from studio.names import show_name
from studio.values import Value

NAME: Final = "fences"

_LONGER: Final = "Put a longer fence, such as ````, around a file that has fences itself."
_LONGER_OR_LANGUAGE: Final = (
    "Put a longer fence, such as ````, around a file that has fences itself, or a language on this one."
)
_DIFF_LANGUAGES = frozenset({"diff", "patch", "udiff"})
_OTHER_BLOCK = re.compile(
    r"\s*(?:(?:\S+\n)?(?:<{5,9}|-{5,}) SEARCH\b|\*\*\* Begin Patch|diff --git |--- .*\n\+\+\+ |@@ -[0-9]"
    r"|===FILE_ACTION===|\{\{invoke_tool:)"
)
_PATH = re.compile(r"""(?!//)(?!.*://)[^\s`*"'<>|]*[^\s`*"'<>|/]""")
_ENDING = re.compile(r"[^/]\.[A-Za-z]\w*\Z")
_HOSTS_AND_PRODUCTS = re.compile(
    r"(?i)(?:(?:node|vue|next|nuxt|express|three|d3)\.js|[\w.-]+\.(?:net|com|org|io))\Z"
)
"""Names with a dot that are no files without a folder."""

_ATTRIBUTE = re.compile(r"""(?:^|[\s{])(file|filename|path|title)=(?:"([^"]*)"|'([^']*)'|([^\s"'}]+))""")
_LANGUAGE = r"[A-Za-z][\w+#.-]*"
_BESIDE_LANGUAGE = re.compile(rf"{_LANGUAGE}(?::|[ \t]+)(\S+)")
_HEADING = re.compile(r"#{1,6}[ \t]+(.*?)[ \t]*#*")
_FILE_WORD = re.compile(r"(?i)(?:file|filename|path):[ \t]*(?:`([^`]+)`|([^\s`]+))")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]\S+\Z")
_CODE = re.compile(r"`([^`]+)`")


class _Block(Value):
    """A fence that is a file, and the position of its name."""

    fence: Fence
    path: str
    span: Span
    named_at: int
    """The offset of the line that names it."""
    other_path: str = ""
    """The path in the line before, if the info string differs."""


class _NameLine(Value):
    """A line that names a file; `is_alone` where it has nothing else."""

    path: str
    start: int
    is_alone: bool


def find(reply: ReplyText) -> list[Span]:
    """Return the fences that are files, with the lines that name them."""
    return [block.span for block in reply.compute_once(_blocks)]


def read(reply: ReplyText, limits: PolicyLimits = USUAL_LIMITS) -> PlanDraft:
    """Parse whole files into a draft; report bad content in `problems`.

    A fence that is not closed, and one with an ambiguous end, refuse the whole text. Raises Refused for more
    files than `limits` has steps.
    """
    blocks: dict[str, list[_Block]] = {}
    for block in reply.compute_once(_blocks):
        blocks.setdefault(block.path, []).append(block)
        limits.check_steps(len(blocks))
    problems = _problems_of_fences(reply, [block for group in blocks.values() for block in group])
    if problems:
        return PlanDraft(NAME, (), problems=problems)
    steps = tuple(_step(reply, group) for group in blocks.values())
    spans = [block.span for group in blocks.values() for block in group]
    return PlanDraft(NAME, steps, title=title_for(steps), message=reply.text_outside(spans))


def _blocks(reply: ReplyText) -> tuple[_Block, ...]:
    behind = [0, *(fence.span.end for fence in reply.fences)]
    blocks = (_block(reply, fence, end) for fence, end in zip(reply.fences, behind, strict=False))
    return tuple(block for block in blocks if block is not None)


def _block(reply: ReplyText, fence: Fence, behind: int) -> _Block | None:
    """Return the fence as a file, None for any other fence.

    The line that names it must be after `behind`, the end of the fence before.
    """
    if fence.info.lower().partition(" ")[0] in _DIFF_LANGUAGES:
        return None
    if _OTHER_BLOCK.match(reply.text, fence.inside.start, fence.inside.end):
        return None
    line = _find_name_line(reply.text, fence.span.start, behind)
    path = _path_in_words(fence.info)
    if not path:
        return (
            _Block(fence, line.path, _span_with_name(fence, line), line.start) if line is not None else None
        )
    if line is None or not line.is_alone:
        return _Block(fence, path, fence.span, fence.span.start)
    other_path = line.path if line.path != path else ""
    return _Block(fence, path, _span_with_name(fence, line), line.start, other_path)


def _span_with_name(fence: Fence, line: _NameLine) -> Span:
    # A heading with further words has more than the path: it stays in the agent's message.
    return Span(line.start, fence.span.end) if line.is_alone else fence.span


def _path_in_words(info: str) -> str:
    """Return the path in a fence's info string, or ""."""
    for key, *values in _ATTRIBUTE.findall(info):
        value = "".join(values).strip()
        if value and (key != "title" or _looks_like_path(value)):
            return value
    if _looks_like_path(info) and "/" in info and _ENDING.search(info):
        return info if ":" not in info else _path_after_language(info)
    return _path_after_language(info)


def _path_after_language(info: str) -> str:
    found = _BESIDE_LANGUAGE.fullmatch(info)
    if _DRIVE.match(info):
        return info
    return found[1] if found is not None and _looks_like_path(found[1]) else ""


def _find_name_line(text: str, before: int, behind: int) -> _NameLine | None:
    """Return the name in the line before an offset.

    If that line is empty, the one before it is read; neither may begin before `behind`.
    """
    for _ in range(2):
        if before <= behind:
            return None
        start = line_start(text, before - 1)
        line = text[start : before - 1].strip()
        if line:
            return _parse_name_line(line, start) if start >= behind else None
        before = start
    return None


def _parse_name_line(line: str, start: int) -> _NameLine | None:
    heading = _HEADING.fullmatch(line)
    words = (heading[1] if heading is not None else line).replace("**", "").removesuffix(":").strip()
    file = _FILE_WORD.fullmatch(words)
    if file is not None:
        return _NameLine(file[1] or file[2], start, is_alone=True)
    unquoted = words[1:-1] if words[:1] == words[-1:] == "`" and len(words) > 1 else words
    if _looks_like_path(unquoted):
        return _NameLine(unquoted, start, is_alone=True)
    paths = list(filter(_looks_like_path, _CODE.findall(words))) if heading is not None else []
    return _NameLine(paths[0], start, is_alone=False) if len(paths) == 1 else None


def _looks_like_path(word: str) -> bool:
    if not _PATH.fullmatch(word):
        return False
    return "/" in word or bool(_ENDING.search(word) and not _HOSTS_AND_PRODUCTS.match(word))


def _problems_of_fences(reply: ReplyText, blocks: Sequence[_Block]) -> tuple[Problem, ...]:
    """Return what makes the text unreadable or ambiguous."""
    problems = ProblemList(PLAN_PROBLEMS_UP_TO)
    if not blocks:
        hint = "Name the file in the words of each fence, as in ```python src/a.py, or on the line before it."
        problems.add(reply.problem("fence.none", "No fence in the text names a file.", hint, 0))
    for fence in reply.fences:
        if not fence.is_closed:
            hint = (
                "Close it; check that nothing was cut off, and put longer fences around a file with fences."
            )
            message = "The fence that opens here is not closed."
            problems.add(reply.problem("fence.not_closed", message, hint, fence.span.start))
    ambiguity = _first_ambiguity(reply, blocks) if blocks else None
    if ambiguity is not None:
        at, owner, hint = ambiguity
        message = f"This fence may belong to {owner} or end it."
        problems.add(reply.problem("fence.doubtful", message, hint, at))
    return problems.listed()


def _first_ambiguity(reply: ReplyText, blocks: Sequence[_Block]) -> tuple[int, str, str] | None:
    """Return the first ambiguous line, the fence before it, and a hint.

    The line may belong to that fence. What follows it may be inside or outside of a fence, so that later
    doubts mean nothing.

    Agents nest fences of one length, which CommonMark 0.31 does not. A line with words only opens a fence, so
    one inside another is ambiguous. A line without words opens or closes: where a bare fence follows a file,
    the line that closes the file may open a fence inside it, up to the first line of the bare one. A bare
    fence is certain only as a file that a paragraph of its own names, with an empty line after each fence
    before: few open a fence with an empty line. A closing line longer than its opening one may close another.
    """
    files = {block.fence.span: block for block in blocks}

    def describe(fence: Fence) -> str:
        file = files.get(fence.span)
        return (
            show_name(file.path) if file is not None else f"the fence at line {reply.line(fence.span.start)}"
        )

    # Only the last fence may be unclosed; most texts have no other marks, and need no scan for them.
    has_inner = len(reply.fence_marks) > 2 * len(reply.fences) - (not reply.fences[-1].is_closed)
    before, files_before, unparted_before = _Shortest(), _Shortest(), _Shortest()
    for fence in reply.fences:
        block = files.get(fence.span)
        inner = _opening_inside(reply, fence) if has_inner else None
        if inner is not None:
            return inner, describe(fence), _LONGER
        if not fence.info:
            is_paragraph = block is not None and _is_paragraph(reply.text, block.named_at)
            candidates = files_before if block is None else unparted_before if is_paragraph else before
            owner = candidates.closed_by(fence.ticks)
            if owner is not None:
                return fence.span.start, describe(owner), _LONGER_OR_LANGUAGE
        closing = reply.text[fence.inside.end : fence.span.end].strip()
        if len(closing) > len(fence.ticks):
            owner = (files_before if block is None else before).closed_by(closing)
            if owner is not None:
                return fence.inside.end, describe(owner), _LONGER
        before.add(fence)
        if block is not None:
            files_before.add(fence)
        if reply.text[fence.span.end : next_line_start(reply.text, fence.span.end)].strip():
            unparted_before.add(fence)
    return None


class _Shortest:
    """The last of the shortest fences per character.

    Most other lines can close it.
    """

    def __init__(self) -> None:
        self._fences: dict[str, Fence] = {}

    def add(self, fence: Fence) -> None:
        """Replace the fence of the same character unless it is shorter."""
        if (shortest := self._fences.get(fence.ticks[0])) is None or len(fence.ticks) <= len(shortest.ticks):
            self._fences[fence.ticks[0]] = fence

    def closed_by(self, ticks: str) -> Fence | None:
        """Return the fence that a line of these characters can close.

        The line must be long enough for that.
        """
        shortest = self._fences.get(ticks[0])
        return shortest if shortest is not None and len(ticks) >= len(shortest.ticks) else None


def _opening_inside(reply: ReplyText, fence: Fence) -> int | None:
    """Return where a line in a fence may open a nested one.

    The end of the outer fence would close the nested one.
    """
    for inner in reply.fence_marks_from(fence.inside.start):
        if inner.start >= fence.inside.end:
            break
        if inner.may_close(fence.ticks) and inner.info.replace(fence.ticks[0], "").strip():
            return inner.start
    return None


def _is_paragraph(text: str, start: int) -> bool:
    """Return whether an empty line precedes the line at an offset."""
    return not text[line_start(text, start - 1) : start].strip() if start else True


def _step(reply: ReplyText, group: Sequence[_Block]) -> DraftStep:
    """Return the step for one file.

    Two whole files for one path are no successive edits: neither has precedence.
    """
    first = group[0]
    content = reply.block(first.fence).encode()
    line = reply.line(first.fence.span.start)
    # An empty file may be created, but not replace an existing one.
    step = DraftStep(Operation.CREATE, first.path, content=content, may_exist=bool(content), line=line)
    others = [block for block in group if block.other_path]
    if others:
        where = others[0]
        message = (
            f"The fence names {show_name(where.path)}, the line before it {show_name(where.other_path)}."
        )
        problem = reply.problem("fence.two_names", message, "Name one file.", where.fence.span.start)
        return replace(step, content=None, problems=(problem,))
    if any(reply.block(block.fence).encode() != content for block in group[1:]):
        lines = ", ".join(str(reply.line(block.fence.span.start)) for block in group[:NAMED_LINES_UP_TO])
        message = f"{show_name(first.path)} is in {len(group)} fences that differ (lines {lines})."
        problem = reply.problem(
            "path.twice", message, "Give each file once, with its whole content.", group[1].fence.span.start
        )
        return replace(step, content=None, problems=(problem,))
    return step
