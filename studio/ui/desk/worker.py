"""Child process that does one piece of work and exchanges messages."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from studio.ui.runner import Runner

THREAD = "worker process"
"""Name of the thread that reads the process's messages."""

Told = TypeVar("Told")
Work = Callable[["Connection"], None]
"""The process's function, which gets its end of the pipe. It is pickled, so it has to be at module level."""


class Worker(Generic[Told]):
    """Child process and its pipe.

    Messages sent before it has started are delivered once it has. It ends by itself after `tell(None)`.
    """

    def __init__(
        self,
        runner: Runner,
        work: Callable[[], Work],
        heard: Callable[[Worker[Told], Any], object],
        gone: Callable[[Worker[Told]], object],
    ) -> None:
        """Start the process.

        `heard` and `gone` are called on the UI thread, `work` on another one, so that its imports block
        nothing.
        """
        self._runner, self._work, self._heard, self._gone = runner, work, heard, gone
        self._lock = threading.Lock()
        self._untold: list[Told | None] = []
        self._connection: Connection | None = None
        self._process: BaseProcess | None = None
        self._is_ended = False
        threading.Thread(target=self._hear, name=THREAD, daemon=True).start()

    def tell(self, said: Told | None) -> None:
        """Send a message, such as the order; None ends the process."""
        with self._lock:
            if self._connection is None:
                self._untold.append(said)
            else:
                _send(self._connection, said)

    def end(self) -> None:
        """Terminate the process at once."""
        with self._lock:
            self._is_ended = True
            if self._process is not None:
                self._process.terminate()

    def _hear(self) -> None:
        """Run the process and forward its messages, on a thread."""
        spawn = multiprocessing.get_context("spawn")
        ours, theirs = spawn.Pipe()
        process = spawn.Process(target=self._work(), args=(theirs,), name=THREAD, daemon=True)
        try:
            process.start()
            theirs.close()
            self._is_there(process, ours)
            while True:
                self._runner.post(self._heard, self, ours.recv())
        except (EOFError, OSError):
            self._runner.post(self._gone, self)
            with self._lock:
                self._connection = None
                ours.close()
        finally:
            theirs.close()
        if process.pid is not None:
            process.join()

    def _is_there(self, process: BaseProcess, connection: Connection) -> None:
        with self._lock:
            self._process, self._connection = process, connection
            if self._is_ended:
                process.terminate()
            for said in self._untold:
                _send(connection, said)
            self._untold.clear()


def _send(connection: Connection, said: object) -> None:
    try:
        connection.send(said)
    except OSError:
        return  # the process ended: its thread reports that
