"""Commands in containers: the plan of a plain copy, what is hidden and handed over, and refusals."""

from __future__ import annotations

import os
import random
import subprocess
import tarfile
from pathlib import Path

import pytest

from studio.engine.plan import Plan
from studio.extras.commands import CommandRun
from studio.extras.sandbox import Command, Sandbox, SandboxRefused, Way, container as container_module
from studio.workspace import Workspace
from tests.engine.git_data.repositories import write
from tests.tools.rights import as_root
from tests.tools.sandboxed import PYTHON, container_root, opened, state_of

pytestmark = pytest.mark.root

SCRIPTS = 200
NAMES = [f"d{number}/f{number}.txt" for number in range(5)] + [f"f{number}.txt" for number in range(5)]
CHANGES = (
    "os.remove({0!r})",
    "open({0!r}, 'a').write('more')",
    "os.chmod({0!r}, 0o755)",
    "os.rename({0!r}, {0!r} + '.moved')",
    "os.link({0!r}, {0!r} + '.linked')",
    "os.replace({0!r}, 'all.txt')",
    "os.symlink('/etc', {0!r} + '.link')",
)
FOLDERS = (
    "shutil.rmtree({0!r})",
    "shutil.rmtree({0!r}); os.makedirs({0!r} + '/in'); open({0!r} + '/in/x', 'w')",
    "shutil.move({0!r}, 'moved')",
    "shutil.rmtree({0!r}); open({0!r}, 'w').write('a file')",
    "os.mkdir({0!r} + '/empty')",
)


def random_script(chance: random.Random) -> str:
    """Changes of some files, then of a folder."""
    lines = [chance.choice(CHANGES).format(name) for name in chance.sample(NAMES, 5)]
    lines.append(chance.choice(FOLDERS).format(f"d{chance.randrange(5)}"))
    return "\n".join(lines)


def steps_of(plan: Plan | None) -> dict[str, tuple[object, ...]]:
    assert plan is not None
    return {
        step.path: (step.op, step.state, step.result, [problem.code for problem in step.problems])
        for step in plan.steps
    }


def test_random_scripts_give_the_plan_of_a_plain_copy(project: Path) -> None:
    """All in one container, each in a folder of its own."""
    Path(os.environ["STUDIO_CONFIG_DIR"], "config.yaml").write_text("limits: {steps: 10000}\n")
    chance = random.Random(58)
    for number in range(SCRIPTS):
        write(project / str(number), {name: f"{name}\n" for name in NAMES})
    scripts = [random_script(chance) for _ in range(SCRIPTS)]
    does = "import os, shutil\ntop = os.getcwd()\n"
    does += (
        f"for number, script in enumerate({scripts!r}):\n    os.chdir(f'{{top}}/{{number}}'); exec(script)"
    )
    found: list[dict[str, tuple[object, ...]]] = []
    for way in (Way.COPY, Way.CONTAINER):
        workspace = Workspace.open(project)
        with opened(project, way) as sandbox:
            command = Command((PYTHON, "-I", "-S", "-c", does))
            with CommandRun(workspace.proposer, sandbox, command, agent="python") as run:
                found.append(steps_of(run.propose()))
                assert run.outcome().exit == 0, run.outcome().output.decode()
        workspace.close()
    assert len(found[0]) > SCRIPTS * 5
    assert found[1] == found[0]


def test_hidden_paths_are_empty_and_logins_are_copies(
    project: Path, private_folders: Path, unchanged: None
) -> None:
    home = private_folders / "home"
    (home / ".codex").mkdir(parents=True, exist_ok=True)
    (home / ".claude.json").write_text("login\n")
    (home / ".codex/auth.json").write_text("codex\n")
    script = """exec 2>/dev/null
        cat src/deep/b.txt a.txt; ls src/deep; cat "$HOME/.claude.json" "$HOME/.codex/auth.json"
        echo renewed > "$HOME/.claude.json"; echo x > "$HOME/.codex/auth.json" || echo refused"""
    command = Command(("sh", "-c", script), logins=(".claude.json", ".codex"))
    with opened(project, Way.CONTAINER, hide=("src/deep", "a.txt")) as sandbox:
        for _ in range(2):
            said = sandbox.run(command).output.decode()
            assert said.splitlines() == ["login", "codex", "refused"]
        assert list(sandbox.layer.path.rglob("*")) == []
    assert (home / ".claude.json").read_text() == "login\n"


def refused(project: Path, image: str) -> str:
    with pytest.raises(SandboxRefused) as caught, Sandbox(project, container=image) as sandbox:
        sandbox.run(Command(("true",)))
    assert caught.value.hint and caught.value.message.endswith(".")
    return caught.value.code


def test_what_can_not_be_a_container_is_one_sentence(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(project, Way.CONTAINER).close()
    assert refused(project, "localhost/no-such-image:1") == "sandbox.image"
    assert refused(project, "--privileged") == "sandbox.image"
    assert refused(project, str(tmp_path / "none")) == "sandbox.root_folder"
    assert refused(project, "/") == "sandbox.root_folder"
    (tmp_path / "a:b").mkdir()
    assert refused(tmp_path / "a:b", container_root()) == "sandbox.mount_name"
    with monkeypatch.context() as patch:
        (tmp_path / "parameters").mkdir()
        (tmp_path / "parameters/metacopy").write_text("Y\n")
        patch.setattr(container_module, "OVERLAY_PARAMETERS", tmp_path / "parameters")
        patch.setattr(container_module.os, "geteuid", lambda: 0)
        assert refused(project, "image") == "sandbox.overlays"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert refused(project, container_root()) == "sandbox.podman"


@as_root
def test_a_root_folder_of_another_owner_is_refused(project: Path, tmp_path: Path) -> None:
    opened(project, Way.CONTAINER).close()
    root = tmp_path / "root"
    root.mkdir()
    os.chown(root, 1, 1)
    assert refused(project, str(root)) == "sandbox.root_folder"


def test_an_image_is_used_by_its_name_without_its_entry_point(project: Path, tmp_path: Path) -> None:
    opened(project, Way.CONTAINER).close()
    name = f"localhost/exacta-test-{os.urandom(4).hex()}"
    archive = tmp_path / "root.tar"
    root = Path(container_root())
    with tarfile.open(archive, "w") as tar:
        for pattern in (
            "bin",
            "lib*",
            "usr/lib64",
            "usr/bin/*sh",
            "usr/bin/cat",
            "usr/lib/*/libc.so.6",
            "usr/lib/*/ld-*",
        ):
            for path in root.glob(pattern):
                tar.add(path, path.relative_to(root))
    change = ("--change", "ENTRYPOINT=/bin/false")
    subprocess.run(["podman", "import", "--quiet", *change, str(archive), name], check=True)
    try:
        before = state_of(project)
        with Sandbox(project, container=name) as sandbox:
            outcome = sandbox.run(Command(("sh", "-c", "cat a.txt; echo b > a.txt")))
            assert (outcome.exit, outcome.output) == (0, b"a\n")
            assert (sandbox.layer.path / "a.txt").read_bytes() == b"b\n"
        assert state_of(project) == before
    finally:
        subprocess.run(["podman", "rmi", "--force", name], check=True, capture_output=True)
