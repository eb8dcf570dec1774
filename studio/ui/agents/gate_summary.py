"""Status, icon and text showing whether an agent's unreviewed writes are blocked."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from studio.extras.agents import Gate, GateStatus
from studio.names import show_name
from studio.ui.language import translator
from studio.ui.look.words import Clock, counted, full_moment, say
from studio.values import Value

_tr = translator("GateSummary")


class GateSummary(IntEnum):
    """Gate status; a greater value is worse."""

    ACTIVE = 1
    NOT_PROVED = 2
    OPEN_ON_FAILURE = 3
    NOT_PROTECTED = 4


class Sign(Value):
    """Icon, colour token and text of a gate status.

    `of_one` and `of_many` name the number of agents; without them the first agent is named. A file that
    switches a gate off is named before either.
    """

    icon: str
    token: str
    text: str
    of_one: str = ""
    of_many: str = ""

    @property
    def words(self) -> str:
        """The text in the user's language."""
        return _tr(self.text)

    def detail(self, statuses: Sequence[GateStatus]) -> str:
        """Return the agents concerned, or the file that disables a gate."""
        if file := next((each.file for each in statuses if each.file), ""):
            return show_name(file)
        if self.of_one:
            return counted(len(statuses), _tr(self.of_one), _tr(self.of_many))
        return show_name(statuses[0].agent)


SIGNS: Final = {
    GateSummary.ACTIVE: Sign(
        "gate",
        "ok",
        "Protected",
        "{n} agent",
        "{n} agents",
    ),
    GateSummary.NOT_PROVED: Sign("look-out", "bad", "Not verified"),
    GateSummary.OPEN_ON_FAILURE: Sign("danger", "bad", "Protected, fails open"),
    GateSummary.NOT_PROTECTED: Sign(
        "danger",
        "bad",
        "Not protected",
        "{n} agent",
        "{n} agents",
    ),
}


def summary_of(status: GateStatus) -> GateSummary:
    """Return the current status of one agent's gate."""
    if status.gate is Gate.NONE:
        return GateSummary.NOT_PROTECTED
    if not status.proved:
        return GateSummary.NOT_PROVED
    return GateSummary.ACTIVE if status.gate is Gate.CLOSED else GateSummary.OPEN_ON_FAILURE


def trial_words(status: GateStatus, clock: Clock) -> str:
    """Return client version, time and home of the last test, or ""."""
    if status.when is None:
        return ""
    words = _tr("Verified in an empty home folder with {version}, {when}.")
    if status.is_own:
        words = _tr("Verified with your own settings and {version}, {when}.")
    return say(words, version=show_name(status.version), when=full_moment(status.when, clock()))


def worst_of(statuses: Sequence[GateStatus]) -> tuple[GateSummary, tuple[GateStatus, ...]]:
    """Return the worst gate status and its gates; needs at least one."""
    worst = max(map(summary_of, statuses))
    return worst, tuple(each for each in statuses if summary_of(each) is worst)
