from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.lab.agents.lab import Lab


def test_a_client_sees_nothing_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "of mine")
    with Lab(tmp_path, (), environment={"ADDED": "yes"}) as lab:
        ran = lab.run(["env"], {"OF_THE_CLIENT": "yes"})
        home = lab.home
    seen = dict(line.split("=", 1) for line in ran.output.splitlines())
    folders = {name: value for name, value in seen.items() if value.startswith(f"{home}/")}
    assert sorted(folders) == [
        *("TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME")
    ]
    assert sorted(seen.keys() - folders.keys()) == ["ADDED", "HOME", "LANG", "OF_THE_CLIENT", "PATH", "TERM"]
    assert seen["HOME"] == str(home)
    assert not home.exists()


def test_a_home_of_the_caller_stays(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Lab(tmp_path, (), home=home) as lab:
        ran = lab.run(["sh", "-c", "pwd; echo kept > ~/file; echo heard >&2; exit 3"])
    assert (home / "file").read_text() == "kept\n"
    assert (ran.exit_code, ran.output, ran.errors) == (3, f"{tmp_path}\n", "heard\n")


def test_what_takes_too_long_is_killed_with_its_group(tmp_path: Path) -> None:
    with Lab(tmp_path, ()) as lab:
        ran = lab.run(["sh", "-c", "sleep 600 & echo $! $$; wait"], timeout=0.3)
    assert ran.exit_code is None
    for process in ran.output.split():
        assert not is_alive(int(process))


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    # Whoever took it over may not have fetched its end yet.
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
