"""What is all of a command is read as a patch; whatever else it does makes it a command again."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from studio.doors.hook import read_shell_patch

PATCH = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n"


@pytest.mark.parametrize(
    ("command", "folder"),
    [
        (f"apply_patch <<'EOF'\n{PATCH}EOF\n", ""),
        (f'apply_patch <<"EOF"\n{PATCH}EOF', ""),
        (f"apply_patch <<EOF\n{PATCH}EOF\n", ""),
        (f"cd deep/er && apply_patch <<'END'\n{PATCH}END\n", "deep/er"),
        (f"  cd 'my folder' && apply_patch <<'END'\n{PATCH}END\n", "my folder"),
    ],
)
def test_a_patch_alone_is_one(command: str, folder: str) -> None:
    assert read_shell_patch(command) == (PATCH, folder)


@pytest.mark.parametrize(
    "command",
    [
        "apply_patch",
        f"apply_patch <<'EOF'\n{PATCH}EOF\nrm -rf .\n",
        f"rm x; apply_patch <<'EOF'\n{PATCH}EOF\n",
        f"cd x; apply_patch <<'EOF'\n{PATCH}EOF\n",
        f"cd $HOME && apply_patch <<'EOF'\n{PATCH}EOF\n",
        f"cd `id` && apply_patch <<'EOF'\n{PATCH}EOF\n",
        f"apply_patch <<'EOF' && rm x\n{PATCH}EOF\n",
        f"apply_patch <<EOF\n{PATCH}+$(rm x)\nEOF\n",
        f"apply_patch <<'EOF'\n{PATCH}EOF\n{PATCH}EOF\n",
        f"apply_patch <<'EOF'\n{PATCH}",
        f"FOO=1 apply_patch <<'EOF'\n{PATCH}EOF\n",
    ],
)
def test_whatever_may_do_more_is_a_command(command: str) -> None:
    assert read_shell_patch(command) is None


@given(st.text("apply_tchcd<>'\"EOF\\n &;$()*+x/", max_size=60))
def test_any_text_is_read_or_left(text: str) -> None:
    read_shell_patch(text)
