"""Schema of the configuration: each key's type, default, description, consuming module.

The configuration reader, `config schema`, the settings page and docs/settings.md are made from this list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import Final

from studio.limits import (
    APPROVAL_MINUTES,
    APPROVAL_MINUTES_UP_TO,
    FILE_BYTES,
    HUNKS_UP_TO,
    OBSERVED_BYTES,
    OWN_STEPS_UP_TO,
    PATH_DEPTH,
    RETENTION_BYTES,
    RETENTION_DAYS,
    RETENTION_PLANS,
    SEGMENT_BYTES,
    STEPS_UP_TO,
)
from studio.values import Value

SOURCE_NAME: Final = "NAME"
_SOURCE = re.compile("[a-z0-9][a-z0-9_-]{0,79}")
"""Placeholder in a key for the name of a format or an agent."""


class SettingKind(Enum):
    """Type of a setting's value or, for collections, of its items."""

    NUMBER = "number"
    SWITCH = "true or false"
    CHOICE = "one of some words"
    FOLDER = "absolute path of a folder"
    PATTERNS = "list of patterns"
    EXTENSIONS = "list of extensions"
    BLOCKED_FOLDERS = "list of folders"
    ALLOWED_FOLDERS = "list of folders, here or elsewhere"
    PROJECT_FOLDERS = "list of mappings with project and path"
    PLACES = "list of paths"
    AGENTS = "list of agents"
    COMMANDS = "list of commands"
    GROUPS = "list of names with patterns"
    ENCODINGS = "mapping of patterns to encodings"
    ANSWERS = "mapping of names to true or false"

    @property
    def is_list(self) -> bool:
        return self.value.startswith("list")

    @property
    def is_mapping(self) -> bool:
        return self.value.startswith("mapping")


class SettingKey(Value):
    """Schema of one dotted key.

    `smallest` and `largest` are hard limits of a number. `is_users`: effective in the user's own file alone.
    `reader` is the module outside of this package that acts on the setting, and `attribute` the name it
    reads.
    """

    key: str
    title: str
    means: str
    kind: SettingKind
    reader: str
    attribute: str
    default: str | int | None = None
    smallest: int = 0
    largest: int = 0
    choices: tuple[str, ...] = ()
    is_users: bool = False
    example: str = ""
    """A sample entry of a list or mapping."""

    @staticmethod
    def find(key: str) -> SettingKey | None:
        """Return the schema of a dotted key or alias, None if unknown.

        A key of a source is found with any name of a source.
        """
        parts = key.split(".")
        if parts[0] == "sources":
            parts[1:2] = [SOURCE_NAME]
        return BY_KEY.get(ALIASES.get(key, ".".join(parts)))

    @staticmethod
    def is_source(name: str) -> bool:
        """Return whether a format or agent may have this name in `sources`."""
        return _SOURCE.fullmatch(name) is not None

    def of_source(self, source: str) -> str:
        """Return the key for one format or agent."""
        return self.key.replace(f".{SOURCE_NAME}.", f".{source}.")

    @property
    def range(self) -> str:
        """Values, default and level in words: "number; 1 to 255; default 255"."""
        parts = [", ".join(self.choices) or self.kind.value]
        if self.kind is SettingKind.NUMBER:
            parts.append(f"{self.smallest} to {self.largest}")
        if self.default not in (None, ""):
            parts.append(f"default {str(self.default).lower()}")
        if self.is_users:
            parts.append("yours alone")
        return "; ".join(parts)

    @property
    def aliases(self) -> tuple[str, ...]:
        """Return its other names."""
        return tuple(alias for alias, key in ALIASES.items() if key == self.key)

    @property
    def name(self) -> str:
        """The last part of the key."""
        return self.key.rpartition(".")[2]

    @property
    def section(self) -> str:
        """The key without its last part, "" for a top-level key."""
        return self.key.rpartition(".")[0]


_RULES = "engine.policy.rules"

SETTINGS: Final = (
    SettingKey(
        "file_rules.deny", "Denied files",
        "Agents can't change matching files. No other rule overrides this.",
        SettingKind.PATTERNS, _RULES, "deny",
        example="generated/",
    ),
    SettingKey(
        "file_rules.allow", "Allowed files",
        "Allows paths that are denied by default, such as hidden folders, programs and keys.",
        SettingKind.PATTERNS, _RULES, "allow",
        example=".github/workflows/",
    ),
    SettingKey(
        "projects.allowed_folders", "Folders allowed per project",
        (
            "Allows a folder that is denied by default, for one project only. Secrets, "
            "keys and locked files in it are still denied."
        ),
        SettingKind.PROJECT_FOLDERS, _RULES, "opened", is_users=True,
        example="vendor/bin",
    ),
    SettingKey(
        "file_rules.secrets", "Secret files and folders",
        "Matching paths are denied by default, like secrets/, unless a rule allows them.",
        SettingKind.PATTERNS, _RULES, "secrets",
        example="vault/",
    ),
    SettingKey(
        "file_rules.allowed_directories", "Allowed folders",
        (

                "Agents can change files only in the project folders listed. Tools can also "
                "read files in the external folders listed."

        ),
        SettingKind.ALLOWED_FOLDERS, "extras.tools.context", "allowed_directories",
        example="../shared",
    ),
    SettingKey(
        "file_rules.blocked_directories", "Blocked folders",
        "Agents can't change files in these folders. No other rule overrides this.",
        SettingKind.BLOCKED_FOLDERS, _RULES, "deny",
        example="vendor",
    ),
    SettingKey(
        "file_rules.allowed_extensions", "Allowed file types",
        "If set, files of other types are denied.",
        SettingKind.EXTENSIONS, _RULES, "extensions",
        example=".md",
    ),
    SettingKey(
        "file_rules.blocked_extensions", "Blocked file types",
        "Files of these types are denied. No other rule overrides this.",
        SettingKind.EXTENSIONS, _RULES, "deny",
        example=".min.js",
    ),
    SettingKey(
        "tools.require_confirmation_for_delete", "Confirm deletions by tools",
        (

                "Tools that write directly to disk ask before deleting files. Changes in a "
                "plan always wait for your decision."

        ),
        SettingKind.SWITCH, "extras.tools.tool", "require_confirmation_for_delete", default=True,
    ),
    SettingKey(
        "tools.enable_audit_logging", "Log reads by tools",
        "Records in the journal which files tools read. Writes are always recorded.",
        SettingKind.SWITCH, "extras.tools.context", "enable_audit_logging", default=True,
    ),
    SettingKey(
        "encodings", "Encodings",
        "Encoding to use for matching files whose encoding can't be detected.",
        SettingKind.ENCODINGS, _RULES, "encodings",
        example="legacy/**",
    ),
    SettingKey(
        "limits.segment", "Maximum name length",
        "Maximum length of a path component, in bytes.",
        SettingKind.NUMBER, _RULES, "segment", SEGMENT_BYTES, 1, SEGMENT_BYTES,
    ),
    SettingKey(
        "limits.depth", "Maximum path depth",
        "Maximum number of components in a path.",
        SettingKind.NUMBER, _RULES, "depth", PATH_DEPTH, 1, 1000,
    ),
    SettingKey(
        "limits.file_bytes", "Maximum file size",
        "Maximum size of one file in a plan, in bytes.",
        SettingKind.NUMBER, _RULES, "file_bytes", FILE_BYTES, 0, 1 << 40,
    ),
    SettingKey(
        "limits.steps", "Maximum steps per plan",
        "Applies to plans from text or from an agent's tool calls.",
        SettingKind.NUMBER, _RULES, "steps", STEPS_UP_TO, 1, 1_000_000,
    ),
    SettingKey(
        "limits.own_steps", "Maximum steps per plan from files",
        "Applies to plans from a command's changes, a folder or a snapshot.",
        SettingKind.NUMBER, _RULES, "own_steps", OWN_STEPS_UP_TO, 1, 1_000_000,
    ),
    SettingKey(
        "limits.hunks", "Maximum hunks per plan",
        "Maximum number of hunks in the text of a plan.",
        SettingKind.NUMBER, _RULES, "hunks", HUNKS_UP_TO, 1, 100_000_000,
    ),
    SettingKey(
        f"sources.{SOURCE_NAME}.deny", "Denied files for this source",
        (
            "Paths that plans in this format or from this agent can't change, in "
            "addition to those denied for all plans."
        ),
        SettingKind.PATTERNS, "engine.project.context", "for_source",
        example="src/",
    ),
    SettingKey(
        f"sources.{SOURCE_NAME}.allowed_extensions", "Allowed file types for this source",
        (

                "If set, plans in this format or from this agent can change only files of "
                "these types. Your list replaces the default for the file-action format "
                "(.md)."

        ),
        SettingKind.EXTENSIONS, "engine.project.context", "for_source",
        example=".md",
    ),
    SettingKey(
        f"sources.{SOURCE_NAME}.file_bytes", "Maximum file size for this source",
        "Maximum file size for plans in this format or from this agent, in bytes.",
        SettingKind.NUMBER, "engine.project.context", "for_source", smallest=0, largest=1 << 40,
    ),
    SettingKey(
        f"sources.{SOURCE_NAME}.steps", "Maximum steps for this source",
        "Maximum steps per plan in this format or from this agent.",
        SettingKind.NUMBER, "engine.project.context", "for_source", smallest=1, largest=1_000_000,
    ),
    SettingKey(
        f"sources.{SOURCE_NAME}.hunks", "Maximum hunks for this source",
        "Maximum hunks per plan in this format or from this agent.",
        SettingKind.NUMBER, "engine.project.context", "for_source", smallest=1, largest=100_000_000,
    ),
    SettingKey(
        "retention.plans", "Plans to keep undo data for",
        (
            "Undo data for this many recent plans is kept regardless of age, within the disk "
            "space limit."
        ),
        SettingKind.NUMBER, "engine.apply.retention", "plans", RETENTION_PLANS, 1, 100, is_users=True,
    ),
    SettingKey(
        "retention.days", "Days to keep undo data",
        "Undo data is kept for at least this many days, within the disk space limit.",
        SettingKind.NUMBER, "engine.apply.retention", "days", RETENTION_DAYS, 0, 100_000, is_users=True,
    ),
    SettingKey(
        "retention.bytes", "Disk space for undo data",
        (

                "Maximum size of all undo data, in bytes. Above this limit, the oldest is "
                "discarded after a warning that names the plan."

        ),
        SettingKind.NUMBER, "engine.apply.retention", "bytes", RETENTION_BYTES, 0, 1 << 50, is_users=True,
    ),
    SettingKey(
        "review.command_line", "Decisions in the terminal",
        (

                "“ask” requires the first digits of the plan's ID, and “off” allows "
                "decisions only in the window. “allow” shows no prompt, so any program "
                "running as you can approve plans."

        ),
        SettingKind.CHOICE, "doors.cli.console.person", "command_line_review", "ask",
        choices=("ask", "allow", "off"), is_users=True,
    ),
    SettingKey(
        "review.approval_minutes", "Approval timeout in minutes",
        (
            "An approval expires if the plan is not applied within this time. 0 means no "
            "time limit."
        ),
        SettingKind.NUMBER, "engine.review.staleness", "approval_minutes", APPROVAL_MINUTES, 0,
        APPROVAL_MINUTES_UP_TO, is_users=True,
    ),
    SettingKey(
        "review.groups", "Step groups",
        (
            "Groups matching steps in a plan. Each entry is a name, a colon and "
            "patterns, such as “catalogues: *.po *.mo”."
        ),
        SettingKind.GROUPS, "extras.reader", "review_groups", is_users=True,
        example="catalogues: *.po *.mo",
    ),
    SettingKey(
        "agents.shell", "Shell commands from agents",
        (

                    "“ask” waits for your decision, “deny” denies all commands and “client” "
                    "leaves the decision to the agent's own client. “sandbox” runs commands "
                    "in the sandbox and turns their changes into plans."

        ),
        SettingKind.CHOICE, "doors.gate", "agents_shell", "ask", choices=("ask", "deny", "client", "sandbox"),
        is_users=True,
    ),
    SettingKey(
        "agents.inbox", "Inbox",
        (
            "Files in this folder become proposals while “studio inbox” is running. Leave "
            "empty to disable."
        ),
        SettingKind.FOLDER, "doors.cli.commands.inbox", "inbox", "", is_users=True,
    ),
    SettingKey(
        "sandbox.hide", "Hidden from the sandbox",
        (

                "Paths that sandboxed commands can't see. They can be absolute or relative "
                "to your home folder (~) or to the project."

        ),
        SettingKind.PLACES, "workspace", "sandbox_hide", is_users=True,
        example="~/private",
    ),
    SettingKey(
        "sandbox.logins", "Sandbox logins",
        "Agents whose logins sandboxed commands can use without your confirmation.",
        SettingKind.AGENTS, "doors.cli.commands.sandboxed", "sandbox_logins", is_users=True,
        example="codex",
    ),
    SettingKey(
        "sandbox.network", "Sandbox network",
        "For each program, whether it can use the network in the sandbox by default.",
        SettingKind.ANSWERS, "doors.cli.commands.sandboxed", "sandbox_network", is_users=True,
        example="pip",
    ),
    SettingKey(
        "sandbox.try", "Trial commands",
        "Suggested commands for trying a plan before you apply it.",
        SettingKind.COMMANDS, "extras.commands.trials", "sandbox_try", is_users=True,
        example="python -m pytest -q",
    ),
    SettingKey(
        "observe.bytes", "Disk space for snapshots",
        "Maximum size of snapshots and the baseline for outside changes, in bytes.",
        SettingKind.NUMBER, "extras.snapshots.snapshots", "observe_bytes", OBSERVED_BYTES, 0, 1 << 50,
        is_users=True,
    ),
    SettingKey(
        "observe.ignore", "Ignored paths",
        "Outside changes in these paths are ignored.",
        SettingKind.PATTERNS, "extras.observed.observer", "observe_ignore", is_users=True,
        example="build/",
    ),
    SettingKey(
        "notify", "Notifications per agent",
        (
            "Whether to show a desktop notification when an agent starts waiting for you. "
            "Default: true."
        ),
        SettingKind.ANSWERS, "ui.review.queue_state", "notifies", is_users=True,
        example="codex",
    ),
)  # fmt: skip
"""In display order."""

FINAL_DENIES: Final = frozenset(
    {"file_rules.deny", "file_rules.blocked_directories", "file_rules.blocked_extensions"}
)
"""Keys whose matches may not be changed, whatever other rules allow."""

PROJECT_FOLDERS: Final = "projects.allowed_folders"
SCHEMA_KEY: Final = "schema_version"

BY_KEY: Final[Mapping[str, SettingKey]] = {setting.key: setting for setting in SETTINGS}
ALIASES: Final[Mapping[str, str]] = {
    f"tool_configuration.file_system.{name}": key
    for name, key in (
        ("allowed_directories", "file_rules.allowed_directories"),
        ("blocked_directories", "file_rules.blocked_directories"),
        ("allowed_extensions", "file_rules.allowed_extensions"),
        ("blocked_extensions", "file_rules.blocked_extensions"),
        ("max_file_size", "limits.file_bytes"),
        ("max_files_per_operation", "limits.steps"),
        ("require_confirmation_for_delete", "tools.require_confirmation_for_delete"),
        ("enable_audit_logging", "tools.enable_audit_logging"),
    )
}
"""Aliases of keys. Where a file has both, lists are joined and the stricter value is effective."""
