"""What packages hold of Qt, what of Python's modules the AppImage does without, and what desktops show.

Standard library only, and nothing of the packager's: the specification and tests read these rules.
"""

from __future__ import annotations

import re
import shutil
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

COMMAND = "studio"
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

_LEFT_OUT_LIBRARIES = tuple(
    f"lib{name}"
    for name in (
        # Qt's own that nothing kept links.
        *("Qt6Qml", "Qt6Quick", "Qt6Pdf", "Qt6Sql", "Qt6Test", "Qt6VirtualKeyboard", "Qt6PrintSupport"),
        *("Qt6Network", "Qt6EglFS", "Qt6EglFs", "Qt6OpenGLWidgets", "Qt6LabsPlatform"),
        # What the GTK theme draws in from the machine that packs: its plugin is left out.
        *("gtk-3", "gdk-3", "gdk_pixbuf", "cairo", "pango", "atk", "atspi", "epoxy", "harfbuzz", "thai"),
        *("datrie", "fribidi", "graphite2", "pixman", "Xcomposite", "Xdamage", "Xinerama", "Xcursor", "Xi."),
        *("Xrandr", "Xfixes", "jpeg", "tiff"),
        # The system's, or none at all: they fit its graphics driver, its fonts, and its log-ins.
        *("gssapi_krb5", "krb5", "k5crypto", "keyutils", "com_err"),
    )
)

_QT_FOLDER = re.compile(r"PySide6/(?:Qt/)?(plugins|translations|qml|metatypes|resources)/(.+)")


def is_wanted(destination: str) -> bool:
    """Whether a file that the packager found belongs into the package; `destination` is its place there."""
    found = _QT_FOLDER.search(destination)
    if found is not None:
        return found[1] == "plugins" and found[2] in QT_PLUGINS and found[2] != FOREIGN_DESKTOP
    return not PurePosixPath(destination).name.startswith(_LEFT_OUT_LIBRARIES)


def put_in_menus(linux: Path, share: Path, version: str, epoch: int) -> Path:
    """Write the entry in menus and what software centres show below a folder such as /usr/share.

    `linux` is the folder of the templates. Returns the file for software centres.
    """
    for folder in ("applications", "metainfo"):
        (share / folder).mkdir(parents=True, exist_ok=True)
    shutil.copy(linux / f"{ID}.desktop", share / "applications")
    shown = share / "metainfo" / f"{ID}.metainfo.xml"
    text = (linux / shown.name).read_text("utf-8").replace("@VERSION@", version)
    shown.write_text(text.replace("@DATE@", f"{datetime.fromtimestamp(epoch, UTC):%Y-%m-%d}"), "utf-8")
    return shown
