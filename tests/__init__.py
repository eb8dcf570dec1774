"""The tests, and what is run by hand: `python -m tests.perf` stands in `bench`, all others in `lab`."""

from __future__ import annotations

__path__ += [f"{__path__[0]}/{folder}" for folder in ("lab", "bench")]
