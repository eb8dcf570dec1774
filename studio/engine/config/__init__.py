"""Configuration: levels, expansion, validation, and trust of the project's own file (contract 8)."""

from studio.engine.config.believed import believed_review, known_folders, user_review
from studio.engine.config.commands import command_words
from studio.engine.config.effective import (
    AgentsShell,
    AllowedDirectory,
    Config,
    ProjectFile,
    Retention,
    ReviewCommandLine,
    from_values,
    load,
)
from studio.engine.config.errors import ConfigRefused
from studio.engine.config.levels import SCHEMA_VERSION, Setting
from studio.engine.config.reading import watched_files
from studio.engine.config.trusted import distrust, read_trust, trust

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
    "believed_review",
    "command_words",
    "distrust",
    "from_values",
    "known_folders",
    "load",
    "read_trust",
    "trust",
    "user_review",
    "watched_files",
]
