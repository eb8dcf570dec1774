"""Bytes as lines and text without loss: the form of a file, and what is no text at all (R162-R168)."""

from studio.engine.text.binary import binary_bytes
from studio.engine.text.form import (
    UTF16,
    Forms,
    Lines,
    NotText,
    TextForm,
    by_name,
    decode_line,
    decode_text,
    describe,
    diff_text,
    encode_text,
    encoded,
    first_bad_byte,
    forms_of,
    from_diff_text,
    is_text,
    line_ending_of,
)

__all__ = [
    "UTF16",
    "Forms",
    "Lines",
    "NotText",
    "TextForm",
    "binary_bytes",
    "by_name",
    "decode_line",
    "decode_text",
    "describe",
    "diff_text",
    "encode_text",
    "encoded",
    "first_bad_byte",
    "forms_of",
    "from_diff_text",
    "is_text",
    "line_ending_of",
]
