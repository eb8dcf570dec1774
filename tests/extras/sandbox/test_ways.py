"""Which ways work is found by trying; a copy is whole, and says what it takes before it is made."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from studio.extras.sandbox import (
    LAYER_METHODS,
    Command,
    CopySize,
    Layer,
    LayerKind,
    LayerMethodCheck,
    Sandbox,
    SandboxRefused,
    Way,
    check_layer_methods,
    sandbox as sandbox_module,
)
from tests.tools.rights import IS_ROOT
from tests.tools.sandboxed import opened

pytestmark = pytest.mark.root


def test_each_way_is_proved_or_says_why_not(project: Path, tmp_path: Path) -> None:
    opened(project, state=tmp_path / "state").close()
    proofs = {proof.way: proof for proof in check_layer_methods()}
    assert tuple(proofs) == LAYER_METHODS
    assert proofs[Way.COPY].works and proofs[Way.COPY].hint == ""
    assert [each.name for each in sandbox_module.state_directory().iterdir()] == ["sandbox"]
    for proof in proofs.values():
        assert proof.message.endswith(".") and proof.way.words in proof.message


def test_a_way_that_lets_something_out_does_not_work(monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    opened(project).close()
    run = Sandbox.run

    def leaking(self: Sandbox, command: Command) -> object:
        Path(command.argv[-1], "victim.txt").write_bytes(b"changed\n")
        return run(self, command)

    monkeypatch.setattr(Sandbox, "run", leaking)
    proof = check_layer_methods()[-1]
    assert isinstance(proof, LayerMethodCheck) and not proof.works
    assert "wrote outside" in proof.message


def test_a_plain_copy_says_what_it_takes_and_can_be_forbidden(project: Path, unchanged: None) -> None:
    told: list[CopySize] = []

    def announce(size: CopySize) -> None:
        told.append(size)
        raise SandboxRefused("no", "Not this much.", "")

    with pytest.raises(SandboxRefused, match="Not this much"):
        Sandbox(project, ways=(Way.COPY,), announce=announce)
    assert told[0].files == 3 and 0 < told[0].bytes < 100_000
    assert list((sandbox_module.state_directory() / "sandbox").iterdir()) == []


def test_a_layer_is_made_over_the_project_alone(monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    """Another folder took its place after the last look, and before the layer was mounted."""
    opened(project).close()
    launch = sandbox_module.Launch

    def late(*given: Any) -> sandbox_module.Launch:
        project.rename(project.with_name("moved"))
        project.mkdir()
        return launch(*given)

    monkeypatch.setattr(sandbox_module, "Launch", late)
    with pytest.raises(SandboxRefused) as refused:
        Sandbox(project, ways=(Way.NAMESPACE,))
    assert refused.value.code == "sandbox.moved"


def test_a_copy_is_whole(project: Path) -> None:
    with (project / "sparse").open("wb") as file:
        file.write(b"begin")
        file.seek(1 << 30)
        file.write(b"end")
    os.mkfifo(project / "pipe")
    (project / "closed").mkdir(mode=0o500)
    (project / "src/program.sh").chmod(0o4755)
    before = layout(project)
    with opened(project, Way.COPY) as sandbox:
        layer: Layer = sandbox.layer
        assert layer.kind is LayerKind.COPY
        assert layout(layer.path) == {name: value for name, value in before.items() if name != "pipe"}
        assert (layer.path / "sparse").stat().st_blocks * 512 < 1 << 20
        assert set(layer.copied) == before.keys() - {"pipe"}
        signature = layer.copied["a.txt"].copy
        sandbox.run(Command(("/bin/sh", "-c", "echo b > a.txt; touch -d @1000000000 a.txt")))
        status = (layer.path / "a.txt").stat()
        assert status.st_mtime_ns == 10**18 and status.st_ctime_ns not in signature
    assert layout(project) == before
    (project / "closed").chmod(0o700)


def test_what_can_t_be_read_is_named(project: Path) -> None:
    (project / "a.txt").chmod(0)
    (project / "src/deep").chmod(0)
    with opened(project, Way.COPY) as sandbox:
        missing = {"a.txt", "src/deep"} - sandbox.layer.copied.keys()
        assert missing == (set() if IS_ROOT else {"a.txt", "src/deep"})
    (project / "src/deep").chmod(0o700)


def test_a_disk_without_room_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_module, "SANDBOX_DISK_SPARE_BYTES", 1 << 60)
    with pytest.raises(SandboxRefused, match="less left than"):
        Sandbox(project)


def layout(folder: Path) -> dict[str, tuple[int, int, object]]:
    found: dict[str, tuple[int, int, object]] = {}
    for path in folder.rglob("*"):
        status = path.lstat()
        held = path.readlink() if path.is_symlink() else status.st_size if path.is_file() else None
        found[str(path.relative_to(folder))] = (status.st_mode & ~0o4000, status.st_mtime_ns, held)
    return found
