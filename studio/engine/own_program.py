"""How this very program is started again: from a checkout, an installed wheel, or a package with its own
Python in it.

Such a package is no interpreter: what would be said to `python -m studio` is said to it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import MutableMapping
from pathlib import Path
from typing import Final

_NAME: Final = "studio.exe" if sys.platform == "win32" else "studio"
_LIBRARIES: Final = "LD_LIBRARY_PATH"


def is_packaged() -> bool:
    """Whether it was started from a package that holds its own Python."""
    return bool(getattr(sys, "frozen", False))


def own_command() -> tuple[str, ...]:
    """The words that start it, from any folder and whatever that holds; they hold good after it has ended."""
    own = Path(sys.executable)
    beside = own.with_name(_NAME)
    if is_packaged():
        # Beside a program without a terminal stands the one that has one: it alone can be asked and answer.
        return (_image_around(own) or str(beside if beside.is_file() else own),)
    if (script := _script_of_user() or beside).is_file():
        return (str(script),)
    # -I: an agent starts it in the project, whose own studio.py must not be taken for ours.
    return (sys.executable, "-I", "-m", "studio")


def _script_of_user() -> Path | None:
    """Where `pip install --user` puts the program, if it is what put this one here: an interpreter with -I
    does not see it, and what stands beside the interpreter is another one."""
    import site
    import sysconfig

    if not Path(__file__).is_relative_to(site.getusersitepackages()):
        return None
    return Path(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")), _NAME)


def leave_own_libraries(environment: MutableMapping[str, str]) -> None:
    """Take out of the environment what leads to the package's own libraries: editors, agents and git that are
    started from here have others. What was loaded stays, and a process of ours finds them by itself."""
    for name in [name for name in environment if name.startswith("_PYI_")]:
        del environment[name]
    if sys.platform != "linux":
        return
    environment.pop(_LIBRARIES, None)
    given = environment.pop(f"{_LIBRARIES}_ORIG", "")
    if given:
        environment[_LIBRARIES] = given


def _image_around(own: Path) -> str:
    """The AppImage in which the program lies, "" without one: its folder goes when the program ends."""
    image, folder = (os.environ.get(name, "") for name in ("APPIMAGE", "APPDIR"))
    # Both are handed on to whatever is started from another program's image, too.
    is_inside = bool(folder) and own.is_relative_to(folder)
    return image if is_inside and Path(image).is_absolute() and Path(image).is_file() else ""
