"""Refused and withdrawn plans: in a folded group, with their lines, until a person dismisses them."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel

from studio.engine.plan import PlanState
from studio.engine.workspace import Workspace
from studio.formats import detect
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with


def test_a_refused_plan_is_looked_at_and_dismissed(harbour: Harbour, desktop: Desktop) -> None:
    workspace = Workspace.open(harbour.root)
    refused = workspace.proposer.propose(detect.read(b"--- a/two.txt\n+++ b/two.txt\n@@ -x +1 @@\n+a\n"))
    workspace.close()
    plan = harbour.propose("One place", two_txt=lines_with(l5="changed 5"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    group = person.panes.queue.closed
    assert group.is_folded and group.header.detail.shown_text() == "1"
    assert person.place == (plan, 1), "what is put aside is never gone to by itself"
    assert [each.id for each in person.panes.queue.model.plans] == [plan]
    assert all(place[0] == plan for place in person.desk.walk.listed_steps or ())

    person.click_on(group.unfold)
    wait_for(lambda: not group.is_folded, "the group unfolded")
    group.view.setCurrentIndex(group.model.index_of(refused.id))
    assert person.place == (refused.id, None)
    told = [label.text() for label in person.find("agent-says").widget().findChildren(QLabel)]
    assert any(text.startswith("Line 3: This hunk header can't be read.") for text in told), told
    person.wait_until_on("dismiss")
    person.click("plan-dismiss")
    person.wait_until_said("Dismissed")
    wait_for(group.isHidden, "no group")
    assert person.place == (plan, 1)
    again = Workspace.open(harbour.root)
    shown = again.proposer.plan(refused.id)
    assert shown.state is PlanState.DISMISSED and shown.dismissal is not None
    assert (shown.dismissal.was, shown.dismissal.seen.value) == (PlanState.INVALID, "window")
    again.close()
