"""Commands in processes of their own that need not import the program first: one that has it already forks.

Importing takes most of a command's time, and the doors' tests run hundreds of commands. Nothing else is
saved, but for unloading at the end: each has its own process, session, folder, environment, streams and
terminal. `ForkServer` starts the server, `client_command` is an ordinary command that asks it; the client's
end ends the command.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import termios
import threading
from collections.abc import Sequence
from fcntl import ioctl
from pathlib import Path
from typing import Any, NoReturn

IS_POSSIBLE = hasattr(os, "pidfd_open")
_LARGEST = 1 << 17
_STREAMS = 3
# Without `site` and the rest an interpreter is there in a moment.
_CLIENT = f"""
import array, json, os, sys, _socket as s
control = s.socket(fileno=int(sys.argv[1]))
here, there = s.socketpair()
streams = [0, 1, 2] + [int(number) for number in sys.argv[2].split()]
asked = dict(words=sys.argv[3:], folder=os.getcwd(), umask=os.umask(0), environment=dict(os.environ))
fds = array.array("i", [there.fileno(), *streams])
control.sendmsg([json.dumps(asked).encode()], [(s.SOL_SOCKET, s.SCM_RIGHTS, fds)])
there.close()
for number in streams:
    os.close(number)
code = int(here.recv(16) or b"{signal.SIGKILL:d}", 10)
if code < 0:
    os.kill(os.getpid(), -code)
os._exit(code)
"""


class ForkServer:
    """The process that forks; it ends with its owner."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _LARGEST * 2)
        self._control.set_inheritable(True)
        with theirs:
            self._server = subprocess.Popen(
                [sys.executable, "-m", "tests.tools.forked", str(theirs.fileno())],
                cwd=Path(__file__).parents[2],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )

    @property
    def handle(self) -> int:
        """The handle that a client must inherit."""
        return self._control.fileno()

    def client_command(self, *words: str, terminal: int | None = None) -> list[str]:
        """The command that runs `studio` with these words; `terminal` becomes its terminal."""
        python = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _CLIENT]
        return [*python, str(self.handle), "" if terminal is None else str(terminal), *words]

    def close(self) -> None:
        self._control.close()
        self._server.wait(timeout=10)


def command_of(forks: ForkServer | None, *words: str) -> tuple[list[str], tuple[int, ...]]:
    """The command that runs `studio` with these words, and what it inherits; without `forks` as users do."""
    if forks is None:
        return [sys.executable, "-m", "studio", *words], ()
    return forks.client_command(*words), (forks.handle,)


def _serve(control: socket.socket) -> dict[str, Any] | None:
    """Fork a process for each request and tell its end; returns in each of them, and at the end with None."""
    with selectors.DefaultSelector() as selector:
        selector.register(control, selectors.EVENT_READ)
        running: dict[int, tuple[int, socket.socket]] = {}  # by the handle of the process, and by its asker's
        while True:
            for key, _ in selector.select():
                if key.fileobj is control:
                    request, handles, _, _ = socket.recv_fds(control, _LARGEST, 8)
                    if not request:
                        return None
                    asker = socket.socket(fileno=handles[0])
                    pid = os.fork()
                    if pid == 0:
                        return {**json.loads(request), "handles": handles[1:]}
                    for handle in handles[1:]:
                        os.close(handle)
                    ending = os.pidfd_open(pid)
                    running[ending] = running[asker.fileno()] = (pid, asker)
                    selector.register(ending, selectors.EVENT_READ)
                    selector.register(asker, selectors.EVENT_READ)
                elif key.fd in running:
                    pid, asker = running[key.fd]
                    if key.fd == asker.fileno():
                        selector.unregister(asker)
                        os.kill(pid, signal.SIGKILL)
                        continue
                    _end(selector, running, key.fd)


def _end(
    selector: selectors.BaseSelector, running: dict[int, tuple[int, socket.socket]], ending: int
) -> None:
    """Tell who asked how the process ended."""
    pid, asker = running.pop(ending)
    selector.unregister(ending)
    os.close(ending)
    del running[asker.fileno()]
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if asker in selector.get_map():
        selector.unregister(asker)
        asker.send(str(code).encode())
    asker.close()


def _become(asked: dict[str, Any]) -> None:
    """Make this process one that was started by who asked."""
    os.setsid()
    handles: Sequence[int] = asked["handles"]
    for number, handle in enumerate(handles[:_STREAMS]):
        os.dup2(handle, number)
    for terminal in handles[_STREAMS:]:
        ioctl(terminal, termios.TIOCSCTTY, 0)
        os.dup2(terminal, _STREAMS)  # kept open: the terminal hangs up once the program has ended
    os.closerange(_STREAMS + len(handles[_STREAMS:]), 1024)
    os.chdir(asked["folder"])
    os.umask(asked["umask"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv = ["studio", *asked["words"]]


def end_as_interpreter(code: int) -> NoReturn:
    """End the process with this code as the interpreter would, but leave what is loaded where it is.

    Taking it apart would copy the server's memory to a process that ends, which was half of a command's time.
    """
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _main() -> int:
    # What every command needs, and the commands, which are loaded when they are asked for.
    import studio.doors.cli.main
    from studio.__main__ import main
    from studio.doors.cli.command_table import TABLE

    assert studio.doors.cli.main
    for command in TABLE.values():
        command.load()
    import studio.doors.acp.talk
    import studio.doors.mcp.calls
    import studio.doors.mcp.server

    assert studio.doors.acp.talk and studio.doors.mcp.calls and studio.doors.mcp.server
    gc.freeze()  # a look for garbage would copy to each process the memory it looks at
    control = socket.socket(fileno=int(sys.argv[1]))
    asked = _serve(control)
    if asked is None:
        return 0
    control.detach()
    _become(asked)
    end_as_interpreter(main())


if __name__ == "__main__":
    sys.exit(_main())
