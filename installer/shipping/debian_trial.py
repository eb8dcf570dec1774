"""What a user of a machine does with the installed package, and what may not mislead it.

    python3 -m shipping.debian_trial before|after VERSION

Runs as that user, in their home folder, in a Debian of its own; `after` an upgrade it finds what was kept.
Standard library only.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from system_packages import Problem, captured, exit_code

from shipping.trial import Trial

_KEPT = Path("kept")
_TOLD = Path("told")
_ASKED = (("plans",), ("history",), ("journal", "--verify"))

_PYTHON = "/usr/lib/exacta-studio/bin/python3"
QT_ASKED = """
from PySide6.QtCore import QCollator, QDate, QDateTime, QLocale, QStringDecoder, QTime, QTimeZone
for language in ("sv", "de"):
    print(ascii("".join(sorted("z\\xe4a", key=QCollator(QLocale(language)).sortKey))))
print(*(QStringDecoder(name).isValid() for name in ("Shift_JIS", "windows-1252", "GB18030", "EUC-KR")))
print(QDateTime(QDate(2026, 7, 1), QTime(12, 0), QTimeZone(b"Europe/Berlin")).offsetFromUtc())
"""
QT_ANSWERS = [r"'az\xe4'", r"'a\xe4z'", "True", "True", "True", "True", "7200"]

# Whatever imports it ends at once, with a code that nothing of ours has.
_TRAP = "import os\nos.write(2, b'a trap was imported: ' + __file__.encode() + b'\\n')\nos._exit(77)\n"
_TRAPPED = ("PySide6", "encodings", "pygments", "re", "sitecustomize", "studio", "usercustomize", "watchdog")


def _begin(version: str) -> None:
    """A project with history, and what the program tells of it."""
    trial = Trial(["studio"], _KEPT.absolute())
    trial.walk_with_extras(version)
    _TOLD.write_bytes(_told(trial))


def _go_on(version: str) -> str:
    """The same tells the same of it, and a new project goes as well; what was found, in words."""
    if _told(Trial(["studio"], _KEPT.absolute())) != _TOLD.read_bytes():
        raise Problem("After the upgrade, the program tells something else of a project of before.")
    trial = Trial(["studio"], Path("fresh").absolute())
    trial.walk_with_extras(version)
    trial.run("doctor")
    _knows_languages()
    _not_misled()
    return f"--version takes {_ratio():.2f} times what an empty Python takes"


def _told(trial: Trial) -> bytes:
    return b"".join(trial.run("--json", *words) for words in _ASKED)


def _knows_languages() -> None:
    """What Qt asks of the data that was linked anew: orders, encodings, time zones. Raises Problem."""
    said = captured([_PYTHON, "-I", "-c", QT_ASKED])
    if said.stdout.split() != QT_ANSWERS:
        raise Problem(f"Of languages, the package's Qt says {said.stdout.split()}: {said.stderr[-500:]}")


def _not_misled() -> None:
    """Neither the folder nor the environment that it is started in chooses what runs. Raises Problem."""
    folder = Path("traps").absolute()
    trap(folder)
    home = Path("trapped-home").absolute()
    version = "python{}.{}".format(*sys.version_info)
    trap(home / ".local" / "lib" / version / "site-packages")
    closed = Path("closed-home").absolute()
    closed.mkdir(mode=0o500)
    odd = os.fsencode(folder) + b"/ a b \xff\xe9 '\"$"
    Path(os.fsdecode(odd)).mkdir()
    trap(Path(os.fsdecode(odd)))
    homeless = {name: value for name, value in os.environ.items() if name not in ("HOME", "PYTHONPATH")}
    tries: tuple[tuple[str, Mapping[str, str], bytes], ...] = (
        ("a folder with modules of our names", {}, os.fsencode(folder)),
        ("PYTHONPATH", {"PYTHONPATH": str(folder)}, b"/"),
        ("PYTHONHOME", {"PYTHONHOME": str(folder)}, b"/"),
        (
            "PYTHONSTARTUP",
            {"PYTHONSTARTUP": str(folder / "studio" / "__init__.py"), "PYTHONINSPECT": ""},
            b"/",
        ),
        ("packages in the home folder", {"HOME": str(home)}, b"/"),
        ("a home folder that can't be written", {"HOME": str(closed)}, os.fsencode(folder)),
        ("no language", {"LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}, odd),
        ("a folder with an odd name", {}, odd),
    )
    for what, variables, where in tries:
        _runs(what, {**homeless, "HOME": str(Path.home()), **variables}, where)
    _runs("no home", homeless, os.fsencode(folder))


def trap(folder: Path) -> None:
    """Modules that must not be imported, in a folder."""
    for name in _TRAPPED:
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(_TRAP)


def _runs(what: str, environment: Mapping[str, str], where: bytes) -> None:
    """The window and commands work in this environment and folder. Raises Problem."""
    for words in (("--version",), ("--smoke",), ("--json", "fs", "search", "x"), ("--json", "plans")):
        done = subprocess.run(
            ["/usr/bin/studio", *words],
            env={**environment, "QT_QPA_PLATFORM": "offscreen"},
            cwd=where,
            capture_output=True,
            timeout=120,
            check=False,
        )
        said = done.stderr.decode("utf-8", "replace")
        refused = b'"error"' in done.stdout and done.returncode == 1 and words[0] == "--json"
        if "Traceback" in said or "trap" in said.split("/")[0] or (done.returncode and not refused):
            raise Problem(
                f"With {what}, studio {' '.join(words)} ended with {done.returncode}: {said[-900:]}"
            )


def _ratio() -> float:
    """Processor time of `studio --version` by that of an empty Python: the median of pairs."""
    pairs = [(_seconds(["studio", "--version"]), _seconds(["python3", "-c", "pass"])) for _ in range(15)]
    return statistics.median(own / other for own, other in pairs)


def _seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    moment, its_version = sys.argv[1:]
    sys.exit(exit_code(lambda: _begin(its_version) if moment == "before" else print(_go_on(its_version))))
