"""Parser of the format `search-replace`: SEARCH/REPLACE blocks of aider and Cline.

    src/app.py               the path, alone on its line: also `src/app.py` or **src/app.py**, with a colon
    ```python                after it or # before it; it may be after the fence, too
    <<<<<<< SEARCH
    old lines                none: the file is new
    =======
    new lines
    >>>>>>> REPLACE          marks are 5 to 9 characters; of several that fit, those of the first one's length
    ```

Cline's marks are ------- SEARCH and +++++++ REPLACE, and its path may be in <replace_in_file>, that of Roo
Code in <apply_diff>, with the numbers that `block_lines` reads. A block with no line directly before it
changes the file of the block before. The old lines must be in the file exactly so, and once.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from studio.engine import DraftStep, Operation, PlanDraft, PolicyLimits, TextEdit
from studio.formats.block_lines import sort_by_line, strip_line_numbers
from studio.formats.blocks import (
    BrokenBlock,
    closes,
    opening_fence,
    previous_line,
    search_outside,
    strip_indent,
)
from studio.formats.count_checks import USUAL_LIMITS
from studio.formats.folding import fold, title_for
from studio.formats.reply_text import ReplyText, Span, line_start, next_line_start
from studio.limits import QUOTED_CHARACTERS
from studio.names import show_name

NAME: Final = "search-replace"

_ENDS: Final = {"<": ">", "-": "+"}
_LENGTHS: Final = range(5, 10)
# A fixed text is found many times faster than a line start; what precedes it on its line is checked then.
_SEARCH = re.compile(r"SEARCH[ \t\r]*(?=\n|\Z)")
_REPLACE = re.compile(r"REPLACE[ \t\r]*(?=\n|\Z)")
_OPENS = re.compile(r"(<{5,9}|-{5,9}) ")
_CLOSES = re.compile(r"(>{5,9}|\+{5,9}) ")
_DIVIDER = re.compile(r"======{0,4}[ \t\r]*(?=\n)")
_LIKE_A_MARK = re.compile(r"\n[ \t]*(?:[<\-]{3,} ?SEARCH\b|[>+]{3,} ?REPLACE\b)[^\n]*")
_TOOL = re.compile(
    r"\n[ \t]*<(?:replace_in_file|write_to_file|apply_diff|insert_content|search_and_replace|edit_file)>"
)
_LIKE_A_PATH = re.compile(r"[./]")
_TOOLS_WITH_BLOCKS: Final = ("<replace_in_file>", "<apply_diff>")
_TOOL_HEAD = re.compile(
    r"<(?:replace_in_file|apply_diff)>\s*<path>(?P<path>[^\n]*?)</path>\s*<diff>[ \t\r]*\n"
)
_TOOL_END = re.compile(
    r"\s*</diff>(?:\s*<task_progress>.*?</task_progress>)?\s*</(?:replace_in_file|apply_diff)>", re.DOTALL
)
_PLAIN = r"[^\s`*<>#\"'|]+"
_IN_TICKS = r"`[^`\n]+`"
_PATH_LINE = re.compile(
    rf" *(?:#{{1,6}} +)?(?:(?P<plain>{_PLAIN}?)|(?P<ticks>{_IN_TICKS})"
    rf"|\*\*(?:(?P<bold>{_PLAIN}?)|(?P<both>{_IN_TICKS})):?\*\*):?[ \t\r]*"
)
_SPELLINGS: Final = (
    "Write the path alone on the line directly before the block or its fence: path, `path` or **path**,"
    " optionally with a colon after it."
)
_ASK_AGAIN: Final = "Send the complete block again."


class _Kind(NamedTuple):
    """The characters of a mark, and the indentation of its line."""

    indent: int
    characters: str


class _Mark(NamedTuple):
    """A first or last mark, and the offset of its line."""

    start: int
    kind: _Kind

    @property
    def opens(self) -> bool:
        return self.kind.characters[0] in _ENDS


class _Block(NamedTuple):
    """A block's offsets, and those of the lines between its marks.

    `start` is that of its first mark, `end` the end of its last.
    """

    start: int
    kind: _Kind
    inside: Span
    end: int
    problem: BrokenBlock | None = None
    """Set where its last mark is missing."""


def find(reply: ReplyText) -> list[Span]:
    """Return the blocks, each with its path, fence and tool tags."""
    return [Span(placed.start, placed.end) for placed in reply.compute_once(_Walk).placed]


def read_blocks(reply: ReplyText, limits: PolicyLimits = USUAL_LIMITS) -> PlanDraft:
    """Parse all blocks of a reply; report bad content in `problems`.

    Raises Refused for more files or blocks than `limits`. Problems have 1-based lines. The plan is named
    after the files it touches.
    """
    walk = reply.compute_once(_Walk)
    walk.check(limits)
    spans = [Span(placed.start, placed.end) for placed in walk.placed]
    complete = walk.placed if walk.problem is None else walk.placed[:-1]
    try:
        steps = sort_by_line([_step(reply, placed.block, placed.path) for placed in complete])
        if walk.problem is not None:
            raise walk.problem
        _check_outside(reply, spans)
    except BrokenBlock as broken:
        return PlanDraft(NAME, (), problems=(broken.problem,))
    folded = fold(steps)
    return PlanDraft(NAME, folded, title=title_for(folded), message=reply.text_outside(spans))


def read_diff(text: str, path: str, *, is_numbered: bool, line: int | None = None) -> list[DraftStep]:
    """Parse the blocks of a tool call's diff of one file.

    `line` is the line number of a single block. With `is_numbered` they are blocks of Roo Code. Raises
    BrokenBlock; its problem has a line of the text.
    """
    reply = ReplyText(text)
    blocks = list(_blocks(reply))
    for block in blocks:
        if block.problem is not None:
            raise block.problem
    steps = [_step(reply, block, path, is_numbered=is_numbered) for block in blocks]
    _check_outside(reply, [Span(block.start, block.end) for block in blocks])
    if line and len(steps) == 1 and steps[0].edits and steps[0].edits[0].on_line is None:
        return [replace(steps[0], edits=(replace(steps[0].edits[0], on_line=line),))]
    return steps


def _step(reply: ReplyText, block: _Block, path: str, *, is_numbered: bool = False) -> DraftStep:
    search, replacement = _split_block(reply, block)
    code = "search_replace.indent"
    old = strip_indent(reply, search, block.kind.indent, code)
    new = strip_indent(reply, replacement, block.kind.indent, code)
    on_line = None
    if is_numbered or old.startswith(":"):
        old, new, on_line = strip_line_numbers(old, new, is_numbered=is_numbered)
    line = reply.line(block.start)
    if not old and (is_numbered or on_line is not None):
        raise BrokenBlock(
            "search_replace.no_old_lines",
            "The block has a line number and no old lines.",
            "Give the line beside the new ones as an old line and as a new one.",
            line,
        )
    if not old:
        # An existing file that is not empty is never overwritten by a create.
        return DraftStep(Operation.CREATE, path, content=new.encode(), over_empty=True, line=line)
    edit = TextEdit(old, new, whole_lines=True, on_line=on_line, line=line)
    return DraftStep(Operation.MODIFY, path, edits=(edit,), line=line)


def _check_outside(reply: ReplyText, spans: Sequence[Span]) -> None:
    """Raise BrokenBlock without blocks, or for parts of one around them."""
    if not spans:
        raise BrokenBlock(
            "search_replace.none",
            "The text has no “<<<<<<< SEARCH” or “------- SEARCH” line.",
            "A block begins with one of them, alone on its line.",
            1,
        )
    found = search_outside(reply, spans, _LIKE_A_MARK)
    if found is not None:
        found_text, at = found
        raise BrokenBlock(
            "search_replace.outside",
            f"“{_quote(found_text)}” is outside of a block.",
            "A block has three markers, each alone on its line: <<<<<<< SEARCH, =======, >>>>>>> REPLACE.",
            reply.line(at),
        )
    found = search_outside(reply, spans, _TOOL)
    if found is not None:
        found_text, at = found
        raise BrokenBlock(
            "search_replace.tool",
            f"{found_text} has no blocks that can be read.",
            "Give its change as a block with a path, and as one with an empty SEARCH for a new file.",
            reply.line(at),
        )


def _blocks(reply: ReplyText) -> Iterator[_Block]:
    """Yield all blocks in order.

    One without a last mark is the last and extends to the end of the text.
    """
    marks = list(_marks(reply.text, _SEARCH, _OPENS)) if "S" in reply.text else []
    if not marks:
        return
    marks = sorted([*marks, *_marks(reply.text, _REPLACE, _CLOSES)])
    # Positions of each kind of mark, in order: a long text may have as many as lines.
    places: dict[_Kind, list[int]] = {}
    for index, mark in enumerate(marks):
        places.setdefault(mark.kind, []).append(index)
    index = 0
    while index < len(marks):
        if marks[index].opens:
            ending, other = _find_end(marks[index].kind, index, places)
            if ending is None:
                yield _cut_off(reply, marks[index], marks[other] if other is not None else None)
                return
            first, last = marks[index], marks[ending]
            inside = Span(next_line_start(reply.text, first.start), last.start)
            yield _Block(first.start, first.kind, inside, next_line_start(reply.text, last.start))
            index = ending
        index += 1


def _marks(text: str, word: re.Pattern[str], pattern: re.Pattern[str]) -> Iterator[_Mark]:
    for found in word.finditer(text):
        start = line_start(text, found.start())
        characters = text[start : found.start()].lstrip(" ")
        mark = pattern.fullmatch(characters)
        if mark is not None:
            yield _Mark(start, _Kind(found.start() - start - len(characters), mark[1]))


def _find_end(
    kind: _Kind, index: int, places: Mapping[_Kind, Sequence[int]]
) -> tuple[int | None, int | None]:
    """Return the index of a block's last mark.

    Returns it or None, and the index of the mark that begins the next block. The last mark has the length of
    the first; only where there is none of that length, another length is accepted, unless a block of that
    length begins among the lines: then it ends that one.
    """

    def following(wanted: _Kind) -> int | None:
        known = places.get(wanted, ())
        at = bisect.bisect_right(known, index)
        return known[at] if at < len(known) else None

    next_start = following(kind)
    closes = _ENDS[kind.characters[0]]
    exact = following(_Kind(kind.indent, closes * len(kind.characters)))
    if exact is not None and (next_start is None or exact < next_start):
        return exact, next_start
    ends: list[int] = []
    for length in _LENGTHS:
        end = following(_Kind(kind.indent, closes * length))
        inner = following(_Kind(kind.indent, kind.characters[0] * length))
        if end is not None and all(end < begins for begins in (next_start, inner) if begins is not None):
            ends.append(end)
    return min(ends, default=None), next_start


def _cut_off(reply: ReplyText, first: _Mark, other: _Mark | None) -> _Block:
    before = f" before the one of line {reply.line(other.start)} begins" if other is not None else ""
    problem = BrokenBlock(
        "search_replace.cut_off",
        f"The block has no REPLACE line{before}.",
        f"It was cut off, or its last marker differs. {_ASK_AGAIN}",
        reply.line(first.start),
    )
    end = len(reply.text)
    return _Block(first.start, first.kind, Span(end, end), end, problem)


def _split_block(reply: ReplyText, block: _Block) -> tuple[Span, Span]:
    """Return the lines before and after the middle mark.

    Raises BrokenBlock where it is missing, or ambiguous.
    """
    text = reply.text
    inside = block.inside
    indent = "\n" + " " * block.kind.indent
    middles = [
        mark.start() - block.kind.indent
        for mark in _DIVIDER.finditer(text, inside.start, inside.end)
        if text.endswith(indent, 0, mark.start())
    ]
    length = len(block.kind.characters)
    same = [at for at in middles if len(text[at : next_line_start(text, at)].strip()) == length]
    candidates = same or middles
    if not candidates:
        raise BrokenBlock(
            "search_replace.divider",
            "The block has no line of = between SEARCH and REPLACE.",
            "Put ======= alone on a line between the old lines and the new ones.",
            reply.line(block.start),
        )
    if len(candidates) > 1:
        raise BrokenBlock(
            "search_replace.ambiguous",
            f"This line and line {reply.line(candidates[0])} may each be the one between SEARCH and REPLACE.",
            "Give the three marks of the block another length, 5 to 9, than the lines inside of it have.",
            reply.line(candidates[1]),
        )
    return Span(inside.start, candidates[0]), Span(next_line_start(text, candidates[0]), inside.end)


class _Placed(NamedTuple):
    """A block with its file, path line, fence and tool tags."""

    block: _Block
    path: str
    start: int
    end: int


class _Walk:
    """Pass over the blocks, tracking the current file, fence and tool.

    It stops at the first `problem`; the block with it is the last one placed.
    """

    def __init__(self, reply: ReplyText) -> None:
        self.placed: list[_Placed] = []
        self.problem: BrokenBlock | None = None
        self._reply, self._text = reply, reply.text
        self._path = ""
        self._ticks = ""
        self._in_tool = ""
        """The end tag of the tool around, "" outside of one."""
        self._consumed_to = 0
        """The text before this offset belongs to blocks."""
        for block in _blocks(reply):
            start = block.start
            try:
                start = self._block_start(block)
                path = self._path
                if block.problem is not None:
                    raise block.problem
                end = self._block_end(block.end)
            except BrokenBlock as broken:
                self.problem = broken
                self.placed.append(_Placed(block, self._path, start, self._reply.unclosed_end(block.start)))
                return
            self.placed.append(_Placed(block, path, start, end))
            self._consumed_to = end
        if self._ticks or self._in_tool:
            self._check_end(self.placed[-1].block)

    def check(self, limits: PolicyLimits) -> None:
        """Refuse more files or blocks than the limits. Raises Refused.

        Counts those before the `problem`.
        """
        complete = self.placed if self.problem is None else self.placed[:-1]
        limits.check_steps(len({placed.path for placed in complete}))
        limits.check_hunks(len(complete))

    def _block_start(self, block: _Block) -> int:
        """Return the start of the lines that name the block's file."""
        if self._in_tool:
            self._check_tool(self._text[self._consumed_to : block.start].strip(), block)
            return block.start
        if self._text.find("<", self._consumed_to, block.start) >= 0:
            tool = max(self._text.rfind(tool, self._consumed_to, block.start) for tool in _TOOLS_WITH_BLOCKS)
            if tool >= 0:
                return self._enter_tool(tool, block)
        if self._ticks:
            self._leave_fence(block)
        line = self._line_before(block.start)
        text = self._line_text(line)
        if line is not None and not self._ticks and (ticks := opening_fence(text)):
            self._ticks = ticks
            return self._read_path_before(line.start, info=text.strip().strip("`~"))
        start = self._read_path_before(block.start)
        above = self._line_before(start) if start != block.start else None
        if above is not None and not self._ticks and (ticks := opening_fence(self._line_text(above))):
            self._ticks = ticks
            return above.start
        return start

    def _read_path_before(self, at: int, info: str = "") -> int:
        """Read the path on the line before, or keep the last."""
        line = self._line_before(at)
        text = self._line_text(line)
        if line is not None and text.strip():
            path = _path_in(text)
            if not path:
                raise self._error(
                    "path_line", f"“{_quote(text.strip())}” is not a path.", _SPELLINGS, line.start
                )
            self._path = path
            return line.start
        while line is not None and not text.strip():
            line = self._line_before(line.start)
            text = self._line_text(line)
        if _LIKE_A_PATH.search(info) or (line is not None and _path_in(text)):
            shown = _quote(info if _LIKE_A_PATH.search(info) else text.strip())
            where = line.start if line is not None and not _LIKE_A_PATH.search(info) else at
            message = f"“{shown}” may be the path of the block below, but is in the wrong place."
            raise self._error("path_line", message, _SPELLINGS, where)
        if not self._path:
            raise self._error("no_path", "The block has no path.", _SPELLINGS, at)
        return at

    def _block_end(self, at: int) -> int:
        """Return the end of the lines that belong to a block's end."""
        if self._in_tool:
            found = _TOOL_END.match(self._text, at)
            if found is None:
                return at
            self._in_tool, self._path = "", ""
            return next_line_start(self._text, found.end())
        behind = at
        while self._ticks and behind < len(self._text):
            start, behind = behind, next_line_start(self._text, behind)
            line = self._text[start:behind]
            if closes(line, self._ticks):
                self._ticks = ""
                return behind
            if line.strip():
                break
        return at

    def _enter_tool(self, at: int, block: _Block) -> int:
        name = self._text[at : self._text.index(">", at) + 1]
        head = _TOOL_HEAD.match(self._text, at, block.start)
        if head is None or self._text[head.end() : block.start].strip() or not head["path"].strip():
            message = f"{name} does not begin with <path>…</path> and <diff>."
            raise self._error("tool", message, "Put both before the first block, and nothing else.", at)
        self._path, self._in_tool = head["path"], name.replace("<", "</")
        return line_start(self._text, at)

    def _check_tool(self, between: str, block: _Block) -> None:
        if between:
            message = f"In <diff> of {_quote(self._path)}, text is between the blocks."
            raise self._error("tool", message, f"End it with </diff> and {self._in_tool}.", block.start)

    def _leave_fence(self, block: _Block) -> None:
        """Skip the end of a fence between words and the next block."""
        at = self._consumed_to
        while at < block.start:
            behind = next_line_start(self._text, at)
            if closes(self._text[at:behind], self._ticks):
                self._ticks, self._consumed_to = "", behind
                return
            at = behind

    def _check_end(self, last: _Block) -> None:
        """Check that the last block's fence or tool has an end.

        Without it further blocks may be lost.
        """
        if not self._in_tool:
            lines = self._text[self._consumed_to :].split("\n")
            if any(closes(line, self._ticks) for line in lines):
                return
        what = "<diff>" if self._in_tool else "fence"
        message = f"The {what} around the block has no end."
        self.problem = self._error("cut_off", message, "It was cut off. Send it again.", last.start)

    def _line_before(self, at: int) -> Span | None:
        """Return the line before an offset, unless it belongs to a block."""
        line = previous_line(self._text, at)
        return line if line is not None and line.start >= self._consumed_to else None

    def _line_text(self, line: Span | None) -> str:
        return self._text[line.start : line.end].rstrip("\n") if line is not None else ""

    def _error(self, code: str, message: str, hint: str, at: int) -> BrokenBlock:
        return BrokenBlock(f"search_replace.{code}", message, hint, self._reply.line(at))


def _path_in(line: str) -> str:
    """Return the path that is all of a line, or ""."""
    found = _PATH_LINE.fullmatch(line)
    if found is None:
        return ""
    return found["plain"] or found["bold"] or (found["ticks"] or found["both"]).strip("`")


def _quote(text: str) -> str:
    return show_name(text[:QUOTED_CHARACTERS])
