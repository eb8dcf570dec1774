"""Limits of what is told when something broke."""

from __future__ import annotations

from typing import Final

FAULTS_LOGGED: Final = 20
"""Exceptions that nobody caught are logged up to this number within `FAULT_SECONDS`; more are counted."""

FAULT_SECONDS: Final = 60.0
"""After which as many faults are logged again."""

FAULT_CHARACTERS: Final = 20_000
"""Of a fault's traceback that are shown, from its end."""
