"""Command line that restarts this program; packaged-build detection and library environment cleanup.

That is a checkout, an installed wheel, or a package with its own Python. Such a package is no interpreter: it
takes the arguments of `python -m studio` itself.
"""

from __future__ import annotations

import os
import site
import sys
from collections.abc import MutableMapping
from pathlib import Path
from typing import Final

_NAME: Final = "studio.exe" if sys.platform == "win32" else "studio"
_LIBRARIES: Final = "LD_LIBRARY_PATH"


def is_packaged() -> bool:
    """Return whether it runs from a package with its own Python."""
    return bool(getattr(sys, "frozen", False))


def own_command() -> tuple[str, ...]:
    """Return the command line that starts this program from any folder.

    It stays valid after this process has ended.
    """
    own = Path(sys.executable)
    installed = own.with_name(_NAME)
    if is_packaged():
        # A program without a terminal has one with a terminal beside it, which alone can ask and answer.
        return (_find_app_image(own) or str(installed if installed.is_file() else own),)
    if (script := _find_user_script() or installed).is_file():
        return (str(script),)
    # -I: an agent starts it in the project, whose own studio.py must not be taken for ours.
    return (sys.executable, "-I", "-m", "studio")


def _find_user_script() -> Path | None:
    """Return the script of `pip install --user`, if that installed this program.

    An interpreter with -I does not see such packages, and the script beside the interpreter is another one.
    """
    import sysconfig

    if not Path(__file__).is_relative_to(site.getusersitepackages()):
        return None
    return Path(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")), _NAME)


def leave_own_libraries(environment: MutableMapping[str, str]) -> None:
    """Remove the package's own libraries from the environment of child processes.

    Editors, agents and git that are started from here have others. What was loaded stays, and a process of
    ours finds them by itself.
    """
    for name in [name for name in environment if name.startswith("_PYI_")]:
        del environment[name]
    if sys.platform != "linux":
        return
    environment.pop(_LIBRARIES, None)
    original = environment.pop(f"{_LIBRARIES}_ORIG", "")
    if original:
        environment[_LIBRARIES] = original


def _find_app_image(own: Path) -> str:
    """Return the AppImage that contains the program, "" without one.

    Its mount folder disappears when the program ends.
    """
    image, folder = (os.environ.get(name, "") for name in ("APPIMAGE", "APPDIR"))
    # Both variables are inherited from another program's image, too.
    is_inside = bool(folder) and own.is_relative_to(folder)
    return image if is_inside and Path(image).is_absolute() and Path(image).is_file() else ""
