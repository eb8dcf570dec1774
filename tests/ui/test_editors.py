"""Which editor opens a file at a line, and which words it is told so with."""

from __future__ import annotations

import pytest

from studio.ui.review.reading import editor_command


@pytest.mark.parametrize(
    ("environment", "there", "command"),
    [
        ({}, {"subl": "/bin/subl"}, ("/bin/subl", "/p/-a b.txt:7")),
        ({}, {"kate": "/bin/kate", "zed": "/bin/zed"}, ("/bin/zed", "/p/-a b.txt:7")),
        ({"VISUAL": "kate"}, {"kate": "kate", "zed": "zed"}, ("kate", "-l", "7", "/p/-a b.txt")),
        ({"VISUAL": "code --wait"}, {"code": "code"}, ("code", "--wait", "-g", "/p/-a b.txt:7")),
        ({"VISUAL": "mine"}, {"mine": "mine"}, ("mine", "/p/-a b.txt")),
        ({"VISUAL": "vim", "EDITOR": "gedit"}, {"vim": "vim", "gedit": "g"}, ("gedit", "+7", "/p/-a b.txt")),
        ({"VISUAL": "nvim"}, {"nvim": "nvim"}, ()),
        ({"VISUAL": "gone"}, {}, ()),
        ({"VISUAL": "unclosed 'quote"}, {"code": "code"}, ("code", "-g", "/p/-a b.txt:7")),
    ],
)
def test_the_named_editor_comes_first_unless_it_needs_a_terminal(
    environment: dict[str, str], there: dict[str, str], command: tuple[str, ...]
) -> None:
    assert editor_command("/p/-a b.txt", 7, environment=environment, which=there.get) == command
