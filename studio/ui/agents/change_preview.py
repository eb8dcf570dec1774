"""Inline panels: previewing an agent's connect/disconnect file changes; running its write-block test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QWidget

from studio.extras.agents import ChangeMade, ChangeMessage, ChangeNotMade, PlannedChange
from studio.names import show_name
from studio.ui.agents.doctor_runner import GateProof, ProofEnded, Tried
from studio.ui.agents.gate_summary import SIGNS, GateSummary, summary_of, trial_words
from studio.ui.language import translator
from studio.ui.look.icons import Sign
from studio.ui.look.theme import px
from studio.ui.look.words import Clock, say
from studio.ui.review.guards import InputGuard, foreign_change_seconds
from studio.ui.widgets import RING, Banner, BannerKind, Button, Label, column_of, row_of
from studio.ui.widgets.difference_view import DifferenceView
from studio.ui.widgets.text_field import Escape
from studio.ui.worker import Worker

if TYPE_CHECKING:
    from studio.extras.agents import ConnectableAgent
    from studio.ui.agents.agent_process import AgentConnections
    from studio.ui.runner import Runner


_tr = translator("GateTestPanel")


class ChangePreview(Banner):
    """Inline preview of a change to an agent's files.

    Not modal. The child process that shows the change also makes it, on a click; else it ends.
    """

    made = Signal()
    """Files were changed, or may have been."""
    connected = Signal(str)
    """The agent was connected: carries what was said of it, as lines."""

    def __init__(
        self,
        agent: ConnectableAgent,
        connections: AgentConnections,
        runner: Runner,
        parent: QWidget | None = None,
        *,
        removes: bool,
    ) -> None:
        super().__init__(parent, name="agent-change")
        Escape(self, self.isVisible, self.close_preview)
        self._agent, self._connections, self._runner = agent, connections, runner
        self._removes, self._is_pressed = removes, False
        self._worker: Worker[bool] | None = None
        self._workers: list[Worker[bool]] = []
        """The same worker, reachable after this widget is destroyed."""
        self.destroyed.connect(partial(_release_all, self._workers))
        self._content: QWidget | None = None
        self._make: Button | None = None
        self._close: Button | None = None
        self._had_keyboard = True
        """Whether the focus was in here before the current message; it is never taken from another widget."""
        self._input_guard = InputGuard(parent=self)
        self._input_guard.changed.connect(self._refresh)

    def begin(self) -> None:
        """Read the agent's files and show the change."""
        self._release_workers()
        self._is_pressed = False
        self._show_words(BannerKind.INFO, self._title(), self.tr("Reading the agent's configuration…"))
        self._had_keyboard = True
        self._add_close(self.tr("Cancel"))
        work = partial(self._connections.change, self._agent.name, self._removes)
        self._worker = Worker(self._runner, work, self._handle_message, self._handle_process_end)
        self._workers[:] = [self._worker]

    def close_preview(self) -> None:
        """Cancel and close; ignored while files are being written."""
        if not self._is_pressed:
            self._release_workers()
            self.dismissed.emit()

    def _title(self) -> str:
        removes = self.tr("Disconnecting {title} will remove the following from its configuration:")
        puts = self.tr("Connecting {title} will add the following to its configuration:")
        return say(removes if self._removes else puts, title=self._agent.title)

    def _handle_message(self, worker: Worker[bool], message: ChangeMessage) -> None:
        if worker is not self._worker:
            return
        match message:
            case PlannedChange():
                self._show(message)
            case ChangeMade():
                self._forget_process()
                lines = self._show_done(message)
                if not self._removes:
                    self.connected.emit(lines)
                self.made.emit()
            case ChangeNotMade():
                was_pressed = self._is_pressed
                self._forget_process()
                self._show_failed(message)
                if was_pressed:
                    self.made.emit()

    def _handle_process_end(self, worker: Worker[bool]) -> None:
        """Handle the end of the process; one that reported none was killed."""
        if worker is not self._worker:
            return
        was_pressed = self._is_pressed
        self._forget_process()
        words = self.tr("Nothing was changed.")
        if was_pressed:
            words = self.tr("Changes made so far are kept. Show the diff again to see the remaining changes.")
        self._show_words(BannerKind.DANGER, self.tr("The process was killed."), words)
        self._add_again()
        if was_pressed:
            self.made.emit()

    def _show(self, change: PlannedChange) -> None:
        if change.is_done:
            self._release_workers()
            nothing = self.tr("No changes are needed for {title}.")
            remarks = "\n".join(map(show_name, change.remarks))
            self._show_words(BannerKind.INFO, say(nothing, title=self._agent.title), remarks)
            self._add_close(self.tr("Close"))
            return
        self._show_words(BannerKind.INFO, self._title())
        self._show_content(change)
        words = self.tr("Disconnect") if self._removes else self.tr("Connect")
        self._make = self.add_choice(
            words,
            tip=self.tr("Makes exactly the changes shown."),
            name="agent-change-now",
            decides=True,
            pressed=self._confirm_change,
        )
        self._make.setAccessibleName(f"{words} {self._agent.title}")
        self._add_close(self.tr("Cancel"))
        self._input_guard.begin(foreign_change_seconds())
        self._refresh()

    def _show_content(self, change: PlannedChange) -> None:
        content = QWidget(self)
        content.setObjectName("agent-change-content")
        content.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        content.setAccessibleName(self.tr("Changes"))
        column = column_of(parent=content, margins=(RING, 0, RING, 0), spacing=px(4))
        for file in change.files:
            column.addSpacing(px(4))
            column.addWidget(Label(show_name(file.shown), content, weight=500, wrap=True))
            column.addWidget(Label(" ".join(file.meanings), content, size=12, wrap=True))
            view = DifferenceView(file.diff, content)
            view.setAccessibleName(say(self.tr("Changes to {file}"), file=show_name(file.shown)))
            column.addWidget(view)
        for sentence in change.meanings:
            column.addWidget(Label(show_name(sentence), content, wrap=True))
        for sentence in change.remarks:
            column.addWidget(Label(show_name(sentence), content, token="warn", wrap=True))
        self.body.addWidget(content)
        self._content = content

    def _confirm_change(self) -> None:
        if self._worker is None or self._is_pressed or self._input_guard.seconds_left > 0:
            return
        self._is_pressed = True
        # A disabled button would pass the focus to the next widget of the page.
        if self._content is not None:
            self._content.setFocus(Qt.FocusReason.OtherFocusReason)
        self._worker.send(message=True)
        self._refresh()

    def _show_words(self, kind: BannerKind, title: str, words: str = "") -> None:
        focused = self.window().focusWidget()
        self._had_keyboard = focused is not None and self.isAncestorOf(focused)
        self._drop_content()
        self.show_message(kind, title, words)

    def _refresh(self) -> None:
        if self._make is None or self._close is None:
            return
        reason = ""
        if self._is_pressed:
            reason = self.tr("In progress.")
        elif self._input_guard.seconds_left > 0:
            reason = self.tr("The view just changed. Try again in a second.")
        self._make.set_reason(reason)
        self._close.set_reason(reason if self._is_pressed else "")

    def _show_done(self, change: ChangeMade) -> str:
        """Show what was done; return it as lines."""
        title = (
            self.tr("{title} is no longer connected.") if self._removes else self.tr("{title} is connected.")
        )
        lines = [show_name(change.missing)] if change.missing else []
        if change.backups:
            backups = ", ".join(map(show_name, change.backups))
            lines.append(say(self.tr("Backup files: {files}"), files=backups))
        kind = BannerKind.WARNING if change.missing else BannerKind.DONE
        title = say(title, title=self._agent.title)
        self._show_words(kind, title, "\n".join(lines))
        self._add_close(self.tr("Close"))
        return "\n".join([title, *lines])

    def _show_failed(self, change: ChangeNotMade) -> None:
        lines = [show_name(change.hint)]
        if change.made:
            files = ", ".join(map(show_name, change.made))
            lines.append(say(self.tr("Files already changed: {files}"), files=files))
        self._show_words(BannerKind.DANGER, show_name(change.message), "\n".join(lines))
        self._add_again()

    def _add_again(self) -> None:
        self.add_choice(self.tr("Show diff again"), name="agent-change-again", pressed=self.begin)
        self._add_close(self.tr("Close"))

    def _add_close(self, words: str) -> None:
        close = self._close = self.add_close(words, "agent-change-close", self.close_preview)
        if self._had_keyboard:
            close.setFocus(Qt.FocusReason.OtherFocusReason)

    def _forget_process(self) -> None:
        """Forget the process after its last message."""
        self._worker, self._is_pressed = None, False
        self._workers.clear()

    def _release_workers(self) -> None:
        _release_all(self._workers)
        self._worker = None

    def _drop_content(self) -> None:
        self._make = self._close = None
        if self._content is not None:
            self._content.hide()
            self._content.deleteLater()
            self._content = None

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.WindowActivate and self._make is not None:
            self._input_guard.begin(
                foreign_change_seconds()
            )  # the click that activated the window decides nothing
        return super().event(event)


def _release_all(workers: list[Worker[bool]]) -> None:
    for worker in workers:
        worker.send(None)
    workers.clear()


# Test of a gate: each attempt as it is reported, then the gate status.


def attempt_words() -> dict[str, str]:
    """Return the label of each attempt, by its name in JSON."""
    return {
        "there is no gate": _tr("Without a gate"),
        "our part answers no": _tr("Gate denies"),
        "our part is killed": _tr("Gate killed"),
        "our part is missing": _tr("Gate missing"),
        "our part talks nonsense": _tr("Gate sends invalid output"),
        "our part never answers": _tr("Gate never answers"),
        "the hook program itself is missing": _tr("Hook program missing"),
        "what it starts as its hook is killed": _tr("Hook process killed"),
    }


class GateTestPanel(Banner):
    """Inline panel of a gate test; not modal.

    Closing or stopping it ends the processes it started.
    """

    ended = Signal()
    """The test is over, whatever its result."""

    def __init__(
        self, agent: ConnectableAgent, runner: Runner, clock: Clock, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent, name="gate-proof")
        self._agent, self._runner, self._clock = agent, runner, clock
        self._proof: GateProof | None = None
        self._stop: Button | None = None
        self._running: list[GateProof] = []
        """The same test, reachable after this widget is destroyed."""
        self._attempts: list[QWidget] = []
        self._before = ""
        """What was said of connecting the agent just before."""
        self.destroyed.connect(partial(_stop_all, self._running))
        Escape(self, self.is_idle, self.dismissed.emit)

    def begin_after(
        self, before: str, command: Callable[[bool], Sequence[str]], folder: Path, *, takes_keyboard: bool
    ) -> None:
        """Test the agent that was just connected, in an empty home."""
        self._before = f"{before}\n"
        self._begin(command, folder, is_own=False, takes_keyboard=takes_keyboard)

    def ask(self, command: Callable[[bool], Sequence[str]], folder: Path) -> None:
        """Ask how to test; `command` gets whether with the user's settings."""
        agent = self._agent
        self._before = ""
        for row in self._attempts:
            row.hide()
            row.deleteLater()
        self._attempts.clear()
        choices = [("empty", self.tr("Verify in an empty home folder"), False)]
        if agent.own_refusal:
            title = say(
                self.tr("The gate for {title} can't be verified with your own settings."), title=agent.title
            )
            self.show_message(BannerKind.WARNING, title, show_name(agent.own_refusal))
        else:
            title = say(self.tr("Verify the gate for {title} with your own settings?"), title=agent.title)
            words = self.tr(
                "The agent starts several times in the sandbox, with copies of {files} "
                "but without your logins, network access or a real model. Command:\n"
                "{command}"
            )
            files = ", ".join(show_name(f"~/{path}") for path in agent.own_files)
            words = say(words, files=files, command=show_name(agent.own_trial))
            self.show_message(BannerKind.INFO, title, words)
            choices.insert(0, ("own", self.tr("Verify with your own settings"), True))
        for name, label, is_own in choices:
            self.add_choice(
                label,
                name=f"gate-proof-{name}",
                pressed=partial(self._begin, command, folder, is_own=is_own),
            )
        close = self.add_close(self.tr("Close"), "gate-proof-close", self.dismissed.emit)
        close.setFocus(Qt.FocusReason.OtherFocusReason)

    def _begin(
        self,
        command: Callable[[bool], Sequence[str]],
        folder: Path,
        *_: object,
        is_own: bool,
        takes_keyboard: bool = True,
    ) -> None:
        """Start the test, in a folder that it does not change."""
        title = say(self.tr("Verifying the gate for {title}…"), title=self._agent.title)
        words = self.tr(
            "The agent starts several times in an empty home folder and a temporary "
            "project. This may take a few minutes."
        )
        if is_own:
            words = self.tr(
                "The agent starts several times in the sandbox with copies of your settings. "
                "This may take a few minutes."
            )
        self.show_message(BannerKind.INFO, title, self._before + words)
        stop = self.add_choice(self.tr("Stop"), icon="cross", name="gate-proof-stop", pressed=self.stop)
        if takes_keyboard:
            stop.setFocus(Qt.FocusReason.OtherFocusReason)
        self._stop = stop
        start, self._again = partial(command, is_own), partial(self.ask, command, folder)
        self._proof = GateProof(self._runner, start, folder, self._show_attempt, self._show_result)
        self._running[:] = [self._proof]

    def stop(self) -> None:
        """Stop the test; the last proved status stays."""
        if self._proof is not None:
            self._proof.stop()
            self.title.setText(self.tr("Stopping…"))
            if self._stop is not None:
                self._stop.set_reason(self.title.text())

    def _show_attempt(self, attempt: Tried) -> None:
        became = self.tr("written") if attempt.was_written else self.tr("not written")
        icon, token = ("check", "ok") if not attempt.was_written else ("danger", "bad")
        if not attempt.is_gated:
            became = self.tr("written, as expected") if attempt.was_written else self.tr("not written")
            icon, token = ("check", "muted") if attempt.was_written else ("look-out", "warn")
        tried = attempt_words().get(attempt.attempt, show_name(attempt.attempt))
        words = say(self.tr("{attempt}: {became}"), attempt=tried, became=became)
        row = QWidget(self)
        row.setObjectName("gate-proof-tried")
        row_of(
            (Sign("tried-sign", row, icon=icon, token=token), 0, Qt.AlignmentFlag.AlignTop),
            (Label(words, row, wrap=True), 1),
            parent=row,
            margins=(RING, 0, RING, 0),
            spacing=px(8),
        )
        self.body.addWidget(row)
        self._attempts.append(row)

    def _show_result(self, result: ProofEnded) -> None:
        self._proof = None
        self._running.clear()
        focused = self.window().focusWidget()
        had_keyboard = focused is not None and self.isAncestorOf(focused)
        if result.gate_status is not None:
            summary = summary_of(result.gate_status)
            lines = filter(
                None, (show_name(result.gate_status.why), trial_words(result.gate_status, self._clock))
            )
            kind = BannerKind.DONE if summary is GateSummary.ACTIVE else BannerKind.DANGER
            self.show_message(kind, SIGNS[summary].words, self._before + "\n".join(lines))
        elif result.failure:
            self.show_message(
                BannerKind.WARNING,
                self.tr("The gate was not verified."),
                self._before + show_name(result.failure),
            )
        else:
            words = self.tr("The previous result is kept.")
            self.show_message(BannerKind.INFO, self.tr("Stopped."), self._before + words)
        if self._before:
            self.add_choice(self.tr("Try again…"), name="gate-proof-again", pressed=self._again)
        close = self.add_close(self.tr("Close"), "gate-proof-close", self.dismissed.emit)
        if had_keyboard:
            close.setFocus(Qt.FocusReason.OtherFocusReason)
        self.ended.emit()

    def is_idle(self) -> bool:
        """Return whether no test runs: a running one has its own button."""
        return self._proof is None


def _stop_all(running: list[GateProof]) -> None:
    for proof in running:
        proof.stop()
    running.clear()
