"""User and project configuration files: merging, validation, and trust in project ones."""

from typing import TYPE_CHECKING

from studio.engine.config.effective import (
    AgentsShell,
    AllowedDirectory,
    Config,
    ProjectFile,
    Retention,
    ReviewCommandLine,
    check_user_text,
    effective_review,
    from_values,
    has_own_rules,
    load,
    read_value,
    user_config_folders,
    user_inbox,
    user_review,
)
from studio.engine.config.levels import SCHEMA_VERSION, Setting
from studio.engine.config.nodes import ConfigRefused
from studio.engine.config.reading import watched_files
from studio.engine.config.trusted import distrust, read_trust, trust
from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.engine.config.yaml_parser import parse_text

__all__ = [
    "SCHEMA_VERSION",
    "AgentsShell",
    "AllowedDirectory",
    "Config",
    "ConfigRefused",
    "ProjectFile",
    "Retention",
    "ReviewCommandLine",
    "Setting",
    "check_user_text",
    "distrust",
    "effective_review",
    "from_values",
    "has_own_rules",
    "load",
    "parse_text",
    "read_trust",
    "read_value",
    "trust",
    "user_config_folders",
    "user_inbox",
    "user_review",
    "watched_files",
]

__getattr__ = late_names(__name__, {"studio.engine.config.yaml_parser": "parse_text"})
