"""Test runs of open plans: resulting files for the sandbox, recorded outcomes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from msgspec.structs import replace

from studio.engine.plan import Effect, PersonSource, Plan, Step, StepDecision, StepState
from studio.engine.project.context import Person, Side
from studio.engine.propose.layer_draft import OverlaidResult
from studio.engine.propose.session_view import unwritten_steps
from studio.engine.review import staleness
from studio.engine.review.chosen_result import chosen_result
from studio.engine.store.rows import now
from studio.engine.trial import FOLDER, GONE, Trial, TrialResults
from studio.errors import Conflict, Refused
from studio.extras.commands.messages import output_of
from studio.extras.sandbox import Outcome, OverriddenFile
from studio.journal.file_image import FileImage, sha256
from studio.limits import AGENT_CHARACTERS
from studio.names import show_name
from studio.values import Value

_TEST_FOLDERS: Final = frozenset({"__snapshots__", "__tests__", "spec", "specs", "test", "testing", "tests"})
_TEST_NAMES: Final = re.compile(
    r"conftest\.py|test_.*|.*[._-](?:test|tests|spec|snap)\.[^.]+|.*_test\.[^.]+|.*\.snap"
    r"|pytest\.ini|tox\.ini|noxfile\.py|jest\.config\..*|vitest\.config\..*|\.rspec",
    re.IGNORECASE,
)


def is_test_file(path: str) -> bool:
    """Return whether a path's name marks a test or its configuration."""
    *folders, name = path.split("/")
    return bool(_TEST_NAMES.fullmatch(name)) or any(folder.lower() in _TEST_FOLDERS for folder in folders)


Choices = Mapping[int, StepDecision]
"""A person's choices for undecided steps, by number; other steps count whole."""

_WHOLE: Final[Choices] = {}


class WouldBe(Value):
    """The project as a plan would leave it.

    `laid` and `overlaid_results` are the changed files, `tests` the test files among them.
    """

    plan: str
    results: TrialResults
    overrides: tuple[OverriddenFile, ...]
    overlaid_results: tuple[OverlaidResult, ...]
    tests: tuple[str, ...]


class Trials(Side):
    """Trials of one project's plans, for any process."""

    def would_be(
        self, plan_id: str, numbers: Sequence[int] | None = None, choices: Choices = _WHOLE
    ) -> WouldBe:
        """Return the project as a plan's steps would leave it.

        Used are the steps of these `numbers`, else all that are not rejected. Raises NotFound, UsageError;
        Refused for a plan that is closed or of which nothing would be written; Conflict for a stale step.
        """
        self._context.check_root()
        staleness.refresh(self._context)
        plan = self._context.store.plans.get(plan_id)
        _check_open(plan)
        chosen = tuple(self._select_steps(plan, numbers))
        _check_fresh(plan, chosen)
        effects = tuple(self._effects_of(plan, chosen, choices))
        if not effects:
            raise Refused(
                "try.nothing",
                f"Nothing of “{plan.title}” would be written.",
                "Check the plan: each step is rejected, refused or already on disk.",
            )
        overrides = tuple(self._override_file(effect, content) for effect, content in effects)
        laid_results = tuple(_to_overlaid_result(effect) for effect, _ in effects)
        results = {result.path: _result_of(result) for result in laid_results}
        tests = tuple(sorted(filter(is_test_file, results)))
        return WouldBe(plan.id, results, overrides, laid_results, tests)

    def results(
        self, plan_id: str, numbers: Sequence[int] | None = None, choices: Choices = _WHOLE
    ) -> TrialResults:
        """Return what a plan, or some steps, would write, by path.

        Empty where nothing would be written. Raises as `would_be`, except for stale steps.
        """
        plan = self._context.store.plans.get(plan_id)
        effects = self._effects_of(plan, self._select_steps(plan, numbers), choices)
        return {effect.path: _result_of(_to_overlaid_result(effect)) for effect, _ in effects}

    def session_files(self, plans: Iterable[Plan]) -> tuple[OverriddenFile, ...]:
        """Return what the open steps of a session's plans would leave.

        For each path it is what the last plan leaves.
        """
        effects = {
            effect.path: self._override_file(effect, content)
            for plan in plans
            for effect, content in self._effects_of(plan, unwritten_steps(plan), _WHOLE)
        }
        return tuple(effects.values())

    @Side._notifies
    def record(
        self, would_be: WouldBe, outcome: Outcome, *, who: str = "", person: Person | None = None
    ) -> Trial:
        """Store the outcome of a trial on the plan.

        Without a `person` in the window it is recorded as unverified.
        """
        is_pressed = person is not None and person.source is PersonSource.WINDOW
        trial = Trial(
            plan=would_be.plan,
            made=now(),
            who=person.name if person is not None else who[:AGENT_CHARACTERS],
            is_remembered=is_pressed and outcome.argv in self.remembered,
            argv=outcome.argv,
            exit=outcome.exit,
            signal=outcome.signal,
            ended_by=outcome.ended_by.value,
            seconds=round(outcome.seconds, 3),
            way=outcome.way.value,
            network=outcome.network,
            results=would_be.results,
            tests=would_be.tests,
            output=output_of(outcome),
        )
        with self._context.store.database.write() as connection:
            self._context.store.trials.add(connection, trial)
        return trial

    @property
    def remembered(self) -> tuple[tuple[str, ...], ...]:
        """The user's own list of commands, each as its words."""
        return self._context.config().sandbox_try

    def _select_steps(self, plan: Plan, numbers: Sequence[int] | None) -> Iterator[Step]:
        selected = (
            None if numbers is None else {self._context.store.plans.require(plan, n).number for n in numbers}
        )
        for step in plan.steps:
            is_coming = step.state in (StepState.PENDING, StepState.APPROVED, StepState.STALE)
            if is_coming and (selected is None or step.number in selected):
                yield step

    def _effects_of(
        self, plan: Plan, steps: Iterable[Step], choices: Choices
    ) -> Iterator[tuple[Effect, bytes | None]]:
        """Yield each effect of the steps on a path they write.

        With its bytes, where they are not stored yet.
        """
        for step in steps:
            image, content = self._compute_result(plan, step, choices)
            for effect in step.effects:
                if effect.path in step.written_paths:
                    yield replace(effect, after=image) if effect.path == step.target else effect, content

    def _compute_result(
        self, plan: Plan, step: Step, choices: Choices
    ) -> tuple[FileImage | None, bytes | None]:
        """Return a step's result at its target.

        With its bytes, where they are not stored yet.
        """
        if step.state is not StepState.PENDING or step.number not in choices:
            return step.decided, None
        digest, contents = chosen_result(self._context, plan, step, choices[step.number])
        if step.result is None or digest is None:
            return step.result, None
        image = replace(step.result, sha256=digest)
        return image, next((data for data in contents if sha256(data) == digest), None)

    def _override_file(self, effect: Effect, content: bytes | None) -> OverriddenFile:
        image = effect.after
        if image is None or image.sha256 is None:
            return OverriddenFile(effect.path, is_folder=image is not None)
        if content is not None and sha256(content) == image.sha256:
            return OverriddenFile(effect.path, image.mode, lambda: content)
        return OverriddenFile(effect.path, image.mode, partial(self._context.store.blobs.get, image.sha256))


def _check_open(plan: Plan) -> None:
    if not plan.state.is_open or plan.is_review:
        state = "a review" if plan.is_review else plan.state.words
        raise Refused(
            "try.state",
            f"“{plan.title}” is {state}; there is nothing to try before it is written.",
            "Run the command on the project itself.",
        )


def _check_fresh(plan: Plan, steps: Sequence[Step]) -> None:
    stale_steps = [step for step in steps if step.state is StepState.STALE]
    if stale_steps:
        names = ", ".join(f"{step.number} ({show_name(step.path)})" for step in stale_steps[:3])
        more = f" and {len(stale_steps) - 3} more" if len(stale_steps) > 3 else ""
        raise Conflict(
            "try.stale",
            f"“{plan.title}” can't be tried: step {names}{more} is stale."
            if len(stale_steps) == 1
            else f"“{plan.title}” can't be tried: steps {names}{more} are stale.",
            "Rebase or discard them first, or choose the steps to try.",
            path=stale_steps[0].path,
        )


def _to_overlaid_result(effect: Effect) -> OverlaidResult:
    image = effect.after
    return OverlaidResult(effect.path, image and image.sha256, image and image.git_mode)


def _result_of(result: OverlaidResult) -> str | None:
    return result.sha256 or (GONE if result.git_mode is None else FOLDER)
