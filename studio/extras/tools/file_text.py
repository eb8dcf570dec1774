"""Decoding and encoding of text files for read, write and append tools.

The default encoding "utf-8" stands for the file's own: by its mark, the configuration, or detection. Any
other encoding is used as given, for this call only.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from io import StringIO
from itertools import islice
from typing import Final

from studio.engine.diff.line_endings import with_line_ends_of
from studio.errors import Refused, Undecodable
from studio.extras.tools.results import FileContentResult
from studio.names import show_name
from studio.text import NotText, TextForm, decode_text, describe, encode_text, encoded
from studio.text.encoding_check import check_new_text, check_own_form
from studio.text.encodings import NAME_ONE, codec_of

_OWN: Final = "utf-8"
_MARKS: Final = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}


def requested_encoding(label: str) -> str | None:
    """Return the encoding that a call names, None for the file's own.

    Raises Refused for an unknown one.
    """
    codec = codec_of(label)
    if codec is None:
        raise Refused("text.encoding", f"The encoding {show_name(label)} is not known.", NAME_ONE)
    return None if codec == _OWN else codec


def content_of(
    data: bytes,
    path: str,
    *,
    named: str | None,
    setting: str | None,
    modified: datetime,
    skip: int = 0,
    most: int = 0,
) -> FileContentResult:
    """Build the result of reading a text file.

    It has `most` lines after skipping `skip`, or all for 0; a line ends at LF. ASCII is reported as UTF-8,
    its superset, unless it was named. Raises Undecodable.
    """
    form = _detect_form(data, path, named, setting)
    text = decode_text(data, form)
    lines = text.count("\n") + (not text.endswith("\n") if text else 0)
    shown = text
    if skip or most:
        # newline="" would also end lines at CR.
        shown = "".join(islice(StringIO(text, newline="\n"), skip, skip + most if most else None))
    return FileContentResult(
        path=path,
        content=shown,
        encoding=_OWN if form.encoding == "ascii" and named is None else form.encoding,
        size_bytes=len(data),
        line_count=lines,
        last_modified=modified,
        checksum=hashlib.sha256(data).hexdigest(),
        truncated=bool(most) and lines > skip + most,
    )


def _detect_form(data: bytes, path: str, named: str | None, setting: str | None) -> TextForm:
    """Return the form of a text file.

    Raises Undecodable for other files, at the first invalid byte.
    """
    source = "the call" if named else "the project's settings"
    form = describe(data, named or setting, path=path, source=source)
    if isinstance(form, NotText):
        raise Undecodable(
            "text.uneditable",
            f"{show_name(path)} can't be read as text: {form.sentence}",
            "Exclude it, or have its encoding set under encodings in the configuration.",
            path=path,
            encoding=named or setting or _OWN,
            data=data,
            start=form.offset or 0,
        )
    return form


def bytes_to_write(
    content: str, path: str, before: bytes | None, *, named: str | None, setting: str | None
) -> bytes:
    """Encode a file's new content.

    `before` are its bytes, None for a new file. The file keeps its encoding, its mark and the line ends of
    its lines, unless another encoding is named. Raises Refused, or Undecodable for a file that is not text.
    """
    own = None if before is None else _detect_form(before, path, None, setting)
    if named is not None:
        data = _MARKS.get(named, b"") + encoded(content, named, path=path)
        check_new_text(data, path, named)
        return data
    if before is not None and own is not None:
        data = encode_text(with_line_ends_of(content, before, own), own)
        check_own_form(data, own, path, setting)
        return data
    form = describe(b"", setting)
    data = encoded(content, form.encoding if isinstance(form, TextForm) and setting else _OWN, path=path)
    check_new_text(data, path, setting)
    return data


def bytes_to_append(
    content: str, path: str, before: bytes, *, named: str | None, setting: str | None
) -> bytes:
    """Encode text to append to a file, in the file's encoding.

    Raises Refused, also where another encoding than the file's is named, or Undecodable.
    """
    own = _detect_form(before, path, None, setting)
    if named is not None and own.encoding not in (named, "ascii"):
        raise Refused(
            "text.other_encoding",
            f"{show_name(path)} is {own.encoding}; text in {named} can't be put behind it.",
            "Omit the encoding: text is written in the file's encoding.",
            path=path,
        )
    text = own.with_line_ends(content)
    added = encode_text(text, own)[len(own.bom) :] if named is None else encoded(text, named, path=path)
    check_own_form(before + added, own, path, setting)
    return added
