"""The hook program: a few lines of `sh` between an agent and `studio hook`, so that no failure is a yes.

Most agents write where a hook fails in a way that they don't know: so whatever is no whole answer becomes
one sentence and exit code 2, which every one of them takes for a no.
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
"""How long an agent waits for its hook: a day, in which somebody decides."""
OWN_SECONDS: Final = CLIENT_SECONDS - 600
"""When the hook program itself gives up: before the agent does, for that would be a yes to some."""
_LOOK_SECONDS: Final = 30

# Its own lines, because each stops a way in which a write went through:
# - The answer is kept until the program has ended: half of one may be a whole object of another meaning.
# - What it is kept in has no name any more: nothing stays where this program is killed.
# - `trap … EXIT` also catches what the shell itself ends on, such as a full disk.
# - The watch looks whether this program still runs: after a kill its number may become another one's.
# - `$$!` in the watch's trap is its sleep, without which that would run on for every tool that was used.
# - Its first look comes soon: dash forgets what it is sent as it begins, if the answer is there by then.
# - The agent that started this is named to the command: its own parent is this program, which may outlive it.
#   Where a shell stands between, that says who it is.
# - The traps that end what was started are set behind both starts: bash ran them in a child that was ended as
#   it began. Until then a no has its words, too, if this is no such child: without any it is a yes to most.
_TEXT = Template("""\
#!/bin/sh
# Exacta Studio $version: asks what becomes of a tool use of $client. Whatever is no whole answer is a no.
refuse() {
  trap - EXIT TERM INT HUP
  kill $$job $$watch
  printf 'This was not done: Exacta Studio gave no answer, because %s. Tell the user.\\n' "$$1" >&8
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
trap 'refuse "it was stopped, or nobody decided in time"' TERM INT HUP
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
       *"$$line"*) refuse "it said more than one thing" ;;
       '{'*'}') ;;
       *) refuse "it said nothing that counts" ;;
     esac ;;
  2) [ -n "$$why" ] || refuse "it gave no reason"
     trap - EXIT; printf '%s\\n' "$$why" >&8; exit 2 ;;
  126|127) refuse "it is missing, or can't be started" ;;
  *) refuse "it ended with code $$code" ;;
esac
printf '%s\\n' "$$answer" || refuse "nobody took it"
trap - EXIT
exit 0
""")


NOTHING: Final = "Nothing was done: Exacta Studio said no, or gave no answer."


def guarded(hook: Path) -> str:
    """The words for a shell that run the hook program, and are a no where that is missing, or killed.

    The client that started the shell is named to it. Clients take the code 2 for a no where a reason stands
    beside it, and for a yes where none does: so one does, whatever the program itself has said.
    """
    return f"{shlex.quote(str(hook))} \"$PPID\" || {{ echo '{NOTHING}' >&2; exit 2; }}"


def cline_hook(hook: Path) -> bytes:
    """The file that Cline starts: it takes no code for a no, but only what it is told on standard output."""
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
    """The program for one client, which runs `command`; `folder` is where it keeps an answer for a moment.

    `variables` are set for the command: an agent may start it without them. It gives up after `seconds`.
    """
    looks = -(-seconds // _LOOK_SECONDS)
    pause = seconds // looks
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in (variables or {}).items())
    text = _TEXT.substitute(
        nothing=NOTHING,
        version=__version__,
        client=client,
        folder=shlex.quote(str(folder)),
        variables=exports,
        looks=1 + looks,  # the first one comes after a second
        pause=pause,
        command=shlex.join(command),
    )
    return text.encode()
