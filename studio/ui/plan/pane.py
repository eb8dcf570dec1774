"""Plan page: warnings, ticked steps, agent's message, and plan-wide decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

from studio.engine import Operation, Plan, Step, StepState
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.history.comments_panel import CommentsPanel
from studio.ui.limits import NAMED_STEPS_UP_TO
from studio.ui.look import words
from studio.ui.look.icons import Sign
from studio.ui.look.states import is_generated, plan_style
from studio.ui.look.theme import color, px
from studio.ui.look.words import say, utc_now
from studio.ui.plan.tools import PlanTools
from studio.ui.plan.warnings import AgentSays, PlanWarnings, RefusedPlanBanner
from studio.ui.review.desk import Desk
from studio.ui.review.state import ConsentSubject
from studio.ui.step.agent_text import ReasonBanner, ReasonPurpose
from studio.ui.step.banners import ClosedPlanBanner
from studio.ui.widgets import Banner, BannerKind, Button, ElidedLabel, Surface, column_of, row_of


class _Bar(Surface):
    """Bar in window colour with a hairline below."""

    def __init__(self, name: str, height: int, parent: QWidget) -> None:
        super().__init__("window", parent)
        self.setObjectName(name)
        self.setFixedHeight(px(height))
        self.row = row_of(parent=self, margins=(px(9), 0, px(9), 1), spacing=px(2))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        QPainter(self).fillRect(0, self.height() - 1, self.width(), 1, color("border"))


class PlanPane(Surface):
    """Overview of a plan's steps; deciding them all requires a confirmation."""

    pressed = Signal(object)
    """Emitted with the id of the action to run."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self._desk = desk
        self._question: dict[int, str] = {}
        self._chosen_steps: frozenset[int] | None = None
        """Numbers of the steps to confirm, None for all."""
        self.setObjectName("plan-pane")
        self.setAccessibleName(self.tr("Plan"))
        self._icon = Sign("plan-icon", self, icon="plan", token="text", size=18)
        self._title = ElidedLabel(size=14, weight=600, mode=Qt.TextElideMode.ElideRight)
        self._detail = ElidedLabel(size=12, token="muted", mode=Qt.TextElideMode.ElideRight)
        self.approve = Button("", self, icon="check", icon_token="ok")
        self.ask = Button(self.tr("Request changes…"), self, icon="comment", icon_token="text")
        self.try_plan = Button(self.tr("Try plan…"), self, icon="terminal", icon_token="text", key="T")
        self.review_again = Button(self.tr("Review again"), self, icon="observed", icon_token="text")
        self.propose = Button(self.tr("Propose approved changes"), self, icon="plan", icon_token="text")
        self.message = Button(self.tr("Copy commit message"), self, icon="copy", icon_token="text")
        self.take_back = Button(self.tr("Undo all decisions"), self, icon="undo", icon_token="text")
        self.dismiss = Button(
            self.tr("Dismiss plan"),
            self,
            icon="cross",
            icon_token="muted",
            tip=self.tr("Permanently removes the plan from the queue."),
        )
        self.reject = Button(self.tr("Reject plan…"), self, icon="cross", icon_token="bad")
        self._buttons = (
            (self.approve, Action.APPROVE_UNDECIDED),
            (self.ask, Action.REQUEST_CHANGES),
            (self.try_plan, Action.TRY_PLAN),
            (self.review_again, Action.REVIEW_CHANGES),
            (self.propose, Action.PROPOSE_APPROVED),
            (self.message, Action.COPY_MESSAGE),
            (self.take_back, Action.REVOKE_DECISION),
            (self.dismiss, Action.DISMISS),
            (self.reject, Action.REJECT_PLAN),
        )
        for button, action in self._buttons:
            self._name_button(button, action)
        self.confirm = Banner(self, name="plan-confirm")
        self.closed_sentence = ClosedPlanBanner(desk, self)
        self.closed_sentence.pressed.connect(self.pressed)
        self.reason = ReasonBanner(desk, self)
        self.tools = PlanTools(desk, self)
        self.warnings = PlanWarnings(self)
        self.refused = RefusedPlanBanner(self)
        self.refused.pressed.connect(self.pressed)
        self._agent_says = AgentSays(self)
        self.comments = CommentsPanel(desk, self)
        self.setFocusProxy(self.tools.kinds)
        self._lay_out()
        self.tools.pressed.connect(self.pressed)
        self.warnings.filter_wanted.connect(self.tools.list_warning)
        desk.walk.filter.changed.connect(self._name_bulk_buttons)
        self.warnings.step_wanted.connect(self._go_to_step)
        desk.queue.current_changed.connect(self._show_other)
        desk.queue.plans_changed.connect(self._plans_changed)
        desk.edit_drafts.changed.connect(self._plans_changed)
        desk.guards.refresh_wanted.connect(self._refresh_buttons)
        self._describe()

    def ask_before_approving(self, numbers: frozenset[int] | None = None) -> None:
        """Ask before approving all undecided steps, or those with these numbers.

        The banner names the steps that were not viewed; only it approves several at once.
        """
        plan = self._desk.queue.current_plan
        if plan is None:
            return
        self._chosen_steps = self._shown_numbers() if numbers is None else numbers
        pending = self._steps_to_approve(plan)
        unseen = [step for step in pending if not self._desk.viewed.has(plan, step)]
        self._question = {step.number: step.revision for step in pending}
        self.reason.close_unused()
        kind = BannerKind.WARNING if unseen else BannerKind.INFO
        self.confirm.show_message(kind, self._unseen_words(unseen), self._rest_words(plan))
        first: Button | None = None
        if unseen:
            first = self.confirm.add_choice(
                self.tr("Go to first unviewed step"),
                icon="observed",
                icon_token="text",
                name="plan-look-first",
                pressed=lambda: self._go_to_step(unseen[0].number),
            )
        approve = self.confirm.add_choice(
            say(self.tr("Approve {steps}"), steps=words.steps(len(pending))),
            icon="check",
            icon_token="ok",
            name="plan-approve-now",
            decides=True,
            pressed=self._approve_now,
        )
        cancel = self.confirm.add_close(self.tr("Cancel"), "plan-cancel", self.close_innermost)
        # Ticked steps are still in view, so one key asks and another confirms. A whole plan is decided by a
        # button that the user goes to.
        focused = approve if numbers is not None else first or cancel
        focused.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._refresh_buttons()

    def ask_to_reject(self) -> None:
        """Open the editor for rejecting the plan, or what the filter shows."""
        shown = self._shown_numbers()
        if shown is not None:
            self._desk.ticked.clear()
            self._desk.ticked.tick(shown, True)
        self.ask_why(ReasonPurpose.REJECT_PLAN if shown is None else ReasonPurpose.REJECT_TICKED)

    def _shown_numbers(self) -> frozenset[int] | None:
        """Return the steps that the filter shows, None without one."""
        plan = self._desk.queue.current_plan
        return self._desk.walk.shown_numbers(plan) if plan is not None else None

    def ask_why(self, telling: ReasonPurpose) -> None:
        """Open the editor for rejecting the plan or requesting changes."""
        self._close_confirm()
        self.reason.ask_for(telling)

    def close_innermost(self) -> bool:
        """Close the open banner or editor without deciding.

        Returns whether there was one.
        """
        if not self.reason.isHidden():
            self.reason.close_unused()
            return True
        if not self.confirm.isHidden():
            self._close_confirm()
            return True
        return self.tools.close_innermost()

    def _steps_to_approve(self, plan: Plan) -> list[Step]:
        """Return the steps that the open banner would approve now."""
        return [step for step in self._banner_steps(plan) if self._desk.work.is_approvable(plan, step)]

    def _name_button(self, button: Button, action: Action) -> None:
        button.setObjectName(f"plan-{action}")
        button.clicked.connect(lambda: self._press(action))

    def _press(self, action: Action) -> None:
        shown = self._shown_numbers() if action is Action.REVOKE_DECISION else None
        if shown is not None:
            self._desk.ticked.clear()
            self._desk.ticked.tick(shown, True)
        self.pressed.emit(action)

    def _lay_out(self) -> None:
        header = _Bar("plan-header", 36, self)
        header.row.setContentsMargins(px(12), 0, px(9), 1)
        header.row.setSpacing(px(8))
        header.row.addWidget(self._icon)
        header.row.addWidget(self._title)
        header.row.addWidget(self._detail, 1)
        header.row.addWidget(self.reject)
        bar = _Bar("plan-bar", 40, self)
        bar.row.addWidget(self.approve)
        bar.row.addWidget(self.ask)
        bar.row.addWidget(self.try_plan)
        for button in (self.review_again, self.propose, self.message):
            bar.row.addWidget(button)
            button.hide()  # so that a pane that was never shown is no wider for them
        bar.row.addStretch(1)
        bar.row.addWidget(self.take_back)
        bar.row.addWidget(self.dismiss)
        column = column_of(parent=self)
        above = (
            header, bar, self.closed_sentence, self.refused, self.confirm, self.reason, self.warnings,
            self.tools,
        )  # fmt: skip
        for widget in above:
            column.addWidget(widget)
        column.addWidget(self.comments)
        column.addWidget(self._agent_says, 1)
        # Free space is at the bottom, and the agent's message takes all of it.
        column.addStretch(0)

    def _show_other(self) -> None:
        self._close_confirm()
        self.reason.close_unused()
        self._describe()

    def _plans_changed(self) -> None:
        plan = self._desk.queue.current_plan
        if plan is not None and not self.confirm.isHidden():
            now = {step.number: step.revision for step in self._steps_to_approve(plan)}
            if now != self._question:
                self._close_confirm()
        self._describe()

    def _describe(self) -> None:
        plan = self._desk.queue.current_plan
        if plan is None or self._desk.queue.current_step is not None:
            return
        style = plan_style(plan)
        self._title.setText(show_name(plan.title))
        self._detail.setText(" · ".join(self._detail_words(plan, style.word)))
        self.warnings.show_plan(plan)
        self.refused.show_plan(plan)
        self._agent_says.show_plan(plan)
        self._name_bulk_buttons()
        self._refresh_buttons()

    def _name_bulk_buttons(self) -> None:
        """Name Approve, Reject and Take back by what they are about."""
        plan = self._desk.queue.current_plan
        if plan is None:
            return
        shown = self._shown_numbers()
        steps = [step for step in plan.steps if shown is None or step.number in shown]
        pending = sum(step.state is StepState.PENDING for step in steps)
        undecided = pending + sum(step.state is StepState.STALE for step in steps)
        approve = self.tr("Approve {n} undecided…") if pending else self.tr("Approve undecided…")
        reject = self.tr("Reject plan…")
        undo = self.tr("Undo all decisions")
        if shown is not None:
            approve, reject = self.tr("Approve {n} shown…"), self.tr("Reject {n} shown…")
            undo = self.tr("Undo shown decisions")
        self.approve.set_label(say(approve, n=pending))
        self.reject.set_label(say(reject, n=undecided))
        self.take_back.set_label(undo)

    def _detail_words(self, plan: Plan, state: str) -> list[str]:
        added, removed = sum(step.added for step in plan.steps), sum(step.removed for step in plan.steps)
        lines = " ".join(words.change_counts(added, removed))
        problems = (
            show_name(plan.agent),
            words.ago(plan.created, utc_now()),
            words.steps(len(plan.steps)),
            self._generated_words(plan.steps),
        )
        return [each for each in (*problems, lines, state) if each]

    def _generated_words(self, steps: Sequence[Step]) -> str:
        """Return the number of generated files, "" for none."""
        count = sum(map(is_generated, steps))
        files = self.tr("{n} generated file"), self.tr("{n} generated files")
        return words.counted(count, *files) if count else ""

    def _refresh_buttons(self) -> None:
        if self._desk.queue.current_step is not None:
            return
        for button, action in self._buttons:
            button.set_reason(self._desk.reasons.of(action))
        plan = self._desk.queue.current_plan
        decided = (StepState.APPROVED, StepState.REJECTED)
        is_closed = plan is not None and plan.state.is_dismissible
        is_review = plan is not None and plan.is_review
        self.dismiss.setVisible(is_closed or is_review)
        for button in (self.approve, self.reject):
            button.setVisible(not is_closed)
        for button in (self.ask, self.try_plan):
            button.setVisible(not is_closed and not is_review)
        self.review_again.setVisible(is_review)
        self.propose.setVisible(plan is not None and plan.is_of_commits)
        self.message.setVisible(plan is not None and is_review and bool(plan.approved) and not plan.undecided)
        self.take_back.setVisible(plan is not None and any(step.state in decided for step in plan.steps))
        now = self.confirm.findChild(Button, "plan-approve-now")
        if isinstance(now, Button):
            now.set_reason(self._desk.reasons.of(Action.APPROVE_UNDECIDED))

    def _unseen_words(self, unseen: list[Step]) -> str:
        if not unseen:
            return self.tr("You have viewed all of these steps.")
        title = words.counted(
            len(unseen),
            self.tr("You have not viewed {n} of these steps: {names}."),
            self.tr("You have not viewed {n} of these steps: {names}."),
        )
        return say(title, names=self._named([step.target for step in unseen], folders=False))

    def _named(self, paths: list[str], *, folders: bool = True) -> str:
        """Return a few paths or names, else counts by kind and folder."""
        if len(paths) <= NAMED_STEPS_UP_TO:
            return ", ".join(show_name(path if folders else words.split_path(path)[1]) for path in paths)
        kinds = Counter(
            ("", "/") if path.endswith("/")
            else (words.split_path(path)[0].partition("/")[0], PurePosixPath(path).suffix)
            for path in paths
        )  # fmt: skip
        named: list[str] = []
        for (folder, ending), count in kinds.most_common(NAMED_STEPS_UP_TO):
            sentence = self.tr("{n} *{ending} in {folder}") if ending else self.tr("{n} in {folder}")
            if ending == "/":
                sentence = self.tr("{n} folder") if count == 1 else self.tr("{n} folders")
            elif not folder:
                sentence = self.tr("{n} *{ending}") if ending else self.tr("{n} in the project root")
            named.append(say(sentence, n=count, ending=show_name(ending), folder=show_name(f"{folder}/")))
        rest = sum(count for _kind, count in kinds.most_common()[NAMED_STEPS_UP_TO:])
        more = self.tr("{names} and {n} more")
        return say(more, n=rest, names=", ".join(named)) if rest else ", ".join(named)

    def _deleted_words(self, plan: Plan) -> str:
        """Return a sentence that names and counts the deletions, else "".

        Approving a whole plan must not hide what it deletes.
        """
        deletions = [step for step in self._steps_to_approve(plan) if step.op is Operation.DELETE]
        if not deletions:
            return ""
        are_folders = [step.base is not None and step.base.is_folder for step in deletions]
        names = [step.path + "/" * is_folder for step, is_folder in zip(deletions, are_folders, strict=True)]
        files = len(deletions) - sum(are_folders)
        sentence = words.counted(
            files, self.tr("This deletes {n} file: {names}."), self.tr("This deletes {n} files: {names}.")
        )
        return say(sentence if files else self.tr("This deletes {names}."), names=self._named(names))

    def _named_generated(self, plan: Plan) -> str:
        """Return a sentence that names the generated files, else ""."""
        steps = [step for step in self._steps_to_approve(plan) if is_generated(step)]
        names = self._named([step.target for step in steps])
        found = say(self.tr("{files}: {names}."), files=self._generated_words(steps), names=names)
        return found if steps else ""

    def _rest_words(self, plan: Plan) -> str:
        sentences = [
            self._deleted_words(plan),
            self._named_generated(plan),
            self.tr("Approving does not write any files and can be undone."),
        ]
        stale = [
            show_name(words.split_path(step.target)[1])
            for step in self._banner_steps(plan)
            if step.state is StepState.STALE
        ]
        if len(stale) == 1:
            sentences.append(say(self.tr("{file} is stale and will stay undecided."), file=stale[0]))
        elif stale:
            several = say(self.tr("{n} stale steps will stay undecided."), n=len(stale))
            sentences.append(several)
        unreadable = self._count_unconfirmed(plan, ConsentSubject.UNREAD)
        if unreadable:
            left = (
                self.tr("{n} step has lines that are too long to show and will stay undecided."),
                self.tr("{n} steps have lines that are too long to show and will stay undecided."),
            )
            sentences.append(words.counted(unreadable, *left))
        secrets = self._count_unconfirmed(plan, ConsentSubject.SECRETS)
        if secrets:
            left = (
                self.tr("{n} step may contain a secret and will stay undecided."),
                self.tr("{n} steps may contain secrets and will stay undecided."),
            )
            sentences.append(words.counted(secrets, *left))
        drafts = [
            step for step in self._banner_steps(plan)
            if step.state is StepState.PENDING and self._desk.edit_drafts.has(plan, step)
        ]  # fmt: skip
        if drafts:
            left = (
                self.tr("{n} step has an unused draft and will stay undecided."),
                self.tr("{n} steps have unused drafts and will stay undecided."),
            )
            sentences.append(words.counted(len(drafts), *left))
        revised = [step for step in self._banner_steps(plan) if self._desk.viewed.is_revised(plan, step)]
        if revised:
            left = (
                self.tr("{n} step was revised after you viewed it and will stay undecided."),
                self.tr("{n} steps were revised after you viewed them and will stay undecided."),
            )
            sentences.append(words.counted(len(revised), *left))
        return " ".join(filter(None, sentences))

    def _banner_steps(self, plan: Plan) -> list[Step]:
        """Return the steps that the open banner is about."""
        return [
            step for step in plan.steps if self._chosen_steps is None or step.number in self._chosen_steps
        ]

    def _count_unconfirmed(self, plan: Plan, matter: ConsentSubject) -> int:
        """Return how many pending steps lack this consent."""
        pending = (step for step in self._banner_steps(plan) if step.state is StepState.PENDING)
        return sum(matter in self._desk.consent.missing(step) for step in pending)

    def _close_confirm(self) -> None:
        """Close the banner and return the focus to the page."""
        focused = QApplication.focusWidget()
        had_focus = focused is not None and self.confirm.isAncestorOf(focused)
        self.confirm.hide()
        if had_focus:
            self.tools.kinds.setFocus(Qt.FocusReason.OtherFocusReason)

    def _approve_now(self) -> None:
        question = self._question
        self._close_confirm()
        self._desk.decisions.approve_undecided(question)

    def _go_to_step(self, number: int) -> None:
        plan = self._desk.queue.current_plan
        if plan is not None:
            self._desk.select(plan.id, number)
