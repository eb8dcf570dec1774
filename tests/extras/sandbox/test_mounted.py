"""Projects on disks that only a mount makes: which way is found for them, and that it holds there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio.extras.sandbox import Command, Way
from tests.tools.mounts import REFUSED, mounted, programs
from tests.tools.rights import as_root
from tests.tools.sandboxed import opened

pytestmark = pytest.mark.root

ROOT = Path(__file__).parents[3]

RUNS = """
import json, sys
from pathlib import Path
from studio.extras.sandbox import Command, Sandbox, Way
from studio.extras.sandbox import launch, sandbox
from tests.tools.sandboxed import state_of
for module in (launch, sandbox):
    module.SANDBOX_DISK_SPARE_BYTES = 1 << 20
project, ways = Path(sys.argv[1]), [Way(word) for word in sys.argv[2:]]
before = state_of(project)
with Sandbox(project, ways=ways) as made:
    outcome = made.run(Command(("/bin/sh", "-c", "cat inner/a.txt; echo new >> inner/a.txt; rm -f b.txt")))
print(json.dumps([made.way.value, outcome.output.decode(), outcome.exit, state_of(project) == before]))
"""


def ran(way: tuple[str, ...], project: Path, *ways: str) -> list[object]:
    """What a command came to that is run in this mount: the way, its output, its code, and whether the
    project was the same afterwards."""
    command = [*way, sys.executable, "-c", RUNS, str(project), *ways]
    done = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False)
    if "mount: " in done.stderr:
        pytest.skip(REFUSED)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_disk_mounted_in_the_project_is_copied_with_it(project: Path) -> None:
    """An overlay would show what lies below the mount."""
    opened(project).close()
    (project / "inner").mkdir()
    way = mounted('mount -t tmpfs x "$0" && echo held > "$0/a.txt"', project / "inner")
    assert ran(way, project, "namespace", "copy") == ["copy", "held\n", 0, True]


@as_root
def test_a_copy_shares_blocks_where_the_disk_can(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make, *_ = programs("mkfs.xfs", "losetup")
    disk = project.with_name("disk")
    disk.mkdir()
    with disk.with_name("disk.img").open("wb") as image:
        image.truncate(400 << 20)
    monkeypatch.setenv("STUDIO_STATE_DIR", str(disk / "state"))
    held = 'mkdir -p "$0/project/inner" && head -c 220M /dev/zero > "$0/project/b.txt"'
    text = 'echo held > "$0/project/inner/a.txt"'
    way = mounted(f'{make} -q "$0.img" && mount -o loop "$0.img" "$0" && {held} && {text}', disk)
    # A second time so much does not fit.
    assert ran(way, disk / "project", "reflink") == ["reflink", "held\n", 0, True]


@pytest.mark.parametrize("name", ["a,b", "a:b", "a\\b c", "a\nb", "-o", "\u00e4 'x' \"y\"", "x" * 200])
def test_a_project_may_have_any_name(name: str, tmp_path: Path) -> None:
    project = tmp_path / name
    project.mkdir()
    (project / "a.txt").write_bytes(b"a\n")
    for way in (Way.NAMESPACE, Way.COPY):
        with opened(project, way) as sandbox:
            outcome = sandbox.run(Command(("/bin/sh", "-c", "cat a.txt; echo b > a.txt; pwd")))
            assert outcome.output == b"a\n" + os.fsencode(project) + b"\n"
            assert (sandbox.layer.path / "a.txt").read_bytes() == b"b\n"
    assert (project / "a.txt").read_bytes() == b"a\n"
