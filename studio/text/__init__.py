"""Lossless handling of bytes as text: encoding, line ends, binary detection."""

from typing import TYPE_CHECKING

from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.text.binary import binary_bytes
    from studio.text.form import (
        UTF16,
        Forms,
        Lines,
        NotText,
        TextForm,
        by_name,
        decode_line,
        decode_text,
        describe,
        detect_forms,
        detect_line_ending,
        diff_text,
        encode_text,
        encoded,
        first_bad_byte,
        form_on_bytes,
        from_diff_text,
        has_lines,
        line_codec,
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
    "detect_forms",
    "detect_line_ending",
    "diff_text",
    "encode_text",
    "encoded",
    "first_bad_byte",
    "form_on_bytes",
    "from_diff_text",
    "has_lines",
    "line_codec",
]

__getattr__ = late_names(
    __name__,
    {
        "studio.text.binary": "binary_bytes",
        "studio.text.form": (
            "UTF16 Forms Lines NotText TextForm by_name decode_line decode_text describe detect_forms "
            "detect_line_ending diff_text encode_text encoded first_bad_byte form_on_bytes "
            "from_diff_text has_lines line_codec"
        ),
    },
)
