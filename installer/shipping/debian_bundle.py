"""The program with all it needs in one folder, run by the Python of the Debian release that this runs in.

The folder is a virtual environment, so that nothing but the standard library comes from elsewhere, and
`sys.executable` starts the same again. Runs as root in a bare Debian; standard library only.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from environments import pip_locked
from locked import ROOT, names_for
from system_packages import run_quietly

from shipping import debian_icu
from shipping.debian_copyright import copyright_text
from shipping.payload_contents import QT_PLUGINS

BUNDLE = Path("/usr/lib/exacta-studio")
EXTRAS = ("mcp", "acp")
PIP = ("python3", "-m", "pip")

QT_MODULES = ("QtCore", "QtDBus", "QtGui", "QtSvg", "QtWidgets")
"""What the program imports of Qt, all others are left out."""

ONLY_TO_BUILD = ("cffi", "pycparser")
"""What writes the C of other packages when those are built; they load `_cffi_backend` alone."""


def make() -> str:
    """Fill the folder from the lock and the sources; returns Debian's copyright file. Raises Problem."""
    programs = BUNDLE / "bin"
    packages_folder().mkdir(parents=True)
    programs.mkdir()
    (programs / "python3").symlink_to("../../../bin/python3")
    version = "{}.{}".format(*sys.version_info)
    (BUNDLE / "pyvenv.cfg").write_text(
        f"home = /usr/bin\ninclude-system-site-packages = false\nversion = {version}\n"
    )
    wheels = Path("/build/wheels")
    pip_locked(PIP, ["download", "--dest", wheels], names_for(["build"], EXTRAS))
    # By the same backend that makes the wheel for everybody. The lock has more, for extras of others.
    local = ["--quiet", "--no-index", "--find-links", wheels]
    run_quietly([*PIP, "wheel", *local, "--no-deps", "--wheel-dir", wheels, ROOT])
    install = ["--python", programs / "python3", "install", *local, "--no-compile"]
    run_quietly([*PIP, *install, f"exacta-studio[{','.join(EXTRAS)}]"])
    told = copyright_text(packages_folder())
    _prune()
    program = programs / "studio"
    program.write_text(program_text(programs / "python3", packages_folder()))
    program.chmod(0o755)
    # Bytecode that is never looked at again: equal in every build, and right whatever the files' times.
    words = ["-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", packages_folder()]
    run_quietly(["python3", "-I", *words])
    return told


def packages_folder() -> Path:
    return BUNDLE / "lib" / "python{}.{}".format(*sys.version_info) / "site-packages"


def libraries(folder: Path) -> list[Path]:
    """Every file in a folder that the loader reads, sorted."""
    return sorted(path for path in folder.rglob("*.so*") if path.is_file() and not path.is_symlink())


def _prune() -> None:
    """Leave out what the program never loads, and what is there for who builds with it."""
    packages = packages_folder()
    for program in (BUNDLE / "bin").iterdir():
        if program.name != "python3":
            program.unlink()
    _prune_qt(packages / "PySide6")
    for library in (packages / "PySide6" / "Qt" / "lib").glob("libicudata.so.*"):
        debian_icu.relink(library)
    remove(packages / "shiboken6" / "lib")
    for each in (packages / "zstandard").glob("*_cffi*"):
        remove(each)  # for Pythons other than this; it doubles the package
    for name in ONLY_TO_BUILD:
        remove(packages / name)
    for each in aside(packages):
        remove(each)
    for info in packages.glob("*.dist-info"):
        # They name what was just removed, and how this was installed.
        for name in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "sboms"):
            remove(info / name)
    for library in libraries(BUNDLE):
        run_quietly(["strip", "--strip-unneeded", "--preserve-dates", library])


def aside(packages: Path) -> list[Path]:
    """What packages bring for who builds with them or tests them. The demo project's own tests stay."""
    resources = packages / "studio" / "_resources"
    return [
        each
        for each in sorted(packages.rglob("*"))
        # Bytecode, too, that something wrote which was run here: it holds the time of the build.
        if (each.is_dir() and each.name in ("tests", "include", "__pycache__"))
        or each.suffix in (".pyi", ".pxd", ".pyx", ".h", ".c")
        if not each.is_relative_to(resources)
    ]


def _prune_qt(package: Path) -> None:
    qt = package / "Qt"
    plugins = {qt / "plugins" / each for each in QT_PLUGINS}
    absent = sorted(str(each) for each in plugins if not each.exists())
    assert not absent, absent
    modules = {package / f"{each}.abi3.so" for each in QT_MODULES}
    shiboken = packages_folder() / "shiboken6"
    needed = _with_their_libraries(
        [*modules, *plugins, *shiboken.glob("*.so*")], [package, qt / "lib", shiboken]
    )
    python = {package / "__init__.py", package / "_config.py", package / "_git_pyside_version.py"}
    kept = modules | plugins | needed | python
    for path in sorted(package.rglob("*")):
        if (path.is_file() or path.is_symlink()) and path not in kept and "support" not in path.parts:
            path.unlink()
    for folder in sorted((each for each in package.rglob("*") if each.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()


def _with_their_libraries(files: Iterable[Path], folders: list[Path]) -> set[Path]:
    """The files in these folders that the loader reads for `files`."""
    found: set[Path] = set()
    open_ends = list(files)
    while open_ends:
        said = run_quietly(["readelf", "-d", open_ends.pop()])
        for name in re.findall(r"\(NEEDED\).*\[(.+)\]", said):
            paths = [folder / name for folder in folders if (folder / name).exists()]
            open_ends += [path for path in paths if path not in found]
            found.update(paths)
    return found


def program_text(python: Path, packages: Path) -> str:
    """What is started: it takes nothing from the environment (-I), and reads no files that say where more
    modules lie (-S), but says so itself. What installed the packages wrote another one.

    A process that works beside the window loads it once more, and must not open another window.
    """
    return (
        f"#!{python} -IS\n"
        'if __name__ == "__main__":\n'
        "    import sys\n"
        f'    sys.path.append("{packages}")\n'
        "    from studio.__main__ import main\n"
        "    sys.exit(main())\n"
    )


def remove(path: Path) -> None:
    """A file, or a folder with all that is in it; what is not there is no fault."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
