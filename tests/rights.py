"""What only root may do. What root may not be kept from doing is tested by everybody else."""

from __future__ import annotations

import os

import pytest

IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0

as_root = pytest.mark.skipif(not IS_ROOT, reason="only root may give files away or read what is closed to it")
"""tests/repo/allowed_skips.txt lists the reason."""
