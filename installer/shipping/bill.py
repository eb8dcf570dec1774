"""Bills of materials (CycloneDX) of the installed program on each Python, compared with each .deb."""

from __future__ import annotations

import json
import re
import tempfile
import tomllib
from functools import partial
from pathlib import Path

import environments
from environments import RELEASE, ROOT, Environment, locked, names_for, normalized, pip
from system_packages import Problem, run_quietly

from shipping.contents import EXTRAS, NAME
from shipping.parts import Outcome, Source, State, Unavailable, attempt, attempts
from shipping.wheel import PYTHONS, python_for

SPECIFICATION = "1.6"
TITLE = "bill of materials, Python"
DIRECT = ("PySide6-Essentials", "shiboken6", "pygit2", "zstandard", "mcp", "agent-client-protocol")
"""Some of what has to be in each."""

_IN_DEB = re.compile(r"/lib/python(3\.\d+)/site-packages/([^/]+)-([^/-]+)\.dist-info/$", re.MULTILINE)


def build(source: Source, into: Path) -> list[Outcome]:
    """Write one bill for each Python that is here. Raises Problem."""
    environments.provide(RELEASE)
    bills = _files(source, into).items()
    tries = ((f"{TITLE} {each}", partial(_made, each, source, file), file) for each, file in bills)
    return attempts(tries, State.BUILT)


def try_out(source: Source, into: Path, _is_quick: bool) -> list[Outcome]:
    """Check each bill against the lock, and each .deb against the bill of its Python."""
    there = {version: file for version, file in _files(source, into).items() if file.is_file()}
    tries = ((f"{TITLE} {each}", partial(_checked, source, file), file) for each, file in there.items())
    return attempts(tries) + [line for deb in sorted(into.glob("*.deb")) for line in compared(deb, there)]


def _files(source: Source, into: Path) -> dict[str, Path]:
    return {each: into / f"{NAME}-{source.version}-python{each}.cdx.json" for each in PYTHONS}


def compared(deb: Path, bills: dict[str, Path]) -> list[Outcome]:
    """Compare what a package of Debian holds with the bill of its Python: each version, and no more."""
    return attempt(f"bill of materials of {deb.name}", lambda: _compared(deb, bills))


def _compared(deb: Path, bills: dict[str, Path]) -> str:
    held = _IN_DEB.findall(run_quietly(["dpkg-deb", "--contents", deb]))
    versions = {python for python, _, _ in held}
    if len(versions) != 1:
        raise Problem(f"it holds packages for {len(versions)} Pythons")
    (version,) = versions
    if version not in bills:
        raise Unavailable(f"there is no bill of materials for Python {version}")
    present = {(normalized(name), number) for _, name, number in held if normalized(name) != NAME}
    listed = _listed_in(bills[version])
    if present != listed:
        sides = (listed - present, present - listed)
        lacking, more = (", ".join(sorted(" ".join(each) for each in side)) or "nothing" for side in sides)
        raise Problem(f"not in it: {lacking}; in it alone: {more}")
    return f"it holds the {len(present)} packages of the bill for Python {version}, in their versions"


def _made(version: str, source: Source, into: Path) -> str:
    """Install what the lock holds for the program with its extras, and list it twice. Raises Problem."""
    with tempfile.TemporaryDirectory(prefix="exacta-bill-") as made:
        described, text = Path(made, "pyproject.toml"), (source.folder / "pyproject.toml").read_text("utf-8")
        # The build reads the version from the package.
        described.write_text(text.replace('dynamic = ["version"]', f'version = "{source.version}"'), "utf-8")
        python = _installed(python_for(version), Path(made))
        words = ["environment", "--pyproject", described, "--sv", SPECIFICATION, "--output-reproducible"]
        fixed = {**environments.variables(), "SOURCE_DATE_EPOCH": str(source.epoch)}
        bills = [Path(made, f"{each}.json") for each in (1, 2)]
        for bill in bills:
            run_quietly([RELEASE.program("cyclonedx-py"), *words, "--validate", "-o", bill, python], fixed)
        if bills[0].read_bytes() != bills[1].read_bytes():
            raise Problem("made a second time, it has other bytes")
        into.write_bytes(bills[0].read_bytes())
    listed = json.loads(into.read_bytes())["components"]
    silent = ", ".join(each["name"] for each in listed if not each.get("licenses"))
    said = f"{len(listed)} packages, valid by the schema of CycloneDX {SPECIFICATION}, equal bytes twice"
    return f"{said}; no licence is named by {silent}" if silent else said


def _installed(starts: list[str], folder: Path) -> Path:
    """Make an environment with only the locked packages that the program needs; return its Python."""
    environment = Environment(folder / "environment", ())
    environments.make(environment, starts)
    python, wheels = environment.program("python"), folder / "wheels"
    pip(python, "download", "--dest", wheels, locked=names_for((), EXTRAS))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [each for extra in EXTRAS for each in project["optional-dependencies"][extra]]
    # The lock has more, for extras of others.
    pip(python, "install", "--no-index", "--find-links", wheels, *project["dependencies"], *extras)
    pip(python, "uninstall", "--yes", "pip", "setuptools")
    return python


def _checked(source: Source, file: Path) -> str:
    found = _listed_in(file)
    surplus = {name for name, _ in found - {(name, version) for name, version, _ in locked()}}
    differing = surplus | ({normalized(name) for name in DIRECT} - {name for name, _ in found})
    if differing:
        raise Problem(f"it and the lock differ in: {', '.join(sorted(differing))}")
    root = json.loads(file.read_bytes())["metadata"]["component"]
    if (root["name"], root["version"]) != (NAME, source.version):
        raise Problem(f"it is one of {root['name']} {root['version']}")
    return "it lists packages of the lock, in their versions"


def _listed_in(bill: Path) -> set[tuple[str, str]]:
    components = json.loads(bill.read_bytes())["components"]
    return {(normalized(each["name"]), each["version"]) for each in components}
