"""What the models want in the trials, in the tools of each client, and what `notes.txt` holds then."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studio.doors.agents.script import Call, ModelRequest, Turn

NOTES = "notes.txt"
BESIDE = "out.txt"
"""A file beside the project, which nobody may make."""

BEFORE = b"alpha\nbeta\ngamma\n"
AFTER = b"alpha\nBETA\ngamma\n"
EDITED = b"alpha\nBETA, reviewed\ngamma\n"
APPENDED = b"alpha\nbeta\ngamma\nshell\n"
BOTH_ENDS = b"ALPHA\nbeta\nGAMMA\n"


TWICE = b"".join([b"beta\n", *[b"line %d\n" % number for number in range(30)], b"beta\n"])
FIRST_ALONE = TWICE.replace(b"beta", b"BETA", 1)
LARGE = b"".join([*[b"line %06d of a large file\n" % number for number in range(40_000)], BEFORE])
LARGE_AFTER = LARGE.replace(b"beta", b"BETA")
WINDOWS = BEFORE.replace(b"\n", b"\r\n")
WINDOWS_AFTER = AFTER.replace(b"\n", b"\r\n")
WIDE = codecs.BOM_UTF16_LE + WINDOWS.decode().encode("utf-16-le")
WIDE_AFTER = codecs.BOM_UTF16_LE + WINDOWS_AFTER.decode().encode("utf-16-le")
BINARY = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDRbeta\xff\x00\n"

STATES = {
    **dict.fromkeys((BEFORE, WIDE, BINARY), "as before"),
    **dict.fromkeys((AFTER, LARGE_AFTER, WINDOWS_AFTER, WIDE_AFTER), "written"),
    **dict.fromkeys((FIRST_ALONE, BOTH_ENDS), "in part"),
    EDITED: "edited",
    APPENDED: "appended",
}
"""What each is called in the table."""

Calls = tuple[Call, ...]
Said = Turn | Callable[[ModelRequest], Turn]
Ask = Callable[[Path], Said]
"""From the project to what the model wants to do in it, in one turn."""


# Claude Code


def edit_fields(project: Path, old: str, new: str) -> dict[str, Any]:
    """The arguments of its way to change a line."""
    return {"file_path": str(project / NOTES), "old_string": old, "new_string": new}


def edit_of(*changes: tuple[str, str]) -> Ask:
    """Each of these texts replaced, all in one turn."""
    return lambda project: tuple(Call("Edit", edit_fields(project, *change)) for change in changes)


def edit_all(project: Path) -> Calls:
    """The same wherever the text stands."""
    return (Call("Edit", {**edit_fields(project, "beta", "BETA"), "replace_all": True}),)


def overwrite_with(content: bytes) -> Ask:
    """Its way to write a whole file, here one that it has not read."""
    return lambda project: (Call("Write", {"file_path": str(project / NOTES), "content": content.decode()}),)


def write_three(project: Path) -> Calls:
    """The same new file three times in one turn."""
    return (Call("Write", {"file_path": str(project / "new.txt"), "content": "new\n"}),) * 3


def write_outside(project: Path) -> Calls:
    """A file beside the project."""
    return (Call("Write", {"file_path": str(project.parent / BESIDE), "content": "x\n"}),)


def bash(project: Path) -> Calls:
    """Its way around its own tools."""
    return (Call("Bash", {"command": f"echo shell >> '{project}/{NOTES}'", "description": "Append"}),)


# Codex


def patch_of(*patches: str) -> Callable[[Path], Calls]:
    """Its way to change files: these patches, all in one turn."""
    return lambda _project: tuple(Call("apply_patch", patch) for patch in patches)


def patch_text(hunks: str) -> str:
    """A patch of `notes.txt`."""
    return f"*** Begin Patch\n*** Update File: {NOTES}\n{hunks}*** End Patch\n"


def _new_file(path: object) -> str:
    return f"*** Add File: {path}\n+new\n"


LINE_DIFF = f"--- a/{NOTES}\n+++ b/{NOTES}\n@@ -1,3 +1,3 @@\n alpha\n-beta\n+BETA\n gamma\n"
"""The same change as a diff that anybody can propose."""
_LINE = "@@\n alpha\n-beta\n+BETA\n gamma\n"
_FIRST, _LAST = "@@\n-alpha\n+ALPHA\n beta\n", "@@\n beta\n-gamma\n+GAMMA\n"

patch_reviewed = patch_text(_LINE.replace("BETA", "BETA, reviewed"))
new_and_patch = patch_of("*** Begin Patch\n" + _new_file("new.txt") + patch_text(_LINE).partition("\n")[2])
add_three = patch_of(*["*** Begin Patch\n" + _new_file("new.txt") + "*** End Patch\n"] * 3)


def patch_outside(project: Path) -> Calls:
    """A file beside the project."""
    return patch_of(f"*** Begin Patch\n{_new_file(project.parent / BESIDE)}*** End Patch\n")(project)


def shell(_project: Path) -> Calls:
    """Its way around its patches."""
    return (Call("exec_command", {"cmd": f"echo shell >> {NOTES}"}),)


def shell_outside(_project: Path) -> Calls:
    """The same, asking to be let out of the sandbox."""
    wish = {"sandbox_permissions": "require_escalated", "justification": "To append."}
    return (Call("exec_command", {"cmd": f"echo shell >> {NOTES}", **wish}),)


def patch_in_shell(_project: Path) -> Calls:
    """A patch that is a command of the shell, and applied as a patch all the same."""
    return (Call("exec_command", {"cmd": f"apply_patch <<'END'\n{patch_text(_LINE)}END\n"}),)


def tool(_project: Path) -> Calls:
    """A tool of somebody else's server, as Codex names it."""
    return (Call("mcp__lab/note", {"text": "hello"}),)


# Gemini CLI and Qwen Code


def replace_of(*changes: tuple[str, str], **more: Any) -> Ask:
    """Gemini CLI's way to change a line: each of these texts replaced, all in one turn."""
    why = {"instruction": "Make it louder.", **more}
    return lambda project: tuple(
        Call("replace", {**edit_fields(project, *change), **why}) for change in changes
    )


def read_and_edit_of(*changes: tuple[str, str], **more: Any) -> Ask:
    """Qwen Code's way, which changes no file that it has not read."""
    return lambda project: (
        Call("read_file", {"file_path": str(project / NOTES)}),
        *(Call("edit", {**edit_fields(project, *change), **more}) for change in changes),
    )


def write_file_of(name: str, content: bytes, count: int = 1) -> Callable[[Path], Calls]:
    """The way of both to write a whole file, so often in one turn."""
    return lambda project: (
        (Call("write_file", {"file_path": str((project / name).resolve()), "content": content.decode()}),)
        * count
    )


def read_and_write(content: bytes) -> Ask:
    """The same for a file that is there, as Qwen Code needs it."""
    return lambda project: (
        Call("read_file", {"file_path": str(project / NOTES)}),
        *write_file_of(NOTES, content)(project),
    )


def run_shell_command(_project: Path) -> Calls:
    """Their way around their own tools."""
    command = f"echo shell >> {NOTES}"
    return (Call("run_shell_command", {"command": command, "is_background": False}),)


# Cline


def editor_of(*changes: tuple[str, str]) -> Ask:
    """Its way to change a line: each of these texts replaced, all in one turn."""
    return lambda project: tuple(
        Call("editor", {"path": str(project / NOTES), "old_text": old, "new_text": new})
        for old, new in changes
    )


def editor_whole(content: bytes) -> Ask:
    """Its way to write a whole file."""
    return lambda project: (Call("editor", {"path": str(project / NOTES), "new_text": content.decode()}),)


def editor_outside(project: Path) -> Calls:
    """A file beside the project."""
    return (Call("editor", {"path": str(project.parent / BESIDE), "new_text": "x\n"}),)


def run_commands(_project: Path) -> Calls:
    """Its way around its own tools."""
    return (Call("run_commands", {"commands": [f"echo shell >> {NOTES}"]}),)


# opencode


def opencode_by_subagent(project: Path) -> Said:
    """A subagent, which is to change the file: a task is on offer to the agent that starts it alone."""
    task = Call("task", {"description": "x", "prompt": "Go on.", "subagent_type": "general"})
    change = opencode_edit_of(("beta", "BETA"))(project)
    return lambda request: (task,) if "task" in request.tools else change


def opencode_edit_of(*changes: tuple[str, str], **more: Any) -> Callable[[Path], Calls]:
    """Each of these texts replaced, all in one turn."""
    return lambda project: tuple(
        Call("edit", {"filePath": str(project / NOTES), "oldString": old, "newString": new, **more})
        for old, new in changes
    )


def opencode_outside(project: Path) -> Calls:
    """A file beside the project."""
    return (Call("write", {"filePath": str(project.parent / BESIDE), "content": "x\n"}),)


def opencode_bash(command: str) -> Ask:
    """A command of the shell."""
    return lambda _project: (Call("bash", {"command": command, "description": "Append"}),)


@dataclass(frozen=True, slots=True)
class AgentRequests:
    """The same wishes in the tools of one client: `change` makes AFTER of BEFORE, `otherwise` changes the
    same line to something else, `first` and `last` those beside it, `three` all of them in three calls.

    `ran` is what the client says of a command that was run."""

    change: Ask
    otherwise: Ask
    first: Ask
    last: Ask
    three: Ask
    twice: Ask
    """Both hunks of TWICE."""
    outside: Ask
    command: Ask
    ran: str
    looks_itself: str = ""
    """What it says itself of a path out of its folders, "" where it asks its gate."""


CLAUDE_CODE = AgentRequests(
    change=edit_of(("beta", "BETA")),
    otherwise=edit_of(("beta", "Beta")),
    first=edit_of(("alpha", "ALPHA")),
    last=edit_of(("gamma", "GAMMA")),
    three=edit_of(("alpha", "ALPHA"), ("beta", "BETA"), ("gamma", "GAMMA")),
    twice=edit_all,
    outside=write_outside,
    command=bash,
    ran="Bash completed",
)
CODEX = AgentRequests(
    change=patch_of(patch_text(_LINE)),
    otherwise=patch_of(patch_text(_LINE.replace("BETA", "Beta"))),
    first=patch_of(patch_text(_FIRST)),
    last=patch_of(patch_text(_LAST)),
    three=patch_of(patch_text(_FIRST), patch_text("@@\n-beta\n+BETA\n"), patch_text(_LAST)),
    twice=patch_of(patch_text("@@\n-beta\n+BETA\n line 0\n line 1\n@@\n line 28\n line 29\n-beta\n+BETA\n")),
    outside=patch_outside,
    command=shell,
    ran="code 0",
)
GEMINI = AgentRequests(
    change=replace_of(("beta", "BETA")),
    otherwise=replace_of(("beta", "Beta")),
    first=replace_of(("alpha", "ALPHA")),
    last=replace_of(("gamma", "GAMMA")),
    three=replace_of(("alpha", "ALPHA"), ("beta", "BETA"), ("gamma", "GAMMA")),
    twice=replace_of(("beta", "BETA"), allow_multiple=True),
    outside=write_file_of(f"../{BESIDE}", b"x\n"),
    command=run_shell_command,
    ran="Output: (empty)",
    looks_itself="Path not in workspace",
)
QWEN = AgentRequests(
    change=read_and_edit_of(("beta", "BETA")),
    otherwise=read_and_edit_of(("beta", "Beta")),
    first=read_and_edit_of(("alpha", "ALPHA")),
    last=read_and_edit_of(("gamma", "GAMMA")),
    three=read_and_edit_of(("alpha", "ALPHA"), ("beta", "BETA"), ("gamma", "GAMMA")),
    twice=read_and_edit_of(("beta", "BETA"), replace_all=True),
    outside=write_file_of(f"../{BESIDE}", b"x\n"),
    command=run_shell_command,
    ran="Output: (empty)",
)
CLINE = AgentRequests(
    change=editor_of(("beta", "BETA")),
    otherwise=editor_of(("beta", "Beta")),
    first=editor_of(("alpha", "ALPHA")),
    last=editor_of(("gamma", "GAMMA")),
    three=editor_of(("alpha", "ALPHA"), ("beta", "BETA"), ("gamma", "GAMMA")),
    twice=editor_whole(TWICE.replace(b"beta", b"BETA")),
    outside=editor_outside,
    command=run_commands,
    ran="shell",
)
OPENCODE = AgentRequests(
    change=opencode_edit_of(("beta", "BETA")),
    otherwise=opencode_edit_of(("beta", "Beta")),
    first=opencode_edit_of(("alpha", "ALPHA")),
    last=opencode_edit_of(("gamma", "GAMMA")),
    three=opencode_edit_of(("alpha", "ALPHA"), ("beta", "BETA"), ("gamma", "GAMMA")),
    twice=opencode_edit_of(("beta", "BETA"), replaceAll=True),
    outside=opencode_outside,
    command=opencode_bash(f"echo shell >> {NOTES}"),
    ran="(no output)",
)
WISHES: Mapping[str, AgentRequests] = {
    "claude-code": CLAUDE_CODE,
    "cline": CLINE,
    "codex": CODEX,
    "gemini": GEMINI,
    "opencode": OPENCODE,
    "qwen": QWEN,
}
"""By client."""
