"""Generic child process with a message pipe and UI-thread callbacks."""

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

Message = TypeVar("Message")
Work = Callable[["Connection"], None]
"""The process's function, which gets its end of the pipe. It is pickled, so it has to be at module level."""


class Worker(Generic[Message]):
    """Child process and its pipe.

    Messages sent before it has started are delivered once it has. It ends by itself after `send(None)`.
    """

    def __init__(
        self,
        runner: Runner,
        work: Callable[[], Work],
        handle_message: Callable[[Worker[Message], Any], object],
        handle_exit: Callable[[Worker[Message]], object],
    ) -> None:
        """Start the process.

        `handle_message` and `handle_exit` are called on the UI thread, `work` on another one, so that its
        imports block nothing.
        """
        self._runner, self._work, self._handle_message, self._handle_exit = (
            runner,
            work,
            handle_message,
            handle_exit,
        )
        self._lock = threading.Lock()
        self._unsent: list[Message | None] = []
        self._connection: Connection | None = None
        self._process: BaseProcess | None = None
        self._is_ended = False
        threading.Thread(target=self._run_process, name=THREAD, daemon=True).start()

    def send(self, message: Message | None) -> None:
        """Send a message, such as the order; None ends the process."""
        with self._lock:
            if self._connection is None:
                self._unsent.append(message)
            else:
                _send(self._connection, message)

    def end(self) -> None:
        """Terminate the process at once."""
        with self._lock:
            self._is_ended = True
            if self._process is not None:
                self._process.terminate()

    def _run_process(self) -> None:
        """Run the process and forward its messages, on a thread."""
        spawn = multiprocessing.get_context("spawn")
        connection, child_connection = spawn.Pipe()
        process = spawn.Process(target=self._work(), args=(child_connection,), name=THREAD, daemon=True)
        try:
            process.start()
            child_connection.close()
            self._set_process(process, connection)
            while True:
                self._runner.post(self._handle_message, self, connection.recv())
        except (EOFError, OSError):
            self._runner.post(self._handle_exit, self)
            with self._lock:
                self._connection = None
                connection.close()
        finally:
            child_connection.close()
        if process.pid is not None:
            process.join()

    def _set_process(self, process: BaseProcess, connection: Connection) -> None:
        with self._lock:
            self._process, self._connection = process, connection
            if self._is_ended:
                process.terminate()
            for message in self._unsent:
                _send(connection, message)
            self._unsent.clear()


def _send(connection: Connection, message: object) -> None:
    try:
        connection.send(message)
    except OSError:
        return  # the process ended: its thread reports that
