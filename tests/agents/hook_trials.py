"""What Gemini CLI, Qwen Code and Cline do with each behaviour of a hook: see `trials`."""

from __future__ import annotations

from functools import partial

from studio.doors.hooks.answers import BEFORE_TOOL, TOOL_CALL
from tests.agents import hooks
from tests.agents.trials import MERGED, NEW, ONE_BY_ONE, OTHERS, hook, killed_client
from tests.agents.wishes import (
    AFTER,
    APPENDED,
    BEFORE,
    run_commands,
    run_shell_command,
    write_file_of,
)

gemini = partial(hook, "gemini")
qwen = partial(hook, "qwen")
cline = partial(hook, "cline")

_GUARDED = "Nothing was done: Exacta Studio said no, or gave no answer."
_REPLACED = "Successfully modified file"
_BLOCKED = f"Tool execution blocked: {hooks.REASON}"
_DENIES, _ALLOWS = hooks.says(BEFORE_TOOL.denied(hooks.REASON)), hooks.says(BEFORE_TOOL.allowed(""))
_ONE_BY_ONE = hooks.ALLOWS_ONE_BY_ONE.replace(hooks.ALLOWS, "")
_OFF = {"hooksConfig": {"enabled": False}}

GEMINI = (
    gemini("denies", _DENIES, BEFORE, _BLOCKED),
    gemini("denies a shell command", _DENIES, BEFORE, _BLOCKED, ask=run_shell_command),
    gemini("allows", _ALLOWS, AFTER, _REPLACED),
    gemini("allows in the mode that asks for other tools", _ALLOWS, AFTER, _REPLACED, mode="auto_edit"),
    gemini("allows in the default mode", _ALLOWS, BEFORE, "not found", mode="default"),
    gemini("allows a shell command", _ALLOWS, APPENDED, "Output: (empty)", ask=run_shell_command),
    gemini("has no opinion", hooks.HAS_NO_OPINION, AFTER, _REPLACED),
    gemini("exits with 2", hooks.REFUSES, BEFORE, _BLOCKED),
    gemini("is missing", hooks.IS_MISSING, BEFORE, "No such file or directory"),
    gemini("is killed, with our words around it", hooks.IS_KILLED, BEFORE, _GUARDED, is_guarded=True),
    gemini("exits with 1, with our words around it", hooks.FAILS, BEFORE, _GUARDED, is_guarded=True),
    # Where it is not told a reason, each of these is a yes.
    gemini("exits with 2 without a word", hooks.STOPS_UNSAID, AFTER, _REPLACED),
    gemini("exits with 1", hooks.FAILS, AFTER, _REPLACED),
    gemini("is killed", hooks.IS_KILLED, AFTER, _REPLACED),
    gemini("is late", hooks.IS_LATE, AFTER, _REPLACED, timeout=1000),
    gemini("prints garbage", hooks.PRINTS_GARBAGE, AFTER, _REPLACED),
    gemini("says nothing", hooks.SAYS_NOTHING, AFTER, _REPLACED),
    gemini("denies, but hooks are off", _DENIES, AFTER, _REPLACED, switches=_OFF),
    gemini("allows, the file changed", hooks.changes_file(OTHERS), MERGED, _REPLACED),
    gemini(
        "allows, the line is gone", hooks.changes_file(b"mine\n"), b"mine\n", "Could not find an exact match"
    ),
    gemini(
        "allows three, one by one",
        _ONE_BY_ONE,
        ONE_BY_ONE,
        "new.txt",
        ask=write_file_of("new.txt", b"new\n", 3),
        others=NEW,
    ),
)

_EDITED = "has been updated"

QWEN = (
    qwen("denies", hooks.DENIES, BEFORE, hooks.REASON),
    qwen("denies a shell command", hooks.DENIES, BEFORE, hooks.REASON, ask=run_shell_command),
    qwen("allows", hooks.ALLOWS, AFTER, _EDITED),
    qwen("allows in the mode that asks for other tools", hooks.ALLOWS, AFTER, _EDITED, mode="auto-edit"),
    qwen("allows in the default mode", hooks.ALLOWS, BEFORE, "declined", mode="default"),
    qwen("allows a shell command", hooks.ALLOWS, APPENDED, "Output: (empty)", ask=run_shell_command),
    qwen("asks", hooks.ASKS, BEFORE, hooks.REASON),
    qwen("has no opinion", hooks.HAS_NO_OPINION, AFTER, _EDITED),
    qwen("exits with 2", hooks.REFUSES, BEFORE, hooks.REASON),
    qwen("is killed, with our words around it", hooks.IS_KILLED, BEFORE, _GUARDED, is_guarded=True),
    qwen("is missing, with our words around it", hooks.IS_MISSING, BEFORE, _GUARDED, is_guarded=True),
    qwen("exits with 1, with our words around it", hooks.FAILS, BEFORE, _GUARDED, is_guarded=True),
    killed_client("qwen"),
    qwen("exits with 2 without a word", hooks.STOPS_UNSAID, AFTER, _EDITED),
    qwen("exits with 1", hooks.FAILS, AFTER, _EDITED),
    qwen("is killed", hooks.IS_KILLED, AFTER, _EDITED),
    qwen("is missing", hooks.IS_MISSING, AFTER, _EDITED),
    qwen("is late", hooks.IS_LATE, AFTER, _EDITED, timeout=1),
    qwen("is late, in milliseconds", hooks.IS_LATE, AFTER, _EDITED, timeout=1000),
    qwen("prints garbage", hooks.PRINTS_GARBAGE, AFTER, _EDITED),
    qwen("says nothing", hooks.SAYS_NOTHING, AFTER, _EDITED),
    qwen("denies, but hooks are off", hooks.DENIES, AFTER, _EDITED, switches={"disableAllHooks": True}),
)

_CANCELS = hooks.says(TOOL_CALL.denied(hooks.REASON))
_DONE = '"success":true'

CLINE = (
    cline("cancels", _CANCELS, BEFORE, ""),
    cline("cancels a command", _CANCELS, BEFORE, "", ask=run_commands),
    cline("cancels and exits with 3", f"{_CANCELS}\nexit 3", BEFORE, ""),
    cline("allows", hooks.says(TOOL_CALL.allowed("")), AFTER, _DONE),
    cline("has no opinion", hooks.HAS_NO_OPINION, AFTER, _DONE),
    cline("is killed, with our words around it", hooks.IS_KILLED, BEFORE, "", is_guarded=True),
    cline("is missing, with our words around it", hooks.IS_MISSING, BEFORE, "", is_guarded=True),
    cline("exits with 2", hooks.REFUSES, AFTER, _DONE),
    cline("is killed", hooks.IS_KILLED, AFTER, _DONE),
    cline("prints garbage", hooks.PRINTS_GARBAGE, AFTER, _DONE),
    cline("says nothing", hooks.SAYS_NOTHING, AFTER, _DONE),
    cline("cancels, but is a link", _CANCELS, AFTER, _DONE, is_link=True),
)

HOOK_TRIALS = (*GEMINI, *QWEN, *CLINE)
