"""How often a guess of the encoding is wrong, over real files and over samples of real translations.

`python -m tests.tools.encodings` fetches released packages and counts two things: how many of their Latin-1
and Windows-1252 files can't be edited because they look like another encoding (none may), and how many
files and samples in Shift-JIS, EUC-JP, GB18030, KOI8-R and Latin-2 can't (at least 90 % of each must). It
ends with an error where either does not hold. `tests/data/other_encodings.txt` says which files are in
another encoding.
"""

from __future__ import annotations

import ast
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from studio.text import NotText, describe
from studio.text.binary import binary_bytes, binary_name
from tests.tools.packages import Unavailable, archive, members

FEWEST_SEEN = 0.9
FEWEST_FILES = 50
ARCHIVES = (
    "Django-5.1.3.tar.gz",
    "Pygments-2.2.0.tar.gz",
    "Pyphen-0.9.5.tar.gz",
    "Sphinx-1.8.6.tar.gz",
    "TurboGears-1.5.1.tar.gz",
    "chardet-5.2.0.tar.gz",
    "docutils-0.21.2.tar.gz",
    "lxml-3.8.0.tar.gz",
    "mailman-3.3.8.tar.gz",
    "moin-1.9.11.tar.gz",
    "pycodestyle-2.5.0.tar.gz",
    "roundup-1.6.1.tar.gz",
    "spambayes-1.1b3.tar.gz",
)
TRANSLATED = ("Django-5.1.3.tar.gz", "Sphinx-1.8.6.tar.gz")
WANTED = ("Shift-JIS", "EUC-JP", "GB18030", "KOI8-R", "ISO-8859-2")
LEGACY = {
    "ja": ("Shift-JIS", "EUC-JP"),
    "zh_CN": ("GB18030",),
    "zh_Hans": ("GB18030",),
    "ru": ("KOI8-R",),
    **dict.fromkeys(("pl", "cs", "hu", "sk", "hr", "sl"), ("ISO-8859-2",)),
    **dict.fromkeys(
        "af br ca cy da de es et eu fi fr fy ga gl is it lb nb nl nn pt pt_BR sq sv".split(), ("cp1252",)
    ),
}
"""Languages and the encodings of their samples."""

SIZES = (60, 120, 300, 1000, 5000)
SAMPLES_OF_EACH = 12
_LIST = Path(__file__).parents[1] / "data" / "other_encodings.txt"
_CODE = b"""def handle(request, *args, **kwargs):
    value = request.get("value", None)
    if value is None:
        return default
    for index, item in enumerate(items):
        total += item.price * (1 - discount)
    logger.debug("done: %s", total)
    return render(request, "page.html", {"total": total})
""".splitlines(keepends=True)


@dataclass(frozen=True, slots=True)
class Sample:
    """Bytes in an encoding, and where they are from."""

    name: str
    encoding: str
    data: bytes


def prose(lines: Sequence[str], codec: str, size: int, chance: random.Random) -> bytes:
    """At least `size` bytes of lines drawn from `lines`."""
    made = b""
    while len(made) < size:
        made += chance.choice(lines).encode(codec) + b"\n"
    return made


def code(lines: Sequence[str], codec: str, size: int, chance: random.Random) -> bytes:
    """At least `size` bytes of Python whose comments are drawn from `lines`."""
    made = b""
    while len(made) < size:
        made += b"# " + chance.choice(lines).encode(codec) + b"\n"
        made += b"".join(chance.choices(_CODE, k=chance.randrange(2, 5)))
    return made


def samples(name: str, lines: Sequence[str], encoding: str, count: int) -> Iterator[Sample]:
    """`count` texts and programs of every size; none whose bytes are Windows-1252 for the same text."""
    chance = random.Random(f"{name} {encoding}")
    for shape in (prose, code):
        for size in SIZES:
            for _ in range(count):
                data = shape(lines, encoding, size, chance)
                if not means_the_same(data, encoding):
                    yield Sample(f"{name}, {shape.__name__} of {len(data)} bytes", encoding, data)


def means_the_same(data: bytes, encoding: str) -> bool:
    """Whether nobody could tell the encoding from UTF-8, or another one from Windows-1252."""
    if encoding != "cp1252" and data.decode(encoding) == data.decode("cp1252", "replace"):
        return True
    return is_utf8(data)


def is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_uneditable(data: bytes) -> bool:
    return isinstance(describe(data), NotText)


def translations(name: str) -> dict[str, list[str]]:
    """The translated messages of a package with letters beyond ASCII, by language."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path, data in members(archive(name)):
        match = re.search(r"locale/(\w+)/LC_MESSAGES/\w+\.po$", path)
        if match is None or match[1] not in LEGACY:
            continue
        for message in re.findall(r'^msgstr(?:\[\d\])? ((?:".*"\n?)+)', data.decode(), re.MULTILINE):
            text = " ".join("".join(ast.literal_eval(part) for part in message.strip().split("\n")).split())
            if len(text) >= 8 and not text.isascii() and "Content-Type" not in text:
                found[match[1]].append(text)
    return found


def drawn() -> Iterator[Sample]:
    """Samples of the translations of both packages. Raises Unavailable."""
    for name in TRANSLATED:
        for language, texts in sorted(translations(name).items()):
            for encoding in LEGACY[language]:
                lines = [text for text in texts if text.encode(encoding, "ignore").decode(encoding) == text]
                if len(lines) >= 5:
                    yield from samples(f"{name} {language}", lines, encoding, SAMPLES_OF_EACH)


def released() -> Iterator[Sample]:
    """Every text of the packages that is no UTF-8, in the encoding that it is in. Raises Unavailable."""
    rows = [line.split(" | ") for line in _LIST.read_text("ascii").splitlines() if " | " in line]
    others = [(encoding, pattern) for encoding, pattern in rows if not encoding.startswith("#")]
    for name in ARCHIVES:
        for path, data in members(archive(name)):
            if (
                is_utf8(data)
                or data[:2] in (b"\xff\xfe", b"\xfe\xff")
                or binary_bytes(data)
                or binary_name(path)
            ):
                continue
            whole = f"{name.removesuffix('.tar.gz')}/{path}"
            other = next((encoding for encoding, pattern in others if fnmatchcase(whole, pattern)), None)
            if other is not None:
                yield Sample(whole, other, data)
            elif not any(byte in data for byte in (b"\x81", b"\x8d", b"\x8f", b"\x90", b"\x9d")):
                yield Sample(whole, "cp1252", data)


def main() -> int:
    """Count both, print them, and 1 where a count is wrong."""
    failed = False
    try:
        for what, found in (("files", list(released())), ("samples", list(drawn()))):
            latin = [one for one in found if one.encoding == "cp1252"]
            wrong = [one for one in latin if is_uneditable(one.data)]
            for one in wrong:
                print(f"WRONG: {one.name}: {describe(one.data)}")
            print(f"Latin-1 and Windows-1252 {what}: {len(wrong)} of {len(latin)} uneditable")
            failed |= bool(wrong) or len(latin) < FEWEST_FILES
            counted = Counter(one.encoding for one in found)
            seen = Counter(one.encoding for one in found if is_uneditable(one.data))
            for encoding in sorted(counted.keys() - {"cp1252"}, key=lambda name: (name not in WANTED, name)):
                share = seen[encoding] / counted[encoding]
                print(f"{encoding} {what}: {seen[encoding]} of {counted[encoding]} uneditable ({share:.0%})")
                failed |= encoding in WANTED and counted[encoding] >= 10 and share < FEWEST_SEEN
    except Unavailable as error:
        print(f"{error}; nothing was measured", file=sys.stderr)
        return 1
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
