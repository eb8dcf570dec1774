"""Limits of texts that agents send, each with its reason.

Units as in `studio.limits`.
"""

from __future__ import annotations

from typing import Final

# Six files of the largest size fit, a decompression bomb does not.
SUBMISSION_BYTES: Final = 64 * 1024 * 1024
"""Largest text of one submission."""

REASON_CHARACTERS: Final = 4000
"""Longest reason of a step; the rest is cut."""

EDITS_UP_TO: Final = 1000
"""Most edits (old, new) of one step; each searches the file once."""

REPAIRED_TEXT_BYTES: Final = 4 * 1024 * 1024
"""Largest unreadable diff for which a repair is searched."""

JSON_DEPTH: Final = 32
"""Deepest nesting of JSON input; a plan needs five levels."""

TITLE_PATH_CHARACTERS: Final = 80
"""Characters from the end of a path used as a diff's title."""
