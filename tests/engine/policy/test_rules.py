"""What may be proposed, and why not."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from studio.engine import policy as policy_tables
from studio.engine.patterns import PatternRefused
from studio.engine.policy import Policy, PolicyLimits, RuleSet

PLAIN = Policy()


def ruled(deny: tuple[str, ...] = (), allow: tuple[str, ...] = ()) -> Policy:
    return Policy((RuleSet("user", deny, allow),))


LOCKED = [
    ".git/config",
    ".GIT/hooks/pre-commit",
    "sub/.git/config",
    ".git",
    "git~1/config",
    "a/GIT~1/x",
    "studio.yaml",
    "sub/Studio.yaml",
    "STUDIO~1.YAM",
    ".claude/settings.json",
    "a/.Claude/x",
    ".codex/x",
    ".gemini/x",
    ".cursor/rules",
    ".qwen/settings.json",
    "web/.opencode/plugin/x.js",
    ".Cline/x",
    ".continue/config.yaml",
    "opencode.json",
    "sub/OpenCode.jsonc",
    "a/.aider.conf.yml",
    ".mcp.json",
    "deep/er/.MCP.json",
    ".vscode/settings.json",
    ".vscode/tasks.json",
    "a/.vscode/Launch.json",
    ".idea/workspace.xml",
    ".husky/pre-commit",
    ".githooks/post-merge",
    "src/.exacta-0d9e8b0e-0000-4000-8000-000000000000-1.tmp",
]


@pytest.mark.parametrize("path", LOCKED)
def test_locked_paths_stay_locked_whatever_rules_say(path: str) -> None:
    everything = ruled(allow=("*", "**", path.replace("[", "\\["), ".*/", "studio.yaml", ".git/"))
    for policy in (PLAIN, everything):
        verdict = policy.check(path)
        assert not verdict.allowed
        assert verdict.level == "locked"
        assert verdict.rule
        assert re.fullmatch(r".+ is denied: .+\.", verdict.reason)


DEFAULT_DENIED = {
    "bin/tool": "bin/",
    "src/Bin/x": "bin/",
    "obj/x": "obj/",
    "packages/x": "packages/",
    "a/node_modules/b/c.js": "node_modules/",
    ".github/workflows/ci.yml": ".*/",
    ".vscode/extensions.json": ".*/",
    "a/.cache/x": ".*/",
    "secrets/db.txt": "secrets/",
    ".env": ".env",
    "app/.ENV": ".env",
    ".env.local": ".env.*",
    "id.key": "*.key",
    "x.PEM": "*.pem",
    "x.pfx": "*.pfx",
    "x.p12": "*.p12",
    "setup.exe": "*.exe",
    "a.dll": "*.dll",
    "lib.so": "*.so",
    "lib.dylib": "*.dylib",
}


@pytest.mark.parametrize(("path", "rule"), DEFAULT_DENIED.items())
def test_defaults_deny_the_union_of_both_lists(path: str, rule: str) -> None:
    """Sensitive by name and extension."""
    verdict = PLAIN.check(path)
    assert (verdict.allowed, verdict.level, verdict.rule) == (False, "default", rule)


@pytest.mark.parametrize(
    "path",
    [
        "main.py",
        ".gitignore",
        ".editorconfig",
        "src/binary.py",
        "environment.md",
        "keys.py",
        "docs/a.so.md",
        "bin",
    ],
)
def test_everything_else_inside_is_allowed(path: str) -> None:
    """Dot-files are editable, dot-folders are not."""
    verdict = PLAIN.check(path)
    assert (verdict.allowed, verdict.level) == (True, "default")


def test_a_folder_itself_is_judged_as_a_folder() -> None:
    assert PLAIN.check("bin").allowed
    assert not PLAIN.check("bin", folder=True).allowed
    assert not PLAIN.check(".github", folder=True).allowed


def test_the_order_is_deny_allow_defaults() -> None:
    """An allow opens a default, never a deny."""
    policy = ruled(deny=("bin/private/",), allow=("bin/", ".github/workflows/*.yml"))
    assert policy.check("bin/tool.sh").allowed
    assert policy.check("bin/tool.sh").rule == "bin/"
    assert policy.check("bin/tool.sh").level == "user"
    assert not policy.check("bin/private/x").allowed
    assert policy.check(".github/workflows/ci.yml").allowed
    assert not policy.check(".github/other.md").allowed


def test_deny_meets_every_spelling_and_allow_only_one() -> None:
    policy = ruled(deny=("Docs/Private/",), allow=("bin/",))
    assert not policy.check("docs/PRIVATE/x").allowed
    assert not policy.check("doc\u017f/private/x").allowed
    assert policy.check("bin/x").allowed
    assert not policy.check("BIN/x").allowed


def test_no_level_takes_back_what_another_denies() -> None:
    policy = Policy((RuleSet("user", ("*.key2",)), RuleSet("project", ("!a.key2",), ("*.key2",))))
    verdict = policy.check("a.key2")
    assert (verdict.allowed, verdict.level, verdict.rule) == (False, "user", "*.key2")


def test_bad_names_are_denied_before_any_rule() -> None:
    verdict = ruled(allow=("*",)).check("../x")
    assert (verdict.allowed, verdict.level, verdict.rule) == (False, "name", "name.climbs")
    assert "climbs" in verdict.reason


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("src/aux.c", "inside the root"),
        ("cassettes/2026-01-01T10:00:00.json", "inside the root"),
        ("units/dev-disk-by\\x2duuid.mount", "inside the root"),
        ("notes/end.", "inside the root"),
        ("a.txt:Zone.Identifier", "inside the root"),
        (".git::$INDEX_ALLOCATION/config", ".git"),
        (".git./config", ".git"),
        ("a/.git /hooks/x", ".git"),
        ("a\\.git\\config", ".git"),
        ("C:.git", ".git"),
        ("GIT~1/aux.c", ".git"),
        ("studio.yaml.", "studio.yaml"),
        ("studio.yaml::$DATA", "studio.yaml"),
        ("Studio~1.yam ", "studio.yaml"),
        (".env:x", ".env"),
        ("secrets\\key", "secrets/"),
        ("private:x/aux.c", "private/"),
        ("a\x00:b", "name.control"),
        ("../aux", "name.climbs"),
        ("/aux", "name.absolute"),
    ],
)
def test_rules_hold_for_reserved_names_that_exist(path: str, rule: str) -> None:
    policy = ruled(deny=("private/",))
    assert not policy.check(path).allowed
    verdict = policy.check(path, exists=True)
    assert (verdict.allowed, verdict.rule) == (rule == "inside the root", rule)
    assert verdict.path == path


def test_kinds_of_files_are_those_of_the_name_that_exists() -> None:
    policy = Policy((RuleSet("user", extensions=(".json",)),))
    assert policy.check("10:00:00.json", exists=True).allowed
    assert not policy.check("a.json:x", exists=True).allowed


def test_a_decision_on_a_reserved_name_is_bound_to_what_head_opens() -> None:
    closed, opened = Policy(), Policy(tracked_folders=lambda: ("bin",))
    assert (
        not closed.check("bin/aux.c", exists=True).allowed and opened.check("bin/aux.c", exists=True).allowed
    )
    assert opened.fingerprint_for(["bin/aux.c"]) != closed.fingerprint_for(["bin/aux.c"])


def test_limits_of_names_come_from_the_configuration() -> None:
    policy = Policy(limits=PolicyLimits(segment=3, depth=2))
    assert policy.check("abc/def").allowed
    assert policy.check("abcd").rule == "name.too_long"
    assert policy.check("a/b/c").rule == "name.too_deep"


def test_paths_locked_in_one_project_alone() -> None:
    policy = Policy(locked_paths=("tools/hooks", "state"))
    for path in ("tools/hooks/pre-commit", "Tools/Hooks/x", "tools/hooks", "state/plans.db"):
        assert policy.check(path).level == "locked"
    assert policy.check("tools/hooks2/x").allowed


def test_names_locked_while_git_can_not_be_read() -> None:
    policy = Policy((RuleSet("user", allow=("*",)),), locked_names=("pre-commit", "*.gitconfig"))
    for path in ("pre-commit", "a/b/Pre-Commit", "pre-commit/beneath", "x/team.GitConfig"):
        verdict = policy.check(path)
        assert (verdict.allowed, verdict.level) == (False, "locked")
        assert verdict.rule in ("pre-commit", "*.gitconfig")
    assert policy.check("pre-commit.md").allowed


def test_a_program_of_git_is_a_danger_in_every_spelling() -> None:
    policy = Policy(programs=(("tools/Tidy.py", "filter.clean"),))
    sentence = "Tools/tidy.py is named by a command in git's configuration (filter.clean)."
    assert policy.danger("Tools/tidy.py") == sentence
    assert policy.danger("tools/other.py") is None
    assert policy.fingerprint == PLAIN.fingerprint


def test_size_over_the_limit_is_denied() -> None:
    assert PLAIN.check_size("a", 10 * 1024 * 1024) is None
    verdict = PLAIN.check_size("a", 10 * 1024 * 1024 + 1)
    assert verdict is not None
    assert not verdict.allowed
    assert verdict.rule == "limits.file_bytes"


DANGEROUS = """
.github/workflows/x.yml sub/.github/workflows/x.yml .gitlab-ci.yml Jenkinsfile Makefile a/makefile
pyproject.toml web/package.json tests/conftest.py .pre-commit-config.yaml .envrc AGENTS.md
docs/CLAUDE.md site.pth setup.py GEMINI.md sub/Gemini.md QWEN.md .cursorrules .clinerules CLAUDE.local.md
.github/copilot-instructions.md .github/actions/x/action.yml .circleci/config.yml .woodpecker.yml
azure-pipelines.yaml .cirrus.yml .travis.yml lefthook.yml sitecustomize.py
.npmrc web/.yarnrc.yml .mise.toml Justfile tox.ini build.rs .gitattributes sub/.gitmodules gradlew .exrc
gradle/wrapper/gradle-wrapper.properties vite.config.ts a.code-workspace .vscode/mcp.json Dockerfile
.tool-versions web/.cargo/config.toml
""".split()


@pytest.mark.parametrize("path", DANGEROUS)
def test_files_that_something_else_runs_are_a_danger(path: str) -> None:
    sentence = PLAIN.danger(path)
    assert sentence is not None
    assert sentence.startswith(f"{path} ")
    assert sentence.endswith(".")


@pytest.mark.parametrize(
    "path",
    ["main.py", "my_setup.py", "package.json.md", "Makefiles/x", "path.py", ".gitignore", "build/x.py"],
)
def test_ordinary_files_are_no_danger(path: str) -> None:
    assert PLAIN.danger(path) is None


def test_the_fingerprint_is_of_the_policy_keys_alone() -> None:
    rules = (RuleSet("user", ("a",), ("b",)),)
    policy = Policy(rules, PolicyLimits(depth=9), (("*.txt", "utf-8"),))
    assert re.fullmatch("[0-9a-f]{64}", policy.fingerprint)
    same = Policy(
        (*rules, RuleSet("project")), PolicyLimits(depth=9), (("*.txt", "utf-8"),), locked_paths=("x",)
    )
    assert same.fingerprint == policy.fingerprint
    others = [
        Policy((RuleSet("user", ("a",)),), policy.limits, policy.encodings),
        Policy((RuleSet("user", ("b",), ("a",)),), policy.limits, policy.encodings),
        Policy((RuleSet("project", ("a",), ("b",)),), policy.limits, policy.encodings),
        Policy(rules, PolicyLimits(depth=8), policy.encodings),
        Policy(rules, policy.limits, (("*.txt", "windows-1252"),)),
    ]
    assert len({policy.fingerprint, *(other.fingerprint for other in others)}) == 6


def test_encodings_first_match_wins() -> None:
    policy = Policy(encodings=(("legacy/a.txt", "utf-16-le"), ("legacy/**", "windows-1252")))
    assert policy.encoding_for("legacy/a.txt") == "utf-16-le"
    assert policy.encoding_for("legacy/b/c.txt") == "windows-1252"
    assert policy.encoding_for("src/a.txt") is None


def test_a_policy_that_exists_can_answer() -> None:
    with pytest.raises(PatternRefused):
        ruled(deny=("[a",))


@given(st.text(st.characters(), max_size=30), st.booleans())
def test_a_gate_always_answers(path: str, folder: bool) -> None:
    """Any text gets a verdict with rule, level and a sentence, and never an exception."""
    verdict = PLAIN.check(path, folder=folder)
    assert verdict.path == path
    assert verdict.rule
    assert verdict.level in ("name", "locked", "default")
    assert verdict.reason.endswith(".")
    verdict.reason.encode()


@given(st.lists(st.sampled_from(["a", "B", "bin", ".x", "docs", "c.key"]), min_size=1, max_size=4), st.data())
def test_what_is_beneath_a_denied_folder_is_denied(parts: list[str], data: st.DataObject) -> None:
    path = "/".join(parts)
    if not PLAIN.check(path, folder=True).allowed:
        beneath = f"{path}/{data.draw(st.sampled_from(['x.py', 'docs/y', 'readme.md']))}"
        assert not PLAIN.check(beneath).allowed


@given(
    st.sampled_from(["", "a", "a/b", "bin", "bin/a", "/a", ".git", "docs"]),
    st.lists(
        st.text(min_size=1, max_size=8) | st.sampled_from(["a.py", ".env", "c.key", "con", "GIT~1", "x."])
    ),
)
def test_ordinary_names_are_allowed_by_every_check(folder: str, names: list[str]) -> None:
    for policy in (
        PLAIN,
        ruled(deny=("a.*",), allow=("bin/a",)),
        Policy((RuleSet("user", extensions=(".py",)),)),
    ):
        for name in policy.filter_ordinary(folder, names):
            path = f"{folder}/{name}" if folder else name
            assert policy.check(path).allowed
            assert policy.check(path, folder=True).allowed


def test_most_names_of_a_folder_are_ordinary() -> None:
    assert PLAIN.filter_ordinary("a/b", ["c.py", ".env", "d.txt"]) == {"c.py", "d.txt"}


def test_the_locked_list_is_the_closed_one_of_the_contract() -> None:
    assert {pattern.removeprefix("**/") for pattern, _ in policy_tables.LOCKED} == {
        *(".claude", ".codex", ".gemini", ".qwen", ".opencode", ".cursor", ".cline", ".continue"),
        *(".mcp.json", "opencode.json", "opencode.jsonc", ".aider.conf.yml", ".idea", ".husky", ".githooks"),
        *(".vscode/settings.json", ".vscode/tasks.json", ".vscode/launch.json", ".exacta-*"),
    }


def test_the_default_list_is_the_closed_one_of_the_contract() -> None:
    assert {pattern for pattern, _ in policy_tables.DEFAULT_DENY} == {
        *("bin/", "obj/", "packages/", "node_modules/", ".*/", "secrets/", ".env", ".env.*"),
        *("*.key", "*.pem", "*.pfx", "*.p12", "*.exe", "*.dll", "*.so", "*.dylib"),
    }
    assert PolicyLimits().file_bytes == 10 * 1024 * 1024


@pytest.mark.parametrize(
    "path",
    [
        "claude/settings.json",
        "mcp.json",
        ".gitignore",
        ".gitattributes",
        "git-1/x",
        "studio.yml",
        "studio.yaml.md",
        "a.studio.yaml",
        "vscode/settings.json",
        "husky/pre-commit",
        "githooks/x",
        "idea/x",
        "exacta-1.tmp",
    ],
)
def test_what_only_looks_like_a_locked_path_is_not(path: str) -> None:
    assert PLAIN.check(path).allowed


@pytest.mark.parametrize(
    "path",
    ["a/b/c/d/" + path for path in ("BIN/x", "Secrets/x", "x.ENV.d/.Env.Local", "y.P12", "z.DyLib", "Obj/o")]
    + ["bin\u200c/x", "\u017fecrets/x", "a/obj/deep/er/x.md", "sub/.venv/x.md"],
)
def test_defaults_hold_at_any_depth_and_in_every_spelling(path: str) -> None:
    assert not PLAIN.check(path).allowed


def test_folders_of_secrets_are_added_and_can_be_opened() -> None:
    """They count as the default list does; a deny would be final."""
    policy = Policy((RuleSet("user", allow=("vault/public/",), secrets=("vault/*",)), RuleSet("project")))
    verdict = policy.check("Vault/x")
    assert (verdict.allowed, verdict.rule, verdict.level) == (False, "vault/*", "user")
    assert "a folder of secrets" in verdict.reason
    assert policy.check("vault/public/x").allowed


def test_the_kinds_of_files_are_looked_at_last() -> None:
    """An allow opens no other kind; a deny is told first; every level has its say."""
    policy = Policy(
        (
            RuleSet("user", ("no.md",), ("bin/",), extensions=(".md", ".txt")),
            RuleSet("source profile", extensions=(".md",)),
        )
    )
    assert policy.check("a/x.md").allowed
    assert policy.check("bin/x.md").rule == "bin/"
    for path, level in (("bin/x.py", "user"), ("x", "user"), (".md", "user"), ("x.txt", "source profile")):
        verdict = policy.check(path)
        assert (verdict.allowed, verdict.rule, verdict.level) == (False, "allowed_extensions", level)
    assert policy.check("no.md").level == "user"
    assert policy.check("docs", folder=True).allowed


def test_only_the_allowed_folders_of_the_project() -> None:
    policy = Policy((RuleSet("user", folders=("src", "docs/a")),))
    assert policy.check("src/x").allowed
    assert policy.check("docs/a/b/x").allowed
    for path in ("x", "docs/x", "docs/ab/x", "Src/x", "srcs/x"):
        assert policy.check(path).rule == "allowed_directories"


def test_a_size_beyond_the_limit_names_its_level() -> None:
    policy = Policy(limits=PolicyLimits(file_bytes=100, file_bytes_level="user"))
    assert policy.check_size("a", 100) is None
    denied = policy.check_size("a", 101)
    assert denied is not None
    assert (denied.rule, denied.level) == ("limits.file_bytes", "user")


def test_an_absolute_path_meets_no_known_folder() -> None:
    """A folder that is known beneath the root says nothing of the same name beneath another."""
    policy = Policy()
    assert policy.check("a/b/x").allowed
    for path in ("/a/b/x", "//a/b/x", "/x", "a//b/x", "a/b//x", "a/b/", "/a/b/"):
        assert policy.check(path).level == "name"
