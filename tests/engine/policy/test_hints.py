"""What a refusal tells to do: nothing that could not help, and the place of what refused."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from studio.engine.policy import Policy, PolicyLimits, RuleSet, folder_to_allow, why_never_allowed
from tests.engine.policy.test_properties import ANY_PATHS

LOCKED = "Exclude this file; no rule can allow it."
ALLOW = "ask the user to allow it in the user configuration."
RULES = (
    RuleSet("user", deny=("mine/",), allow=("lib/",), secrets=("vault/",)),
    RuleSet("project", deny=("theirs/",), secrets=("safe/",)),
    RuleSet("source mcp", deny=("for-mcp/",)),
    RuleSet("source mcp, project", deny=("also/",)),
)
POLICY = Policy(RULES, locked_paths=("hooks",), locked_names=("*.gitconfig",))


@pytest.mark.parametrize(
    ("path", "ends"),
    [
        (".git/config", LOCKED),
        ("a/.GIT/config", LOCKED),
        ("studio.yaml", LOCKED),
        ("hooks/pre-commit", LOCKED),
        ("a.gitconfig", LOCKED),
        (".husky/pre-commit", LOCKED),
        ("packages/a", "allow the folder packages."),
        ("a/node_modules/b/bin/c", "allow the folder a/node_modules."),
        ("my obj/obj/c", "allow the folder my obj/obj."),
        ("tools/a.exe", "allow the folder tools."),
        ("a.exe", ALLOW),
        ("node_modules/a.pem", ALLOW),
        ("vault/obj/a", ALLOW),
        ("a/.env", ALLOW),
        ("vault/a", ALLOW),
        ("safe/a", ALLOW),
        ("mine/a", "It is denied until the user removes the rule from the user configuration."),
        ("theirs/a", "It is denied until the user removes the rule from studio.yaml."),
        ("for-mcp/a", "removes the rule from sources: mcp of the user configuration."),
        ("also/a", "removes the rule from sources: mcp of studio.yaml."),
        ("lib/a", ""),
        ("src/a", ""),
    ],
)
def test_the_hint_is_that_of_the_rule(path: str, ends: str) -> None:
    hint = POLICY.check(path).hint
    assert hint.endswith(ends) and bool(hint) is bool(ends)


@pytest.mark.parametrize(("level", "place"), [("project", "studio.yaml"), ("user", "the user configuration")])
def test_lists_and_limits_name_their_key_and_file(level: str, place: str) -> None:
    listed = Policy((RuleSet(level, extensions=(".md",)),)).check("a.py")
    assert listed.hint.endswith(f"add it to allowed_extensions in {place}.")
    within = Policy((RuleSet(level, folders=("docs",)),)).check("a.md")
    assert within.hint.endswith(f"add it to allowed_directories in {place}.")
    large = Policy(limits=PolicyLimits(file_bytes=10, file_bytes_level=level)).check_size("a", 11)
    assert large is not None and large.hint.endswith(f"raise file_bytes in {place}.")


@given(path=ANY_PATHS, folder=st.booleans())
def test_a_hint_to_allow_it_can_be_followed(path: str, *, folder: bool) -> None:
    """By a rule that allows everything, or the folder; any other denial names none."""
    verdict = POLICY.check(path, folder=folder)
    assert bool(verdict.hint) is not verdict.allowed
    wide = Policy(tuple(RuleSet(each.level, each.deny, ("*",)) for each in RULES), locked_paths=("hooks",))
    if "allow the folder" in verdict.hint:
        allowed = folder_to_allow(path, folder=folder)
        assert allowed is not None and not why_never_allowed(allowed)
        opened = Policy((*RULES, RuleSet("user", opened=(allowed,))), locked_paths=("hooks",))
        assert opened.check(path, folder=folder).allowed
    elif ALLOW in verdict.hint:
        assert wide.check(path, folder=folder).allowed
    elif not verdict.allowed and verdict.rule != "*.gitconfig":
        assert not wide.check(path, folder=folder).allowed
