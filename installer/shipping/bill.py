"""What the program as installed is made of, on each Python: bills of materials (CycloneDX), the same bytes
each time, and what each .deb holds, compared with the bill of its Python."""

from __future__ import annotations

import json
import re
import tempfile
import tomllib
from dataclasses import replace
from functools import partial
from pathlib import Path

import environments
from environments import RELEASE, Environment
from locked import ROOT, names_for, normalized, packages
from system_packages import Problem, run_quietly

from shipping.outcome import Outcome, State, Unavailable, attempt
from shipping.python_packages import PYTHONS, python_for
from shipping.source import Source

EXTRAS = ("mcp", "acp")
SPECIFICATION = "1.6"
DIRECT = ("PySide6-Essentials", "shiboken6", "pygit2", "zstandard", "mcp", "agent-client-protocol")
"""Some of what has to be in each."""

_IN_DEB = re.compile(r"/lib/python(3\.\d+)/site-packages/([^/]+)-([^/-]+)\.dist-info/$", re.MULTILINE)
_OWN = "exacta-studio"
"""What the bill is one of, and no part of it."""


def build(source: Source, into: Path) -> list[Outcome]:
    """One bill for each Python that is here. Raises Problem."""
    environments.provide(RELEASE)
    made = [attempt(_title(version), partial(_made, version, source, into)) for version in PYTHONS]
    bills = [bill_of(source, version, into) for version in PYTHONS]
    return [
        replace(each, state=State.BUILT, file=file) if each.state is State.TESTED else each
        for each, file in zip(made, bills, strict=True)
    ]


def try_out(source: Source, into: Path) -> list[Outcome]:
    """Check each bill against the schema and the lock, and each .deb against the bill of its Python."""
    bills = {version: bill_of(source, version, into) for version in PYTHONS}
    there = {version: file for version, file in bills.items() if file.is_file()}
    checks = [attempt(_title(each), partial(_checked, source, file), file) for each, file in there.items()]
    return checks + [compared(deb, there) for deb in sorted(into.glob("*.deb"))]


def bill_of(source: Source, version: str, into: Path) -> Path:
    return into / f"{_OWN}-{source.version}-python{version}.cdx.json"


def compared(deb: Path, bills: dict[str, Path]) -> Outcome:
    """Whether a package of Debian holds what the bill of its Python lists: each version, and no more."""
    return attempt(f"bill of materials of {deb.name}", lambda: _compared(deb, bills))


def _compared(deb: Path, bills: dict[str, Path]) -> str:
    held = _IN_DEB.findall(run_quietly(["dpkg-deb", "--contents", deb]))
    versions = {python for python, _, _ in held}
    if len(versions) != 1:
        raise Problem(f"it holds packages for {len(versions)} Pythons")
    (version,) = versions
    if version not in bills:
        raise Unavailable(f"there is no bill of materials for Python {version}")
    present = {(normalized(name), number) for _, name, number in held if normalized(name) != _OWN}
    listed = _listed_in(bills[version])
    if present != listed:
        sides = (listed - present, present - listed)
        lacking, more = (", ".join(sorted(" ".join(each) for each in side)) or "nothing" for side in sides)
        raise Problem(f"not in it: {lacking}; in it alone: {more}")
    return f"it holds the {len(present)} packages of the bill for Python {version}, in their versions"


def _title(version: str) -> str:
    return f"bill of materials, Python {version}"


def _made(version: str, source: Source, into: Path) -> str:
    """Install what the lock says for the program with its extras, and list it twice. Raises Problem."""
    starts = python_for(version)
    with tempfile.TemporaryDirectory(prefix="exacta-bill-") as made:
        described = Path(made, "pyproject.toml")
        # The build reads the version from the package.
        text = (source.folder / "pyproject.toml").read_text("utf-8")
        described.write_text(text.replace('dynamic = ["version"]', f'version = "{source.version}"'), "utf-8")
        installed = _installed(starts, Path(made))
        bills = [_listed(installed, described, Path(made, f"{each}.json"), source.epoch) for each in (1, 2)]
    if bills[0] != bills[1]:
        raise Problem("made a second time, it has other bytes")
    bill_of(source, version, into).write_bytes(bills[0])
    listed = json.loads(bills[0])["components"]
    silent = [str(each["name"]) for each in listed if not each.get("licenses")]
    words = f"{len(listed)} packages, valid by the schema of CycloneDX {SPECIFICATION}, equal bytes twice"
    return f"{words}; no licence is told by {', '.join(silent)}" if silent else words


def _checked(source: Source, file: Path) -> str:
    found = _listed_in(file)
    surplus = found - {(each.name, each.version) for each in packages()}
    needed = {normalized(name) for name in DIRECT} - {name for name, _ in found}
    if surplus or needed:
        raise Problem(
            f"it and the lock differ in: {', '.join(sorted({name for name, _ in surplus} | needed))}"
        )
    root = json.loads(file.read_bytes())["metadata"]["component"]
    if (root["name"], root["version"]) != (_OWN, source.version):
        raise Problem(f"it is one of {root['name']} {root['version']}")
    return "it lists packages of the lock, in their versions"


def _listed_in(bill: Path) -> set[tuple[str, str]]:
    """The names and versions that it lists."""
    said = json.loads(bill.read_bytes())["components"]
    return {(normalized(each["name"]), each["version"]) for each in said}


def _installed(starts: list[str], folder: Path) -> Path:
    """The Python of an environment that holds the locked packages the program needs, and nothing else."""
    environment = Environment(folder / "environment", ())
    environments.make(environment, starts)
    pip = [environment.program("python"), "-m", "pip"]
    environments.pip_locked(pip, ["download", "--dest", folder / "wheels"], names_for((), EXTRAS))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [each for extra in EXTRAS for each in project["optional-dependencies"][extra]]
    # The lock has more, for extras of others.
    words = ["install", "--quiet", "--no-index", "--find-links", folder / "wheels"]
    run_quietly([*pip, *words, *project["dependencies"], *extras], environments.variables())
    run_quietly([*pip, "uninstall", "--quiet", "--yes", "pip", "setuptools"], environments.variables())
    return environment.program("python")


def _listed(python: Path, described: Path, into: Path, epoch: int) -> bytes:
    words = ["environment", "--pyproject", str(described), "--sv", SPECIFICATION, "--output-reproducible"]
    run_quietly(
        [str(RELEASE.program("cyclonedx-py")), *words, "--validate", "-o", str(into), str(python)],
        {**environments.variables(), "SOURCE_DATE_EPOCH": str(epoch)},
    )
    return into.read_bytes()
