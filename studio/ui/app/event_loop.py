"""Event loop of the window process, which asyncio and Qt share."""

from __future__ import annotations

import signal

import qasync
from PySide6.QtWidgets import QApplication

from studio.program.log_file import start_log
from studio.ui.app.application import GateReader, Session
from studio.ui.runner import Runner


def run_until_ended(
    application: QApplication,
    session: Session,
    runner: Runner,
    *,
    listen: bool,
    gates: GateReader | None = None,
) -> None:
    """Run event loop and engine until the last window closes."""
    start_log()
    # Python could not handle Ctrl+C in the terminal while Qt waits.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Not Qt's own QtAsyncio: it is not part of PySide6-Essentials, and that of PySide6 6.12 starts no process
    # and serves no socket.
    loop = qasync.QEventLoop(application)
    session.faults.begin(loop)
    with loop:
        ended = loop.create_future()
        session.ended.connect(lambda: None if ended.done() else ended.set_result(None))
        if session.controls:
            # A job that ends before the loop runs is never reported, so nothing starts before.
            loop.call_soon(runner.start, loop)
            loop.call_soon(session.load_after_paint)
            if gates is not None:
                loop.call_soon(session.watch_gates, gates)
            if listen:
                session.listen()
            loop.run_until_complete(ended)
        session.close()
        runner.close()
        session.faults.end()
