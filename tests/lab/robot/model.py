"""What deliberate acts may have made, and what is there that none of them made."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from studio.engine.plan import PersonSource, PlanState, StepState, Verdict
from studio.ui.review.editor import DRAFT, DRAFT_BASE
from tests.lab.robot.looking import Decided, PlanStep, Truth, UnsentKey

_DECIDED = frozenset({StepState.APPROVED, StepState.REJECTED, StepState.APPLIED, StepState.ROLLED_BACK})
_ENDED = frozenset({PlanState.CHANGES_REQUESTED, PlanState.CANCELLED, PlanState.DISMISSED})
_TEXTS = frozenset({"reason", "note", "comment"})
Shown = tuple[Verdict, str | None]
Place = tuple[str, int, str]
"""Plan id, step number (0: the plan), kind of unsent text."""


@dataclass
class May:
    """What the deliberate keys since the last look may still do."""

    decide: dict[PlanStep, list[Shown]] = field(default_factory=dict[PlanStep, "list[Shown]"])
    """The verdict, and the hash of the result that was on screen."""
    take_back: set[PlanStep] = field(default_factory=set[PlanStep])
    view: set[PlanStep] = field(default_factory=set[PlanStep])
    write: set[str] = field(default_factory=set[str])
    send_back: set[str] = field(default_factory=set[str])
    copy: bool = False


class Model:
    """Compares what is true with what was true before, and lets through what somebody meant."""

    def __init__(self, truth: Truth) -> None:
        self.known = truth
        self.may = May()
        self._typed: dict[Place, str] = {}
        self._edited: dict[PlanStep, list[str]] = {}
        self._chosen: set[PlanStep] = set()
        self._decided_once: set[str] = set()
        self._touched: set[str] = set()

    # What deliberate acts allow

    def typed(self, place: Place, letter: str) -> None:
        """A letter was typed where a field was opened for that place."""
        self._typed[place] = self._typed.get(place, "") + letter

    def began_editing(self, step: PlanStep, text: str) -> None:
        """The editor of a step was opened, and showed this."""
        self._edited.setdefault(step, []).append(text)

    def chose(self, step: PlanStep) -> None:
        self._chosen.add(step)

    def meant(self, steps: list[PlanStep], verdict: Verdict, shown: dict[PlanStep, str | None]) -> None:
        """A key was pressed that decides these steps, whose results were on screen."""
        for step in steps:
            # An earlier one may still be under way, where the store is held.
            self.may.decide.setdefault(step, []).append((verdict, shown.get(step)))
            self.may.view.add(step)
            self._decided_once.add(step[0])
            if verdict is Verdict.REQUEST_CHANGES:
                self.may.send_back.add(step[0])

    def took_back(self, steps: list[PlanStep]) -> None:
        """A key was pressed that takes decisions back; their texts are unsent texts again."""
        self.may.take_back |= set(steps)
        for step in steps:
            made = self.known.decisions.get(step)
            if made is not None:
                self.typed((*step, "reason"), made.text)
                self.typed((*step, "note"), made.text)
                for comment in made.comments:
                    self.typed((*step, "comment"), comment.text)

    def forget_what_may(self) -> None:
        """Everything that was pressed has had its effect."""
        self.may = May()

    # What is compared

    def adopt(self, truth: Truth) -> None:
        """The other process alone was at work: what it did is none of the window's doing."""
        before, after = self.known.files or {}, truth.files or {}
        self._touched |= {path for path in {*before, *after} if before.get(path) != after.get(path)}
        self.known = truth

    def faults(self, truth: Truth) -> list[str]:
        """A sentence for each thing that no deliberate key made; afterwards it is known."""
        found = [
            *self._of_decisions(truth), *self._of_states(truth), *self._of_unsent(truth),
            *self._of_files(truth),
        ]  # fmt: skip
        if truth.clipboard != self.known.clipboard and not self.may.copy:
            found.append(f"the clipboard was taken: {truth.clipboard[:40]!r}")
        self.known = truth
        return found

    def _of_decisions(self, truth: Truth) -> Iterator[str]:
        for step, made in truth.decisions.items():
            before = self.known.decisions.get(step)
            if made == before or made.by is not PersonSource.WINDOW:
                continue
            if step[0] in truth.rollbacks and truth.targets[step] in self.may.write:
                continue
            name = f"{made.verdict.value} of step {step[1]} ({truth.targets[step]})"
            meant = [result for verdict, result in self.may.decide.get(step, ()) if verdict is made.verdict]
            if not meant:
                yield f"nobody decided: {name} with {made.text!r}"
            elif made.is_as_proposed and made.result not in meant:
                yield f"decided was another result than the one on screen: {name}"
            else:
                yield from (f"{each} with the {name}" for each in self._sent(step, made))

    def _sent(self, step: PlanStep, made: Decided) -> Iterator[str]:
        """What went with a decision and was typed or chosen for something else."""
        kind = "note" if made.verdict is Verdict.APPROVE else "reason"
        whole = self._typed.get((step[0], 0, kind), "")
        typed = self._typed.get((*step, kind), "")
        if not (_is_part(made.text, typed) or (kind == "reason" and _is_part(made.text, whole))):
            yield f"nobody typed the {kind} {made.text!r}"
        said = self._typed.get((*step, "comment"), "")
        if not all(_is_part(comment.text, said) for comment in made.comments):
            yield "nobody typed a comment"
        if made.chose and step not in self._chosen:
            yield "nobody left a hunk out"
        if made.edited and step not in self._edited:
            yield "nobody edited the result"

    def _of_states(self, truth: Truth) -> Iterator[str]:
        for step, state in truth.steps.items():
            before = self.known.steps.get(step)
            if before is state or before is None:
                continue
            name = (
                f"step {step[1]} of {truth.titles[step[0]]} ({truth.targets[step]}) went from {before.value} "
                f"to {state.value}"
            )
            path = truth.targets[step]
            if state in (StepState.APPLIED, StepState.ROLLED_BACK):
                if path not in self.may.write:
                    yield name
            elif state in _DECIDED:
                if step not in self.may.decide:
                    yield name
            elif state is StepState.PENDING and before in _DECIDED and not self._may_be_open(step, path):
                yield name
        for plan, state in truth.plans.items():
            before = self.known.plans.get(plan)
            if before is None or before is state or state not in _ENDED:
                continue
            if plan not in self.may.send_back:
                yield f"a plan went from {before.value} to {state.value}"
        for plan in self.known.plans.keys() - truth.plans.keys():
            yield f"plan {plan[:8]} is gone"

    def _may_be_open(self, step: PlanStep, path: str) -> bool:
        """Whether somebody took a decision back, or the file under it was changed by somebody else."""
        return step in self.may.take_back or path in self._touched

    def _of_unsent(self, truth: Truth) -> Iterator[str]:
        before = self.known.unsent
        for key in before.keys() | truth.unsent.keys():
            old, new = before.get(key, b""), truth.unsent.get(key, b"")
            if old != new and (fault := self._of_one_unsent(key, old, new)):
                path = truth.targets.get((key[0], key[1]), "the plan")
                yield f"{fault} (step {key[1]}, {path})"

    def _of_one_unsent(self, key: UnsentKey, old: bytes, new: bytes) -> str:
        plan, step, kind, place = key
        if kind == "viewed" and (place == 3 or (place == 1 and not old)):
            return ""  # the step was painted
        if kind == "viewed":
            return "" if (plan, step) in self.may.view else f"viewed mark {'made' if new else 'taken away'}"
        if kind == "choices":
            return "" if (plan, step) in self._chosen else "a hunk was left out or taken in"
        if kind in _TEXTS:
            typed = self._typed.get((plan, step, kind), "")
            if not new and plan not in self._decided_once and not _ends_in_nothing(typed):
                return f"the {kind} {old.decode()!r} was lost"
            text = new.decode()
            return "" if _is_part(text, typed) else f"{kind} {text!r}, of which {typed!r} was typed there"
        if (plan, step) not in self._edited:
            return "an edited result that nobody edited"
        return self._of_edit((plan, step), place, new)

    def _of_edit(self, step: PlanStep, place: int, new: bytes) -> str:
        if not new or place == DRAFT_BASE:
            return ""  # what would be written without the text is no text of anybody's
        text = new.decode()
        text = json.loads(text)["text"] if place == DRAFT else text.partition("\n")[2]
        typed = Counter(self._typed.get((*step, "edited"), "").casefold())
        for opened in self._edited[step]:
            if _is_within(opened, text) and Counter(text.casefold()) - Counter(opened.casefold()) <= typed:
                return ""
        return f"an edited result that is not what was typed: {text[-60:]!r}"

    def _of_files(self, truth: Truth) -> Iterator[str]:
        before, after = self.known.files, truth.files
        if before is None or after is None:
            if before is not after:
                yield "the project's folder came or went"
            return
        for path in before.keys() | after.keys():
            if before.get(path) != after.get(path) and path not in self.may.write:
                yield f"{path} was written"


def _is_part(text: str, typed: str) -> bool:
    """Whether a text is made of what was typed, with some of its letters lost. Shift is not told apart, nor
    the order: a field that is opened again has its cursor where it wants."""
    return Counter(text.casefold()) <= Counter(typed.casefold())


def _is_within(opened: str, text: str) -> bool:
    """Whether a text is one that was opened, with letters put in."""
    letters = iter(text)
    return all(letter in letters for letter in opened)


def _ends_in_nothing(typed: str) -> bool:
    return not typed.strip()
