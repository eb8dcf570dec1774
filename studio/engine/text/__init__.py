"""Bytes as lines and text without loss: the form of a file, and what is no text at all (R162-R168)."""

from studio.engine.text.binary import binary_bytes
from studio.engine.text.form import (
    UTF16,
    Lines,
    NotText,
    TextForm,
    decode_line,
    decode_text,
    describe,
    diff_text,
    encode_text,
    encoded,
    first_bad_byte,
    from_diff_text,
    is_text,
    line_ending_of,
)

__all__ = [
    "UTF16",
    "Lines",
    "NotText",
    "TextForm",
    "binary_bytes",
    "decode_line",
    "decode_text",
    "describe",
    "diff_text",
    "encode_text",
    "encoded",
    "first_bad_byte",
    "from_diff_text",
    "is_text",
    "line_ending_of",
]
