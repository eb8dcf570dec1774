"""Summary of uncaught exceptions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """Number of failures in this process, and the last traceback."""

    count: int
    details: str
