"""Plan message from a mail with diffs: without headers, part borders, signature.

The mails are those that git format-patch writes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from contextlib import suppress
from email.errors import HeaderParseError
from email.header import decode_header, make_header

from studio.engine import Problem
from studio.formats.reply_text import ReplyText, Span

_HEADERS = re.compile(
    r"^(?:From [0-9a-f]{40} .*\n)?(?:[A-Z][A-Za-z-]*: .*\n(?:[ \t]+\S.*\n)*){2,}", re.MULTILINE
)
_SUBJECT = re.compile(r"^Subject: (.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
# A preceding line end is found many times faster than a line start.
_ENCODED = re.compile(r"\nContent-Transfer-Encoding:[ \t]*(quoted-printable|base64)\b", re.IGNORECASE)
_SERIES = re.compile(r"\[[^\]]*PATCH[^\]]*\] *")
_SIGNATURE = re.compile(r"^-- ?\n[0-9][^\n]*$", re.MULTILINE)
_COUNTS = re.compile(r"^---$(?:\n [^\n]*$)*", re.MULTILINE)
_PARTS = re.compile(
    r"^Content-Type:[ \t]*multipart/[^;\n]*;(?:[^\n]|\n[ \t])*?boundary=(?:\"([^\"\n]+)\"|([^\s;\"]+))",
    re.MULTILINE | re.IGNORECASE,
)
_HEADERS_OF_PART = r"(?:\n(?:Content-[A-Za-z-]+: .*(?:\n[ \t]+\S.*)*)?$)*"
_FOR_OTHERS = re.compile(r"^This is a multi-part message in MIME format\.$", re.MULTILINE)
_EMPTY_LINES = re.compile(r"\n{3,}")


def mail_borders(reply: ReplyText) -> list[int]:
    """Return the offsets of the border lines between parts of mails.

    `git format-patch --attach` writes such mails.
    """
    border = _border(reply.text)
    return [found.start() for found in re.finditer(border, reply.text, re.MULTILINE)] if border else []


def _border(text: str) -> str:
    """Return a pattern for lines between the parts of mails, or ""."""
    # Most texts have none: a fixed word is found many times faster than a line start.
    found = _PARTS.finditer(text) if "multipart/" in text else ()
    names = sorted({re.escape(one[1] or one[2]) for one in found})
    return rf"^--(?:{'|'.join(names)})(?:--)?[ \t]*$" if names else ""


def strip_mail(words: str) -> str:
    """Return the words of mails without headers, line counts and git's signature.

    The subject stays. Words without the headers of a mail stay as they are.
    """
    if not any(map(_subject, _HEADERS.findall(words + "\n"))):
        return words
    text = words + "\n"
    if border := _border(words):
        text = re.sub(border + _HEADERS_OF_PART, "", _FOR_OTHERS.sub("", text), flags=re.MULTILINE)
    text = _HEADERS.sub(lambda found: _subject(found[0]) or found[0], text)
    text = _SIGNATURE.sub("", _COUNTS.sub("", text))
    return _EMPTY_LINES.sub("\n\n", text).strip()


def encoded_mails(reply: ReplyText, diffs: Sequence[Span]) -> list[Problem]:
    """Return a problem for each mail with a transfer encoding.

    Its lines are not the diff itself. `diffs` are in order and do not overlap.
    """
    starts = [span.start for span in diffs]

    def is_outside(at: int) -> bool:
        before = bisect_right(starts, at) - 1
        return before < 0 or at >= diffs[before].end

    return [
        reply.problem(
            "mail.encoded",
            f"This mail is {match[1].lower()}: its diff is not decoded yet.",
            "Save the patch as git format-patch wrote it, or give the diff alone.",
            match.start(),
        )
        for match in _ENCODED.finditer(f"\n{reply.text}")
        if is_outside(match.start())
    ]


def _subject(headers: str) -> str:
    """Return the subject from a mail's headers as one line, or ""."""
    found = _SUBJECT.search(headers)
    if found is None:
        return ""
    text = re.sub(r"\n[ \t]+", " ", found[1])
    # A subject that can't be decoded stays as it is.
    with suppress(HeaderParseError, LookupError, UnicodeDecodeError):
        text = str(make_header(decode_header(text)))
    return _SERIES.sub("", text, count=1).strip() + "\n"
