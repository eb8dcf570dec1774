"""Parser of the format `apply-patch`: Codex's `*** Begin Patch` blocks.

Files are added, deleted, updated or moved. A chunk has no line numbers. Its place is where its lines are,
after those that its @@ lines name and after the chunk before, and it must be unique: the engine finds it, or
refuses. A grammar error refuses the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, zip_longest
from typing import Final, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from studio.engine import DraftStep, Operation, PlanDraft, PolicyLimits, Problem, TextEdit
from studio.formats.blocks import BrokenBlock, extend_to_fence, previous_line, search_outside, strip_indent
from studio.formats.count_checks import USUAL_LIMITS
from studio.formats.folding import fold, title_for
from studio.formats.limits import EDITS_UP_TO
from studio.formats.reply_text import ReplyText, Span, line_start, next_line_start
from studio.limits import QUOTED_CHARACTERS
from studio.names import show_name

NAME: Final = "apply-patch"

_BEGIN: Final = "*** Begin Patch"
_END: Final = "*** End Patch"
_END_OF_FILE: Final = "*** End of File"
_MOVE: Final = "*** Move to: "
_ENVIRONMENT: Final = "*** Environment ID: "
_HERE: Final = "local"
"""Codex 0.171's name of the machine that it runs on."""
_SECTIONS: Final = {
    "*** Add File: ": Operation.CREATE,
    "*** Delete File: ": Operation.DELETE,
    "*** Update File: ": Operation.MODIFY,
}
_KNOWN: Final = (
    "Headers are *** Add File:, *** Delete File:, *** Update File:, *** Move to: and *** End of File; a"
    " line of a file begins with space, + or -."
)
_ASK_AGAIN: Final = "Send the complete patch again."

# Each pattern begins with a line end: a fixed first character is found many times faster than a line start.
_MARK = re.compile(r"\n(?:\*\*\*|@@)[^\n]*")
_NO_BODY_LINE = re.compile(r"\n[^ +\-]")
_NOT_ADDED = re.compile(r"\n[^+]")
_OUTSIDE = re.compile(r"\n *\*\*\* (?:End Patch[ \t\r]*(?=\n|\Z)|(?:Add|Delete|Update) File: [^\n]*)")
_COMMAND = re.compile(r"(?P<more>.*?)\bapply_?patch[ \t]*<<[ \t]*(?P<quote>['\"]?)(?P<word>\w+)(?P=quote)")
_EXPANDED = re.compile(r"[$`\\]")


class _Envelope(NamedTuple):
    """The position of a patch in a reply.

    `span` includes what is wrapped around it, `begin` is its first line, and `inside` the lines after that.
    """

    span: Span
    begin: int
    inside: Span
    indent: int
    is_closed: bool


def find(reply: ReplyText) -> list[Span]:
    """Return the envelopes, each with its here-document and fence."""
    return [envelope.span for envelope in reply.compute_once(_envelopes)]


def read_patch(reply: ReplyText, limits: PolicyLimits = USUAL_LIMITS) -> PlanDraft:
    """Parse all patches of a reply; report bad content in `problems`.

    Raises Refused for more files or chunks than `limits`, before the text is read to its end. Problems have
    1-based lines. A patch has no title of its own, so the plan is named after the files it touches.
    """
    envelopes = reply.compute_once(_envelopes)
    spans = [envelope.span for envelope in envelopes]
    steps: list[DraftStep] = []
    try:
        amounts = _Amounts(limits, joins=reply.text.count(f"\n{_MOVE}"))
        for envelope in envelopes:
            steps.extend(_EnvelopeParser(reply, envelope, amounts).steps())
        _check_outside(reply, spans)
    except BrokenBlock as broken:
        return PlanDraft(NAME, (), problems=(broken.problem,))
    folded = fold(steps)
    return PlanDraft(NAME, folded, title=title_for(folded), message=reply.text_outside(spans))


def _envelopes(reply: ReplyText) -> tuple[_Envelope, ...]:
    found: list[_Envelope] = []
    text = reply.text
    at = text.find(_BEGIN) if _BEGIN[0] in text else -1
    while at >= 0:
        start, behind = line_start(text, at), next_line_start(text, at)
        if text[start:at].strip(" ") or text[at + len(_BEGIN) : behind].strip():
            at = text.find(_BEGIN, behind)
            continue
        end = _end_mark(text, " " * (at - start) + _END, behind)
        stop = next_line_start(text, end) if end is not None else reply.unclosed_end(start)
        inside = Span(behind, end if end is not None else stop)
        span = _with_wrapper(text, Span(start, stop))
        found.append(_Envelope(span, start, inside, at - start, end is not None))
        at = text.find(_BEGIN, stop)
    return tuple(found)


def _end_mark(text: str, mark: str, start: int) -> int | None:
    at = text.find("\n" + mark, start - 1)
    while at >= 0:
        if not text[at + 1 + len(mark) : next_line_start(text, at + 1)].strip():
            return at + 1
        at = text.find("\n" + mark, at + 1)
    return None


def _with_wrapper(text: str, span: Span) -> Span:
    """Extend the span by the here-document and the fence directly around it."""
    before = previous_line(text, span.start)
    command = _COMMAND.match(text, before.start, before.end) if before is not None else None
    if before is not None and command is not None:
        behind = next_line_start(text, span.end)
        is_its_end = text[span.end : behind].strip() == command["word"]
        span = Span(before.start, behind if is_its_end else span.end)
    return extend_to_fence(text, span)


def _check_outside(reply: ReplyText, spans: list[Span]) -> None:
    """Raise BrokenBlock without a patch, or for a header outside one.

    Half of a patch was lost there.
    """
    if not spans:
        raise BrokenBlock(
            "apply_patch.none",
            f"The text has no line “{_BEGIN}”.",
            f"A patch begins with {_BEGIN} and ends with {_END}, each alone on its line.",
            1,
        )
    found = search_outside(reply, spans, _OUTSIDE)
    if found is not None:
        header, at = found
        raise BrokenBlock(
            "apply_patch.outside",
            f"“{_quote(header)}” is outside of a patch.",
            f"Put a line {_BEGIN} before it, or remove it.",
            reply.line(at),
        )


class _Amounts(Struct):
    """The amounts read so far, to refuse too much at once."""

    limits: PolicyLimits
    joins: int
    """The number of moves: each may make one step of two groups."""
    chunks: int = 0
    paths: set[str] = field(default_factory=set[str])

    def add_path(self, path: str) -> None:
        self.paths.add(path)
        if len(self.paths) > self.limits.steps + self.joins:
            self.limits.check_steps(len(self.paths))

    def add_chunk(self) -> None:
        self.chunks += 1
        self.limits.check_hunks(self.chunks)


class _Section(Struct):
    """One file of a patch while it is parsed."""

    op: Operation
    path: str
    line: int
    to: str | None = None
    content: str | None = None
    edits: list[TextEdit] = field(default_factory=list[TextEdit])
    heads: list[str] = field(default_factory=list[str])
    """The @@ lines of a chunk without lines so far."""
    is_over: bool = False
    """The last chunk is at the end of the file."""
    problem: Problem | None = None


class _EnvelopeParser:
    """Parser of one envelope."""

    def __init__(self, reply: ReplyText, envelope: _Envelope, amounts: _Amounts) -> None:
        self._amounts = amounts
        self._first_line = reply.line(envelope.begin)
        if not envelope.is_closed:
            raise BrokenBlock(
                "apply_patch.cut_off",
                f"The patch has no line “{_END}”.",
                f"It was cut off, or its last line differs. {_ASK_AGAIN}",
                self._first_line,
            )
        _check_command(reply, envelope, self._first_line)
        # The end of the line before is included, so that every line has one before it.
        if envelope.indent:
            lines = strip_indent(reply, envelope.inside, envelope.indent, "apply_patch.indent")
            self._text, self._start, self._end = f"\n{lines}", 0, len(lines) + 1
            self._unindented: ReplyText | None = ReplyText(f"\n{lines}")
        else:
            self._text, (inside, self._end) = reply.text, envelope.inside
            self._start, self._unindented = inside - 1, None
        self._reply = reply

    def steps(self) -> Iterator[DraftStep]:
        """Yield one step per section, in order.

        Raises BrokenBlock for a grammar error.
        """
        section: _Section | None = None
        parts = self._parts()
        first = next(parts, None)
        if first is not None and first[0].startswith(_ENVIRONMENT):
            self._check_environment(*first)
        elif first is not None:
            parts = chain((first,), parts)
        for mark, at, body in parts:
            if mark.startswith("@@"):
                self._parse_chunk_head(section, mark, body, at)
                continue
            header = next((prefix for prefix in _SECTIONS if mark.startswith(prefix)), None)
            if header is None:
                self._parse_detail(section, mark, body, at)
                continue
            if section is not None:
                yield self._step(section)
            section = self._parse_section(header, mark, body, at)
        if section is None:
            raise self._error("empty", "The patch changes no file.", _KNOWN, self._start)
        yield self._step(section)

    def _parts(self) -> Iterator[tuple[str, int, str]]:
        """Yield each marked line, its offset, and the lines after it.

        Each of those has a line end before it.
        """
        text, end = self._text, self._end
        marks = list(_MARK.finditer(text, self._start, end))
        first = marks[0].start() if marks else max(end - 1, self._start)
        if text[self._start : first].strip():
            raise self._error("words", "Text precedes the first file of the patch.", _KNOWN, self._start + 1)
        for mark, following in zip_longest(marks, marks[1:]):
            stop = following.start() + 1 if following is not None else end
            yield mark[0][1:].removesuffix("\r"), mark.start() + 1, text[mark.end() : stop]

    def _check_environment(self, mark: str, at: int, body: str) -> None:
        """Check that the patch is for this machine.

        Codex 0.171 names it where a turn has several.
        """
        name = mark[len(_ENVIRONMENT) :].strip()
        if name != _HERE:
            raise self._error(
                "environment",
                f"The patch is for another environment, “{_quote(name)}”, and not for this folder.",
                f"Apply it there, or write {_ENVIRONMENT}{_HERE} if its files are those of this folder.",
                at,
            )
        self._refuse_lines(body, at, "Lines follow the environment line.")

    def _parse_section(self, header: str, mark: str, body: str, at: int) -> _Section:
        path = self._path(header, mark, at)
        section = _Section(_SECTIONS[header], path, self._line(at))
        self._amounts.add_path(path)
        if section.op is Operation.MODIFY:
            self._parse_chunk(section, body, at)
        elif section.op is Operation.CREATE:
            section.content = self._parse_added_file(body, at)
        else:
            self._refuse_lines(body, at, "A deleted file has lines.")
        return section

    def _parse_added_file(self, body: str, at: int) -> str:
        bad_line = _NOT_ADDED.search(body)
        if bad_line is not None:
            raise self._error(
                "not_added",
                "A line of an added file does not begin with +.",
                "Put + before every line of it, the empty ones too; leave no empty line between files.",
                self._next_line(at) + bad_line.start(),
            )
        return body[1:].replace("\n+", "\n").removeprefix("+")

    def _parse_detail(self, section: _Section | None, mark: str, body: str, at: int) -> None:
        """Parse a line that belongs to the section before.

        It is a move target, or the mark of a chunk at the end of the file.
        """
        is_update = section is not None and section.op is Operation.MODIFY
        if section is not None and is_update and mark.startswith(_MOVE):
            if section.edits or section.heads:
                raise self._error(
                    "late_move",
                    "The move of the file follows its chunks.",
                    f"Put {_MOVE.strip()} directly after *** Update File.",
                    at,
                )
            section.op, section.to = Operation.MOVE, self._path(_MOVE, mark, at)
            self._amounts.add_path(section.to)
            self._parse_chunk(section, body, at)
        elif section is not None and section.edits and mark.rstrip() == _END_OF_FILE:
            is_behind_lines = self._text[at - 2] != "\n"
            if section.heads or section.is_over or not is_behind_lines:
                raise self._error(
                    "end_of_file",
                    f"{_END_OF_FILE} is not directly after the lines of a chunk.",
                    "Put it there; an empty line of a file begins with a space.",
                    at,
                )
            section.edits[-1] = replace(section.edits[-1], at_end=True)
            section.is_over = True
            self._refuse_lines(body, at, f"A line follows {_END_OF_FILE}.")
        elif mark.rstrip() == _BEGIN:
            raise self._error(
                "cut_off",
                f"Another patch begins before the one of line {self._first_line} has its {_END}.",
                f"One of them was cut off. {_ASK_AGAIN}",
                at,
            )
        else:
            raise self._error("header", f"“{_quote(mark)}” is not allowed here.", _KNOWN, at)

    def _parse_chunk_head(self, section: _Section | None, mark: str, body: str, at: int) -> None:
        head = mark[2:]
        if section is None or section.op not in (Operation.MODIFY, Operation.MOVE):
            raise self._error("chunk", "A chunk is outside of *** Update File.", _KNOWN, at)
        if section.is_over:
            raise self._error(
                "end_of_file",
                f"A chunk follows {_END_OF_FILE}.",
                "Put the chunks in the order of the file's lines.",
                at,
            )
        if head.strip() and not head.startswith(" "):
            raise self._error("chunk", f"“{_quote(mark)}” is not a chunk header.", "Write @@ LINE.", at)
        if section.heads and not (head.strip() and section.heads[-1]):
            raise self._error("no_lines", "A chunk has no lines.", "Remove its @@.", at)
        section.heads.append(head.strip())
        self._parse_chunk(section, body, at)

    def _parse_chunk(self, section: _Section, body: str, at: int) -> None:
        """Parse the lines after a header or an @@ line.

        Empty lines that separate chunks are ignored.
        """
        lines = body.rstrip("\n")
        if not lines:
            return
        bad_line = _NO_BODY_LINE.search(lines)
        if bad_line is not None:
            is_empty = bad_line[0][1:] in ("\n", "\r")
            raise self._error(
                "no_blank",
                "An empty line of a chunk lacks its leading space."
                if is_empty
                else "A line of a chunk does not begin with space, + or -.",
                "Begin every line with one of them. The repair for it is called “one leading blank lost"
                " on context lines”.",
                self._next_line(at) + bad_line.start(),
            )
        self._amounts.add_chunk()
        written = lines[1:].split("\n")
        old = [line[1:] for line in written if line[0] != "+"]
        new = [line[1:] for line in written if line[0] != "-"]
        if not old and any(section.heads):
            named = next(filter(None, section.heads))
            broken = self._error(
                "only_adds",
                f"The chunk after “@@ {_quote(named)}” has no old line: Codex puts it at the file's end.",
                "Begin it with the unchanged line above its lines, or write @@ alone to put it there.",
                at,
            )
            section.problem = section.problem or broken.problem
        section.edits.append(
            TextEdit(
                "\n".join((*old, "")),
                "\n".join((*new, "")),
                whole_lines=True,
                after=tuple(head for head in section.heads if head),
                # codex-rs/apply-patch, compute_replacements: a chunk without old lines goes to the end.
                at_end=not old,
                in_order=bool(section.edits),
                line=self._line(at) if section.heads else self._line(self._next_line(at)),
            )
        )
        section.heads.clear()

    def _step(self, section: _Section) -> DraftStep:
        if section.heads or (section.op is Operation.MODIFY and not section.edits):
            what = "The last chunk of" if section.heads else "The update of"
            raise BrokenBlock(
                "apply_patch.no_lines",
                f"{what} {_quote(section.path)} has no lines.",
                "Write what changes, or remove it.",
                section.line,
            )
        problems: tuple[Problem, ...] = () if section.problem is None else (section.problem,)
        edits = tuple(section.edits)
        if len(edits) > EDITS_UP_TO:
            message = f"The file has {len(edits)} chunks; the limit is {EDITS_UP_TO}."
            problems = (Problem("step.value", message, "Send fewer, larger ones.", line=section.line),)
            edits = ()
        return DraftStep(
            section.op,
            section.path,
            to=section.to,
            content=section.content.encode() if section.content is not None else None,
            edits=edits,
            problems=problems,
            line=section.line,
        )

    def _path(self, header: str, mark: str, at: int) -> str:
        path = mark[len(header) :]
        if not path.strip():
            raise self._error("no_path", f"“{header.strip()}” names no path.", "Write the path after it.", at)
        return path

    def _refuse_lines(self, body: str, at: int, message: str) -> None:
        if body.strip():
            raise self._error("lines", message, "Remove the lines.", self._next_line(at))

    def _next_line(self, at: int) -> int:
        return next_line_start(self._text, at)

    def _line(self, at: int) -> int:
        """Return the reply's 1-based line of an offset."""
        if self._unindented is None:
            return self._reply.line(at)
        return self._first_line - 1 + self._unindented.line(at)

    def _error(self, code: str, message: str, hint: str, at: int) -> BrokenBlock:
        return BrokenBlock(f"apply_patch.{code}", message, hint, self._line(at))


def _check_command(reply: ReplyText, envelope: _Envelope, line: int) -> None:
    """Raise BrokenBlock where a shell would change the patch."""
    before = previous_line(reply.text, envelope.begin)
    if before is None:
        return
    command = _COMMAND.match(reply.text, before.start, before.end)
    if command is None:
        return
    rest = reply.text[command.end() : before.end]
    if command["more"].strip() or rest.strip():
        raise BrokenBlock(
            "apply_patch.command",
            "The command around the patch does more than apply it.",
            "Write apply_patch <<'EOF' alone on its line, and paths from the project's root.",
            line - 1,
        )
    inside = reply.text[envelope.inside.start : envelope.inside.end]
    odd = _EXPANDED.search(inside) if not command["quote"] else None
    if odd is not None:
        raise BrokenBlock(
            "apply_patch.unquoted",
            f"A shell expands {odd[0]} here, because the word after << is not quoted.",
            "Write apply_patch <<'EOF'.",
            reply.line(envelope.inside.start + odd.start()),
        )


def _quote(text: str) -> str:
    return show_name(text[:QUOTED_CHARACTERS])
