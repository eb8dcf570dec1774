"""Every benchmark, by name."""

from __future__ import annotations

from tests.perf.scrolling import SCROLL
from tests.perf.starting import START, VERSION
from tests.perf.writing import APPLY, PARSE

BENCHMARKS = (START, VERSION, APPLY, PARSE, SCROLL)
