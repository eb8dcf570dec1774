"""The keys of a configuration file as its reader looks them up, made from the schema (contract 8)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from studio.engine.config.schema import BY_KEY, FILE_SYSTEM, SCHEMA_KEY, SETTINGS, SOURCE_NAME, Kind

INBOX: Final = "agents.inbox"
PROJECT_FOLDERS: Final = "projects.allowed_folders"
REVIEW_GROUPS: Final = "review.groups"
OBSERVE_IGNORE: Final = "observe.ignore"
SANDBOX_HIDE: Final = "sandbox.hide"
SANDBOX_LOGINS: Final = "sandbox.logins"
SANDBOX_NETWORK: Final = "sandbox.network"
SANDBOX_TRY: Final = "sandbox.try"
CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    setting.key: setting.choices for setting in SETTINGS if setting.choices
}
"""Words of which one may be set."""
# Smallest and largest value of each number that may be set.
NUMBERS: Final[Mapping[str, tuple[int, int]]] = {
    setting.key: (setting.smallest, setting.largest) for setting in SETTINGS if setting.kind is Kind.NUMBER
}
FILE_SYSTEM_KEYS: Final = tuple(setting.name for setting in SETTINGS if setting.section == FILE_SYSTEM)
SOURCE_KEYS: Final = tuple(
    setting.name for setting in SETTINGS if setting.section == f"sources.{SOURCE_NAME}"
)
# Keys of the section `tool_configuration` for numbers that `limits` has too (C16).
SAME_NUMBER: Final = {
    setting.name: setting.same_as
    for setting in SETTINGS
    if setting.same_as and setting.section == FILE_SYSTEM
}
_OWN_READERS = ("sources", "tool_configuration")
SECTIONS: Final[Mapping[str, frozenset[str]]] = {
    section: frozenset(setting.name for setting in SETTINGS if setting.section == section)
    for section in dict.fromkeys(setting.section for setting in SETTINGS)
    if section and section.partition(".")[0] not in _OWN_READERS
}
SECTION_OF: Final[Mapping[str, str]] = {
    setting.name: setting.section
    for setting in reversed(SETTINGS)
    if setting.section and SOURCE_NAME not in setting.section
}
"""The section that has a key, the first of several: for a key that is written outside of it."""
EXTENSION = re.compile(r"\.?[^\s/\\*?\[\]!#:.][^\s/\\*?\[\]!#:]*")
GROUP = re.compile(r"[^\s:*?\[\]/]{1,40}")
SOURCE = re.compile("[a-z0-9][a-z0-9_-]{0,79}")
USER_ONLY: Final = frozenset(setting.key.partition(".")[0] for setting in SETTINGS if setting.is_users)
KNOWN: Final = tuple(dict.fromkeys((*(key.partition(".")[0] for key in BY_KEY), SCHEMA_KEY)))
