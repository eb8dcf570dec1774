"""A key is in the one schema, read, obeyed, shown and documented, or there is none.

What the page of settings shows is walked in tests/journeys/test_settings.py.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest

from studio.engine.config import Config
from studio.engine.config.schema import ALIASES, SETTINGS, SOURCE_NAME, SettingKey
from studio.extras.tools.security_policy import FileSystemSecurityPolicy
from tests.engine.config.config_files import Files
from tests.tools import settings_document

ROOT = Path(__file__).parents[3]
STUDIO = ROOT / "studio"

SAMPLES: Mapping[str, str] = {
    "file_rules.deny": "file_rules: {deny: ['made/']}",
    "file_rules.allow": "file_rules: {allow: ['bin/']}",
    "projects.allowed_folders": "projects: {allowed_folders: [{project: ROOT, path: vendor/bin}]}",
    "file_rules.secrets": "file_rules: {secrets: ['vault/']}",
    "file_rules.allowed_directories": "file_rules: {allowed_directories: ['/elsewhere']}",
    "file_rules.blocked_directories": "file_rules: {blocked_directories: [vendor]}",
    "file_rules.allowed_extensions": "file_rules: {allowed_extensions: ['.md']}",
    "file_rules.blocked_extensions": "file_rules: {blocked_extensions: ['.iso']}",
    "tools.require_confirmation_for_delete": "tools: {require_confirmation_for_delete: false}",
    "tools.enable_audit_logging": "tools: {enable_audit_logging: false}",
    "encodings": "encodings: {'*.txt': windows-1252}",
    "limits.segment": "limits: {segment: 9}",
    "limits.depth": "limits: {depth: 9}",
    "limits.file_bytes": "limits: {file_bytes: 9}",
    "limits.steps": "limits: {steps: 9}",
    "limits.own_steps": "limits: {own_steps: 9}",
    "limits.hunks": "limits: {hunks: 9}",
    "sources.NAME.deny": "sources: {codex: {deny: ['made/']}}",
    "sources.NAME.allowed_extensions": "sources: {codex: {allowed_extensions: ['.md']}}",
    "sources.NAME.file_bytes": "sources: {codex: {file_bytes: 9}}",
    "sources.NAME.steps": "sources: {codex: {steps: 9}}",
    "sources.NAME.hunks": "sources: {codex: {hunks: 9}}",
    "retention.plans": "retention: {plans: 9}",
    "retention.days": "retention: {days: 9}",
    "retention.bytes": "retention: {bytes: 9}",
    "review.command_line": "review: {command_line: off}",
    "review.approval_minutes": "review: {approval_minutes: 9}",
    "review.groups": "review: {groups: ['made: *.po']}",
    "agents.shell": "agents: {shell: deny}",
    "agents.inbox": "agents: {inbox: /inbox}",
    "sandbox.hide": "sandbox: {hide: ['~/private']}",
    "sandbox.logins": "sandbox: {logins: [codex]}",
    "sandbox.network": "sandbox: {network: {pip: true}}",
    "sandbox.try": "sandbox: {try: ['pytest -q']}",
    "observe.bytes": "observe: {bytes: 9}",
    "observe.ignore": "observe: {ignore: ['made/']}",
    "notify": "notify: {codex: false}",
}


def obeyed(config: Config) -> tuple[object, ...]:
    """All that whoever reads a configuration asks it for."""
    source = config.for_source("codex")
    return (
        config.policy().fingerprint,
        source.policy().fingerprint,
        source.limits,
        config.limits,
        config.retention,
        FileSystemSecurityPolicy.of(config),
        config.allowed_directories,
        config.encoding_for("a.txt"),
        config.review_command_line,
        config.approval_minutes,
        tuple(config.review_groups.items()),
        config.agents_shell,
        config.inbox,
        config.sandbox_hide,
        config.sandbox_logins,
        config.sandbox_network(["pip"]),
        config.sandbox_try,
        config.observe_bytes,
        config.observe_ignore,
        config.notifies("codex"),
    )


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_every_key_has_a_sample_here() -> None:
    assert SAMPLES.keys() == {setting.key for setting in SETTINGS}


@pytest.mark.parametrize("key", SAMPLES)
def test_a_key_of_the_schema_is_read_and_changes_what_counts(files: Files, key: str) -> None:
    before = obeyed(files.load())
    text = SAMPLES[key].replace("ROOT", str(files.root))
    config = files.user(f"schema_version: 1\n{text}\n").load()
    assert not config.warnings
    assert not config.unknown
    shown = {setting.key for setting in config.effective() if setting.level == "user"}
    assert key.replace(SOURCE_NAME, "codex") in shown
    assert obeyed(config) != before


@pytest.mark.parametrize(("alias", "key"), ALIASES.items())
def test_another_name_of_a_key_counts_as_the_key(files: Files, alias: str, key: str) -> None:
    own = files.user(SAMPLES[key]).load()
    outer, inner, name = alias.split(".")
    value = SAMPLES[key].split(": ", 2)[2]
    other = files.user(f"{outer}: {{{inner}: {{{name}: {value}}}").load()
    assert not other.warnings
    assert obeyed(other) == obeyed(own)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_what_reads_a_key_asks_for_it(setting: SettingKey) -> None:
    """Beyond the configuration, which only hands it on."""
    file = STUDIO / (setting.reader.replace(".", "/") + ".py")
    assert not file.is_relative_to(STUDIO / "engine" / "config")
    asked = {node.attr for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Attribute)}
    assert setting.attribute in asked


def test_a_project_s_file_may_not_say_what_is_the_user_s_alone(files: Files) -> None:
    for setting in SETTINGS:
        config = files.project(f"schema_version: 1\n{SAMPLES[setting.key]}\n").load()
        said = any("has an effect only in the user" in warning for warning in config.warnings)
        assert said == setting.is_users, setting.key


def test_numbers_are_refused_one_beyond_their_hard_limits(files: Files) -> None:
    for setting in SETTINGS:
        if not setting.largest:
            continue
        for beyond in (setting.smallest - 1, setting.largest + 1):
            text = SAMPLES[setting.key].replace("9", str(beyond))
            refused = files.user(f"schema_version: 1\n{text}\n").refusal()
            assert refused.key == setting.key.replace(SOURCE_NAME, "codex"), (setting.key, beyond)


def test_the_page_of_the_documentation_is_the_schema_s() -> None:
    """`python -m tests.tools.settings_document` writes it anew."""
    assert settings_document.FILE.read_text(encoding="utf-8") == settings_document.text()
