"""Levels, expansion, validation and trust."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from studio.engine.config import (
    Config,
    ConfigRefused,
    Setting,
    distrust,
    has_own_rules,
    load,
    read_trust,
    trust,
    watched_files,
)
from studio.engine.config.yaml_parser import Node, parse_text
from studio.errors import Conflict
from studio.limits import CONFIGURATION_BYTES
from tests.engine.config.config_files import Files


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def found(config: Config, key: str) -> list[tuple[object, str, int | None]]:
    return [(item.value, item.level, item.line) for item in config.effective() if item.key == key]


def test_without_files_the_defaults_count(files: Files) -> None:
    config = files.load()
    assert (config.limits.segment, config.limits.depth) == (255, 64)
    assert (config.limits.file_bytes, config.limits.steps) == (10485760, 1000)
    assert config.review_command_line == "ask"
    assert (config.retention.plans, config.retention.days, config.retention.bytes) == (10, 7, 1073741824)
    assert config.warnings == ()
    assert config.project_file is None
    assert {setting.level for setting in config.effective()} == {"default"}
    assert config.encoding_for("a") is None
    assert config.policy().check("a").allowed


@pytest.mark.parametrize(
    ("text", "has_rules"),
    [
        ("", False),
        ("schema_version: 1\nlimits: {depth: 10}\n", False),
        ("file_rules: {deny: ['*.pem']}\n", True),
        ("file_rules: {allow: ['*.key']}\n", True),
        ("sources: {codex: {deny: ['*.pem']}}\n", True),
        ("file_rules: {deny: [broken\n", False),
    ],
)  # fmt: skip
def test_a_rule_of_the_users_own_is_told_from_other_settings(
    files: Files, text: str, has_rules: bool
) -> None:
    assert not has_own_rules(files.config_dir)
    files.user(text)
    assert has_own_rules(files.config_dir) == has_rules
    files.user(text, "config.json")
    assert not has_own_rules(files.config_dir), "with two files nothing counts"


def test_every_value_knows_its_level_file_and_line(files: Files) -> None:
    files.user("# mine\nlimits:\n  depth: 20\nreview: {command_line: off}\n")
    files.project("schema_version: 1\nfile_rules:\n  deny:\n    - a/\n    - '*.tmp'\n")
    config = files.load()
    assert found(config, "limits.depth") == [(20, "user", 3)]
    assert found(config, "file_rules.deny") == [("a/", "project", 4), ("*.tmp", "project", 5)]
    assert found(config, "limits.steps") == [(1000, "default", None)]
    assert config.review_command_line == "off"
    denied = config.policy().check("A/x")
    assert (denied.rule, denied.level) == ("a/", "project")
    deny = next(item for item in config.effective() if item.value == "a/")
    assert deny == Setting("file_rules.deny", "a/", "project", "studio.yaml", 4)
    depth = next(item for item in config.effective() if item.key == "limits.depth")
    assert depth.file == str(files.config_dir / "config.yaml")


def test_denies_are_the_union_of_all_levels(files: Files) -> None:
    files.user("file_rules: {deny: [u/]}").project("file_rules: {deny: [p/]}")
    policy = files.load().policy()
    for path, level in (("u/x", "user"), ("p/x", "project")):
        verdict = policy.check(path)
        assert (verdict.allowed, verdict.level) == (False, level)


def test_a_project_file_lowers_numbers_at_once_and_raises_none(files: Files) -> None:
    files.project("limits: {depth: 10, steps: 5000}")
    config = files.load()
    assert (config.limits.depth, config.limits.steps) == (10, 1000)
    assert config.project_file is not None
    assert [item.key for item in config.project_file.waiting] == ["limits.steps"]
    assert any("trust" in warning and "limits.steps" in warning for warning in config.warnings)


def test_a_project_file_allows_nothing_until_it_is_trusted(files: Files) -> None:
    files.project("file_rules: {allow: [bin/]}\nlimits: {steps: 5000}")
    assert not files.load().policy().check("bin/x").allowed
    files.trust()
    config = files.load()
    assert config.policy().check("bin/x").allowed
    assert config.limits.steps == 5000
    assert config.warnings == ()


def test_one_byte_voids_the_trust(files: Files) -> None:
    files.project("file_rules: {allow: [bin/]}").trust()
    assert files.load().policy().check("bin/x").allowed
    files.project("file_rules: {allow: [bin/]} ")
    config = files.load()
    assert not config.policy().check("bin/x").allowed
    assert config.project_file is not None
    assert not config.project_file.trusted


def test_trust_is_for_one_project(files: Files, tmp_path: Path) -> None:
    files.project("file_rules: {allow: [bin/]}").trust()
    twin = tmp_path / "twin"
    twin.mkdir()
    (twin / "studio.yaml").write_bytes((files.root / "studio.yaml").read_bytes())
    assert not load(twin, files.config_dir, environment={}).policy().check("bin/x").allowed


def test_trust_needs_the_bytes_that_were_shown(files: Files) -> None:
    files.project("file_rules: {allow: [bin/]}")
    shown = hashlib.sha256((files.root / "studio.yaml").read_bytes()).hexdigest()
    files.project("file_rules: {allow: [secrets/]}")
    with pytest.raises(Conflict):
        trust(files.root, files.config_dir, sha256=shown)
    assert read_trust(files.config_dir, files.root) == frozenset()


def test_trust_is_taken_back(files: Files) -> None:
    files.project("file_rules: {allow: [bin/]}").trust()
    distrust(files.root, files.config_dir)
    assert not files.load().policy().check("bin/x").allowed


def test_the_list_of_trust_is_private_and_survives_a_second_project(files: Files, tmp_path: Path) -> None:
    config_dir = tmp_path / "fresh" / "config"
    files.project("limits: {depth: 1}")
    sha256 = hashlib.sha256((files.root / "studio.yaml").read_bytes()).hexdigest()
    other = tmp_path / "other"
    other.mkdir()
    (other / "studio.yaml").write_bytes((files.root / "studio.yaml").read_bytes())
    trust(files.root, config_dir, sha256=sha256)
    trust(other, config_dir, sha256=sha256)
    assert read_trust(config_dir, files.root) == read_trust(config_dir, other) == frozenset({sha256})
    assert stat.S_IMODE((config_dir / "trust.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(config_dir.stat().st_mode) == 0o700
    assert sorted(path.name for path in config_dir.iterdir()) == ["trust.json"]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"trusted": 3}', '{"trusted": {"x": "y"}}', "[" * 10000, "\udcff", '{"trusted": null}'],
)
def test_a_damaged_list_of_trust_trusts_nothing(files: Files, text: str) -> None:
    files.project("file_rules: {allow: [bin/]}")
    (files.config_dir / "trust.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert not files.load().policy().check("bin/x").allowed
    files.trust()
    assert files.load().policy().check("bin/x").allowed


def test_a_list_of_trust_out_of_reach_is_not_replaced(files: Files) -> None:
    files.project("file_rules: {allow: [bin/]}").trust()
    listed = files.config_dir / "trust.json"
    before = listed.read_bytes()
    listed.unlink()
    listed.symlink_to(listed.name)  # a loop, which no rights get through
    assert not files.load().policy().check("bin/x").allowed
    with pytest.raises(OSError, match="symbolic links"):
        files.trust()
    assert listed.is_symlink()
    listed.unlink()
    listed.write_bytes(before)
    assert files.load().policy().check("bin/x").allowed


def test_the_users_numbers_are_the_ceiling_of_a_trusted_project(files: Files) -> None:
    files.user("limits: {steps: 2000}").project("limits: {steps: 5000}").trust()
    assert files.load().limits.steps == 2000
    files.user("limits: {steps: 6000}")
    assert files.load().limits.steps == 5000


def test_the_user_may_raise_a_default(files: Files) -> None:
    assert files.user("limits: {file_bytes: 99999999}").load().limits.file_bytes == 99999999


@pytest.mark.parametrize("trusted", [False, True])
def test_review_and_retention_belong_to_the_user_alone(files: Files, trusted: bool) -> None:
    files.project("review: {command_line: allow}\nretention: {plans: 0}")
    if trusted:
        files.trust()
    config = files.load()
    assert config.review_command_line == "ask"
    assert config.retention.plans == 10
    assert [warning.split(":")[0] for warning in config.warnings] == [
        "studio.yaml, line 1, review",
        "studio.yaml, line 2, retention",
    ]
    config = files.user("review: {command_line: allow}\nretention: {plans: 3, days: 1, bytes: 5}").load()
    assert config.review_command_line == "allow"
    assert (config.retention.plans, config.retention.days, config.retention.bytes) == (3, 1, 5)


def test_unknown_keys_are_kept_and_warned_about(files: Files) -> None:
    config = files.project("colour: red\nlimits:\n  dept: 3\n").load()
    assert [(item.key, item.line) for item in config.unknown] == [("colour", 1), ("limits.dept", 3)]
    assert config.warnings[0] == "studio.yaml, line 1, colour: the key is unknown and has no effect."
    assert config.warnings[1].endswith("Did you mean limits.depth?")


def test_encodings_of_the_project_come_before_the_users(files: Files) -> None:
    files.user("encodings: {'*.txt': utf-8, 'old/**': cp1252}").project("encodings: {'*.txt': UTF-16LE}")
    config = files.load()
    assert config.encoding_for("a.txt") == "utf-16-le"
    assert config.encoding_for("old/a.md") == "windows-1252"


def test_json_is_read_too(files: Files) -> None:
    files.user('{\n\t"limits": {"depth": 7},\n\t"review": {"command_line": "off"}}', "config.json")
    files.project('{"file_rules": {"deny": ["x\\u00e9/", "\\ud83d\\ude00"]}}')
    config = files.load()
    assert config.limits.depth == 7
    assert config.review_command_line == "off"
    assert not config.policy().check("X\u00c9/y").allowed
    assert not config.policy().check("\U0001f600").allowed


def test_two_user_files_are_refused(files: Files) -> None:
    assert files.user("{}").user("{}", "config.json").refusal().code == "config.two_files"


def test_variables_are_put_in(files: Files) -> None:
    files.user("file_rules: {deny: ['${NAME}/', '$${NAME}', 'a$b']}\nlimits: {depth: '${DEPTH}'}")
    config = files.load({"NAME": "x${DEPTH}", "DEPTH": "9"})
    values = [item.value for item in config.effective() if item.key == "file_rules.deny"]
    assert values == ["x${DEPTH}/", "${NAME}", "a$b"]
    assert config.limits.depth == 9


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("deny: [x]", "deny: the key is unknown and has no effect. Write it below file_rules."),
        ("allow: [x]", "allow: the key is unknown and has no effect. Write it below file_rules."),
        (
            "limits: {deny: [x]}",
            "limits.deny: the key is unknown and has no effect. Write it below file_rules.",
        ),
        (
            "allowed_extensions: []",
            "allowed_extensions: the key is unknown and has no effect. Write it below file_rules.",
        ),
        ("depth: 3", "depth: the key is unknown and has no effect. Write it below limits."),
        ("file_rulse: {}", "file_rulse: the key is unknown and has no effect. Did you mean file_rules?"),
    ],
)
def test_a_key_outside_of_its_section_is_named_with_it(files: Files, text: str, warning: str) -> None:
    assert files.user(text).load().warnings[0].endswith(f"line 1, {warning}")


def test_an_unset_variable_is_an_error(files: Files) -> None:
    """Never literal text."""
    refused = files.user("limits:\n  depth: 4\nfile_rules:\n  deny: ['${GONE}/']").refusal()
    assert (refused.code, refused.line, refused.key) == ("config.unset", 4, "file_rules.deny")
    assert refused.file == str(files.config_dir / "config.yaml")
    assert "GONE" in refused.message


def test_a_project_file_gets_no_variables_until_it_is_trusted(files: Files) -> None:
    files.project("file_rules: {deny: ['${TOKEN}/']}")
    refused = files.refusal({"TOKEN": "hunter2"})
    assert refused.code == "config.untrusted_expansion"
    assert "hunter2" not in str(refused)
    sha256 = hashlib.sha256((files.root / "studio.yaml").read_bytes()).hexdigest()
    trust(files.root, files.config_dir, sha256=sha256)
    assert not files.load({"TOKEN": "x"}).policy().check("x/y").allowed


BAD = {
    "limits: {depth: many}": ("config.type", 1, "limits.depth"),
    "limits:\n  depth: 0": ("config.value", 2, "limits.depth"),
    "limits: {segment: 256}": ("config.value", 1, "limits.segment"),
    "limits: {steps: true}": ("config.type", 1, "limits.steps"),
    "limits: {steps: -1}": ("config.value", 1, "limits.steps"),
    "limits: {steps: 1.5}": ("config.type", 1, "limits.steps"),
    "limits: {steps: 99999999999999999999}": ("config.type", 1, "limits.steps"),
    "limits: 3": ("config.type", 1, "limits"),
    "file_rules: [a]": ("config.type", 1, "file_rules"),
    "file_rules: {deny: a}": ("config.type", 1, "file_rules.deny"),
    "file_rules:\n  deny:\n    - a\n    - 5": ("config.type", 4, "file_rules.deny"),
    "file_rules: {deny: ['a//b']}": ("config.pattern", 1, "file_rules.deny"),
    "file_rules: {allow: ['[']}": ("config.pattern", 1, "file_rules.allow"),
    "file_rules: {deny: ['${']}": ("config.expansion", 1, "file_rules.deny"),
    "encodings: {x: klingon}": ("config.value", 1, "encodings"),
    "encodings: {x: [utf-8]}": ("config.type", 1, "encodings"),
    "encodings: {'a//b': utf-8}": ("config.pattern", 1, "encodings"),
    "schema_version: 2": ("config.schema_version", 1, "schema_version"),
    "schema_version: true": ("config.schema_version", 1, "schema_version"),
    "a: 1\na: 2": ("config.duplicate", 2, ""),
    "limits: {depth: 3, depth: 4}": ("config.duplicate", 1, ""),
    "a: [": ("config.syntax", 1, ""),
    "a: &x 1\nb: *x": ("config.syntax", 1, ""),
    "a: !!python/object:os.system x": ("config.syntax", 1, ""),
    "a: 1\n---\nb: 2": ("config.syntax", 2, ""),
    "- a": ("config.syntax", 1, ""),
    "a:\n\t- b": ("config.syntax", 2, ""),
    "? [a]\n: 1": ("config.syntax", 1, ""),
    "a: " + "[" * 5000: ("config.syntax", 1, ""),
    "a: \x00": ("config.syntax", None, ""),
    'a: "\\ud83d"': ("config.syntax", 1, ""),
    "a: 1\nb: \udcff": ("config.not_utf8", 2, ""),
    "#" * (CONFIGURATION_BYTES + 1): ("config.unreadable", None, ""),
}


@pytest.mark.parametrize(("text", "expected"), BAD.items(), ids=[text[:30] for text in BAD])
def test_errors_name_file_line_and_key(
    files: Files, text: str, expected: tuple[str, int | None, str]
) -> None:
    (files.root / "studio.yaml").write_bytes(text.encode("utf-8", "surrogateescape"))
    refused = files.refusal()
    assert refused.file == "studio.yaml"
    assert (refused.code, refused.line, refused.key) == expected
    assert refused.message.startswith("studio.yaml")
    assert refused.line is None or f"line {refused.line}" in refused.message
    assert refused.hint
    assert str(refused).isprintable()


def test_review_takes_three_words(files: Files) -> None:
    refused = files.user("review: {command_line: 'yes'}").refusal()
    assert (refused.code, refused.line, refused.key) == ("config.value", 1, "review.command_line")


def test_all_problems_are_told_at_once(files: Files) -> None:
    refused = files.project("limits: {depth: x, steps: y}\nencodings: {a: b}\n").refusal()
    assert [problem.line for problem in refused.problems] == [1, 1, 2]
    assert [problem.code for problem in refused.problems] == ["config.type", "config.type", "config.value"]


def test_a_project_file_that_is_no_plain_file_is_refused(files: Files) -> None:
    target = files.root / "studio.yaml"
    target.symlink_to(files.config_dir / "elsewhere.yaml")
    (files.config_dir / "elsewhere.yaml").write_text("limits: {depth: 3}")
    assert files.refusal().code == "config.unreadable"
    target.unlink()
    target.mkdir()
    assert files.refusal().code == "config.unreadable"
    target.rmdir()
    os.mkfifo(target)
    assert files.refusal().code == "config.unreadable"


def test_a_user_file_that_is_no_plain_file_is_refused(files: Files) -> None:
    os.mkfifo(files.config_dir / "config.yaml")
    assert files.refusal().code == "config.unreadable"


def test_all_files_of_a_configuration_are_watched(files: Files) -> None:
    names = {path.name for path in watched_files(files.root, files.config_dir)}
    assert names == {"studio.yaml", "config.yaml", "config.json", "trust.json"}


def test_yaml_has_no_surprises() -> None:
    root = parse_text(
        b"%YAML 1.1\n---\na: yes\nb: off\nc: 08\nd: 1_0\ne: 2020-01-01\nf: ~\ng: 'true'\nh: TRUE", "x"
    )
    assert isinstance(root.value, dict)
    values = {key: node.value for key, node in root.value.items()}
    assert values == {
        "a": "yes",
        "b": "off",
        "c": 8,
        "d": "1_0",
        "e": "2020-01-01",
        "f": None,
        "g": "true",
        "h": True,
    }


@given(st.binary(max_size=200) | st.text("ab:- \n[]{}&*!|>'\"#%@`,?~1\t", max_size=60).map(str.encode))
def test_any_bytes_are_a_configuration_or_refused(data: bytes) -> None:
    try:
        root = parse_text(data, "studio.yaml")
    except ConfigRefused as refused:
        assert refused.message.startswith("studio.yaml")
        return
    assert isinstance(root.value, dict)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.text(st.characters(exclude_categories=("Cs", "Cc"))),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text("xyz", min_size=1), VALUES, max_size=4))
def test_json_reads_back_as_it_was_written(values: dict[str, object]) -> None:
    root = parse_text(json.dumps(values, ensure_ascii=False).encode(), "studio.yaml")
    assert plain(root) == values


def plain(node: Node) -> object:
    if isinstance(node.value, dict):
        return {key: plain(value) for key, value in node.value.items()}
    return [plain(item) for item in node.value] if isinstance(node.value, tuple) else node.value


def test_a_folder_is_allowed_in_the_one_project_that_the_entry_names(files: Files) -> None:
    entry = "projects: {{allowed_folders: [{{project: '{}', path: obj/}}]}}"
    policy = files.user(entry.format(files.root)).load().policy()
    assert [policy.check(path).allowed for path in ("obj/a", "obj/bin/b.exe", "x/obj/a")] == [
        True,
        True,
        False,
    ]
    assert not any(
        policy.check(f"obj/{path}").allowed for path in (".env", "secrets/a", "k.pem", ".git/config")
    )
    elsewhere = files.user(entry.format(files.root.parent)).load().policy()
    assert not elsewhere.check("obj/a").allowed
    assert elsewhere.fingerprint == files.user("").load().policy().fingerprint != policy.fingerprint
    assert (
        not files.user(entry.format(files.root) + "\nfile_rules: {deny: [obj/bin/]}")
        .load()
        .policy()
        .check("obj/bin/a")
        .allowed
    )


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ("{project: /a, path: .git}", "config.value"),
        ("{project: /a, path: a/.vscode/settings.json}", "config.value"),
        ("{project: /a, path: secrets}", "config.value"),
        ("{project: /a, path: a/Secrets/b}", "config.value"),
        ("{project: /a, path: ../a}", "config.value"),
        ("{project: /a, path: .}", "config.value"),
        ("{project: /a, path: ''}", "config.value"),
        ("{project: a, path: obj}", "config.value"),
        ("{project: /a}", "config.type"),
        ("{project: /a, path: obj, write: true}", "config.type"),
        ("obj", "config.type"),
    ],
)
def test_an_entry_that_could_open_nothing_is_refused(files: Files, entry: str, code: str) -> None:
    refused = files.user(f"projects: {{allowed_folders: [{entry}]}}").refusal()
    assert (refused.code, refused.key) == (code, "projects.allowed_folders")
