"""Shell script run as an agent's hook: calls `studio hook`, blocks failures.

Most agents write where a hook fails in an unknown way: so anything but a complete answer becomes one sentence
and exit code 2, which every one of them takes as a denial.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Final

from studio import __version__

CLIENT_SECONDS: Final = 86_400
"""How long an agent waits for its hook: a day."""
OWN_SECONDS: Final = CLIENT_SECONDS - 600
"""Timeout of the hook program itself.

It is shorter than the agent's timeout, after which some agents run the tool.
"""
_POLL_SECONDS: Final = 30

# Each of these prevents a way in which a write was let through:
# - The answer is stored until the program has ended: half of one may be a complete object with another
#   meaning.
# - The file for it is already unlinked: nothing is left where this program is killed.
# - `trap ... EXIT` also catches what ends the shell itself, such as a full disk.
# - The watch checks that this program still runs: after a kill its process id may be reused.
# - `$$!` in the watch's trap is its sleep, which would otherwise go on for every tool use.
# - Its first check comes early: dash loses a signal sent as it starts, if the answer is there by then.
# - The agent that started this is passed to the command, whose own parent is this program, which may outlive
#   the agent. Where a shell is in between, that passes the agent on.
# - The traps that end the children are set after both starts: bash ran them in a child that was ended as it
#   started. Before, a denial also has a text, unless this is such a child: without one it allows the tool in
#   most clients.
_TEXT = Template("""\
#!/bin/sh
# Exacta Studio $version: asks for approval of each tool call of $client. An incomplete answer is a denial.
refuse() {
  trap - EXIT TERM INT HUP
  kill $$job $$watch
  printf 'This was not done: Exacta Studio gave no valid answer, because %s. Tell the user.\\n' "$$1" >&8
  exit 2
}
job= watch=
trap 'refuse "its hook program failed"' EXIT
exec 8>&2 2>/dev/null
set -C
file=$folder/answer.$$$$
rm -f "$$file" "$$file.why"
exec 3<&0 4>"$$file" 5<"$$file" 6>"$$file.why" 7<"$$file.why"
rm -f "$$file" "$$file.why"
trap 'trap - EXIT
 [ "$$(exec sh -c "echo \\$$PPID")" = $$$$ ] && echo "$nothing" >&8; exit 2' EXIT TERM INT HUP
${variables}(trap 'kill $$!; exit' TERM; left=$looks pause=1
 while [ $$left -gt 0 ] && kill -0 $$$$; do left=$$((left - 1)); sleep $$pause & wait $$!; pause=$pause; done
 kill -TERM $$$$) </dev/null >/dev/null 3<&- 4>&- 5<&- 6>&- 7<&- 8>&- &
watch=$$!
$command --caller $${1:-$$PPID} <&3 >&4 2>&6 3<&- 4>&- 5<&- 6>&- 7<&- 8>&- &
job=$$!
trap 'refuse "its hook program failed"' EXIT
trap 'refuse "it was stopped, or timed out"' TERM INT HUP
wait $$job
code=$$?
job=
kill $$watch
watch=
answer=$$(cat <&5) why=$$(cat <&7)
line='
'
case $$code in
  0) case $$answer in
       *"$$line"*) refuse "it sent more than one line" ;;
       '{'*'}') ;;
       *) refuse "it sent no JSON object" ;;
     esac ;;
  2) [ -n "$$why" ] || refuse "it gave no reason"
     trap - EXIT; printf '%s\\n' "$$why" >&8; exit 2 ;;
  126|127) refuse "it is missing or can't be started" ;;
  *) refuse "it ended with code $$code" ;;
esac
printf '%s\\n' "$$answer" || refuse "the client closed its output"
trap - EXIT
exit 0
""")


NOTHING: Final = "Nothing was done: Exacta Studio said no, or gave no answer."


def guarded(hook: Path) -> str:
    """Return the command line that runs the hook program, or denies.

    It denies where the program is missing or killed. The client that started the shell is passed to it.
    Clients take code 2 as a denial with a reason beside it, and as an allow without one: so one is always
    printed.
    """
    return f"{shlex.quote(str(hook))} \"$PPID\" || {{ echo '{NOTHING}' >&2; exit 2; }}"


def cline_hook(hook: Path) -> bytes:
    """Return the file that Cline starts.

    Cline ignores exit codes, and takes a denial only from standard output.
    """
    no = json.dumps({"cancel": True, "errorMessage": NOTHING})
    return f"#!/bin/sh\n{shlex.quote(str(hook))} \"$PPID\" || echo '{no}'\n".encode()


def hook_program(
    client: str,
    command: Sequence[str],
    folder: Path,
    variables: Mapping[str, str] | None = None,
    *,
    seconds: int = OWN_SECONDS,
) -> bytes:
    """Return the program for one client, which runs `command`.

    `folder` is where it keeps an answer for a moment. `variables` are set for the command: an agent may start
    it without them. It gives up after `seconds`.
    """
    checks = -(-seconds // _POLL_SECONDS)
    pause = seconds // checks
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in (variables or {}).items())
    text = _TEXT.substitute(
        nothing=NOTHING,
        version=__version__,
        client=client,
        folder=shlex.quote(str(folder)),
        variables=exports,
        looks=1 + checks,  # the first check comes after a second
        pause=pause,
        command=shlex.join(command),
    )
    return text.encode()
