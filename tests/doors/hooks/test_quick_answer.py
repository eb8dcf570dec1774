"""A tool that changes nothing is answered before the command is loaded, and exactly as the command does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

from studio.doors.gate import Patience
from studio.doors.hook import answer
from studio.doors.hooks.answers import answer_text
from studio.doors.hooks.known_tools import HOOK_TOOLS, quick_answer
from studio.errors import StudioError
from tests.doors.hooks.conftest import use_of
from tests.doors.hooks.test_other_shapes import CLIENTS

FOLDER = "/nowhere/of/a/project"
VALUES = st.one_of(st.none(), st.booleans(), st.just(""), st.just("\ud800"), st.just("a\0"), st.just({}))


def event_of(client: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    other = CLIENTS.get(client)
    folder = Path(FOLDER)
    return other.asked(tool, arguments, folder) if other is not None else use_of(tool, arguments, folder)


def full_answer(client: str, data: bytes) -> str:
    """The command's own answer, or the start of a denial; it opens no project for what is harmless."""
    try:
        return answer_text(answer(HOOK_TOOLS[client], data, {}, Patience()))
    except StudioError as error:
        return f"denied: {error.code}"


@pytest.mark.parametrize("client", HOOK_TOOLS)
def test_each_tool_is_answered_as_the_command_does(client: str) -> None:
    tools = HOOK_TOOLS[client]
    for tool in tools.harmless:
        data = json.dumps(event_of(client, tool, {})).encode()
        assert (
            quick_answer([client], data) == full_answer(client, data) == answer_text(tools.answers.no_opinion)
        )
    others = {
        *tools.changes,
        *tools.shells,
        *tools.commands,
        *tools.not_shown,
        "Unheard",
        f"{tools.own_server}x",
    }
    for tool in others - tools.harmless:
        assert quick_answer([client], json.dumps(event_of(client, tool, {})).encode()) is None


@given(data=st.data(), client=st.sampled_from(sorted(HOOK_TOOLS)))
def test_changed_input_gets_the_answer_of_the_command_or_none(data: st.DataObject, client: str) -> None:
    tools = HOOK_TOOLS[client]
    tool = data.draw(st.sampled_from(sorted(tools.harmless)))
    event = event_of(client, tool, data.draw(st.sampled_from([{}, {"isolation": "worktree"}])))
    for key in data.draw(st.lists(st.sampled_from(sorted(event)), max_size=2)):
        if data.draw(st.booleans()):
            event.pop(key, None)
        else:
            event[key] = data.draw(VALUES)
    text = json.dumps(event).encode()[: data.draw(st.sampled_from([None, None, None, 40]))]
    if (quick := quick_answer([client], text)) is not None:
        assert quick == full_answer(client, text)


@given(
    options=st.lists(
        st.sampled_from(["--caller", "1", "-1", "--timeout", "x", "--json", "", "٣"]), max_size=4
    )
)
@example(options=[])
@example(options=["--caller", "1"])
def test_other_options_are_left_to_the_parser(options: list[str]) -> None:
    data = json.dumps(event_of("codex", "web_search", {})).encode()
    answered = quick_answer(["codex", *options], data) is not None
    assert answered == (options in ([], ["--caller", "1"]))
