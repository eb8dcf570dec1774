"""What a command says, and the exit codes it says it with (contract 9)."""

from __future__ import annotations

from typing import Any

DONE, REFUSED, STALE, TIMED_OUT = 0, 1, 3, 5


class Answer:
    """One JSON document, the same for people as lines, and the exit code.

    `remark` goes to stderr: why the code is not 0 although there is an answer. `is_printed` says that the
    answer is on stdout already.
    """

    def __init__(
        self,
        document: dict[str, Any],
        lines: str,
        code: int = DONE,
        remark: str = "",
        *,
        is_printed: bool = False,
    ) -> None:
        self.document = document
        self.lines = lines
        self.code = code
        self.remark = remark
        self.is_printed = is_printed
