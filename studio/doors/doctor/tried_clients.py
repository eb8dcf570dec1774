"""The clients whose gates can be tried."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from studio.doors.doctor.tried import TriedClient
from studio.doors.doctor.tried_claude_code import TRIED_CLAUDE_CODE
from studio.doors.doctor.tried_cline import TRIED_CLINE
from studio.doors.doctor.tried_codex import TRIED_CODEX
from studio.doors.doctor.tried_gemini import TRIED_GEMINI
from studio.doors.doctor.tried_opencode import TRIED_OPENCODE
from studio.doors.doctor.tried_qwen import TRIED_QWEN

TRIED_CLIENTS: Final[Mapping[str, TriedClient]] = {
    "claude-code": TRIED_CLAUDE_CODE,
    "cline": TRIED_CLINE,
    "codex": TRIED_CODEX,
    "gemini": TRIED_GEMINI,
    "opencode": TRIED_OPENCODE,
    "qwen": TRIED_QWEN,
}
"""By the name that `connect` takes."""
