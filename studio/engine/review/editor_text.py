"""Conversion of file bytes to editor text and back, preserving unedited parts.

An editor has one kind of line end and no byte order mark; what it can't hold is stored beside its text.
"""

from __future__ import annotations

import re
from collections import Counter

from studio.engine.diff.line_diff import compute
from studio.errors import Refused
from studio.limits import EDITOR_BYTES, EDITOR_LINE_CHARACTERS, EDITOR_LINES_AROUND
from studio.names import show_name
from studio.text import Lines, NotText, describe, diff_text, encoded, from_diff_text, line_codec
from studio.values import Value

_MARK = b"\xef\xbb\xbf"
_LINE_END = re.compile("\r\n|\r|\n")


class EditableText(Value):
    """Editable part of a file, with the data to restore the rest.

    `text` has only LF; `first_line` is the 0-based line of the file at which it begins. `ends` are the line
    ends of its lines as the file has them; `before` and `after` the rest of the file, in diff text. `like` is
    the whole content, whose encoding and byte order mark stay.
    """

    path: str
    text: str
    first_line: int
    ends: tuple[str, ...]
    before: bytes
    after: bytes
    like: bytes
    encoding: str
    setting: str | None

    @property
    def is_whole(self) -> bool:
        return self.before in (b"", _MARK) and not self.after

    def with_text(self, text: str) -> bytes:
        """Return the whole content with `text` (LF only) for the part.

        A line that was there keeps its line end; a new one gets the file's most frequent. Raises Refused
        where the file's encoding can't hold the text.
        """
        if text == self.text:
            return self.like
        joined = "".join(_join_parts(self, text))
        new = encoded(joined, self.encoding, first_line=self.first_line + 1, path=self.path)
        return from_diff_text(self.before + new + self.after, self.like, self.setting)


def editable(path: str, content: bytes, line: int = 0, setting: str | None = None) -> EditableText:
    """Return the editable part of a file around a 0-based line.

    That is the whole up to EDITOR_BYTES. Raises Refused for content that is no text, and for lines too long
    for an editor.
    """
    form = describe(content, setting)
    if isinstance(form, NotText):
        raise Refused(
            "edit.not_text",
            f"{show_name(path)} can't be edited here: {form.sentence}",
            "Approve or reject the step as it is.",
            path=path,
        )
    data = diff_text(content, setting)
    first, before, part, after = 0, b"", data, b""
    if len(data) > EDITOR_BYTES:
        lines = Lines(data)
        first = max(0, line - EDITOR_LINES_AROUND)
        part = lines.block(first, line + EDITOR_LINES_AROUND - first)
        before = lines.block(0, first)
        after = data[len(before) + len(part) :]
    if not before and part.startswith(_MARK):
        before, part = _MARK, part[len(_MARK) :]
    encoding = line_codec(form)
    text = part.decode(encoding)
    ends = tuple(_LINE_END.findall(text))
    plain = _LINE_END.sub("\n", text)
    if max(map(len, plain.split("\n"))) > EDITOR_LINE_CHARACTERS:
        raise Refused(
            "edit.long_line",
            f"{show_name(path)} has a line of more than {EDITOR_LINE_CHARACTERS:,} characters.",
            "Exclude hunks or lines, or reject the step with a reason.",
            path=path,
        )
    return EditableText(path, plain, first, ends, before, after, content, encoding, setting)


def _join_parts(part: EditableText, text: str) -> list[str]:
    lines = text.split("\n")
    usual = Counter(part.ends).most_common(1)[0][0] if part.ends else "\n"
    ends = [usual] * (len(lines) - 1)
    if len(set(part.ends)) > 1:
        # Only for several kinds of line end does it matter which line is which.
        old, new = (each.encode("utf-8", "surrogatepass") for each in (part.text, text))
        at = 0
        for change in (*compute(old, new, 0).changes, None):
            until = change.old_first if change is not None else len(part.ends)
            shift = (
                (change.new_first - change.old_first) if change is not None else len(ends) - len(part.ends)
            )
            for index in range(at, until):
                if 0 <= index + shift < len(ends) and index < len(part.ends):
                    ends[index + shift] = part.ends[index]
            at = change.old_end if change is not None else at
    return [line + end for line, end in zip(lines, [*ends, ""], strict=True)]
