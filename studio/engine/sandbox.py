"""Compatibility alias module that re-exports `studio.extras.sandbox`."""

from studio.extras.sandbox import *
