"""What the packaged program holds, and what of Qt and Python's modules it does without.

Standard library only, and nothing of the packager's: the specification and tests read these rules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

COMMAND = "studio"

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

PLUGINS: Mapping[str, tuple[str, ...]] = {
    "platforms": ("qxcb", "qwayland", "qoffscreen"),
    "platformthemes": ("qxdgdesktopportal",),
    "platforminputcontexts": ("composeplatforminputcontextplugin", "ibusplatforminputcontextplugin"),
    "imageformats": ("qgif", "qico", "qjpeg", "qsvg", "qwebp"),
    "iconengines": ("qsvgicon",),
    "wayland-decoration-client": ("adwaita", "bradient"),
    "wayland-graphics-integration-client": ("qt-plugin-wayland-egl",),
    "wayland-shell-integration": ("xdg-shell", "qt-shell"),
    "xcbglintegrations": (),
}
"""Qt's plugins by the folders in which it looks for them; every other folder is left out."""

_LEFT_OUT_LIBRARIES = (
    # Qt's own that nothing kept links.
    *("Qt6Qml", "Qt6Quick", "Qt6Pdf", "Qt6Sql", "Qt6Test", "Qt6VirtualKeyboard", "Qt6PrintSupport"),
    *("Qt6Network", "Qt6EglFS", "Qt6EglFs", "Qt6OpenGLWidgets", "Qt6LabsPlatform"),
    # What the GTK theme draws in from the machine that packs: its plugin is left out.
    *("libgtk-3", "libgdk-3", "libgdk_pixbuf", "libcairo", "libpango", "libatk", "libatspi", "libepoxy"),
    *("libharfbuzz", "libthai", "libdatrie", "libfribidi", "libgraphite2", "libpixman", "libXcomposite"),
    *("libXdamage", "libXinerama", "libXcursor", "libXi.", "libXrandr", "libXfixes", "libjpeg", "libtiff"),
    # The system's, or none at all: they fit its graphics driver, its fonts, and its log-ins.
    *("libgssapi_krb5", "libkrb5", "libk5crypto", "libkeyutils", "libcom_err"),
)

_QT_FOLDER = re.compile(r"PySide6/(?:Qt/)?(plugins|translations|qml|metatypes|resources)/(.+)")


def is_wanted(destination: str) -> bool:
    """Whether a file that the packager found belongs into the package; `destination` is its place there."""
    path = PurePosixPath(destination.replace("\\", "/"))
    found = _QT_FOLDER.search(str(path))
    if found is not None:
        return found[1] == "plugins" and _is_wanted_plugin(PurePosixPath(found[2]))
    return not any(_is_of(path.name, library) for library in _LEFT_OUT_LIBRARIES)


def _is_wanted_plugin(path: PurePosixPath) -> bool:
    wanted = PLUGINS.get(path.parts[0], ())
    return path.name.split(".")[0].removeprefix("lib") in wanted


def _is_of(name: str, library: str) -> bool:
    return name.startswith((library, f"lib{library}"))
