"""A system without certificates, such as a bare container: nothing here needs any."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

_LOADED = """
import json, os
from pathlib import Path
from studio.engine.diff.line_runs import line_runs
from studio.engine.snapshot_store.object_folder import ObjectFolder
before = dict(os.environ)
{first}
print(json.dumps(dict(os.environ) == before))
"""
_FIRST = {
    "compared": "assert len(line_runs(b'a\\n', b'b\\n')) == 4",
    "kept": "ObjectFolder(Path('objects')).close()",
}


@pytest.fixture(params=["none", "bad"])
def certificates(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """The environment of a system that has none, or of a user who names a file that holds none."""
    bad = tmp_path / "bad.pem"
    bad.write_text("no certificate\n")
    missing = str(tmp_path / "missing")
    named = {"none": missing, "bad": str(bad)}[request.param]
    return {**os.environ, "SSL_CERT_FILE": named, "SSL_CERT_DIR": missing}


def test_such_a_system_stops_pygit2_itself(certificates: dict[str, str], tmp_path: Path) -> None:
    """Else the tests below would prove nothing."""
    done = subprocess.run(
        [sys.executable, "-c", "import pygit2"],
        env=certificates,
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert b"certificates" in done.stderr


@pytest.mark.parametrize("first", _FIRST)
def test_texts_are_compared_and_kept(first: str, certificates: dict[str, str], tmp_path: Path) -> None:
    script = _LOADED.format(first=_FIRST[first])
    root = str(Path(__file__).parents[2])
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {root!r})\n{script}"]
    done = subprocess.run(command, env=certificates, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout) is True, "the variables are as they were"


def test_packed_modules_lie_in_no_folder(certificates: dict[str, str], tmp_path: Path) -> None:
    """An AppImage has them in one file, so that what a module says of its place is not there."""
    root = Path(__file__).parents[2]
    packed = tmp_path / "modules.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for file in (root / "studio").rglob("*.py"):
            archive.write(file, file.relative_to(root))
    script = f"import sys; sys.path.insert(0, {str(packed)!r})\nimport studio\n"
    script += f"assert studio.__file__.startswith({str(packed)!r}), studio.__file__\n"
    script += f"from studio.engine.diff.line_runs import line_runs\n{_FIRST['compared']}\n"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=certificates, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_git_data_is_read(
    certificates: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pygit2

    from studio.system import child_process
    from studio.system.child_process import READING_GIT

    pygit2.init_repository(str(tmp_path))
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.setenv(name, certificates[name])
    process = child_process.start(READING_GIT)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"\n", "it waits for questions"
    finally:
        child_process.end(process)
