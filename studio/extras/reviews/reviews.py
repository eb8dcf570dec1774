"""Reviews of a project, and plans made from their marks."""

from __future__ import annotations

from collections.abc import Callable

from studio.engine.plan import WORK_TREE, Plan
from studio.engine.project.context import Context
from studio.errors import Refused
from studio.extras.reviews import take_back
from studio.extras.reviews.compared_files import (
    ComparedFiles,
    compare_commits,
    compare_snapshot,
    compare_work_tree,
)
from studio.extras.reviews.review_plan import make_review
from studio.extras.snapshots.folder import SnapshotFolder


class Reviews:
    """Reviews, for any process: they change no file and decide nothing."""

    def __init__(self, context: Context, folder: Callable[[], SnapshotFolder]) -> None:
        self._context = context
        self._folder = folder

    def work_tree(self) -> Plan | None:
        """Review the uncommitted changes, without git those since the newest snapshot.

        None where there are none. Raises Refused where git's data can't be read, or there is no snapshot.
        """
        return self._make(
            compare_work_tree(self._context) or compare_snapshot(self._context, self._folder(), "")
        )

    def commits(self, revisions: str) -> Plan | None:
        """Review what commits changed, as `git diff A...B` compares them.

        `revisions` is `A..B`, or one revision that is compared with HEAD. Raises Refused.
        """
        return self._make(compare_commits(self._context, revisions))

    def snapshot(self, wanted: str) -> Plan | None:
        """Review what changed since a snapshot, given by id, prefix or tag.

        Raises NotFound, UsageError, Refused, SnapshotError.
        """
        return self._make(compare_snapshot(self._context, self._folder(), wanted))

    def again(self, plan_id: str) -> Plan | None:
        """Make a review anew, with the marks on what is unchanged.

        Raises as the methods above.
        """
        subject = self._get(plan_id).reviews or ""
        if ".." in subject:
            return self.commits(subject)
        return self.work_tree() if subject == WORK_TREE else self.snapshot(subject)

    def take_back(self, plan_id: str) -> Plan:
        """Propose to revert what was rejected in a review.

        Nothing is written yet. Raises Refused where nothing is.
        """
        return self._propose(take_back.take_back, plan_id)

    def propose(self, plan_id: str) -> Plan:
        """Propose to write what was approved in a review of commits.

        Raises Refused where nothing is.
        """
        return self._propose(take_back.propose_approved, plan_id)

    def _make(self, compared: ComparedFiles) -> Plan | None:
        self._context.check_root()
        with self._context.notifying():
            return make_review(self._context, compared)

    def _propose(self, propose: Callable[[Context, Plan], Plan], plan_id: str) -> Plan:
        self._context.check_root()
        with self._context.notifying():
            return propose(self._context, self._get(plan_id))

    def _get(self, plan_id: str) -> Plan:
        plan = self._context.store.plans.get(plan_id)
        if not plan.is_review:
            raise Refused("review.other_plan", f"“{plan.title}” is no review.", "Start a review.")
        return plan
