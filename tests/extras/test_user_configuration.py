"""The user's own file is changed as it was shown, and by nothing else."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from studio.engine.config import ConfigRefused, load
from studio.errors import Conflict, Refused
from studio.extras.user_configuration import (
    SettingChange,
    plan_edit,
    read_configuration,
    read_if_changed,
    read_user_configuration,
    write_edit,
)

TEXT = """\
# mine
schema_version: 1

limits:
  steps: 200   # enough
  # depth: 9
file_rules:
  deny:
  - "made/"    # by the build
  - vendor/
  allow: ['bin/']
notify: {codex: false}   # noisy
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "config"
    made.mkdir()
    monkeypatch.setenv("STUDIO_CONFIG_DIR", str(made))
    return made


def change(folder: Path, *wishes: SettingChange) -> str:
    for wish in wishes:
        write_edit(plan_edit(folder, wish))
    return (folder / "config.yaml").read_text()


def test_without_a_file_one_is_made_for_its_owner_alone(folder: Path) -> None:
    edit = plan_edit(folder, SettingChange("limits.steps", 500))
    assert not (folder / "config.yaml").exists(), "it is only shown"
    assert "+  steps: 500" in edit.diff
    write_edit(edit)
    assert (folder / "config.yaml").read_text() == "schema_version: 1\nlimits:\n  steps: 500\n"
    assert (folder / "config.yaml").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("wish", "old", "new"),
    [
        (SettingChange("limits.steps", 9), "steps: 200   # enough", "steps: 9   # enough"),
        (SettingChange("limits.depth", 9), "  # depth: 9\n", "  # depth: 9\n"),
        (SettingChange("file_rules.deny", "x/", ""), "  - vendor/\n", '  - vendor/\n  - "x/"\n'),
        (SettingChange("file_rules.deny", None, "made/"), '  - "made/"    # by the build\n', ""),
        (SettingChange("file_rules.allow", "obj/", ""), "['bin/']", "['bin/', \"obj/\"]"),
        (SettingChange("notify", True, "codex"), "codex: false", "codex: true"),
        (SettingChange("notify", None, "codex"), "codex: false", ""),
    ],
)
def test_one_change_leaves_every_other_character(
    folder: Path, wish: SettingChange, old: str, new: str
) -> None:
    (folder / "config.yaml").write_text(TEXT)
    made = change(folder, wish)
    if old != new:
        assert made == TEXT.replace(old, new)
    assert "  depth: 9\n" in made or wish.key != "limits.depth"
    for comment in ("# mine", "# enough", "# depth: 9", "# noisy"):
        assert comment in made


def test_an_entry_below_another_name_of_its_key_is_shown_and_changed_there(folder: Path) -> None:
    own = "tool_configuration:\n  file_system:\n    max_file_size: 9\n    blocked_directories: [vendor]\n"
    (folder / "config.yaml").write_text(own)
    read, key = read_user_configuration(folder), "file_rules.blocked_directories"
    assert (read.value("limits.file_bytes"), read.value(key)) == (9, ["vendor"])
    made = change(folder, SettingChange("limits.file_bytes", 8), SettingChange(key, "lib", ""))
    assert made == own.replace("9", "8") + 'file_rules:\n  blocked_directories:\n    - "lib"\n'
    assert read_user_configuration(folder).value(key) == ["lib", "vendor"]
    assert "vendor" not in change(folder, SettingChange(key, None, "vendor"))


def test_crlf_json_and_marks_stay(folder: Path) -> None:
    data = b"\xef\xbb\xbfschema_version: 1\r\nlimits:\r\n  steps: 5\r\n"
    (folder / "config.yaml").write_bytes(data)
    change(folder, SettingChange("limits.depth", 7))
    assert (folder / "config.yaml").read_bytes() == data + b"  depth: 7\r\n"
    (folder / "config.yaml").unlink()
    (folder / "config.json").write_text('{\n  "limits": {"steps": 5}\n}\n')
    write_edit(plan_edit(folder, SettingChange("file_rules.deny", "x/", "")))
    assert read_user_configuration(folder).value("file_rules.deny") == ["x/"]
    assert (folder / "config.json").read_text().startswith('{\n  "limits": {"steps": 5},\n')


def test_a_wrong_value_is_refused_by_its_key(folder: Path) -> None:
    (folder / "config.yaml").write_text(TEXT)
    for wish in (
        SettingChange("limits.segment", 300),
        SettingChange("limits.steps", "many"),
        SettingChange("review.command_line", "always"),
        SettingChange("file_rules.deny", "[", ""),
        SettingChange("encodings", "ebcdic", "*.txt"),
        SettingChange("agents.inbox", "here"),
    ):
        with pytest.raises(ConfigRefused) as refused:
            plan_edit(folder, wish)
        assert refused.value.key == wish.key
    assert (folder / "config.yaml").read_text() == TEXT


def test_what_changed_meanwhile_is_not_written_over(folder: Path) -> None:
    edit = plan_edit(folder, SettingChange("limits.steps", 9))
    (folder / "config.yaml").write_text(TEXT)
    with pytest.raises(Conflict):
        write_edit(edit)
    edit = plan_edit(folder, SettingChange("limits.steps", 9))
    (folder / "config.yaml").write_text(TEXT + "# by hand\n")
    with pytest.raises(Conflict):
        write_edit(edit)
    assert (folder / "config.yaml").read_text() == TEXT + "# by hand\n"


def test_a_second_file_that_came_meanwhile_is_seen(folder: Path) -> None:
    edit = plan_edit(folder, SettingChange("limits.steps", 9))
    (folder / "config.json").write_text("{}\n")
    with pytest.raises(Conflict):
        write_edit(edit)
    assert not (folder / "config.yaml").exists()


def test_a_broken_file_is_not_touched(folder: Path) -> None:
    (folder / "config.yaml").write_text("limits: {steps: many}\n")
    with pytest.raises(ConfigRefused):
        plan_edit(folder, SettingChange("limits.depth", 7))
    found = read_user_configuration(folder)
    assert found.exists
    assert [problem.line for problem in found.problems] == [1]
    assert read_configuration(None, folder).effective is None


def test_a_file_that_is_no_file_is_told(folder: Path) -> None:
    (folder / "config.yaml").mkdir()
    assert read_user_configuration(folder).problems
    with pytest.raises(Refused):
        plan_edit(folder, SettingChange("limits.steps", 9))


def test_a_link_to_the_user_s_own_file_elsewhere_is_followed(folder: Path, tmp_path: Path) -> None:
    """As programs that keep dot files in one place make them; one into a project is refused."""
    kept = tmp_path / "dotfiles"
    kept.mkdir()
    (kept / "config.yaml").write_text(TEXT)
    (folder / "config.yaml").symlink_to(kept / "config.yaml")
    assert "steps: 9 " in change(folder, SettingChange("limits.steps", 9))
    assert (folder / "config.yaml").is_symlink()
    (kept / "studio.yaml").write_text("schema_version: 1\n")
    with pytest.raises(Refused):
        change(folder, SettingChange("limits.steps", 10))


def test_a_configuration_folder_that_is_kept_in_git_can_be_written(folder: Path) -> None:
    (folder / ".git").mkdir()
    assert "steps: 9" in change(folder, SettingChange("limits.steps", 9))


def test_it_is_read_again_only_where_a_file_changed(folder: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    signature, read = read_if_changed(root, folder, None)
    assert read is not None
    assert read_if_changed(root, folder, signature) == (signature, None)
    (root / "studio.yaml").write_text("limits: {steps: 3}\n")
    other, read = read_if_changed(root, folder, signature)
    assert other != signature
    assert read is not None
    assert read.effective is not None
    assert read.effective.limits.steps == 3


_NUMBERS = ("steps", "depth", "hunks")
_comments = st.sampled_from(["", "  # why", "   # [x]: {", " #"])
_patterns = st.sampled_from(["made/", "*.po", "a b", "src/**/*.py", "true", "'x", "größe/"])


@st.composite
def _files(draw: st.DrawFn) -> str:
    """A configuration as somebody may have written it."""
    lines = [draw(st.sampled_from(["schema_version: 1", "# mine", ""]))]
    for name in draw(st.permutations(["limits", "file_rules", "notify"])):
        if draw(st.booleans()):
            lines.append(draw(st.sampled_from(["", "# above"])))
        if name == "limits" and draw(st.booleans()):
            chosen = draw(st.lists(st.sampled_from(_NUMBERS), unique=True, min_size=1))
            if draw(st.booleans()):
                lines.append(f"limits: {{{', '.join(f'{each}: 7' for each in chosen)}}}{draw(_comments)}")
            else:
                lines += [f"limits:{draw(_comments)}", *(f"  {each}: 7{draw(_comments)}" for each in chosen)]
        if name == "file_rules" and draw(st.booleans()):
            entries = draw(st.lists(_patterns, unique=True, max_size=3))
            quoted = ["'" + each.replace("'", "''") + "'" for each in entries]
            if draw(st.booleans()) or not entries:
                lines += ["file_rules:", f"  deny: [{', '.join(quoted)}]{draw(_comments)}"]
            else:
                indent = draw(st.sampled_from(["  ", "    "]))
                lines += ["file_rules:", "  deny:", *(f"{indent}- {q}{draw(_comments)}" for q in quoted)]
        if name == "notify" and draw(st.booleans()):
            lines.append(draw(st.sampled_from(["notify: {codex: false}", "notify:\n  codex: false # x"])))
    return "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n"]))


_wishes = st.one_of(
    st.builds(
        SettingChange,
        st.sampled_from([f"limits.{each}" for each in _NUMBERS]),
        st.integers(1, 99) | st.none(),
    ),
    st.builds(lambda text: SettingChange("file_rules.deny", text, ""), _patterns),
    st.builds(
        lambda name, yes: SettingChange("notify", yes, name), st.sampled_from(["codex", "b"]), st.booleans()
    ),
)


@settings(max_examples=50)
@given(_files(), st.lists(_wishes, min_size=1, max_size=3))
def test_a_change_says_what_is_wished_and_keeps_all_else(text: str, wishes: list[SettingChange]) -> None:
    """Whatever the file looks like: comments stay, what is wished counts, and nothing else is another."""
    import tempfile

    with tempfile.TemporaryDirectory() as made:
        folder = Path(os.path.realpath(made))
        own = folder / "config.yaml"
        own.write_text(text)
        for wish in wishes:
            before, old = load(None, folder), own.read_text()
            try:
                edit = plan_edit(folder, wish)
            except Refused as error:
                assert "can't be changed" in error.message, "no wrong value was wished"
                continue
            own.write_bytes(edit.after)
            after, new = load(None, folder), own.read_text()
            is_removed = wish.value is None
            comments = [] if is_removed else re.findall("#.*", old)
            assert all(comment in new for comment in comments)
            others = [setting.value for setting in before.settings if setting.key != wish.key]
            assert [setting.value for setting in after.settings if setting.key != wish.key] == others
            now = [setting.value for setting in after.settings if setting.key == wish.key]
            if wish.entry is None and not is_removed:
                assert now == [wish.value]
            elif wish.entry == "":
                assert wish.value in now
            elif wish.entry:
                assert (wish.entry, "yes" if wish.value else "no") in now
