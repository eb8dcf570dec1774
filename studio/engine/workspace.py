"""Compatibility alias module that re-exports `studio.workspace`."""

from studio.workspace import *
