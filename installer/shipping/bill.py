"""What the program as installed is made of, on each Python: bills of materials (CycloneDX), the same bytes
each time, and what each .deb holds, compared with the bill of its Python."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
import tomllib
from pathlib import Path

import environments
from environments import RELEASE, Environment
from locked import ROOT, names_for, normalized, packages
from system_packages import run_quietly

from shipping.outcome import Outcome, State, Unavailable
from shipping.python_packages import CHECKED, PYTHONS, python_for
from shipping.source import Source

EXTRAS = ("mcp", "acp")
SPECIFICATION = "1.6"
DIRECT = ("PySide6-Essentials", "shiboken6", "pygit2", "zstandard", "mcp", "agent-client-protocol")
"""Some of what has to be in each."""

_IN_DEB = re.compile(r"/lib/python(3\.\d+)/site-packages/([^/]+)-([^/-]+)\.dist-info/$", re.MULTILINE)
_OWN = "exacta-studio"
"""What the bill is one of, and no part of it."""

_VALIDATE = (
    "import sys; from pathlib import Path; from cyclonedx.schema import SchemaVersion;"
    " from cyclonedx.validation.json import JsonStrictValidator;"
    " found = JsonStrictValidator(SchemaVersion.V1_6).validate_str(Path(sys.argv[1]).read_text('utf-8'));"
    " sys.exit(str(found) if found else 0)"
)


def build(source: Source, into: Path) -> list[Outcome]:
    """One bill for each Python that is here. Raises Problem."""
    environments.provide(RELEASE)
    return [_built(version, source, into) for version in PYTHONS]


def try_out(source: Source, into: Path) -> list[Outcome]:
    """Check each bill against the schema and the lock, and each .deb against the bill of its Python."""
    bills = {version: bill_of(source, version, into) for version in PYTHONS}
    there = {version: file for version, file in bills.items() if file.is_file()}
    return [
        *(_checked(version, source, file) for version, file in there.items()),
        *(compared(deb, there) for deb in sorted(into.glob("*.deb"))),
    ]


def bill_of(source: Source, version: str, into: Path) -> Path:
    return into / f"{_OWN}-{source.version}-python{version}.cdx.json"


def compared(deb: Path, bills: dict[str, Path]) -> Outcome:
    """Whether a package of Debian holds what the bill of its Python lists: each version, and no more."""
    what = f"bill of materials of {deb.name}"
    said = subprocess.run(["dpkg-deb", "--contents", str(deb)], capture_output=True, text=True, check=True)
    held = _IN_DEB.findall(said.stdout)
    versions = {python for python, _, _ in held}
    if len(versions) != 1:
        return Outcome(what, State.FAILED, f"it holds packages for {len(versions)} Pythons")
    (version,) = versions
    if version not in bills:
        return Outcome(what, State.UNTRIED, f"there is no bill of materials for Python {version}")
    present = {(normalized(name), number) for _, name, number in held if normalized(name) != _OWN}
    listed = _listed_in(bills[version])
    if present != listed:
        lacking, more = (
            sorted(" ".join(each) for each in one) for one in (listed - present, present - listed)
        )
        words = f"not in it: {', '.join(lacking) or 'nothing'}; in it alone: {', '.join(more) or 'nothing'}"
        return Outcome(what, State.FAILED, words)
    words = f"it holds the {len(present)} packages of the bill for Python {version}, in their versions"
    return Outcome(what, State.TESTED, words)


def _title(version: str) -> str:
    return f"bill of materials, Python {version}"


def _built(version: str, source: Source, into: Path) -> Outcome:
    """Install what the lock says for the program with its extras, and list it twice. Raises Problem."""
    try:
        starts = python_for(version)
    except Unavailable as reason:
        return Outcome(_title(version), State.UNTRIED, str(reason))
    with tempfile.TemporaryDirectory(prefix="exacta-bill-") as made:
        described = Path(made, "pyproject.toml")
        described.write_text(_with_version(source), encoding="utf-8")
        installed = _installed(starts, Path(made, "environment"))
        bills = [_listed(installed, described, Path(made, f"{each}.json"), source.epoch) for each in (1, 2)]
    if bills[0] != bills[1]:
        return Outcome(_title(version), State.FAILED, "made a second time, it has other bytes")
    file = bill_of(source, version, into)
    file.write_bytes(bills[0])
    return Outcome(_title(version), State.BUILT, _words(json.loads(bills[0])), file)


def _checked(version: str, source: Source, file: Path) -> Outcome:
    found = _listed_in(file)
    surplus = found - {(each.name, each.version) for each in packages()}
    needed = {normalized(name) for name in DIRECT} - {name for name, _ in found}
    if surplus or needed:
        wrong = ", ".join(sorted({name for name, _ in surplus} | needed))
        return Outcome(_title(version), State.FAILED, f"it and the lock differ in: {wrong}")
    root = json.loads(file.read_bytes())["metadata"]["component"]
    if (root["name"], root["version"]) != (_OWN, source.version):
        return Outcome(_title(version), State.FAILED, f"it is one of {root['name']} {root['version']}")
    run_quietly([str(RELEASE.program("python")), "-c", _VALIDATE, str(file)])
    return Outcome(_title(version), State.TESTED, f"valid by the schema of CycloneDX {SPECIFICATION}", file)


def _listed_in(bill: Path) -> set[tuple[str, str]]:
    """The names and versions that it lists."""
    said = json.loads(bill.read_bytes())["components"]
    return {(normalized(each["name"]), each["version"]) for each in said}


def _installed(starts: list[str], folder: Path) -> Path:
    """The Python of an environment that holds the locked packages the program needs, and nothing else."""
    environment = Environment(folder, ())
    run_quietly([*starts, "-m", "venv", str(folder)], environments.variables())
    environments.install(environment, names_for((), EXTRAS), CHECKED)
    python = environment.program("python")
    (packages_folder,) = folder.glob("lib/python3.*/site-packages")
    words = [str(python), "-m", "shipping.needed", str(packages_folder), *_requirements()]
    own = {**environments.variables(), "PYTHONPATH": str(Path(__file__).parents[1])}
    superfluous = subprocess.check_output(words, env=own, text=True).split()
    remove = [str(python), "-m", "pip", "uninstall", "--quiet", "--yes", *superfluous]
    run_quietly(remove, environments.variables())
    return python


def _requirements() -> list[str]:
    """What the program requires, with its extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    return [*project["dependencies"], *(each for extra in EXTRAS for each in extras[extra])]


def _with_version(source: Source) -> str:
    """The source's pyproject.toml with the version in it, which the build reads from the package."""
    text = (source.folder / "pyproject.toml").read_text("utf-8")
    return text.replace('dynamic = ["version"]', f'version = "{source.version}"')


def _listed(python: Path, described: Path, into: Path, epoch: int) -> bytes:
    words = ["environment", "--pyproject", str(described), "--sv", SPECIFICATION, "--output-reproducible"]
    run_quietly(
        [str(RELEASE.program("cyclonedx-py")), *words, "--validate", "-o", str(into), str(python)],
        {**environments.variables(), "SOURCE_DATE_EPOCH": str(epoch)},
    )
    return into.read_bytes()


def _words(said: dict[str, list[dict[str, object]]]) -> str:
    silent = [str(each["name"]) for each in said["components"] if not each.get("licenses")]
    words = f"{len(said['components'])} packages, equal bytes twice"
    return f"{words}; no licence is told by {', '.join(silent)}" if silent else words
