"""Shell that runs only permitted commands, each of them once.

Found by running opencode 1.18.33: it asks for the commands that it finds in what its model wants to run, and
in `cd . > notes.txt` or `> notes.txt` it finds none: that runs unasked, and empties the file. So opencode is
given this shell, which passes permitted commands to the user's own.
"""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path
from typing import Final, Self

from studio.engine.work_folder import WorkFolder

_SHELLS: Final = ("bash", "zsh", "ksh", "dash", "sh")
"""Shells that accept `-c` with a command and nothing else."""
_SECRETS: Final = ("OPENCODE_SERVER_PASSWORD", "OPENCODE_CONFIG_CONTENT")

_SCRIPT: Final = """\
#!/bin/sh
asked="$(pwd -P)
$2"
if [ "$#" -eq 2 ] && [ "$1" = -c ]; then
  for permit in {folder}/*; do
    if [ -f "$permit" ] && [ "$(cat "$permit"; printf .)" = "$asked." ] && rm "$permit" 2>/dev/null; then
      unset {secrets}
      exec {shell} -c "$2"
    fi
  done
fi
echo "Exacta Studio did not run this: no person was asked for it. A command that begins with a redirection," \
"or only changes the folder, can't be asked for. Write it another way." >&2
exit 126
"""


class ShellGuard:
    """The shell script in a temporary folder, for a `with` block."""

    def __enter__(self) -> Self:
        self._folder = WorkFolder("shell")
        shell = _own_shell()
        folder = self._folder.path
        self._permits = folder / "permits"
        self._permits.mkdir(mode=0o700)
        self._permit_count = 0
        # An agent derives the shell syntax from this name.
        self.program = folder / Path(shell).name
        script = _SCRIPT.format(
            folder=shlex.quote(str(self._permits)), secrets=" ".join(_SECRETS), shell=shlex.quote(shell)
        )
        self.program.write_text(script, encoding="utf-8")
        self.program.chmod(0o700)
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.close()

    def permit(self, command: str, cwd: Path) -> None:
        """Permit this command in this folder, once."""
        self._permit_count += 1
        permit = self._permits / str(self._permit_count)
        part = self._permits.with_name("part")
        part.write_bytes(f"{cwd.resolve()}\n{command}".encode())
        part.rename(permit)


def _own_shell() -> str:
    """Return the user's shell if supported, else bash or sh."""
    shell = os.environ.get("SHELL", "")
    if Path(shell).is_absolute() and Path(shell).name in _SHELLS and Path(shell).is_file():
        return shell
    return shutil.which("bash") or "/bin/sh"
