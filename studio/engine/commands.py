"""Compatibility alias of `studio.extras.commands`: sandboxed commands whose changes become plans."""

from studio.extras.commands import *
