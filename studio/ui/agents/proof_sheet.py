"""A gate that is being proved: each way in which it was tried, as it comes, and what it is worth then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from studio.engine.names import show_name
from studio.ui.agents.gate_proof import GateProof, ProofEnded, Tried
from studio.ui.agents.worth import SIGNS, Worth, trial_words, worth_of
from studio.ui.look.sign import Sign
from studio.ui.look.theme import px
from studio.ui.look.times import Clock
from studio.ui.look.words import say
from studio.ui.widgets import RING, Banner, BannerKind, Button, Label, row_of
from studio.ui.widgets.escape import Escape

if TYPE_CHECKING:
    from studio.engine.agent_connection import ConnectableAgent
    from studio.ui.runner import Runner


class ProofSheet(Banner):
    """Not modal. Stopped, or left, it ends what it has started."""

    ended = Signal()
    """The trial is over, whatever came of it."""

    def __init__(
        self, agent: ConnectableAgent, runner: Runner, clock: Clock, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent, name="gate-proof")
        self._agent, self._runner, self._clock = agent, runner, clock
        self._proof: GateProof | None = None
        self._stop: Button | None = None
        self._running: list[GateProof] = []
        """The same, for when this widget is gone."""
        self.destroyed.connect(partial(_stop_all, self._running))
        Escape(self, self._is_over, self.left.emit)

    def ask(self, command: Callable[[bool], Sequence[str]], folder: Path) -> None:
        """Ask how to try it; `command` is told whether with its user's settings."""
        agent = self._agent
        choices = [("empty", self.tr("Try in an empty home"), False)]
        if agent.own_refusal:
            title = say(self.tr("{title} could not be tested with your own settings."), title=agent.title)
            self.show_message(BannerKind.WARNING, title, show_name(agent.own_refusal))
        else:
            title = say(self.tr("Try the gate of {title} with your own settings?"), title=agent.title)
            words = self.tr(
                "It starts in the sandbox, several times, with copies of {files}, without your logins, a "
                "network or a real model. Command:\n{command}"
            )
            files = ", ".join(show_name(f"~/{path}") for path in agent.own_files)
            words = say(words, files=files, command=show_name(agent.own_trial))
            self.show_message(BannerKind.INFO, title, words)
            choices.insert(0, ("own", self.tr("Try with your settings"), True))
        for name, label, is_own in choices:
            self.add_choice(
                label,
                name=f"gate-proof-{name}",
                pressed=partial(self._begin, partial(command, is_own), folder, is_own=is_own),
            )
        close = self.add_close(self.tr("Close"), "gate-proof-close", self.left.emit)
        close.setFocus(Qt.FocusReason.OtherFocusReason)

    def _begin(self, command: Callable[[], Sequence[str]], folder: Path, *_: object, is_own: bool) -> None:
        """Start the trial, in a folder in which it changes nothing."""
        title = say(self.tr("The gate of {title} is being tried…"), title=self._agent.title)
        words = self.tr(
            "Its own program is started several times, in an empty home and a project made for that. It may "
            "take some minutes."
        )
        if is_own:
            words = self.tr(
                "Its own program is started several times, in the sandbox, with copies of your settings. It "
                "may take some minutes."
            )
        self.show_message(BannerKind.INFO, title, words)
        stop = self.add_choice(self.tr("Stop"), icon="cross", name="gate-proof-stop", pressed=self.stop)
        stop.setFocus(Qt.FocusReason.OtherFocusReason)
        self._stop = stop
        self._proof = GateProof(self._runner, command, folder, self._tried, self._over)
        self._running[:] = [self._proof]

    def stop(self) -> None:
        """End it; what was proved before stays as it was."""
        if self._proof is not None:
            self._proof.stop()
            self.title.setText(self.tr("It is being stopped…"))
            if self._stop is not None:
                self._stop.set_reason(self.title.text())

    def _tried(self, tried: Tried) -> None:
        became = self.tr("written") if tried.was_written else self.tr("not written")
        icon, token = ("check", "ok") if not tried.was_written else ("danger", "bad")
        if not tried.is_gated:
            became = self.tr("written, as it has to be") if tried.was_written else self.tr("not written")
            icon, token = ("check", "muted") if tried.was_written else ("look-out", "warn")
        words = say(self.tr("Where {attempt}: {became}"), attempt=show_name(tried.attempt), became=became)
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

    def _over(self, ended: ProofEnded) -> None:
        self._proof = None
        self._running.clear()
        focused = self.window().focusWidget()
        had_keyboard = focused is not None and self.isAncestorOf(focused)
        if ended.standing is not None:
            worth = worth_of(ended.standing)
            lines = filter(None, (show_name(ended.standing.why), trial_words(ended.standing, self._clock)))
            kind = BannerKind.DONE if worth is Worth.ACTIVE else BannerKind.DANGER
            self.show_message(kind, SIGNS[worth].words, "\n".join(lines))
        elif ended.failure:
            self.show_message(
                BannerKind.WARNING, self.tr("The gate was not tried."), show_name(ended.failure)
            )
        else:
            words = self.tr("What was proved before stays as it was.")
            self.show_message(BannerKind.INFO, self.tr("It was stopped."), words)
        close = self.add_close(self.tr("Close"), "gate-proof-close", self.left.emit)
        if had_keyboard:
            close.setFocus(Qt.FocusReason.OtherFocusReason)
        self.ended.emit()

    def _is_over(self) -> bool:
        """Whether no trial runs: one that runs is ended by its button alone."""
        return self._proof is None


def _stop_all(running: list[GateProof]) -> None:
    for proof in running:
        proof.stop()
    running.clear()
