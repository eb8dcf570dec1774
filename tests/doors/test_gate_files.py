"""Files that agents, editors and tools obey: locked, or shown as a danger, in any spelling."""

from __future__ import annotations

import pytest

from tests.doors.conftest import CommandLine, plan_text, set_configuration

LOCKED = """.claude/settings.json .codex/config.toml .gemini/settings.json .qwen/settings.json .opencode/x.js
.cursor/mcp.json .cline/hooks/x .continue/config.yaml .mcp.json opencode.json opencode.jsonc .aider.conf.yml
.vscode/settings.json .vscode/tasks.json .vscode/launch.json .idea/runConfigurations/a.xml .husky/pre-commit
.githooks/pre-push .git/config studio.yaml""".split()
SPELLINGS = {
    "as it is": "{}",
    "upper case": "{upper}",
    "nested": "web/{}",
    "odd case, nested": "a/b/{title}",
    "a character that HFS+ leaves out": "{ignored}",
    "a long s": "{long}",
}
DANGERS = """.npmrc .yarnrc.yml lefthook.yml sitecustomize.py .mise.toml Justfile tox.ini build.rs
.gitattributes .gitmodules .cursorrules GEMINI.md gradlew .exrc Makefile pyproject.toml package.json
conftest.py binding.gyp Cargo.toml rust-toolchain.toml .pylintrc mypy.ini .flake8 ansible.cfg a.desktop
build.xml a.csproj Setup.hs .rubocop.yml .coveragerc pytest.toml .mocharc.yml nodemon.json
phpstan.neon tools/bazel
AGENTS.md .pre-commit-config.yaml .envrc CLAUDE.md a.pth setup.py .github/workflows/ci.yml""".split()


def spelled(how: str, path: str) -> str:
    return SPELLINGS[how].format(
        path,
        upper=path.upper(),
        title=path.title(),
        ignored=f"{path[:3]}\u200c{path[3:]}",
        long=path.replace("s", "\u017f"),
    )


@pytest.mark.parametrize("how", SPELLINGS)
def test_no_rule_opens_a_gate_file(studio: CommandLine, how: str) -> None:
    set_configuration("file_rules: {allow: ['*', '**', '.*/', '.claude/', '.mcp.json', '.vscode/']}")
    paths = [spelled(how, path) for path in LOCKED]
    said = studio("check", *paths)
    assert said.code == 1
    denied = {
        verdict["path"]: verdict["level"] for verdict in said.json["verdicts"] if not verdict["allowed"]
    }
    assert denied == dict.fromkeys(paths, "locked")
    # Two spellings of one path are one path to a plan, and that is refused, too.
    steps = [{"op": "create", "path": path, "content": "x\n"} for path in paths]
    plan = studio("submit", stdin=plan_text(*steps))
    assert plan.code == 1
    assert {step["state"] for step in plan.json["steps"]} == {"invalid"}
    codes = {step["path"]: step["problems"][0]["code"] for step in plan.json["steps"]}
    assert set(codes.values()) == {"policy.denied"}, codes


def test_what_something_else_runs_is_a_danger(studio: CommandLine) -> None:
    set_configuration("file_rules: {allow: ['.github/']}")
    for spell in (str, str.upper, "sub/{}".format):
        steps = [{"op": "create", "path": spell(path), "content": "x\n"} for path in DANGERS]
        if spell is str.upper:
            steps = [step for step in steps if not step["path"].startswith(".GITHUB")]  # allow is exact
        plan = studio("submit", stdin=plan_text(*steps, title=repr(spell))).json
        assert {step["state"] for step in plan["steps"]} == {"pending"}
        for step in plan["steps"]:
            dangers = [fact for fact in step["facts"] if fact["kind"] == "danger_path"]
            assert [fact["severity"] for fact in dangers] == ["danger"], step["path"]
