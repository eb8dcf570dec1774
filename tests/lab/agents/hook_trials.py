"""What Gemini CLI, Qwen Code, Cline and opencode do with each behaviour of a hook: see `trials`."""

from __future__ import annotations

from functools import partial

from studio.doors.hooks.answers import BEFORE_TOOL, TOOL_CALL, TOOL_EXECUTE
from tests.lab.agents import hooks
from tests.lab.agents.trials import MERGED, NEW, ONE_BY_ONE, OTHERS, hook, killed_client
from tests.lab.agents.wishes import (
    AFTER,
    APPENDED,
    BEFORE,
    opencode_bash,
    run_commands,
    run_shell_command,
    write_file_of,
)

gemini = partial(hook, "gemini")
qwen = partial(hook, "qwen")
cline = partial(hook, "cline")
opencode = partial(hook, "opencode")

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

_APPLIED = "Edit applied successfully"
_NO_WORD = "Nothing was done: Exacta Studio said no, or gave no answer."
_NO = hooks.says(TOOL_EXECUTE.denied(hooks.REASON))
_YES = hooks.says(TOOL_EXECUTE.allowed(""))

# Behind our plugin, which has this program asked in place of the hook program.
OPENCODE = (
    opencode("denies", _NO, BEFORE, hooks.REASON),
    opencode("denies a shell command", _NO, BEFORE, hooks.REASON, ask=opencode_bash("echo x >> notes.txt")),
    opencode("allows", _YES, AFTER, _APPLIED),
    opencode("has no opinion", hooks.says(TOOL_EXECUTE.no_opinion), AFTER, _APPLIED),
    opencode("says nothing that is known", hooks.HAS_NO_OPINION, BEFORE, _NO_WORD),
    opencode("exits with 2", hooks.REFUSES, BEFORE, hooks.REASON),
    opencode("exits with 2 without a word", hooks.STOPS_UNSAID, BEFORE, _NO_WORD),
    opencode("allows and exits with 1", f"{_YES}\nexit 1", BEFORE, _NO_WORD),
    opencode("allows and is killed", f"{_YES}\nkill -9 $$", BEFORE, _NO_WORD),
    opencode("is missing", hooks.IS_MISSING, BEFORE, _NO_WORD),
    opencode("prints garbage", hooks.PRINTS_GARBAGE, BEFORE, _NO_WORD),
    opencode("says nothing", hooks.SAYS_NOTHING, BEFORE, _NO_WORD),
    # What is not loaded asks nobody.
    opencode("denies, but the plugin is damaged", _NO, AFTER, _APPLIED, damage="const = "),
    opencode("denies, but no plugin is wanted", _NO, AFTER, _APPLIED, words=["--pure"]),
)

HOOK_TRIALS = (*GEMINI, *QWEN, *CLINE, *OPENCODE)
