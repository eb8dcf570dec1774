"""`tool_configuration`, sources, secrets folders and secrets."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest

from studio.engine.config import AllowedDirectory, ConfigRefused, check_user_text
from studio.engine.config.effective import source_names
from studio.limits import CONFIGURATION_BYTES
from tests.engine.config.config_files import Files

TOOLS = """
tool_configuration:
  file_system:
    allowed_directories:
      - "."
      - "../shared-resources"
      - "/templates"
      - "${HOME}/own-templates"
    blocked_directories: ["./bin", "./obj", "./.git", "./node_modules", "src/generated"]
    allowed_extensions: [".cs", ".json", "yaml", ".md"]
    blocked_extensions: [".exe", ".dll", ".so"]
    max_file_size: 1048576
    max_files_per_operation: 50
    require_confirmation_for_delete: true
    enable_audit_logging: true
"""


HOME = {"HOME": "/homes/me"}


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def file_system(**keys: object) -> str:
    return json.dumps({"tool_configuration": {"file_system": keys}})


def test_the_seeds_example_counts_key_by_key(files: Files) -> None:
    config = files.user(TOOLS).load(HOME)
    assert config.warnings == ()
    policy = config.policy()
    assert policy.check("docs/x.md").allowed
    assert policy.check("docs/x.yaml").allowed
    for path, rule in (
        ("a/Bin/x.md", "./bin/"),
        ("src/generated/x.cs", "src/generated/"),
        ("x.EXE", "*.exe"),
        ("x.py", "allowed_extensions"),
    ):
        verdict = policy.check(path)
        assert (verdict.allowed, verdict.rule, verdict.level) == (False, rule, "user")
    assert policy.check("deep/src/generated/x.cs").allowed
    assert (config.limits.file_bytes, config.limits.steps) == (1048576, 50)
    assert config.require_confirmation_for_delete
    assert [place.path for place in config.allowed_directories] == [
        files.root.parent / "shared-resources",
        Path("/templates"),
        Path("/homes/me/own-templates"),
    ]


def test_a_blocked_folder_is_final(files: Files) -> None:
    """What `blocked_directories` names is a deny, and no allow opens it."""
    files.user('file_rules: {allow: ["bin/"]}\n' + TOOLS)
    assert not files.load(HOME).policy().check("bin/x.md").allowed


def test_a_blocked_folder_may_be_absolute(files: Files) -> None:
    inside, outside = str(files.root / "a [b]"), "/templates/private"
    config = files.user(file_system(blocked_directories=[inside, outside])).load(HOME)
    assert not config.policy().check("a [b]/x").allowed
    assert config.policy().check("sub/a [b]/x").allowed
    elsewhere = config.config_outside(Path("/templates")).policy()
    assert not elsewhere.check("private/x").allowed and elsewhere.check("public/x").allowed
    assert not config.config_outside(Path(outside)).policy().check("x").allowed, (
        "the folder itself is blocked"
    )


def test_of_two_names_for_a_number_the_smaller_counts(files: Files) -> None:
    """Sizes only ever get smaller; the level of the limit is told."""
    files.user("limits: {file_bytes: 500}\ntool_configuration: {file_system: {max_file_size: 400}}")
    files.project(file_system(max_file_size=300))
    config = files.load(HOME)
    assert config.limits.file_bytes == 300
    denied = config.policy().check_size("a", 301)
    assert denied is not None
    assert denied.level == "project"
    found = next(setting for setting in config.effective() if setting.key == "limits.file_bytes")
    assert (found.level, found.file, found.line) == ("project", "studio.yaml", 1)


def test_a_project_blocks_at_once_and_reads_elsewhere_once_trusted(files: Files) -> None:
    keys = {"blocked_extensions": ["md"], "allowed_directories": [".", "../shared", "${HOME}/x"]}
    files.project(file_system(**keys))
    config = files.load(HOME)
    assert not config.policy().check("a.md").allowed
    assert config.allowed_directories == ()
    assert config.project_file is not None
    assert [setting.value for setting in config.project_file.waiting] == [
        "../shared",
        "${HOME}/x",
    ]
    config = files.trust(HOME).load(HOME)
    assert [place.path for place in config.allowed_directories] == [
        files.root.parent / "shared",
        Path("/homes/me/x"),
    ]


def test_an_entry_that_made_another_folder_writable_is_read_with_a_warning(files: Files) -> None:
    """Files of older versions have it."""
    files.user(file_system(allowed_directories=[".", {"path": "/shared", "write": True}]))
    config = files.load(HOME)
    assert config.allowed_directories == (AllowedDirectory(Path("/shared"), "user"),)
    assert any("write: true has no effect" in warning for warning in config.warnings)


def test_folders_inside_the_project_narrow_it(files: Files) -> None:
    policy = files.project(file_system(allowed_directories=["./src", "/elsewhere"])).load(HOME).policy()
    assert policy.check("src/x").allowed
    verdict = policy.check("x")
    assert (verdict.allowed, verdict.rule, verdict.level) == (False, "allowed_directories", "project")


def test_deletes_are_confirmed_unless_the_user_says_otherwise(files: Files) -> None:
    files.project(file_system(require_confirmation_for_delete=False))
    assert files.load(HOME).require_confirmation_for_delete
    files.user(file_system(require_confirmation_for_delete=False))
    assert not files.load(HOME).require_confirmation_for_delete
    name = "require_confirmation_for_delete"
    both = f"tools: {{{name}: true}}\ntool_configuration: {{file_system: {{{name}: false}}}}"
    assert files.user(both).load(HOME).require_confirmation_for_delete, "of two names the stricter word"
    files.user(file_system(require_confirmation_for_delete=False))
    files.project(file_system(require_confirmation_for_delete=True))
    assert files.load(HOME).require_confirmation_for_delete


EVERY = """
tool_configuration:
  file_system:
    allowed_directories: [".", "src", {path: "/elsewhere", write: false}]
    blocked_directories: ["./bin", "/elsewhere/secret"]
    require_confirmation_for_delete: true
    enable_audit_logging: false
limits: {own_steps: 5, hunks: 6, steps: 7}
review: {groups: [], command_line: ask}
agents: {shell: ask}
sandbox: {try: [], network: {}}
observe: {ignore: []}
"""


def test_no_key_of_the_contract_is_unknown(files: Files) -> None:
    """Every one is taken, and has an effect."""
    config = files.user(EVERY).load(HOME)
    assert (config.warnings, config.unknown) == ((), ())
    assert files.user("").project("notify: {me: false}\nlimits: {hunks: 3}").load(HOME).warnings == (
        "studio.yaml, line 1, notify: it has an effect only in the user configuration.",
    )


def test_groups_of_a_review_are_the_users_own(files: Files) -> None:
    """A name, and the patterns it stands for."""
    text = "review: {groups: ['catalogues: *.po *.mo', 'docs: /docs/', 'catalogues: *.pot']}"
    config = files.user(text).project("review: {groups: ['all: *']}").load(HOME)
    assert dict(config.review_groups) == {"catalogues": ("*.po", "*.mo", "*.pot"), "docs": ("/docs/",)}
    assert files.user("").load(HOME).review_groups == {}
    for wrong in ("'*.po'", "'name:'", "': *.po'", "'two words: *.po'", "'a: a//b/../c'", "[a]", "{a: b}"):
        assert files.user(f"review: {{groups: [{wrong}]}}").refusal().key == "review.groups", wrong


def test_commands_to_try_and_their_network_are_the_users_own(files: Files) -> None:
    text = "sandbox: {try: ['pytest -q', \"make 'all of it'\"], network: {codex: true, npm: false}}"
    config = files.user(text).project("sandbox: {try: [true], network: {make: true}}").load(HOME)
    assert config.sandbox_try == (("pytest", "-q"), ("make", "all of it"))
    said = [config.sandbox_network(command) for command in (("bin/codex", "x"), ("npm",), ("make",))]
    assert said == [True, False, None]
    assert files.user("sandbox: {try: ['a \"b']}").refusal().key == "sandbox.try"
    assert files.user("sandbox: {network: {codex: maybe}}").refusal().key == "sandbox.network"


@pytest.mark.parametrize("count", [0, 101])
def test_undo_is_kept_for_one_to_a_hundred_plans(files: Files, count: int) -> None:
    refused = files.user(f"retention: {{plans: {count}}}").refusal()
    assert (refused.code, refused.key) == ("config.value", "retention.plans")
    assert files.user("retention: {plans: 100}").load().retention.plans == 100


def test_unknown_keys_are_kept_with_their_values(files: Files) -> None:
    config = files.user(file_system(maxFileSize=5, backup={"on": [True]})).load(HOME)
    assert [(item.key.rpartition(".")[2], json.loads(str(item.value))) for item in config.unknown] == [
        ("maxFileSize", 5),
        ("backup", {"on": [True]}),
    ]
    assert "Did you mean tool_configuration.file_system.max_file_size?" in config.warnings[0]


BAD = {
    "{tool_configuration: {file_system: {allowed_extensions: md}}}": "config.type",
    "{tool_configuration: {file_system: {allowed_extensions: ['*.md']}}}": "config.value",
    "{tool_configuration: {file_system: {blocked_extensions: ['..']}}}": "config.value",
    "{tool_configuration: {file_system: {blocked_directories: ['../x']}}}": "config.pattern",
    "{tool_configuration: {file_system: {blocked_directories: ['.']}}}": "config.pattern",
    "{tool_configuration: {file_system: {blocked_directories: ['!a']}}}": "config.value",
    "{tool_configuration: {file_system: {allowed_directories: ['~/x']}}}": "config.value",
    "{tool_configuration: {file_system: {allowed_directories: ['${GONE}/x']}}}": "config.unset",
    "{tool_configuration: {file_system: {allowed_directories: [{write: true}]}}}": "config.type",
    "{tool_configuration: {file_system: {allowed_directories: [{path: x, write: 1}]}}}": "config.type",
    "{tool_configuration: {file_system: {max_file_size: -1}}}": "config.value",
    "{tool_configuration: {file_system: {enable_audit_logging: 1}}}": "config.type",
    "{tool_configuration: {file_system: 3}}": "config.type",
    "{sources: {'A b': {}}}": "config.value",
    "{sources: {x: {steps: 0}}}": "config.value",
}


@pytest.mark.parametrize(("text", "code"), BAD.items())
def test_errors_name_file_line_and_key(files: Files, text: str, code: str) -> None:
    refused = files.user(f"\n{text}").refusal(HOME)
    assert (refused.code, refused.line) == (code, 2)
    assert refused.key.startswith(("tool_configuration", "sources"))
    assert f"config.yaml, line 2, {refused.key}: " in refused.message


def test_a_file_action_may_touch_markdown_alone_unless_the_user_extends_it(files: Files) -> None:
    config = files.load(HOME)
    assert config.policy().check("x.js").allowed
    verdict = config.for_source("file-action").policy().check("x.js")
    found = (verdict.allowed, verdict.rule, verdict.level)
    assert found == (False, "allowed_extensions", "source file-action")
    assert config.for_source("file-action").policy().check("x.md").allowed
    assert config.for_source("unified") is config
    files.user("sources: {file-action: {allowed_extensions: [md, js]}}")
    assert files.load(HOME).for_source("file-action").policy().check("x.js").allowed
    files.project("sources: {file-action: {allowed_extensions: [md, py]}}")
    narrowed = files.load(HOME).for_source("file-action").policy()
    assert [narrowed.check(path).allowed for path in ("x.md", "x.js", "x.py")] == [True, False, False]
    files.user("sources: {file-action: {allowed_extensions: []}}")
    widened = files.load(HOME).for_source("file-action").policy()
    assert [widened.check(path).allowed for path in ("x.md", "x.js", "x.py")] == [True, False, True]


@pytest.mark.parametrize(
    ("format_name", "agent", "names"),
    [
        ("unified+plan", "", ("unified", "plan")),
        ("plan", "Claude Code", ("plan", "claude-code")),
        ("plan", "plan", ("plan",)),
        ("plan", "Ünsal", ("plan", "nsal")),
        ("", "!", ()),
    ],
)
def test_sources_are_named_by_formats_and_by_the_agent(
    format_name: str, agent: str, names: tuple[str, ...]
) -> None:
    assert source_names(format_name, agent) == names


def test_of_two_sources_both_count(files: Files) -> None:
    """Two lists of kinds let through what both let through, not what either does."""
    files.user("sources: {plan: {allowed_extensions: [md, py]}, me: {allowed_extensions: [py, js]}}")
    rules = files.load(HOME).for_source("plan").for_source("me").policy()
    assert [rules.check(path).allowed for path in ("x.md", "x.js", "x.py")] == [False, False, True]


def test_a_source_is_only_narrowed(files: Files) -> None:
    files.user("limits: {steps: 40}\nsources: {me: {deny: [docs/], steps: 30, file_bytes: 99999999999}}")
    config = files.load(HOME)
    mine = config.for_source("me")
    assert (mine.limits.steps, mine.limits.file_bytes) == (30, config.limits.file_bytes)
    verdict = mine.policy().check("docs/x")
    assert (verdict.allowed, verdict.level) == (False, "source me")
    assert config.policy().check("docs/x").allowed
    assert mine.policy().fingerprint != config.policy().fingerprint


def test_folders_of_secrets_are_configured(files: Files) -> None:
    """A project adds some at once, and only the user opens one."""
    files.user("file_rules: {allow: [vault/x]}").project("file_rules: {secrets: [vault/*]}")
    policy = files.load(HOME).policy()
    assert policy.check("vault/x").allowed
    assert policy.check("vault/y").level == "project"


TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1cE3gI5"


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        (f"colour: red\nkey: {TOKEN}", 2, "key"),
        (f"file_rules:\n  deny:\n    - {TOKEN}", 3, "file_rules.deny"),
        (f"# {TOKEN}\nlimits: {{depth: 3}}", 1, ""),
        (f"a: 1\n{TOKEN}: x", 2, ""),
        (f"{TOKEN}: 1\n{TOKEN}: x", 1, ""),
        ('{"a": "' + TOKEN.replace("g", "\\u0067", 1) + '"}', 1, "a"),
        ("a: |\n  -----BEGIN RSA PRIVATE KEY-----\n  " + "MIIEpAIBAAKCAQEA" * 4, 2, ""),
    ],
)
@pytest.mark.parametrize("whose", ["user", "project"])
def test_a_secret_in_a_file_is_refused_and_not_repeated(
    files: Files, text: str, line: int, key: str, whose: str
) -> None:
    refused = (files.user if whose == "user" else files.project)(text).refusal(HOME)
    assert refused.code == "config.secret"
    assert "SEC-003" in refused.message
    assert (refused.line, refused.key) == (line, key)
    assert TOKEN not in f"{refused} {refused.problems}"


@pytest.mark.parametrize(
    "text",
    [
        "password: hunter2",
        "a: {dbPassword: 12345678}",
        "GITHUB_TOKEN: x",
        "apiKey: 'a b'",
        "list: [{client_secret: x}]",
        "# password: hunter2",
        "limits: {depth: 3} # token=abc",
        "# the 'password' = 'hunter2' ",
        "# a # b, password:hunter2",
        "url: postgres://me:word@somewhere/x",
        "header: Bearer abcdefgh",
        "key: AKIAIOSFODNN7EXAMPLE",
        "service: sk-abcdefghijklmnopqrstuvwxyz",
    ],
)
def test_what_is_called_a_secret_or_written_as_one_is_refused(files: Files, text: str) -> None:
    """Samples and short ones too; nothing that belongs here looks so."""
    assert files.user(text).refusal(HOME).code == "config.secret"


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens: 5",
        "token: ${TOKEN}",
        "use_token: true",
        "# the token: see the wiki",
        "# the token:\nlimits:\n  depth: 3",
        "# password: ${WORD}",
        "secret: ''",
    ],
)
def test_what_only_speaks_of_secrets_is_taken(files: Files, text: str) -> None:
    assert len(files.user(text).load(HOME).warnings) <= 1


def test_ordinary_words_are_no_secret(files: Files) -> None:
    files.user("file_rules: {deny: ['tokens/', 'secret_key.py', 'api-key.md'], secrets: ['passwords/']}")
    assert len(files.load(HOME).policy().rules[0].deny) == 3


def test_the_inbox_is_an_absolute_path_of_the_user_s(files: Files) -> None:
    """Off until one is named."""
    assert files.user("").load(HOME).inbox is None
    assert files.user("agents: {inbox: ''}").load(HOME).inbox is None
    config = files.user("agents: {inbox: '${HOME}/inbox'}").load(HOME)
    assert config.inbox == Path(HOME["HOME"]) / "inbox" and config.unknown == ()
    with pytest.raises(ConfigRefused, match="is not an absolute path"):
        files.user("agents: {inbox: ~/inbox}").load(HOME)
    assert files.user("").project("agents: {inbox: /tmp/inbox}").load(HOME).inbox is None


@pytest.mark.parametrize("unit", ["#", "#password:", "# token = ${"])
def test_no_comment_makes_the_search_for_secrets_slow(unit: str) -> None:
    """A project's own file is read beside a person's work: 64 KiB of "#" took over half an hour, which no
    test is given."""
    text = unit * (CONFIGURATION_BYTES // len(unit))
    with suppress(ConfigRefused):
        check_user_text(text.encode(), "config.yaml")
