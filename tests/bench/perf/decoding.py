"""Finding out how a file is text, against decoding its bytes as UTF-8 once."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from studio.text import TextForm, describe
from tests.bench.perf.comparison import Benchmark, Comparison, compare

SIZE = 10_000_000
_TARGET = 1.2
_WORDS = "if for return self value = None + ( ) name text line".split()
_FOREIGN = "gr\u00f6\u00dfe \u0442\u0435\u043a\u0441\u0442 \u65e5\u672c \u2192".split()
_SEED = 4
_REPEATS = 5


def make_text(words: Sequence[str], end: str) -> bytes:
    """10 MB of lines of seven words, in UTF-8, cut after a whole line."""
    choose = random.Random(_SEED)
    block = "".join(" ".join(choose.choices(words, k=7)) + end for _ in range(20_000)).encode()
    whole = block * (SIZE // len(block) + 1)
    return whole[: whole.rindex(b"\n", 0, SIZE) + 1]


def _measure(words: Sequence[str], end: str, _: Path, pairs: int) -> Comparison:
    data = make_text(words, end)
    form = describe(data)
    assert isinstance(form, TextForm)
    assert form.line_ending == ("CRLF" if end == "\r\n" else "LF")

    def decoded() -> None:
        data.decode("utf-8")

    mine, other = compare(partial(_timed, lambda: describe(data)), partial(_timed, decoded), pairs)
    return Comparison("describe: encoding, line ends, final newline", "bytes.decode", mine, other, _TARGET)


def _timed(call: Callable[[], object]) -> float:
    """Milliseconds of one call, the mean of a few: a single one is near what a clock can tell."""
    started = time.perf_counter()
    for _ in range(_REPEATS):
        call()
    return (time.perf_counter() - started) * 1000 / _REPEATS


LADDER_ASCII = Benchmark("ladder-ascii", "10 MB of ASCII described", partial(_measure, _WORDS, "\n"))
LADDER_UTF8 = Benchmark(
    "ladder-utf8", "10 MB of text in several scripts described", partial(_measure, _WORDS + _FOREIGN, "\n")
)
LADDER_CRLF = Benchmark(
    "ladder-crlf", "the same text with CRLF described", partial(_measure, _WORDS + _FOREIGN, "\r\n")
)
