"""Which files a rule would touch is what the rules say once it stands there."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from studio.engine.config import ConfigRefused, from_values, read_value
from studio.extras.rule_trial import RuleBase, RuleTrial, try_rule
from studio.limits import TOUCHED_FILES_UP_TO

FS = "file_rules"
PATHS = (
    "README.md", "a.py", "src/a.py", "src/b.PY", "src/made/x.po", "docs/a.md", ".env", ".github/ci.yml",
    "bin/run", "vendor/a/b.py", "src/vendor", "a b/c d.txt", "größe/ü.md", "k.key", ".git-like/x",
)  # fmt: skip
ROOT = Path("/project")


def trial(key: str, text: str, values: dict[str, object] | None = None) -> RuleTrial:
    base = RuleBase(ROOT, from_values(ROOT, values or {}).settings, locked_paths=("src/b.PY",))
    return try_rule(lambda _root: PATHS, base, key, text, again=True)


@pytest.mark.parametrize(
    ("key", "text", "closed", "opened"),
    [
        ("file_rules.deny", "*.py", ["a.py", "src/a.py", "vendor/a/b.py"], []),
        ("file_rules.deny", "SRC/", ["src/a.py", "src/made/x.po", "src/vendor"], []),
        ("file_rules.allow", ".github/", [], [".github/ci.yml"]),
        ("file_rules.allow", "*", [], [".env", ".git-like/x", ".github/ci.yml", "bin/run", "k.key"]),
        ("file_rules.secrets", "docs/", ["docs/a.md"], []),
        ("projects.allowed_folders", "bin", [], ["bin/run"]),
        ("projects.allowed_folders", ".git-like/", [], [".git-like/x"]),
        ("projects.allowed_folders", "src", [], []),
        (f"{FS}.blocked_directories", "vendor", ["vendor/a/b.py"], []),
        (f"{FS}.blocked_extensions", "md", ["README.md", "docs/a.md", "größe/ü.md"], []),
        (f"{FS}.allowed_directories", "src", ["README.md", "a b/c d.txt", "a.py", "docs/a.md",
                                              "größe/ü.md", "vendor/a/b.py"], []),
    ],
)  # fmt: skip
def test_the_files_are_those_that_change(key: str, text: str, closed: list[str], opened: list[str]) -> None:
    found = trial(key, text)
    assert sorted(each.path for each in found.files if each.was_allowed and not each.is_allowed) == closed
    assert sorted(each.path for each in found.files if each.is_allowed and not each.was_allowed) == opened
    assert (found.closed, found.opened, found.total) == (len(closed), len(opened), len(PATHS))


def test_a_deny_of_the_user_s_stays_closed_whatever_is_allowed() -> None:
    found = trial("file_rules.allow", "bin/", {"file_rules": {"deny": ["bin/"]}})
    assert (found.matched, found.opened) == (1, 0)
    assert [(each.path, each.is_allowed) for each in found.files] == [("bin/run", False)]


def test_a_folder_that_git_s_head_opens_is_no_change() -> None:
    base = RuleBase(ROOT, from_values(ROOT, {}).settings, tracked_folders=frozenset({"bin"}))
    found = try_rule(lambda _root: ("bin/run", "web/bin/run"), base, "file_rules.allow", "bin/", again=True)
    assert [(each.path, each.was_allowed, each.is_allowed) for each in found.files] == [
        ("web/bin/run", False, True),
        ("bin/run", True, True),
    ]


def test_what_is_no_rule_is_refused() -> None:
    for key, text in (("file_rules.deny", "["), (f"{FS}.blocked_extensions", "a/b")):
        with pytest.raises(ConfigRefused):
            trial(key, text)


def test_the_list_is_bounded_and_the_counts_are_not() -> None:
    paths = [f"f{number}.py" for number in range(TOUCHED_FILES_UP_TO + 10)]
    base = RuleBase(ROOT, from_values(ROOT, {}).settings)
    found = try_rule(lambda _root: paths, base, "file_rules.deny", "*.py", again=True)
    assert (len(found.files), found.closed) == (TOUCHED_FILES_UP_TO, len(paths))


def test_the_project_is_listed_once_and_anew_when_asked() -> None:
    asked: list[Path] = []

    def list_files(root: Path) -> tuple[str, ...]:
        asked.append(root)
        return PATHS

    base = RuleBase(ROOT / "listed", from_values(ROOT, {}).settings)
    for again in (False, False, True):
        try_rule(list_files, base, "file_rules.deny", "*.py", again=again)
    assert len(asked) == 2


_segment = st.sampled_from(["src", "a", "made", "*.py", "*", "**", "x.PO", "[ab]", "?", "ü"])
_pattern = st.builds(
    lambda start, parts, end: start + "/".join(parts) + end,
    st.sampled_from(["", "/", "**/"]), st.lists(_segment, min_size=1, max_size=3), st.sampled_from(["", "/"]),
)  # fmt: skip
_name = st.sampled_from(["src", "a", "A.py", "made", "x.po", "b", ".env", "bin", "ü", "c.py"])
_path = st.lists(_name, min_size=1, max_size=4).map("/".join)


@given(
    st.sampled_from(["file_rules.deny", "file_rules.allow", "file_rules.secrets"]),
    _pattern,
    st.lists(_path, unique=True, max_size=12),
)
def test_it_says_of_each_file_what_the_rules_say(key: str, text: str, paths: list[str]) -> None:
    base = RuleBase(ROOT, from_values(ROOT, {"file_rules": {"deny": ["made/"], "allow": ["bin/"]}}).settings)
    try:
        added = read_value(key, [text])
    except ConfigRefused:
        return
    found = try_rule(lambda _root: paths, base, key, text, again=True)
    before, after = base.policy(), base.policy(added)
    verdicts = {path: (before.check(path).allowed, after.check(path).allowed) for path in paths}
    for each in found.files:
        assert (each.was_allowed, each.is_allowed) == verdicts[each.path]
    changed = {path for path, (was, now) in verdicts.items() if was != now}
    assert changed <= {each.path for each in found.files}
    assert found.closed + found.opened == len(changed)
