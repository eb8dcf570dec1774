"""Runner of background work on threads and child processes, with UI-thread callbacks."""

from __future__ import annotations

import errno
import logging
import sys
import threading
from collections import defaultdict, deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QObject, Qt, Signal
from shiboken6 import isValid

from studio.errors import DiskFull, InternalError, StudioError

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Executor, Future, ThreadPoolExecutor

    from studio.engine import Problem

_log = logging.getLogger(__name__)

# Python's default is 5 ms, a third of a frame for each time that a busy thread holds the GIL.
_SWITCH_SECONDS = 0.0002
"""Seconds after which a thread must release the GIL that the UI requests.

A frame requests it many times.
"""

_FULL_CODES = frozenset({"disk.full", "disk.quota", "state.full"})
_FULL_NUMBERS = frozenset({errno.ENOSPC, errno.EDQUOT})


WINDOW_HINTS = {
    QT_TRANSLATE_NOOP("Runner", "Fix the problem, then click “Try again” in the banner at the bottom."): (
        "apply.not_put_back apply.unrecorded recovery.blocked"
    ),
    QT_TRANSLATE_NOOP("Runner", "Confirm in the banner at the bottom that this is the same project."): (
        "root.replaced"
    ),
    QT_TRANSLATE_NOOP("Runner", "Choose another plan in History."): (
        "discard.not_applied plan.discarded rollback.nothing"
    ),
    QT_TRANSLATE_NOOP("Runner", "Choose “Scan for outside changes”."): (
        "observed.damaged observed.disk observed.no_baseline"
    ),
    QT_TRANSLATE_NOOP("Runner", "Choose “Keep all outside changes…” to set a new baseline."): (
        "snapshot.baseline"
    ),
    QT_TRANSLATE_NOOP("Runner", "Choose “New snapshot…” before the next change."): "review.no_base",
    QT_TRANSLATE_NOOP("Runner", "Choose “Review changes” again."): (
        "review.ended review.nothing_left review.other_plan"
    ),
    QT_TRANSLATE_NOOP("Runner", "For details, choose “Diagnostics…”."): (
        "sandbox.no_answer sandbox.no_way sandbox.step"
    ),
}
"""Hints that name the window's way, with the codes of the engine's errors that they are for."""
_HINT_OF = {code: str(hint) for hint, codes in WINDOW_HINTS.items() for code in codes.split()}


def window_hint(error: StudioError) -> str:
    """Return an error's hint, or the window's own for its code."""
    hint = _HINT_OF.get(error.code)
    return error.hint if hint is None else QCoreApplication.translate("Runner", hint)


def is_disk_full(error: BaseException | Problem | None) -> bool:
    """Return whether a full disk or quota caused the error.

    Not where an error of the engine says more, such as what could not be put back.
    """
    while error is not None:
        code = getattr(error, "code", "")
        if code and code != "state.unusable":
            return code in _FULL_CODES
        if getattr(error, "errno", 0) in _FULL_NUMBERS:
            return True
        error = error.__cause__ if isinstance(error, BaseException) else None
    return False


def disk_full(error: BaseException | None = None) -> StudioError:
    """Return the error with the one sentence about a full disk.

    The log has the words that name the file.
    """
    sentence = QCoreApplication.translate(
        "Runner",
        ("The disk is full or over quota. No files were left partially written, and stored data is intact."),
    )
    hint = QCoreApplication.translate("Runner", "Leave this window open, free some space and try again.")
    if error is not None:
        _log.info("The disk is full: %s", error)
    if isinstance(error, StudioError):
        error.message, error.hint = sentence, hint
        return error
    return DiskFull("disk.full", sentence, hint)


Result = TypeVar("Result")
Then = Callable[[Any], object]
Failed = Callable[[StudioError], object]
_Answer = tuple["asyncio.Future[Any]", Then | None, Failed | None]


class Runner(QObject):
    """Runner of functions outside the UI thread, with callbacks on it.

    `start` sets the event loop after the first paint; earlier calls wait for that. `Runner(immediate=True)`
    runs everything at once on the calling thread, for tests.
    """

    unexpected_error = Signal(object)
    """Emitted with a `StudioError` for which there was no `failed` callback."""
    _posted = Signal(object)

    def __init__(self, *, immediate: bool = False, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._immediate = immediate
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: list[Callable[[], None]] = []
        self._next: deque[tuple[Callable[[], Executor] | None, Callable[[], object]]] = deque()
        """What runs after the next frame, a job with where it runs."""
        self._engine: ThreadPoolExecutor | None = None
        self._worker: ThreadPoolExecutor | None = None
        self._process_pool: Executor | None = None
        self._background_pool: ThreadPoolExecutor | None = None
        self._answers: defaultdict[Callable[[], Executor], deque[_Answer]] = defaultdict(deque)
        """Pending results of each thread or process, in the order of the calls."""
        self._closed = False
        self.report_fault: Callable[[BaseException, str], object] = _log_fault
        """Receives every exception of a job or its callbacks that is no `StudioError`."""
        self._posted.connect(self._run_posted, Qt.ConnectionType.QueuedConnection)

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Set the event loop and start what waits for it."""
        sys.setswitchinterval(_SWITCH_SECONDS)
        self._loop = loop
        waiting, self._waiting = self._waiting, []
        for begin in waiting:
            begin()

    def call(
        self,
        function: Callable[..., Result],
        *args: object,
        then: Callable[[Result], object] | None = None,
        failed: Failed | None = None,
    ) -> None:
        """Run `function(*args)` on the engine thread, in the order of calls."""
        self._begin(self._engine_thread, partial(function, *args), then, failed)

    def call_at_once(
        self,
        function: Callable[..., Result],
        *args: object,
        then: Callable[[Result], object] | None = None,
        failed: Failed | None = None,
    ) -> None:
        """Run `function(*args)` on the engine thread beside the next frame.

        For what the user waits for while that frame shows something else. Calls made before go first.
        """
        self.call(function, *args, then=then, failed=failed)
        engine = self._engine_thread
        starts = [start for executor, start in self._next if executor == engine]
        self._next = deque(each for each in self._next if each[0] != engine)
        for start in starts:
            start()

    def call_in_background(
        self,
        function: Callable[..., Result],
        *args: object,
        then: Callable[[Result], object] | None = None,
        failed: Failed | None = None,
    ) -> None:
        """Run a long engine call on a second thread, in order.

        So it does not delay decisions.
        """
        self._begin(self._background_thread, partial(function, *args), then, failed)

    def call_last(self, function: Callable[..., object], *args: object) -> None:
        """Run a function on the engine thread after the calls beside it."""
        self.call(self._after_background, partial(function, *args))

    def compute(
        self,
        function: Callable[..., Result],
        *args: object,
        then: Callable[[Result], object] | None = None,
        failed: Failed | None = None,
    ) -> None:
        """Run pure work on a worker thread, without the workspace."""
        self._begin(self._worker_thread, partial(function, *args), then, failed)

    def compute_apart(
        self,
        function: Callable[..., Result],
        *args: object,
        then: Callable[[Result], object] | None = None,
        failed: Failed | None = None,
    ) -> None:
        """Run pure Python work in a child process, to block no frame.

        The function must be at the top level of a module without Qt; arguments and result are pickled.
        """
        self._begin(self._child_process, partial(function, *args), then, failed)

    def compute_alone(
        self,
        function: Callable[..., Result],
        *args: object,
        then: Callable[[Result], object] | None = None,
        failed: Failed | None = None,
    ) -> None:
        """Run work that may never end on a thread of its own.

        Nothing waits for it, not even the end of the program: a disk may not respond.
        """
        job = partial(function, *args)
        if self._immediate:
            self._begin(self._worker_thread, job, then, failed)
        elif not self._closed:
            self._after_frame(partial(self._start_alone, job, then, failed))

    def next_turn(self, function: Callable[..., object], *args: object) -> None:
        """Call `function(*args)` on the UI thread after the next frame."""
        if self._immediate:
            function(*args)
        elif not self._closed:
            self._after_frame(partial(self._run_posted, partial(function, *args)))

    def post(self, function: Callable[..., object], *args: object) -> None:
        """Call `function(*args)` on the UI thread soon.

        This is the only method that other threads may use.
        """
        if not self._closed:
            self._posted.emit(partial(function, *args))

    def close(self, last: Callable[[], object] | None = None) -> None:
        """Finish the engine calls made so far, then run `last` there.

        Other jobs that have not started are dropped.
        """
        if self._closed:
            return
        while self._next:
            self._run_next()
        self._closed = True
        self._waiting.clear()
        if self._immediate:
            if last is not None:
                last()
            return
        if self._engine is not None or last is not None:
            engine = self._engine_thread()
            if last is not None:
                engine.submit(last)
            engine.shutdown(wait=True)
        if self._background_pool is not None:
            self._background_pool.shutdown(wait=True, cancel_futures=True)
        if self._worker is not None:
            self._worker.shutdown(wait=True, cancel_futures=True)
        if self._process_pool is not None:
            self._process_pool.shutdown(wait=True, cancel_futures=True)
        for answers in self._answers.values():
            for future, _, _ in answers:
                # asyncio logs an exception that was never retrieved as an error.
                if not future.cancel() and not future.cancelled():
                    future.exception()
            answers.clear()

    def _begin(
        self,
        executor: Callable[[], Executor],
        job: Callable[[], Any],
        then: Then | None,
        failed: Failed | None,
    ) -> None:
        if self._closed:
            return
        if self._immediate:
            self._run_now(job, then, failed)
        elif self._loop is None:
            self._waiting.append(partial(self._begin, executor, job, then, failed))
        else:
            start = partial(self._submit, self._loop, executor, job, then, failed)
            self._after_frame(start, executor)

    # Jobs that started during a frame doubled the time of a key press.
    def _after_frame(
        self, function: Callable[[], object], executor: Callable[[], Executor] | None = None
    ) -> None:
        """Run a function in the turn after the next frame.

        What runs during a frame takes the GIL from it.
        """
        if self._loop is None:
            self._waiting.append(partial(self._after_frame, function, executor))
            return
        self._next.append((executor, function))
        # The event loop paints before it handles its timers.
        self._loop.call_soon(self._run_next)

    def _run_next(self) -> None:
        if self._next:
            self._next.popleft()[1]()

    def _submit(
        self,
        loop: asyncio.AbstractEventLoop,
        executor: Callable[[], Executor],
        job: Callable[[], Any],
        then: Then | None,
        failed: Failed | None,
    ) -> None:
        try:
            future = self._start_job(loop, executor, job)
        except (OSError, RuntimeError) as error:
            # A child process that can't be started; the next job tries a new one.
            self._process_pool = None
            loop.call_soon(self._report_not_started, failed, error)
            return
        answers = self._answers[executor]
        answers.append((future, then, failed))
        # A done callback runs outside of any task, so nothing it opens can block other tasks.
        future.add_done_callback(lambda _: self._finish(answers))

    def _start_job(
        self, loop: asyncio.AbstractEventLoop, executor: Callable[[], Executor], job: Callable[[], Any]
    ) -> asyncio.Future[Any]:
        try:
            return loop.run_in_executor(executor(), job)
        except RuntimeError:
            # A child process that died while idle: no part of the job was started.
            self._process_pool = None
            return loop.run_in_executor(executor(), job)

    def _start_alone(self, job: Callable[[], Any], then: Then | None, failed: Failed | None) -> None:
        def work() -> None:
            self.post(self._deliver, _outcome_of(job), then, failed)

        threading.Thread(target=work, name="alone", daemon=True).start()

    def _run_now(self, job: Callable[[], Any], then: Then | None, failed: Failed | None) -> None:
        self._deliver(_outcome_of(job), then, failed)

    def _report_not_started(self, failed: Failed | None, error: Exception) -> None:
        def fail() -> None:
            raise error

        self._deliver(_outcome_of(fail), None, failed)

    # Jobs finish in order, but qasync 0.28.0 signals that by timers, which Qt may run in another order: an
    # older state of the queue arrived after a newer one.
    def _finish(self, answers: deque[_Answer]) -> None:
        """Deliver finished results in order, up to the first pending one."""
        while answers and answers[0][0].done():
            future, then, failed = answers.popleft()
            if not future.cancelled():
                self._deliver(future, then, failed)

    def _deliver(
        self, outcome: Future[Any] | asyncio.Future[Any], then: Then | None, failed: Failed | None
    ) -> None:
        error = outcome.exception()
        if self._closed:
            return
        if error is None:
            if then is not None:
                self._run_callback(then, outcome.result())
            return
        if is_disk_full(error):
            error = disk_full(error)
        elif not isinstance(error, StudioError):
            error = self._internal(error)
        error.hint = window_hint(error)
        if failed is not None:
            self._run_callback(failed, error)
        else:
            self.unexpected_error.emit(error)

    def _run_callback(self, callback: Callable[[Any], object], value: object) -> None:
        if _is_gone(callback):
            return
        try:
            callback(value)
        except Exception as error:
            if self._immediate:
                raise
            self.unexpected_error.emit(self._internal(error))

    def _internal(self, error: BaseException) -> InternalError:
        self.report_fault(error, "A job of the window failed")
        return InternalError(
            "internal",
            QCoreApplication.translate("Runner", "Exacta Studio encountered an internal error."),
            QCoreApplication.translate("Runner", "Nothing was written. See the log for details."),
        )

    def _run_posted(self, function: Callable[[], object]) -> None:
        if not self._closed and not _is_gone(function):
            function()

    def _engine_thread(self) -> ThreadPoolExecutor:
        if self._engine is None:
            # One thread: a store belongs to the thread that opened it, and calls stay in order.
            self._engine = _one_thread("engine")
        return self._engine

    def _background_thread(self) -> ThreadPoolExecutor:
        if self._background_pool is None:
            self._background_pool = _one_thread("aside")
        return self._background_pool

    def _after_background(self, function: Callable[[], object]) -> None:
        if self._background_pool is not None:
            self._background_pool.submit(lambda: None).result()
        function()

    def _worker_thread(self) -> ThreadPoolExecutor:
        if self._worker is None:
            self._worker = _one_thread("compute")
        return self._worker

    def _child_process(self) -> Executor:
        if self._process_pool is None:
            from studio.ui.process_pool import process_pool

            self._process_pool = process_pool()
        return self._process_pool


def _one_thread(name: str) -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)


def _outcome_of(job: Callable[[], Any]) -> Future[Any]:
    from concurrent.futures import Future

    outcome: Future[Any] = Future()
    try:
        outcome.set_result(job())
    except Exception as error:
        outcome.set_exception(error)
    return outcome


def _is_gone(callback: Callable[..., object]) -> bool:
    """Return whether the callback belongs to a QObject that was deleted since."""
    while isinstance(callback, partial):
        callback = callback.func
    owner = getattr(callback, "__self__", None)
    return isinstance(owner, QObject) and not isValid(owner)


def _log_fault(error: BaseException, words: str) -> None:
    _log.error(words, exc_info=error)
