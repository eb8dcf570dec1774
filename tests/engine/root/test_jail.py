"""Every operation of the engine against every way out of a project."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.engine.disk import batch
from studio.engine.root import ProjectRoot
from studio.errors import StudioError
from tests.engine.host_acts import HOST_ACTS
from tests.engine.root.jail import (
    ACTS,
    ATTACKS,
    Act,
    Attack,
    few_handles,
    lay_ground,
    lay_inside,
    no_handle_left,
    shape,
    told,
)

each_act = pytest.mark.parametrize("act", (*ACTS, *HOST_ACTS), ids=lambda act: act.name)


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A link that is in the way is looked at again for seconds, as a rival may exchange it: here it stays."""
    monkeypatch.setattr(batch, "AGAIN_SECONDS", 0.0)


def seen(act: Act, root: ProjectRoot, path: str) -> bytes:
    """What an operation showed; nothing if it was refused, in one of the ways a caller reckons with."""
    try:
        return act.guarded(root, path)
    except (StudioError, OSError):
        return b""


@each_act
def test_no_way_leads_out(act: Act, way: str, tmp_path: Path) -> None:
    """Refused, or harmless; not one byte, inode, mode or name changes outside, and none is told."""
    for number, attack in enumerate(ATTACKS):
        ground = lay_ground(tmp_path / str(number))
        path = attack.lay(ground, act.leaf)
        inside, outside, secrets = shape(ground.project), shape(ground.outside), told(ground)
        with ProjectRoot(ground.project) as root, no_handle_left():
            found = seen(act, root, path)
        assert not [secret for secret in secrets if secret in found], (
            f"{attack.name}: {act.name} told {found}"
        )
        assert shape(ground.outside) == outside, f"{attack.name}: {act.name} changed the outside"
        left = {name: what for name, what in shape(ground.project).items() if name not in inside}
        assert shape(ground.project) == inside | left, f"{attack.name}: {act.name} changed the project"
        assert not left or (attack.prepares and all(name.startswith(".exacta-") for name in left))


@each_act
def test_without_the_root_every_way_leads_out(act: Act, tmp_path: Path) -> None:
    """The control: by names alone the same operation on the same layout does escape."""
    escapes = [attack for attack in ATTACKS if attack.leads_out and (act.follows or not attack.last)]
    assert len(escapes) >= 9
    for number, attack in enumerate(escapes):
        ground = lay_ground(tmp_path / str(number))
        path = str(ground.project / attack.lay(ground, act.leaf))
        outside, secrets = shape(ground.outside), told(ground)
        found = act.unguarded(path)
        if act.reads:
            assert [secret for secret in secrets if secret in found], f"{attack.name} did not get out"
        else:
            assert shape(ground.outside) != outside, f"{attack.name} did not get out"


@each_act
def test_inside_every_operation_works(act: Act, way: str, tmp_path: Path) -> None:
    """The other control: what refuses everything would pass the first test."""
    ground = lay_inside(tmp_path)
    before = shape(ground.project)
    with ProjectRoot(ground.project) as root, no_handle_left():
        found = act.guarded(root, act.leaf)
    assert found
    assert (shape(ground.project) != before) is not act.reads


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_a_refused_path_is_told_in_a_sentence(attack: Attack, way: str, tmp_path: Path) -> None:
    ground = lay_ground(tmp_path)
    path = attack.lay(ground, "secret.txt")
    with ProjectRoot(ground.project) as root, pytest.raises((StudioError, OSError)) as refused:
        root.read(path, 100)
    if isinstance(refused.value, StudioError):
        assert refused.value.message.endswith(".") and refused.value.hint.endswith(".")
        assert refused.value.path == path


@each_act
def test_few_handles_left(act: Act, way: str, tmp_path: Path) -> None:
    """A process that may hardly open anything more: it works or says no, and keeps no handle."""
    done: list[bool] = []
    for spare in range(9):
        ground = lay_inside(tmp_path / str(spare))
        with ProjectRoot(ground.project) as root, no_handle_left(), few_handles(spare):
            done.append(seen(act, root, act.leaf) != b"")
    assert not done[0], "the first try has no handle to work with"
    assert done[-1], "the last has as many as it takes"
    assert done == sorted(done)


@each_act
def test_a_working_folder_that_is_gone_is_not_asked(
    act: Act, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground = lay_inside(tmp_path)
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with ProjectRoot(ground.project) as root:
        assert act.guarded(root, act.leaf)


@each_act
def test_a_root_is_the_folder_that_was_opened(act: Act, way: str, tmp_path: Path) -> None:
    """Given through a link, and its path meanwhile a link to elsewhere."""
    ground = lay_inside(tmp_path)
    (tmp_path / "alias").symlink_to(ground.project)
    with ProjectRoot(tmp_path / "alias") as root:
        assert root.path == ground.project.resolve()
        ground.project.rename(tmp_path / "moved")
        ground.project.symlink_to(ground.outside)
        before = shape(ground.outside)
        assert act.guarded(root, act.leaf)
        assert not root.is_path_unchanged()
        assert shape(ground.outside) == before
