"""An agent made with the official SDK that does what its prompt says: a JSON list of things to do.

Run as a process of its own; its words are `NAME=VALUE` of SETTINGS.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import acp
from acp.helpers import update_current_mode
from acp.schema import (
    AgentCapabilities,
    Implementation,
    InitializeResponse,
    LoadSessionResponse,
    NewSessionResponse,
    PermissionOption,
    PlanEntry,
    PromptResponse,
    SessionMode,
    SessionModeState,
    SetSessionModeResponse,
    ToolCallUpdate,
)

SETTINGS = {"name": "sdk-agent", "mode": "", "modes": "default", "loads": "", "login": "", "sticks": ""} | {
    "steers": "",
    "ends": "",
}
"""What it calls itself, the mode it begins in, those it has, whether it takes up sessions, needs a login,
stays in its mode whatever it is told, takes words within a turn, and ends its turn at a no to a change."""


def _options() -> list[PermissionOption]:
    kinds = ("allow_always", "allow_once", "reject_once", "reject_always")
    return [PermissionOption(kind=kind, name=kind, option_id=kind) for kind in kinds]


class SdkAgent:
    """The protocol's methods, by the names that the SDK looks for."""

    def __init__(self, settings: dict[str, str]) -> None:
        self._is = settings
        self._mode = settings["mode"]
        self._stopped = asyncio.Event()
        self._steered = asyncio.Event()
        self._is_refused = False

    def on_connect(self, conn: Any) -> None:
        self._client = conn

    async def initialize(self, client_capabilities: Any = None, **_: Any) -> InitializeResponse:
        self._can = client_capabilities.model_dump_json(exclude_none=True)
        return InitializeResponse(
            protocol_version=acp.PROTOCOL_VERSION,
            agent_info=Implementation(name=self._is["name"], title="The agent", version="1.2"),
            agent_capabilities=AgentCapabilities(load_session=bool(self._is["loads"])),
            field_meta={"steering": {"supported": True}} if self._is["steers"] else None,
        )

    async def new_session(self, **_: Any) -> NewSessionResponse:
        if self._is["login"]:
            raise acp.RequestError.auth_required()
        return NewSessionResponse(session_id=f"session-{os.getpid()}", modes=self._modes())

    async def load_session(self, session_id: str, **_: Any) -> LoadSessionResponse:
        await self._say(session_id, "What was said before.")
        return LoadSessionResponse(modes=self._modes())

    async def set_session_mode(self, session_id: str, mode_id: str, **_: Any) -> SetSessionModeResponse:
        if not self._is["sticks"]:
            self._mode = mode_id
        await self._client.session_update(session_id=session_id, update=update_current_mode(self._mode))
        return SetSessionModeResponse()

    async def cancel(self, **_: Any) -> None:
        self._stopped.set()

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> PromptResponse:
        self._stopped.clear()
        told = [block.text for block in prompt]
        is_ours_alone = not told[-1].startswith("[")
        for said in told if is_ours_alone else told[:-1]:
            await self._say(session_id, f"TOLD {said}\n")
        if is_ours_alone:
            return PromptResponse(stop_reason="end_turn")
        for act in json.loads(told[-1]):
            ((what, given),) = act.items()
            await self._say(session_id, f"{what}: {await self._do(session_id, what, given)}\n")
            if self._stopped.is_set() or (self._is_refused and self._is["ends"]):
                return PromptResponse(stop_reason="cancelled")
        return PromptResponse(stop_reason="end_turn")

    async def _do(self, session: str, what: str, given: Any) -> str:
        try:
            match what:
                case "say":
                    await self._say(session, given)
                case "read":
                    return (await self._client.read_text_file(session_id=session, **given)).content
                case "write":
                    path, content = given
                    await self._client.write_text_file(session_id=session, path=path, content=content)
                case "edit":
                    await self._edit(session, *given)
                case "ask":
                    return await self._ask(session, **given)
                case "change":
                    await self._ask_for_change(session, *given)
                case "mode":
                    await self._client.session_update(session_id=session, update=update_current_mode(given))
                    await self._stopped.wait()
                case "put":
                    path, content = given
                    Path(path).write_text(content, encoding="utf-8", newline="")
                case "see":
                    return Path(given).expanduser().read_text(encoding="utf-8")
                case "capabilities":
                    return self._can
                case "todo":
                    entries = [PlanEntry(content=text, priority="high", status="pending") for text in given]
                    await self._client.session_update(session_id=session, update=acp.update_plan(entries))
                case "die":
                    os.kill(os.getpid(), signal.SIGKILL)
                case "hang":
                    signal.pause()
                case "which mode":
                    return self._mode
                case "variable":
                    return os.environ.get(given, "")
                case "wait":
                    await self._stopped.wait()
                case _:
                    raise ValueError(what)
        except acp.RequestError as error:
            return f"ERROR {error}"
        except OSError as error:
            return f"ERROR {error.strerror}"
        return "done"

    async def _ask(self, session: str, kind: str, title: str, **more: Any) -> str:
        """Ask for anything; with `path`, `old` and `new` for a change of a file."""
        content = None
        if "path" in more:
            content = [acp.tool_diff_content(more.pop("path"), more.pop("new"), more.pop("old"))]
        call: Any = {"tool_call_id": "tool-1", "kind": kind, "title": title, "content": content, **more}
        answer = await self._client.request_permission(
            session_id=session, tool_call=ToolCallUpdate(**call), options=_options()
        )
        return str(getattr(answer.outcome, "option_id", answer.outcome.outcome))

    async def _edit(self, session: str, name: str, *changes: list[str]) -> None:
        """Change what the client has for a file, and give it back whole."""
        path = str(Path(name).absolute())
        text = (await self._client.read_text_file(session_id=session, path=path)).content
        for old, new in changes:
            assert old in text, (old, text)
            text = text.replace(old, new)
        await self._client.write_text_file(session_id=session, path=path, content=text)

    async def _ask_for_change(self, session: str, path: str, old: str | None, new: str) -> None:
        """As an agent does that writes by itself once it was told yes: what it changes it tells before, and
        makes its edit in what the file holds by then."""
        content = [acp.tool_diff_content(path, new, old)]
        start = acp.start_tool_call("tool-2", "Edit", kind="edit", status="pending", content=content)
        await self._client.session_update(session_id=session, update=start)
        answer = await self._ask(session, "edit", "Edit", tool_call_id="tool-2")
        self._is_refused = answer != "allow_once"
        if not self._is_refused:
            text = Path(path).read_text(encoding="utf-8") if old is not None else ""
            Path(path).write_text(text.replace(old or "", new, 1), encoding="utf-8", newline="")
        elif self._is["steers"]:
            await self._steered.wait()
        done = acp.update_tool_call("tool-2", status="completed" if answer == "allow_once" else "failed")
        await self._client.session_update(session_id=session, update=done)

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert method == "session/steering", method
        for block in params["prompt"]:
            await self._say(params["sessionId"], f"STEERED {block['text']}\n")
        self._steered.set()
        return {"outcome": "injected"}

    async def _say(self, session: str, text: str) -> None:
        await self._client.session_update(session_id=session, update=acp.update_agent_message_text(text))

    def _modes(self) -> SessionModeState | None:
        if not self._mode:
            return None
        modes = [SessionMode(id=name, name=name) for name in self._is["modes"].split(",")]
        return SessionModeState(current_mode_id=self._mode, available_modes=modes)


if __name__ == "__main__":
    given = dict(word.split("=", 1) for word in sys.argv[1:])
    agent: Any = SdkAgent({**SETTINGS, **given})
    asyncio.run(acp.run_agent(agent))
