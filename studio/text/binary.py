"""Detection of binary files by first bytes, NUL bytes, and name."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

BINARY_TEST_BYTES = 8192
"""Number of bytes that are searched for a NUL."""


class BinarySign(Enum):
    """What identified a file as binary, in order of precedence."""

    MAGIC = "magic"
    NUL = "nul"
    EXTENSION = "extension"


class Binary(NamedTuple):  # the search process has no installed packages
    """Why a file is binary.

    `offset` is the byte (0-based) that shows it, None for the name; `what` is its apparent type ("a PNG
    image"), or empty.
    """

    sign: BinarySign
    offset: int | None
    sentence: str
    what: str = ""


# First bytes, their meaning, and a pattern for the start where they could be text as well.
_MAGIC: tuple[tuple[bytes, str, re.Pattern[bytes] | None], ...] = tuple(
    (first, what, None if more is None else re.compile(more, re.DOTALL))
    for first, what, more in (
        (b"\x89PNG\r\n\x1a\n", "a PNG image", None),
        (b"\xff\xd8\xff", "a JPEG image", None),
        (b"GIF87a", "a GIF image", None),
        (b"GIF89a", "a GIF image", None),
        (b"RIFF", "a WebP image", b"RIFF.{4}WEBP"),
        (b"RIFF", "a WAV sound", b"RIFF.{4}WAVE"),
        (b"BM", "a BMP image", b"BM.{4}\x00{4}"),
        (b"\x00\x00\x01\x00", "a Windows icon", None),
        (b"II*\x00", "a TIFF image", None),
        (b"MM\x00*", "a TIFF image", None),
        (b"%PDF-", "a PDF document", None),
        (b"PK\x03\x04", "a ZIP archive", None),
        (b"\x1f\x8b", "gzip data", None),
        (b"BZh", "bzip2 data", b"BZh[1-9]1AY&SY"),
        (b"\xfd7zXZ\x00", "xz data", None),
        (b"\x28\xb5\x2f\xfd", "zstd data", None),
        (b"\x04\x22\x4d\x18", "LZ4 data", None),
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive", None),
        (b"Rar!\x1a\x07", "a RAR archive", None),
        (b"\x7fELF", "an ELF program", None),
        (b"MZ", "a Windows program", b"MZ.{58}..\x00\x00"),
        (b"\xcf\xfa\xed\xfe", "a macOS program", None),
        (b"\xca\xfe\xba\xbe", "a compiled class or program", None),
        (b"\x00asm", "a WebAssembly program", None),
        (b"!<arch>\n", "an archive of object files", None),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an OLE document", None),
        (b"OggS\x00", "Ogg media", None),
        (b"ID3", "an MP3 sound", b"ID3[\x02-\x04]"),
        (b"fLaC\x00", "a FLAC sound", None),
        (b"wOFF", "a font", b"wOFF(?:\x00\x01\x00\x00|OTTO)"),
        (b"wOF2", "a font", b"wOF2(?:\x00\x01\x00\x00|OTTO)"),
        (b"SQLite format 3\x00", "an SQLite database", None),
    )
)
_MAGIC_BYTES = 64
_MAGIC_STARTS = tuple({first for first, _, _ in _MAGIC})

_BINARY_EXTENSIONS = {
    extension: what
    for what, extensions in (
        ("an image", "png jpg jpeg gif bmp ico icns webp avif heic tif tiff psd"),
        ("a document", "pdf doc xls ppt docx xlsx pptx odt ods odp"),
        ("an archive", "zip gz tgz bz2 tbz2 xz txz zst lz4 7z rar jar war whl egg"),
        ("a program or library", "exe dll so dylib o a class pyc pyo pyd wasm"),
        ("a sound or film", "mp3 ogg oga wav flac aac m4a mp4 m4v avi mov mkv webm"),
        ("a font", "ttf otf ttc woff woff2 eot"),
        ("a database", "sqlite sqlite3"),
    )
    for extension in extensions.split()
}
"""Extensions used for binary files only; not bin, dat, db and obj."""


_TEXT_EXTENSIONS = frozenset(
    "c cc cpp cs css csv go h hpp htm html ini java js json jsx kt md php py pyi rb rs rst sh sql svg toml"
    " tsx txt xml yaml yml".split()
)


def binary_bytes(data: bytes) -> Binary | None:
    """Detect a binary file by magic bytes, or by an early NUL.

    A NUL counts within the first 8 KiB. None for what could be text.
    """
    what = _detect_kind(data)
    if what is not None:
        return Binary(BinarySign.MAGIC, 0, f"This is {what} by its first bytes.", what)
    nul = data.find(b"\0", 0, BINARY_TEST_BYTES)
    if nul >= 0:
        return Binary(BinarySign.NUL, nul, f"A NUL byte at byte {nul}: this is not text.")
    return None


def binary_name(path: str) -> Binary | None:
    """Detect a binary file by its extension, in any case."""
    stem, dot, extension = path.rpartition("/")[2].rpartition(".")
    what = _BINARY_EXTENSIONS.get(extension.lower()) if dot and stem else None
    if what is None:
        return None
    sentence = f"This is {what} by its name, which ends with .{extension.lower()}."
    return Binary(BinarySign.EXTENSION, None, sentence, what)


def is_text_name(path: str) -> bool:
    """Return whether the extension is used for text only, in any case."""
    stem, dot, extension = path.rpartition("/")[2].rpartition(".")
    return bool(dot and stem) and extension.lower() in _TEXT_EXTENSIONS


def _detect_kind(data: bytes) -> str | None:
    if not data.startswith(_MAGIC_STARTS):
        return None
    start = data[:_MAGIC_BYTES]
    for first, what, more in _MAGIC:
        if start.startswith(first) and (more is None or more.match(start)):
            return what
    return None
