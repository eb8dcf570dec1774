"""What the program as installed is made of: a bill of materials (CycloneDX), the same bytes each time."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import environments
from environments import RELEASE, Environment
from locked import names_for, normalized, packages
from system_packages import Problem, run_quietly

from shipping.outcome import Outcome, State
from shipping.source import Source

EXTRAS = ("mcp", "acp")
SPECIFICATION = "1.6"
DIRECT = ("PySide6-Essentials", "shiboken6", "pygit2", "zstandard", "mcp", "agent-client-protocol")
"""Some of what has to be in it."""


def build(source: Source, into: Path) -> list[Outcome]:
    """Install what the lock says for the program with its extras, and list it twice. Raises Problem."""
    environments.provide(RELEASE)
    with tempfile.TemporaryDirectory(prefix="exacta-bill-") as made:
        installed = _installed(Path(made, "environment"))
        described = Path(made, "pyproject.toml")
        described.write_text(_with_version(source), encoding="utf-8")
        bills = [_listed(installed, described, Path(made, f"{each}.json"), source.epoch) for each in (1, 2)]
        if bills[0] != bills[1]:
            raise Problem("The bill of materials made a second time has other bytes.")
    file = bill_of(source, into)
    file.write_bytes(bills[0])
    return [Outcome("bill of materials", State.BUILT, _words(json.loads(bills[0])), file)]


def try_out(source: Source, into: Path) -> list[Outcome]:
    """Check the file against the schema, and its versions against the lock."""
    said = json.loads(bill_of(source, into).read_bytes())
    found = {(normalized(each["name"]), each["version"]) for each in said["components"]}
    surplus = found - {(each.name, each.version) for each in packages()}
    needed = {normalized(name) for name in DIRECT} - {name for name, _ in found}
    if surplus or needed:
        wrong = ", ".join(sorted({name for name, _ in surplus} | needed))
        raise Problem(f"The bill of materials and the lock differ in: {wrong}.")
    root = said["metadata"]["component"]
    if (root["name"], root["version"]) != ("exacta-studio", source.version):
        raise Problem(f"The bill of materials is one of {root['name']} {root['version']}.")
    check = (
        "import sys; from pathlib import Path; from cyclonedx.schema import SchemaVersion;"
        " from cyclonedx.validation.json import JsonStrictValidator;"
        " found = JsonStrictValidator(SchemaVersion.V1_6).validate_str(Path(sys.argv[1]).read_text('utf-8'));"
        " sys.exit(str(found) if found else 0)"
    )
    run_quietly([str(RELEASE.program("python")), "-c", check, str(bill_of(source, into))])
    return [Outcome("bill of materials", State.TESTED, f"valid by the schema of CycloneDX {SPECIFICATION}")]


def bill_of(source: Source, into: Path) -> Path:
    return into / f"exacta-studio-{source.version}.cdx.json"


def _installed(folder: Path) -> Path:
    """The Python of an environment that holds the locked packages of the program, and nothing else."""
    environment = Environment(folder, ())
    run_quietly([sys.executable, "-m", "venv", str(folder)], environments.variables())
    names = names_for((), EXTRAS)
    environments.install(environment, names, ["--only-binary", ":all:", "--require-hashes"])
    python = str(environment.program("python"))
    present = subprocess.check_output([python, "-m", "pip", "list", "--format", "freeze"], text=True)
    own = [name for name in ("setuptools", "pip") if f"{name}==" in present]
    run_quietly([python, "-m", "pip", "uninstall", "--quiet", "--yes", *own], environments.variables())
    return Path(python)


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
