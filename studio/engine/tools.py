"""Compatibility alias module that re-exports `studio.extras.tools`."""

from studio.extras.tools import *
