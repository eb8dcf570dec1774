"""The wheel and the sdist: built from a clean tree, the same bytes each time, and installed as people do."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import environments
from dev import python_of
from environments import MAIN, RUN, Environment
from locked import names_for
from system_packages import OFFSCREEN, X11, Problem, captured, run_quietly

from shipping import chosen_tests, chroot
from shipping.checksums import sha256
from shipping.chroot import USER
from shipping.outcome import Outcome, State, Unavailable, attempt
from shipping.source import Source
from shipping.trial import Trial

PYTHONS = ("3.11", "3.12", "3.13")
"""What the program is said to run with; `pyproject.toml` lists the same."""

FROM_THE_SYSTEM = (
    "python3-venv",
    *sorted(need.apt for need in OFFSCREEN + X11 if need.kind == "library"),
)
"""Debian's packages that it needs; the README lists the same."""


def build(source: Source, into: Path) -> list[Outcome]:
    """Build both, and both once more in another place from the sdist. Raises Problem where the bytes are not
    the same."""
    environments.provide(RUN, larger=MAIN)
    with tempfile.TemporaryDirectory(prefix="exacta-wheel-") as made:
        first = _built(source.folder, Path(made, "first"), source.epoch)
        run_quietly(["tar", "-x", "-C", made, "-f", first["sdist"]])
        unpacked = Path(made, first["sdist"].name.removesuffix(".tar.gz"))
        second = _built(unpacked, Path(made, "second"), source.epoch)
        for kind, file in first.items():
            if file.read_bytes() != second[kind].read_bytes():
                raise Problem(f"The {kind} built from the sdist has other bytes: it is not reproducible.")
        return [_kept(kind, file, into) for kind, file in first.items()]


def try_out(source: Source, into: Path) -> list[Outcome]:
    """Install the wheel with each Python, with pipx, with uv and in bare Debians, and use it."""
    tries = [
        *((f"wheel on Python {each}", partial(_on_python, each)) for each in PYTHONS),
        ("pipx install", _by_pipx),
        ("uv tool install", _by_uv),
        *((f"wheel in Debian {suite}", partial(_in_debian, suite)) for suite in chroot.SUITES),
    ]
    return _tried(source, into, tries)


def try_briefly(source: Source, into: Path) -> list[Outcome]:
    """Install the wheel with the Python that runs this, and use it once."""
    version = "{}.{}".format(*sys.version_info)
    return _tried(source, into, [(f"wheel on Python {version}", partial(_on_python, version, is_brief=True))])


def _tried(
    source: Source, into: Path, tries: Sequence[tuple[str, Callable[[Source, Path, Path], str]]]
) -> list[Outcome]:
    """Try the wheel that `build` made in these ways, each in a folder of which nothing stays."""
    wheel = into / f"exacta_studio-{source.version}-py3-none-any.whl"
    with tempfile.TemporaryDirectory(prefix="exacta-installed-", ignore_cleanup_errors=True) as made:
        place = Path(made).resolve()
        return [attempt(what, partial(do, source, wheel, place)) for what, do in tries]


def python_for(version: str) -> list[str]:
    """The words that start a Python of this version. Raises Unavailable."""
    python = python_of(version) if version != "{}.{}".format(*sys.version_info) else [sys.executable]
    if python is None:
        raise Unavailable(f"There is no Python {version} here: python{version} is not on the path.")
    return python


def _built(folder: Path, into: Path, epoch: int) -> dict[str, Path]:
    """The wheel and the sdist that hatchling makes of a tree."""
    run_quietly(
        [str(RUN.program("python")), "-m", "hatchling", "build", "--directory", str(into)],
        {**environments.variables(), "SOURCE_DATE_EPOCH": str(epoch)},
        folder,
    )
    return {"wheel": next(into.glob("*.whl")), "sdist": next(into.glob("*.tar.gz"))}


def _kept(kind: str, file: Path, into: Path) -> Outcome:
    """Move what was built to where it is shipped from."""
    kept = Path(shutil.move(file, into / file.name))
    words = f"equal bytes from the sdist in another place, sha256 {sha256(kept)[:16]}…"
    return Outcome(kind, State.BUILT, words, kept)


def _on_python(version: str, source: Source, wheel: Path, made: Path, is_brief: bool = False) -> str:
    """Install the locked packages by their hashes and our wheel beside them, and use it without and with
    its extras, then run the chosen tests."""
    place = made / version
    environment = Environment(place / "environment", ("test",))
    environments.make(environment, python_for(version))
    environments.install(environment, names_for(()))
    environments.run_pip(environment, [str(wheel)])
    trial = Trial([str(environment.program("studio"))], place / "trial")
    trial.walk(source.version)
    trial.refuses("mcp", extra="mcp")
    trial.refuses("acp", "--", "true", extra="acp")
    environments.install(environment, environment.names)
    run_quietly([environment.program("python"), "-m", "pip", "check"], environments.variables())
    trial.answers_by_mcp()
    trial.speaks_acp()
    words = "installed from hashes, used, without and with its extras"
    if is_brief:
        return words
    outside = place / "outside"
    outside.mkdir()
    said = chosen_tests.run(environment.program("python"), source.folder, outside)
    return f"{words}; tests outside of the checkout: {said}"


def _by_pipx(source: Source, wheel: Path, made: Path) -> str:
    """As a person with pipx does, with both extras."""
    places = {
        "PIPX_HOME": str(made / "pipx-home"),
        "PIPX_BIN_DIR": str(made / "pipx-bin"),
        "PIPX_DEFAULT_PYTHON": sys.executable,
    }
    return _by_tool("pipx", ["install", f"{wheel}[all]"], places, source, made)


def _by_uv(source: Source, wheel: Path, made: Path) -> str:
    """As a person with uv does, with both extras."""
    places = {
        "UV_TOOL_DIR": str(made / "uv-tools"),
        "UV_TOOL_BIN_DIR": str(made / "uv-bin"),
        "UV_CACHE_DIR": str(made / "uv-cache"),
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_NO_CONFIG": "1",
    }
    words = ["tool", "install", "--python", sys.executable, f"{wheel}[all]"]
    return _by_tool("uv", words, places, source, made)


def _by_tool(name: str, words: list[str], places: dict[str, str], source: Source, made: Path) -> str:
    """Have a tool of the path, or else of the package index, install the wheel, and use that. Raises
    Unavailable."""
    found = shutil.which(name)
    if found is None:
        environment = Environment(made / f"{name}-itself", ())
        environments.make(environment)
        pip = [environment.program("python"), "-m", "pip", "install", "--quiet", "--no-input", name]
        if captured(pip, environments.variables()).returncode:
            raise Unavailable(f"{name} is not here and can't be had from the package index.")
        found = str(environment.program(name))
    run_quietly([found, *words], {**environments.variables(), **places})
    Trial([str(made / f"{name}-bin" / "studio")], made / f"{name}-trial").walk_with_extras(source.version)
    return "installed with all extras, used"


def _in_debian(suite: str, source: Source, wheel: Path, _made: Path) -> str:
    """In a bare Debian: with Debian's own Python, and what the README says it needs, as a user."""
    with chroot.bare(suite) as debian:
        debian.install(*FROM_THE_SYSTEM)
        brought = f"/var/lib/{wheel.name}"
        debian.bring(wheel, brought)
        debian.run(["python3", "-m", "venv", "environment"], user=USER)
        install = ["environment/bin/pip", "install", "--quiet", f"{brought}[all]"]
        debian.run(install, user=USER, variables=chroot.network())
        program = f"/home/{USER}/environment/bin/studio"
        debian.bring(source.folder / "installer", chroot.OWN)
        debian.run_own("shipping.trial", source.version, "trial", program)
        debian.show(program)
    return "installed by pip with all extras beside Debian's Python, used by a user, seen on a screen"
