"""The keys of a configuration file, their kinds and ranges (contract 8)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from studio.engine.limits import APPROVAL_MINUTES_UP_TO, SEGMENT_BYTES

FILE_SYSTEM: Final = "tool_configuration.file_system"
INBOX: Final = "agents.inbox"
REVIEW_GROUPS: Final = "review.groups"
OBSERVE_IGNORE: Final = "observe.ignore"
SANDBOX_HIDE: Final = "sandbox.hide"
SANDBOX_LOGINS: Final = "sandbox.logins"
SANDBOX_NETWORK: Final = "sandbox.network"
SANDBOX_TRY: Final = "sandbox.try"
CHOICES: Mapping[str, tuple[str, ...]] = {
    "review.command_line": ("ask", "allow", "off"),
    "agents.shell": ("ask", "deny", "client", "sandbox"),
}
"""Words of which one may be set."""
ENCODINGS: Mapping[str, str] = {
    "ascii": "ascii",
    "us-ascii": "ascii",
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "utf-16-le": "utf-16-le",
    "utf-16le": "utf-16-le",
    "utf-16-be": "utf-16-be",
    "utf-16be": "utf-16-be",
    "windows-1252": "windows-1252",
    "cp1252": "windows-1252",
}
# Smallest and largest value of each number that may be set.
NUMBERS: Mapping[str, tuple[int, int]] = {
    "limits.segment": (1, SEGMENT_BYTES),
    "limits.depth": (1, 1000),
    "limits.file_bytes": (0, 1 << 40),
    "limits.steps": (1, 1_000_000),
    "limits.hunks": (1, 100_000_000),
    "limits.own_steps": (1, 1_000_000),
    "retention.plans": (1, 100),
    "retention.days": (0, 100_000),
    "retention.bytes": (0, 1 << 50),
    "review.approval_minutes": (0, APPROVAL_MINUTES_UP_TO),
    "observe.bytes": (0, 1 << 50),
}
SECTIONS: Mapping[str, frozenset[str]] = {
    "agents": frozenset({"shell", "inbox"}),
    "file_rules": frozenset({"deny", "allow", "secrets"}),
    "limits": frozenset({"segment", "depth", "file_bytes", "steps", "own_steps", "hunks"}),
    "observe": frozenset({"bytes", "ignore"}),
    "retention": frozenset({"plans", "days", "bytes"}),
    "review": frozenset({"command_line", "approval_minutes", "groups"}),
    "sandbox": frozenset({"hide", "logins", "network", "try"}),
}
FILE_SYSTEM_KEYS = (
    "allowed_directories",
    "blocked_directories",
    "allowed_extensions",
    "blocked_extensions",
    "max_file_size",
    "max_files_per_operation",
    "require_confirmation_for_delete",
    "enable_audit_logging",
)
SOURCE_KEYS = ("allowed_extensions", "deny", "file_bytes", "steps", "hunks")
# Keys of the section `tool_configuration` for numbers that `limits` has too (C16).
SAME_NUMBER = {"max_file_size": "limits.file_bytes", "max_files_per_operation": "limits.steps"}
EXTENSION = re.compile(r"\.?[^\s/\\*?\[\]!#:.][^\s/\\*?\[\]!#:]*")
GROUP = re.compile(r"[^\s:*?\[\]/]{1,40}")
SOURCE = re.compile("[a-z0-9][a-z0-9_-]{0,79}")
USER_ONLY = frozenset({"agents", "notify", "observe", "retention", "review", "sandbox"})
KNOWN = (*SECTIONS, "encodings", "notify", "schema_version", "sources", "tool_configuration")
