"""What a user of a machine does with the installed package, and what may not mislead it.

    python3 -m shipping.debian_trial before|after VERSION

Runs as that user, in their home folder, in a Debian of its own; `after` an upgrade it finds what was kept.
Standard library only.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from system_packages import Problem, captured, exit_code

from shipping.trial import Trial

_PYTHON = "/usr/lib/exacta-studio/bin/python3"
QT_ASKED = """
from PySide6.QtCore import QCollator, QDate, QDateTime, QLocale, QStringDecoder, QTime, QTimeZone
for language in ("sv", "de"):
    print(ascii("".join(sorted("z\\xe4a", key=QCollator(QLocale(language)).sortKey))))
print(*(QStringDecoder(name).isValid() for name in ("Shift_JIS", "windows-1252", "GB18030", "EUC-KR")))
print(QDateTime(QDate(2026, 7, 1), QTime(12, 0), QTimeZone(b"Europe/Berlin")).offsetFromUtc())
"""
QT_ANSWERS = [r"'az\xe4'", r"'a\xe4z'", "True", "True", "True", "True", "7200"]
"""Orders, encodings and time zones, of the data that was linked anew."""

# Whatever imports it ends at once, with a code that nothing of ours has.
_TRAP = "import os\nos.write(2, b'a trap was imported: ' + __file__.encode() + b'\\n')\nos._exit(77)\n"
_TRAPPED = ("PySide6", "encodings", "pygments", "re", "sitecustomize", "studio", "usercustomize", "watchdog")


def use(moment: str, version: str) -> None:
    """Make a project with history, or find it as it was and begin another one. Raises Problem."""
    kept, told = Trial(["studio"], Path("kept").absolute()), Path("told")
    if moment == "before":
        kept.walk(version)
    asked = (("plans",), ("history",), ("journal", "--verify"))
    now = b"".join(kept.run("--json", *words) for words in asked)
    if moment == "before":
        told.write_bytes(now)
        return
    if now != told.read_bytes():
        raise Problem("After the upgrade, the program tells something else of a project of before.")
    fresh = Trial(["studio"], Path("fresh").absolute())
    fresh.walk(version)
    fresh.run("doctor")
    said = captured([_PYTHON, "-I", "-c", QT_ASKED])
    if said.stdout.split() != QT_ANSWERS:
        raise Problem(f"Of languages, the package's Qt says {said.stdout.split()}: {said.stderr[-500:]}")
    not_misled()


def not_misled() -> None:
    """Neither the folder nor the environment that it is started in chooses what runs. Raises Problem."""
    folder = Path(os.fsdecode(os.fsencode(Path("traps").absolute()) + b"/ a b \xff\xe9 '\"$"))
    home, closed = Path("trapped-home").absolute(), Path("closed-home").absolute()
    for place in (folder, home / ".local/lib/python{}.{}/site-packages".format(*sys.version_info)):
        for name in _TRAPPED:
            (place / name).mkdir(parents=True)
            (place / name / "__init__.py").write_text(_TRAP)
    closed.mkdir(mode=0o500)
    trapped = {
        "HOME": str(home),
        "PYTHONPATH": str(folder),
        "PYTHONHOME": str(folder),
        "PYTHONINSPECT": "",
        "PYTHONSTARTUP": str(folder / "studio" / "__init__.py"),
        "LANG": "C",
        "LC_ALL": "C",
        "PYTHONIOENCODING": "ascii",
    }
    own = {name: value for name, value in os.environ.items() if name not in ("HOME", "PYTHONPATH")}
    own["QT_QPA_PLATFORM"] = "offscreen"
    for more in (trapped, {"HOME": str(closed)}, {}):
        for words in (("--version",), ("--smoke",), ("--json", "fs", "search", "x"), ("--json", "plans")):
            command = ["/usr/bin/studio", *words]
            done = subprocess.run(
                command, env=own | more, cwd=folder, capture_output=True, timeout=120, check=False
            )
            said = done.stderr.decode("utf-8", "replace")
            refused = b'"error"' in done.stdout and done.returncode == 1 and words[0] == "--json"
            if "Traceback" in said or "trap" in said.split("/")[0] or (done.returncode and not refused):
                raise Problem(f"With {more}, {command} ended with {done.returncode}: {said[-900:]}")


if __name__ == "__main__":
    sys.exit(exit_code(lambda: use(*sys.argv[1:])))
