"""The queue's rows: their order, what an update may move, what a filter hides."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy

from studio.engine.plan import Fact, Plan, Severity, StepState
from studio.ui.look.states import is_collapsed
from studio.ui.queue.arrangement import Arrangement, Order, StepOrder
from studio.ui.queue.model import QueueModel, Role
from studio.ui.review.viewed import viewed_mark

NOTHING = frozenset()


@pytest.fixture
def model(samples: SimpleNamespace, qapp: object) -> QueueModel:
    model = QueueModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    model.update((samples.retry(), samples.readme(), samples.logo(), samples.pasted()), NOTHING)
    return model


def titles(model: QueueModel) -> list[str]:
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def names(model: QueueModel, plan: int) -> list[str]:
    top = model.index(plan, 0)
    return [model.index(row, 0, top).data() for row in range(model.rowCount(top))]


def test_plans_and_steps_stand_in_the_order_they_came(model: QueueModel) -> None:
    assert titles(model) == [
        "Retry failed downloads",
        "German readme",
        "New harbour logo",
        "Pasted diff, 22 Nov 10:02",
    ]
    assert names(model, 0)[:5] == ["fetch.py", "config.py", "backoff.py", "test_fetch.py", "guide.md"]
    assert (model.waiting_plans, model.undecided) == (4, 9)


def test_a_new_state_moves_no_row_and_resets_nothing(model: QueueModel, samples: SimpleNamespace) -> None:
    resets, inserts, changes = (
        QSignalSpy(signal) for signal in (model.modelReset, model.rowsInserted, model.dataChanged)
    )
    watched = QPersistentModelIndex(model.index_of(samples.retry().id, 1))
    approved = samples.with_step(samples.retry(), 1, state=StepState.APPROVED, decision=samples.decision())
    new = model.update((samples.pasted(), samples.logo(), samples.readme(), approved), NOTHING)
    assert new == ()
    assert (resets.count(), inserts.count()) == (0, 0)
    assert changes.count() == 2, "the plan's row and the step's row, and no other"
    assert watched.isValid() and watched.data(Role.STEP).state is StepState.APPROVED
    assert titles(model)[0] == "Retry failed downloads"
    assert model.undecided == 8


def test_equal_titles_are_told_apart_by_their_ids(model: QueueModel, samples: SimpleNamespace) -> None:
    plans = (samples.retry(), samples.readme(), samples.logo(), samples.pasted())
    twin = replace(samples.readme(), id="8d000000-1")
    model.update((*plans, twin), NOTHING)
    assert titles(model)[1] == f"German readme · {samples.readme().id[:8]}"
    assert titles(model)[-1] == "German readme · 8d000000"
    assert titles(model)[0] == "Retry failed downloads"
    model.update(plans, NOTHING)
    assert titles(model)[1] == "German readme"


def test_new_plans_go_below_and_are_named(model: QueueModel, samples: SimpleNamespace) -> None:
    old = samples.readme()
    fresh = replace(old, id="8d000000", title="Brand new", created=samples.now - timedelta(days=2))
    new = model.update((fresh, samples.retry(), samples.readme(), samples.logo(), samples.pasted()), NOTHING)
    assert new == ("8d000000",)
    assert titles(model)[-1] == "Brand new"


def test_steps_that_join_an_open_plan_go_below_its_steps(model: QueueModel, samples: SimpleNamespace) -> None:
    plan = samples.readme()
    grown = replace(plan, steps=(*plan.steps, samples.step(3, "web/late.css", plan="b")))
    model.update((samples.retry(), grown, samples.logo(), samples.pasted()), NOTHING)
    assert names(model, 1) == ["readme_de.txt", "index.html", "late.css"]


def test_a_plan_that_no_longer_waits_goes(model: QueueModel, samples: SimpleNamespace) -> None:
    model.update((samples.retry(), samples.pasted()), NOTHING)
    assert titles(model) == ["Retry failed downloads", "Pasted diff, 22 Nov 10:02"]


def test_a_row_under_the_pointer_stays_and_says_it_is_over(
    model: QueueModel, samples: SimpleNamespace
) -> None:
    rest = (samples.retry(), samples.logo(), samples.pasted())
    model.update(rest, NOTHING, keep={samples.readme().id})
    assert titles(model)[1] == "German readme"
    assert model.index(1, 0).data(Role.LEFT) is True
    assert model.index(0, 0).data(Role.LEFT) is False
    model.update(rest, NOTHING)
    assert "German readme" not in titles(model)


def test_viewed_is_a_matter_of_the_bytes_seen(model: QueueModel, samples: SimpleNamespace) -> None:
    plan = samples.readme()
    index = model.index_of(plan.id, 1)
    assert index.data(Role.VIEWED) is False
    model.update(model.plans, frozenset({viewed_mark(plan, plan.steps[0])}))
    assert index.data(Role.VIEWED) is True
    model.update(model.plans, frozenset({(plan.id, 1, "0" * 64)}))
    assert index.data(Role.VIEWED) is False


def test_filters_hide_steps_and_say_how_many(model: QueueModel, samples: SimpleNamespace) -> None:
    model.arrange(Arrangement(words="is:warning"))
    assert titles(model) == ["Retry failed downloads"]
    assert names(model, 0) == ["deploy.sh", "store.py"]
    assert model.hidden == 12
    model.arrange(Arrangement(words="is:undecided"))
    assert names(model, 0) == ["fetch.py", "guide.md", "deploy.sh", "store.py"]
    decided = samples.with_step(samples.retry(), 1, state=StepState.REJECTED)
    model.update((decided, samples.readme()), NOTHING)
    assert names(model, 0)[0] == "fetch.py", "a decision hides no row under the hand"
    model.arrange(Arrangement())
    assert model.hidden == 0


def test_sorting_is_done_once_when_asked(model: QueueModel, samples: SimpleNamespace) -> None:
    model.arrange(Arrangement(order=Order.BY_AGENT))
    assert titles(model)[0] == "Pasted diff, 22 Nov 10:02", "the person comes before all agents"
    model.arrange(Arrangement(order=Order.OLDEST_FIRST))
    assert titles(model)[0] == "Pasted diff, 22 Nov 10:02"
    model.arrange(Arrangement(order=Order.NEWEST_FIRST))
    assert titles(model)[0] == "Retry failed downloads"
    newest = replace(samples.readme(), id="9", title="Newest", created=samples.now)
    model.update((*model.plans, newest), NOTHING)
    assert titles(model)[-1] == "Newest"


@pytest.mark.parametrize(
    ("order", "first"),
    [
        (StepOrder.AS_PROPOSED, ["fetch.py", "config.py", "backoff.py"]),
        (StepOrder.BY_PATH, ["release.yml", "guide.md", "deploy.sh"]),
        (StepOrder.BY_STATE, ["fetch.py", "guide.md", "deploy.sh"]),
        (StepOrder.LARGEST_FIRST, ["test_fetch.py", "backoff.py", "fetch.py"]),
        (StepOrder.GRAVEST_FIRST, ["deploy.sh", "store.py", "fetch.py"]),
    ],
)
def test_steps_are_sorted_by_path_state_size_and_danger(
    model: QueueModel, samples: SimpleNamespace, order: StepOrder, first: list[str]
) -> None:
    model.arrange(Arrangement(step_order=order))
    assert names(model, 0)[:3] == first
    assert model.step_order[0][0] == samples.retry().id
    top = model.index(0, 0)
    shown = [model.index(row, 0, top).data(Role.STEP).number for row in range(model.rowCount(top))]
    assert [number for plan, number in model.step_order if plan == samples.retry().id] == shown
    assert all(model.index_of(samples.retry().id, number).isValid() for number in shown)


@pytest.mark.parametrize(
    ("wish", "shown"),
    [
        (Arrangement(agent="codex"), ["German readme", "New harbour logo"]),
        (Arrangement(agent=""), ["Pasted diff, 22 Nov 10:02"]),
        (Arrangement(words="tide FETCH"), ["Retry failed downloads"]),
        (Arrangement(words="docs/usage"), ["Retry failed downloads"]),
        (Arrangement(words="is:approved", agent=""), ["Pasted diff, 22 Nov 10:02"]),
        (Arrangement(words="is:stale"), ["Retry failed downloads"]),
        (Arrangement(words="is:conflict"), []),
        (Arrangement(words="nothing/like/this"), []),
    ],
)
def test_filters_by_agent_path_and_state(model: QueueModel, wish: Arrangement, shown: list[str]) -> None:
    model.arrange(wish)
    assert titles(model) == shown
    assert model.hidden == 14 - sum(len(names(model, row)) for row in range(model.rowCount()))
    assert model.agents == ("", "claude-code", "codex")


def test_every_row_can_be_read_aloud(model: QueueModel, samples: SimpleNamespace) -> None:
    spoken = Qt.ItemDataRole.AccessibleTextRole
    assert model.index(0, 0).data(spoken) == "Retry failed downloads, claude-code, 3 of 7 decided"
    assert model.index(3, 0).data(spoken) == "Pasted diff, 22 Nov 10:02, you, 1 of 1 decided"
    step = model.index_of(samples.retry().id, 6).data(spoken)
    assert step == "scripts/deploy.sh, change mode, pending, 0 added, 0 removed, warning, not viewed"
    assert not model.index_of("nobody").isValid()
    assert model.data(QModelIndex()) is None


def generated(plan: Plan, *numbers: int) -> Plan:
    """The plan with these steps of generated files, and none of them warned of."""
    fact = Fact("generated", Severity.NOTE, "According to its name, this file is generated.")
    steps = [replace(step, facts=(fact,)) if step.number in numbers else step for step in plan.steps]
    return replace(plan, version=plan.version + 1, steps=tuple(steps))


def test_a_lock_file_that_was_not_read_is_listed(samples: SimpleNamespace) -> None:
    """Composer's, and those that older builds stored: nobody compared where its packages come from."""
    step = replace(samples.readme().steps[0], path="composer.lock")
    name = Fact(
        "generated", Severity.NOTE, "According to its name, a package manager generates this lock file."
    )
    assert not is_collapsed(replace(step, facts=(name,)))
    assert is_collapsed(replace(step, facts=(name, Fact("lock_file", Severity.NOTE, "1 package up."))))


def test_generated_files_are_one_row_until_they_are_warned_of(
    model: QueueModel, samples: SimpleNamespace
) -> None:
    plan = samples.retry()
    others = (samples.readme(), samples.logo(), samples.pasted())
    folded = generated(replace(plan, id="generated", steps=plan.steps[:5]), 1, 3)
    model.update((plan, *others, folded), NOTHING)
    fold = QPersistentModelIndex(model.fold_of("generated"))
    assert fold.data() == "2 generated files"
    assert [model.index_of("generated", number).isValid() for number in range(1, 6)] == [
        False, True, False, True, True,
    ]  # fmt: skip
    listed = [number for plan_id, number in model.step_order if plan_id == "generated"]
    assert listed == [2, 4, 5]
    assert model.folded_steps == (("generated", 1), ("generated", 3))
    model.toggle(model.fold_of("generated"))
    assert [number for plan_id, number in model.step_order if plan_id == "generated"] == [2, 4, 5, 1, 3]

    longer = generated(replace(plan, id="generated", version=9, steps=plan.steps[:7]), 1, 3, 6)
    model.update((plan, *others, longer), NOTHING)
    assert fold.data() == "3 generated files" and fold.row() == 4
    stale = samples.with_step(longer, 3, state=StepState.STALE)
    model.update((plan, *others, stale), NOTHING)
    assert model.fold_of("generated").data() == "2 generated files"
    assert model.index_of("generated", 3).row() == 1, "where the agent proposed it"
    model.update(
        (
            plan,
            *others,
            samples.with_step(samples.with_step(stale, 1, state=StepState.STALE), 6, state=StepState.STALE),
        ),
        NOTHING,
    )
    assert not model.fold_of("generated").isValid()
    assert model.rowCount(model.index_of("generated")) == 7


def test_a_plan_of_nothing_else_is_listed_as_it_is(model: QueueModel, samples: SimpleNamespace) -> None:
    plan = samples.readme()
    every = generated(replace(plan, id="every"), *(step.number for step in plan.steps))
    model.update((samples.retry(), every), NOTHING)
    assert not model.fold_of("every").isValid()
    assert model.rowCount(model.index_of("every")) == len(plan.steps)
