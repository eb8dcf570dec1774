"""Compatibility alias of `studio.files.manager`: file creation and appending for embedding programs."""

from studio.files.manager import *
