"""What is told of exceptions that nobody caught."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """How often something failed in this process so far, and the traceback of what did last."""

    count: int
    details: str
