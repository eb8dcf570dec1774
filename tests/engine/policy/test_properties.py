"""The policy: it always answers, what is known of a folder changes no answer, and what is locked stays so."""

from __future__ import annotations

import unicodedata

from hypothesis import given, strategies as st

from studio.engine.policy import LOCKED, Policy, PolicyLimits, RuleSet
from tests.engine.patterns.pattern_texts import PATHS, TEXTS, taken

WORDS = st.sampled_from(
    """
    .git .GIT git~1 GIT~12 .gitignore git studio.yaml Studio.YAML studio~1.yam .claude .vscode settings.json
    .github workflows .idea .env .env.local con CON.txt aux.x com1 com10 lpt\u00b9 nul .. . a b.key Makefile
    x: y\\z na\u00efve \u212a bin secrets a. node_modules .exacta-1.tmp main.py x.md
    """.split()
) | st.sampled_from(["", "a b", "c ", "\x00", "\ud800", "\u200b"])
ODD_PATHS = st.lists(WORDS, min_size=1, max_size=5).map("/".join)
ANY_PATHS = st.one_of(ODD_PATHS, PATHS, st.text(st.characters(), max_size=20))
EVERYTHING = ("*", "**", ".*/", ".git", ".git/", "studio.yaml", *(text for text, _ in LOCKED))
RULES = st.tuples(*[st.lists(TEXTS | WORDS, max_size=3)] * 3).map(list)
LOCKED_PLACES = (
    ".git/config",
    ".git",
    "studio.yaml",
    ".claude/settings.json",
    ".codex/config.toml",
    ".gemini/x",
    ".cursor/rules",
    ".qwen/settings.json",
    ".opencode/x",
    ".cline/x",
    ".continue/config.yaml",
    ".mcp.json",
    "opencode.json",
    "opencode.jsonc",
    ".aider.conf.yml",
    ".vscode/settings.json",
    ".vscode/tasks.json",
    ".vscode/launch.json",
    ".idea/workspace.xml",
    ".husky/pre-commit",
    ".githooks/post-merge",
    ".exacta-0d9e8b0e-0000-4000-8000-000000000000-1.tmp",
)
_TWINS = {"k": "\u212a", "s": "\u017f", "i": "i", "e": "e"}
_IGNORED = ("\u200c", "\u200d", "\u200e", "\u202a", "\u206a", "\ufeff")


@st.composite
def locked_spellings(draw: st.DrawFn) -> str:
    """A locked path, somewhere in the project, spelled as some file system takes for the same."""
    folder = draw(st.sampled_from(["", "a/", "A.b/c d/", "\u00e9/"]))
    spelled: list[str] = []
    for character in draw(st.sampled_from(LOCKED_PLACES)):
        chosen = draw(st.sampled_from([character, character.upper(), _TWINS.get(character, character)]))
        spelled.append(chosen)
        if draw(st.integers(0, 9)) == 0 and character != "/":
            spelled.append(draw(st.sampled_from(_IGNORED)))
    path = "".join(spelled)
    if draw(st.booleans()):
        path = unicodedata.normalize(draw(st.sampled_from(["NFC", "NFD"])), path)
    return folder + path


@given(
    paths=st.lists(ANY_PATHS, min_size=1, max_size=6),
    texts=RULES,
    extensions=st.sampled_from([[], [], [".md"], [".py", ".md"]]),
    folder=st.booleans(),
    segment=st.sampled_from([255, 255, 6]),
    depth=st.sampled_from([64, 64, 2]),
)
def test_every_text_has_an_answer_and_always_the_same(
    paths: list[str], texts: list[list[str]], extensions: list[str], *, folder: bool, segment: int, depth: int
) -> None:
    """Deterministic, with rule, level and sentence; asked again, or from the beginning, it
    is the same."""
    deny, allow, secrets = (
        tuple(pattern.text for pattern in taken(each, ignore_case=True)) for each in texts
    )
    rules = (RuleSet("user", deny, allow, secrets, tuple(extensions)), RuleSet("project", secrets, deny))
    policy, other = (
        Policy(rules, PolicyLimits(segment, depth), locked_paths=("tools/hooks", "a")) for _ in range(2)
    )
    for path in (*paths, *paths):
        verdict = policy.check(path, folder=folder)
        assert verdict == policy.check(path, folder=folder) == other.check(path, folder=folder), path
        assert verdict.path == path
        assert verdict.rule
        assert verdict.level in ("name", "locked", "default", "user", "project")
        assert verdict.reason.endswith(".")
        verdict.reason.encode()


@given(path=locked_spellings())
def test_no_spelling_of_a_locked_path_is_allowed(path: str) -> None:
    """No spelling of a locked path is ever allowed, whatever rules say."""
    policy = Policy((RuleSet("user", allow=EVERYTHING),))
    for folder in (False, True):
        assert not policy.check(path, folder=folder).allowed, path
    assert not policy.check(f"{path}/beneath").allowed, path


@given(paths=st.lists(ANY_PATHS, min_size=1, max_size=6), texts=RULES)
def test_a_level_that_only_denies_allows_nothing(paths: list[str], texts: list[list[str]]) -> None:
    """A level that only denies allows nothing that was denied without it."""
    deny, allow, more = (tuple(pattern.text for pattern in taken(each, ignore_case=True)) for each in texts)
    alone = Policy((RuleSet("user", deny, allow),))
    narrowed = Policy((RuleSet("user", deny, allow), RuleSet("project", more, (), more, (".md",), ("a",))))
    for path in paths:
        assert alone.check(path).allowed or not narrowed.check(path).allowed, path


@st.composite
def windows_spellings_of_locked(draw: st.DrawFn) -> str:
    """A locked path as Windows alone takes it for that: streams, ends, backslashes, a drive."""
    path = draw(locked_spellings())
    ends = st.sampled_from(["", "", ".", " ", ". .", ":x", "::$INDEX_ALLOCATION", " :a.txt"])
    spelled = "".join(
        segment + draw(ends) + draw(st.sampled_from(["/", "\\"])) for segment in path.split("/")
    )
    return draw(st.sampled_from(["", "", "C:", "z:\\"])) + spelled[:-1]


@given(path=windows_spellings_of_locked())
def test_no_windows_spelling_of_a_locked_path_is_allowed_where_it_is_a_name(path: str) -> None:
    policy = Policy((RuleSet("user", allow=EVERYTHING),))
    for folder in (False, True):
        assert not policy.check(path, folder=folder, exists=True).allowed, path


@given(paths=st.lists(ANY_PATHS, min_size=1, max_size=6), texts=RULES, folder=st.booleans())
def test_what_exists_loses_only_the_denial_of_its_name(
    paths: list[str], texts: list[list[str]], *, folder: bool
) -> None:
    deny, allow, secrets = (
        tuple(pattern.text for pattern in taken(each, ignore_case=True)) for each in texts
    )
    policy = Policy((RuleSet("user", deny, allow, secrets),))
    for path in paths:
        plain, existing = (policy.check(path, folder=folder, exists=exists) for exists in (False, True))
        assert existing == plain or plain.level == "name", path
        assert not plain.allowed or existing.allowed, path
