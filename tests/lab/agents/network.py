"""A network of its own for clients nobody here wrote: loopback alone, so that nothing they say gets out.

A holder process lives in it and opens listeners there, which it hands to this process: what listens serves
from here, and what connects runs in there. Where nobody may make such a network, the machine's own loopback
stands in, and `is_own` says so.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from studio.doors.agents.model_server import listen

_HOLDER = Path(__file__).with_name("network_holder.py")


class Network:
    """A network from `with` on. What still runs in it at the end of the block is killed."""

    def __init__(self) -> None:
        self._holder: subprocess.Popen[bytes] | None = None
        self._ours: socket.socket | None = None

    @property
    def is_own(self) -> bool:
        """Whether nothing but loopback can be reached in it."""
        return self._holder is not None

    @property
    def prefix(self) -> tuple[str, ...]:
        """The words before a command that run it in this network; it keeps its process."""
        return ("nsenter", f"--net=/proc/{self._holder.pid}/ns/net", "--") if self._holder else ()

    def listen(self) -> socket.socket:
        """A socket that listens on a free port of this network's loopback."""
        if self._ours is None:
            return listen()
        self._ours.sendall(b"l")
        _, handles, _, _ = socket.recv_fds(self._ours, 1, 1)
        return socket.socket(fileno=handles[0])

    def __enter__(self) -> Self:
        if not sys.platform.startswith("linux") or os.geteuid() != 0:
            return self
        ours, theirs = socket.socketpair()
        command = ["unshare", "--net", sys.executable, "-I", "-S", str(_HOLDER), str(theirs.fileno())]
        with theirs:
            holder = subprocess.Popen(command, pass_fds=[theirs.fileno()], stderr=subprocess.DEVNULL)
        if ours.recv(1) == b"r":
            self._holder, self._ours = holder, ours
        else:
            # Root in a container may be kept from making networks.
            ours.close()
            holder.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._holder is None or self._ours is None:
            return
        self.kill_all()
        self._ours.close()
        self._holder.wait()

    def kill_all(self) -> None:
        """Kill what runs in it; on the machine's own loopback nobody knows what that is."""
        if self._holder is None:
            return
        inside = Path(f"/proc/{self._holder.pid}/ns/net").readlink()
        while left := [each for each in _processes_in(inside) if each != self._holder.pid]:
            for process in left:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)


def _processes_in(network: Path) -> list[int]:
    """Those that run; a killed one that nobody has waited for is in no network any more."""
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (folder / "ns/net").readlink() == network:
                found.append(int(folder.name))
    return found
