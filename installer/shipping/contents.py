"""What packages hold of Qt and Python's modules, what desktops show of them, and the licences that go along.

Of licences nothing is kept here: packages bring their own, and the machine that packs has those of its
libraries, of Python, and of Qt, whose packages bring none. Runs in the Python whose packages are packed;
standard library only, and nothing of the packager's: the specification and tests read these rules.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import sysconfig
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import Distribution
from pathlib import Path, PurePosixPath

from environments import ROOT, installed, normalized, tops
from system_packages import Problem, captured

COMMAND = "studio"
NAME = "exacta-studio"
BUNDLE = Path("/usr/lib") / NAME
"""Where the .deb has the program with all it needs."""
EXTRAS = ("mcp", "acp")
ID = "org.exacta.Studio"
"""Of the program among desktops and software centres."""

LEFT_OUT_MODULES = (
    # Nothing here draws with these, and what packs modules finds them on the way.
    *("tkinter", "_tkinter", "PySide6.QtNetwork", "PySide6.QtOpenGL", "PySide6.QtQml", "PySide6.QtQuick"),
    *("PySide6.QtPrintSupport", "PySide6.QtSql", "PySide6.QtTest", "PySide6.QtUiTools", "PySide6.QtXml"),
    # Tests of the standard library, and what installs packages.
    *("test", "unittest", "pydoc", "pydoc_data", "doctest", "lib2to3", "ensurepip", "idlelib", "turtledemo"),
    *("pip", "setuptools", "pkg_resources", "wheel", "hatchling", "PyInstaller"),
    # A server of MCP that talks over the network: ours talks over its pipes.
    *("IPython", "numpy", "rich", "typer"),
)

LEFT_OUT_HOOKS = ("pyi_rth_inspect", "pyi_rth_multiprocessing", "pyi_rth_pkgutil", "pyi_rth_pyside6")
"""What the packager would run at each start on Linux. The last loads Qt, which takes `studio --version` from
0.04 s to 0.16 s. Qt finds its plugins there by itself, and `studio.__main__` knows what multiprocessing
asks."""

QT_PLUGINS = (
    "iconengines/libqsvgicon.so",
    *(f"imageformats/libq{each}.so" for each in "gif icns ico jpeg svg tga tiff wbmp webp".split()),
    *(f"platforminputcontexts/lib{each}platforminputcontextplugin.so" for each in ("compose", "ibus")),
    *(f"platforms/libq{each}.so" for each in ("offscreen", "wayland", "xcb")),
    *(f"platformthemes/libq{each}.so" for each in ("gtk3", "xdgdesktopportal")),
    *(f"wayland-decoration-client/lib{each}.so" for each in ("adwaita", "bradient")),
    "wayland-graphics-integration-client/libqt-plugin-wayland-egl.so",
    "wayland-shell-integration/libxdg-shell.so",
    *(f"xcbglintegrations/libqxcb-{each}-integration.so" for each in ("egl", "glx")),
)
"""What Qt loads by itself: pictures, screens, desktops, ways of typing."""

FOREIGN_DESKTOP = "platformthemes/libqgtk3.so"
"""What is used only where the libraries of that desktop are there anyway: in no AppImage."""

_LEFT_OUT_LIBRARIES = re.compile(
    # Qt's own that nothing kept links.
    r"libQt6(Qml|Quick|Pdf|Sql|Test|VirtualKeyboard|PrintSupport|Network|EglF[Ss]|OpenGLWidgets|LabsPlatform)"
    # What the GTK theme draws in from the machine that packs: its plugin is left out.
    r"|lib(gtk-3|gdk-3|gdk_pixbuf|cairo|pango|atk|atspi|epoxy|harfbuzz|thai|datrie|fribidi|graphite2|pixman)"
    r"|lib(Xcomposite|Xdamage|Xinerama|Xcursor|Xi\.|Xrandr|Xfixes|jpeg|tiff)"
    # The system's, or none at all: they fit its graphics driver, its fonts, and its log-ins.
    r"|lib(gssapi_krb5|krb5|k5crypto|keyutils|com_err)"
)

_QT_FOLDER = re.compile(r"PySide6/(?:Qt/)?(plugins|translations|qml|metatypes|resources)/(.+)")

COMMON = "STUDIO_COMMON_LICENCES"
"""Names a folder with the texts of Qt's licences, LGPL-3 and GPL-3, where the machine that packs has none."""
_COMMON_OF_DEBIAN = "/usr/share/common-licenses"
DOCUMENTS = Path("/usr/share/doc")
"""Where each package of Debian has its copyright."""
_IS_LICENCE = re.compile(r"(?i)\.dist-info/.*(licen[cs]e|copying|notice|authors)")
"""Where they are, and what they are called, depends on the tool that packed them."""
_TEXTS = {
    "GNU GENERAL PUBLIC LICENSE": "GPL-2",
    "Apache License": "Apache-2.0",
    "Mozilla Public.*": "MPL-2.0",
}
"""How the licences begin whose texts every Debian has, and what those are called there."""


def is_wanted(destination: str) -> bool:
    """Whether a file that the packager found belongs to `destination` in the package."""
    found = _QT_FOLDER.search(destination)
    if found is not None:
        return found[1] == "plugins" and found[2] in QT_PLUGINS and found[2] != FOREIGN_DESKTOP
    return _LEFT_OUT_LIBRARIES.match(PurePosixPath(destination).name) is None


def put_in_menus(linux: Path, share: Path, version: str, epoch: int) -> Path:
    """Write the entry in menus and the file for software centres below `share`; return the latter.

    `linux` is the folder of the templates, `share` one such as /usr/share.
    """
    for folder in ("applications", "metainfo"):
        (share / folder).mkdir(parents=True, exist_ok=True)
    shutil.copy(linux / f"{ID}.desktop", share / "applications")
    shown = share / "metainfo" / f"{ID}.metainfo.xml"
    text = (linux / shown.name).read_text("utf-8").replace("@VERSION@", version)
    shown.write_text(text.replace("@DATE@", f"{datetime.fromtimestamp(epoch, UTC):%Y-%m-%d}"), "utf-8")
    return shown


def notices(folder: Path, names: Iterable[str]) -> str:
    """Return the licences of packages installed in `folder`. Raises Problem where one is missing."""
    there, found = installed(folder), list[str]()
    for name in names:
        package = there.get(normalized(name))
        if package is None:
            raise Problem(f"{name} is not installed in {folder}: its licence can't be named.")
        if not licence_texts(package):
            raise Problem(f"{name} brings no text of its licence.")
        found.append(notice(package))
    return "\n\n".join(found) + "\n"


def notice(package: Distribution, texts: Iterable[str] | None = None) -> str:
    """Return name, version, terms and every text about them that a package brings, or these instead."""
    said = [package.metadata.get_all(name) or [] for name in ("License-Expression", "License")]
    terms = next(filter(None, said[0] + said[1]), "see its licence")
    head = f"{'=' * 78}\n{package.name} {package.version}: {terms}"
    return "\n\n".join((head, *(licence_texts(package) if texts is None else texts)))


def licence_texts(package: Distribution) -> list[str]:
    """Return the files of a package that are about its licence, in the order of their names."""
    names = sorted(str(file) for file in package.files or () if _IS_LICENCE.search(str(file)))
    files = (Path(str(package.locate_file(name))) for name in names)
    return [file.read_text("utf-8", "replace").strip("\n") for file in files]


def copyright_of_debian(packages: Path) -> str:
    """Return Debian's copyright file for a folder of installed packages with their records."""
    parts = [(ROOT / "installer/linux/debian/copyright").read_text("utf-8")]
    for _, package in sorted(installed(packages).items()):
        parts.append(notice(package, map(_without_texts_of_debian, licence_texts(package))))
    return "\n".join(line.rstrip() for line in "\n\n".join(parts).splitlines()) + "\n"


def _without_texts_of_debian(text: str) -> str:
    """Replace the text of a licence that every Debian has by its name."""
    for begin, name in _TEXTS.items():
        found = re.search(rf"^\s*{begin}\s*$", text, re.MULTILINE)
        if found is not None:
            head = text[: found.start()].rstrip("= -\n")
            text = f"{head}\n\nSee {_COMMON_OF_DEBIAN}/{name}".strip()
    return text


def texts(modules: Iterable[Path], libraries: Iterable[Path], packages: Path) -> dict[str, str]:
    """Return the licences of modules and libraries from packages, Python and the machine, by file name.

    Raises Problem where a library is of no known package.
    """
    packages = packages.resolve()  # the checkout may be reached through a link
    real = {library.resolve() for library in libraries}
    inside = {file for file in (*real, *map(Path.resolve, modules)) if file.is_relative_to(packages)}
    packed = {file.relative_to(packages).parts[0] for file in inside}
    found = [
        notice(package)
        for name, package in sorted(installed(packages).items())
        # What starts the packed program is a part of it.
        if name == "pyinstaller" or packed & set(tops(package))
    ]
    python = Path(sysconfig.get_path("stdlib"), "LICENSE.txt")
    if not python.is_file():
        raise Problem(f"{python} is missing: Python's licence can't go along.")
    of_system = _of_system(sorted(real - inside))
    # Of Qt: the first refers to the second.
    common = {"LGPL-3", "GPL-3"}
    common.update(re.findall(rf"{_COMMON_OF_DEBIAN}/([\w.-]*\w)", "\n".join(of_system.values())))
    return {
        "packages.txt": "\n\n".join(found),
        "python.txt": python.read_text("utf-8"),
        **{f"debian-{name}.txt": text for name, text in of_system.items()},
        **{f"{name}.txt": _common(name) for name in sorted(common)},
    }


def _common(name: str) -> str:
    file = Path(os.environ.get(COMMON) or _COMMON_OF_DEBIAN, name)
    if not file.is_file():
        raise Problem(f"{file} is missing: name a folder with the text of {name} in {COMMON}.")
    return file.read_text("utf-8")


def _of_system(files: Iterable[Path]) -> dict[str, str]:
    """Return what Debian says of the packages that these libraries are of."""
    found: dict[str, str] = {}
    # One that somebody built into a folder of its own brings what it needs, but for the machine's libraries.
    base = Path(sys.base_prefix).resolve()
    for file in files:
        if base == Path("/usr") or not file.is_relative_to(base):
            name = _owner(file)
            found[name] = (DOCUMENTS / name / "copyright").read_text("utf-8")
    return found


def _owner(file: Path) -> str:
    """Find the package of a library, which Debian may know by its path before /usr was merged."""
    for known in (str(file), str(file).removeprefix("/usr")) if shutil.which("dpkg") else ():
        said = captured(["dpkg", "-S", known])
        if said.returncode == 0:
            return said.stdout.partition(":")[0]
    raise Problem(f"{file} is of no package: whose licence goes along with it is not known.")
