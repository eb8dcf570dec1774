"""Configuration: any file is read or refused with its name and line, and none widens before it is trusted."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given, strategies as st

from studio.engine.config import Config, ConfigRefused, load
from tests.engine.patterns.pattern_texts import TEXTS

ASKED = (
    "a",
    "bin/x",
    "secrets/y",
    ".env",
    "a/b.key",
    ".github/workflows/x",
    "main.py",
    "studio.yaml",
    ".git/config",
)
_LISTS = st.lists(
    TEXTS | st.sampled_from(["bin/", "*", ".md", "../x", "/abs", "src", "${HOME}/x", "${"]), max_size=4
)
_ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.text(max_size=10),
    st.sampled_from(["a", "${NAME}", "${", "off", "allow", "1.5", ".md"]),
    st.lists(st.text(max_size=5), max_size=2),
    st.dictionaries(st.text(max_size=5), st.none(), max_size=2),
)


def _section(**keys: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.fixed_dictionaries({}, optional={key: value | _ODD for key, value in keys.items()})


_NUMBERS = st.integers(0, 2000)
_FILE_SYSTEM = _section(
    allowed_directories=_LISTS,
    blocked_directories=_LISTS,
    allowed_extensions=_LISTS,
    blocked_extensions=_LISTS,
    max_file_size=_NUMBERS,
    max_files_per_operation=_NUMBERS,
    require_confirmation_for_delete=st.booleans(),
    enable_audit_logging=st.booleans(),
)
VALUES = _section(
    schema_version=st.just(1),
    file_rules=_section(deny=_LISTS, allow=_LISTS, secrets=_LISTS),
    tool_configuration=_section(file_system=_FILE_SYSTEM),
    encodings=st.dictionaries(TEXTS, st.sampled_from(["utf-8", "cp1252", "x"]), max_size=2),
    limits=_section(segment=_NUMBERS, depth=_NUMBERS, file_bytes=_NUMBERS, steps=_NUMBERS),
    retention=_section(plans=_NUMBERS),
    review=_section(command_line=st.sampled_from(["ask", "allow", "off"])),
    sources=st.dictionaries(
        st.sampled_from(["file-action", "me", "A b"]),
        _section(allowed_extensions=_LISTS, deny=_LISTS, file_bytes=_NUMBERS, steps=_NUMBERS),
        max_size=2,
    ),
)
TEXT_FILES = st.one_of(
    st.binary(max_size=200),
    st.text("ab:- \n[]{}&*!|>'\"#%@`,?~1\t$", max_size=80).map(str.encode),
    VALUES.map(json.dumps).map(str.encode),
)


def _load(user: bytes | None, project: bytes | None) -> Config | ConfigRefused:
    with tempfile.TemporaryDirectory() as folder:
        root, config_dir = Path(folder, "project"), Path(folder, "config")
        root.mkdir()
        config_dir.mkdir()
        if user is not None:
            (config_dir / "config.yaml").write_bytes(user)
        if project is not None:
            (root / "studio.yaml").write_bytes(project)
        try:
            return load(root, config_dir, environment={"HOME": "/nowhere", "NAME": "x"})
        except ConfigRefused as refused:
            return refused


@given(user=TEXT_FILES, project=TEXT_FILES)
def test_any_file_is_read_or_refused_by_name_and_line(user: bytes, project: bytes) -> None:
    """A file is read, or refused by name, with a line wherever one is to blame."""
    found = _load(user, project)
    if isinstance(found, ConfigRefused):
        assert found.file
        assert found.message.startswith(found.file)
        assert str(found).isprintable()
        assert found.hint
        assert found.line is not None or found.code in (
            "config.unreadable",
            "config.too_large",
            "config.syntax",
        )
        assert all(problem.line is None or problem.line > 0 for problem in found.problems)
        return
    for config in (found, found.for_source("file-action"), found.for_source("me")):
        assert not config.policy().check("studio.yaml").allowed
        assert not config.policy().check(".git/config").allowed
        assert len(config.policy().fingerprint) == 64
        assert config.allowed_directories is not None


@given(user=VALUES.map(json.dumps).map(str.encode), project=TEXT_FILES)
def test_what_nobody_trusts_widens_nothing(user: bytes, project: bytes) -> None:
    """What nobody trusts allows nothing that was denied without it, and raises no number."""
    without, found = _load(user, None), _load(user, project)
    if isinstance(found, ConfigRefused) or isinstance(without, ConfigRefused):
        return
    assert found.limits.file_bytes <= without.limits.file_bytes
    assert found.limits.steps <= without.limits.steps
    assert found.limits.depth <= without.limits.depth
    assert found.limits.segment <= without.limits.segment
    assert found.review_command_line == without.review_command_line
    assert found.retention == without.retention
    assert found.allowed_directories == without.allowed_directories
    assert found.require_confirmation_for_delete or not without.require_confirmation_for_delete
    for source in ("file-action", "me", ""):
        before, after = without.for_source(source).policy(), found.for_source(source).policy()
        for path in ASKED:
            assert before.check(path).allowed or not after.check(path).allowed, path
