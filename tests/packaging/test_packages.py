"""The files that the AppImage is made of agree with the program."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
INSTALLER = ROOT / "installer"


@pytest.fixture
def contents(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return module("shipping.contents", monkeypatch)


def module(name: str, monkeypatch: pytest.MonkeyPatch, folder: Path = INSTALLER) -> ModuleType:
    """One of the installer's modules, imported flat as its own commands do."""
    monkeypatch.syspath_prepend(str(folder))
    return importlib.import_module(name)


def test_the_script_of_the_appimage_is_one() -> None:
    file = INSTALLER / "appimage/AppRun"
    shell = "bash" if file.read_text().startswith("#!/bin/bash\n") else "sh"
    assert subprocess.run([shell, "-n", str(file)], check=False).returncode == 0
    assert file.stat().st_mode & 0o111


@pytest.mark.parametrize(
    ("place", "is_wanted"),
    [
        ("PySide6/Qt/plugins/platforms/libqxcb.so", True),
        ("PySide6/Qt/plugins/platforms/libqvnc.so", False),
        ("PySide6/Qt/plugins/platformthemes/libqgtk3.so", False),
        ("PySide6/Qt/plugins/xcbglintegrations/libqxcb-egl-integration.so", True),
        ("PySide6/Qt/translations/qtbase_de.qm", False),
        ("PySide6/Qt/lib/libQt6Core.so.6", True),
        ("PySide6/Qt/lib/libQt6Network.so.6", False),
        ("libstdc++.so.6", True),
        ("resources/icons/studio.svg", True),
        ("resources/site/index.html", True),
    ],
)
def test_of_qt_goes_along_what_is_used(contents: ModuleType, place: str, is_wanted: bool) -> None:
    assert contents.is_wanted(place) is is_wanted


class Packager:
    """Takes down what the specification asks the packager to do."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.programs: list[tuple[str, bool]] = []
        self.datas: list[tuple[str, str, str]] = []

    def names(self) -> dict[str, object]:
        return {
            "SPECPATH": str(INSTALLER / "payload"),
            "Analysis": lambda *_scripts, **_options: SimpleNamespace(
                scripts=[("pyi_rth_pyside6", "", ""), ("__main__", "", "")], binaries=[], datas=[], pure=[]
            ),
            "workpath": str(self.work),
            "PYZ": lambda pure: pure,
            "EXE": self._program,
            "COLLECT": self._folder,
        }

    def _folder(self, *parts: object, **_options: object) -> str:
        self.datas = next(part for part in parts if isinstance(part, list) and part)
        return "folder"

    def _program(
        self, _modules: object, scripts: list[tuple[str, str, str]], *_: object, **options: object
    ) -> None:
        self.scripts = [name for name, _, _ in scripts]
        self.programs.append((str(options["name"]), bool(options["console"])))


def test_the_specification_packs_one_program_with_licences(
    contents: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What belongs to the packager is played here."""
    hooks = ModuleType("hooks")
    vars(hooks).update(collect_submodules=lambda _name: [], copy_metadata=lambda _name: [])
    for name, module in (
        ("PyInstaller", ModuleType("PyInstaller")),
        ("PyInstaller.utils", ModuleType("utils")),
        ("PyInstaller.utils.hooks", hooks),
    ):
        monkeypatch.setitem(sys.modules, name, module)
    common = tmp_path / "common"
    common.mkdir()
    for name in ("LGPL-3", "GPL-3"):
        (common / name).write_text(name)
    monkeypatch.setenv("STUDIO_COMMON_LICENCES", str(common))
    packager = Packager(tmp_path)
    specification = (INSTALLER / "payload/studio.spec").read_text("utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(sys, "path", list(sys.path))
        exec(compile(specification, "studio.spec", "exec"), packager.names())
    assert packager.programs == [(contents.COMMAND, True)]
    assert packager.scripts == ["__main__"]
    assert {"licences/python.txt", "licences/LGPL-3.txt"} <= {place for place, _, _ in packager.datas}


def test_a_runtime_that_is_none_makes_no_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    appimage = module("shipping.appimage", monkeypatch)
    problem = module("system_packages", monkeypatch).Problem

    packed, image = tmp_path / "packed", tmp_path / "made.AppImage"
    packed.write_bytes(b"hsqs")
    runtime = tmp_path / "runtime"
    runtime.write_bytes(b"\x7fELF" + bytes(60))
    with pytest.raises(problem, match="no runtime"):
        appimage.join(runtime, packed, image)
    assert not image.exists()
    runtime.write_bytes(b"\x7fELF" + bytes(4) + b"AI\x02" + bytes(53))
    appimage.join(runtime, packed, image)
    assert image.read_bytes() == runtime.read_bytes() + b"hsqs"
    assert image.stat().st_mode & 0o100


def package(folder: Path, name: str, licences: dict[str, str], *files: str) -> None:
    """An installed package, with the texts that it brings."""
    info = folder / f"{name}-1.0.dist-info"
    said = {f"{info.name}/{place}": text for place, text in licences.items()}
    said |= {
        f"{info.name}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nLicense: L-{name}\n"
    }
    for place, text in {**said, **dict.fromkeys(files, "")}.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text, "utf-8")
    record = "".join(f"{place},,\n" for place in (*said, *files))
    (info / "RECORD").write_text(record, "utf-8")


@pytest.fixture
def licences(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """On a Debian of two packages, of which one says where it lay before /usr was merged."""
    made = module("shipping.contents", monkeypatch)
    programs, documents, common = tmp_path / "bin", tmp_path / "doc", tmp_path / "common"
    for folder in (programs, documents / "libone1", documents / "libtwo2", common):
        folder.mkdir(parents=True)
    (documents / "libone1" / "copyright").write_text("One: see /usr/share/common-licenses/LGPL-2.1.\n")
    (documents / "libtwo2" / "copyright").write_text("Two.\n")
    for name in ("LGPL-2.1", "LGPL-3", "GPL-3"):
        (common / name).write_text(f"text of {name}")
    dpkg = programs / "dpkg"
    dpkg.write_text(
        "#!/bin/sh\ncase $2 in\n/lib/libone.so.1.2) echo libone1:amd64: $2;;\n"
        "/usr/lib/libtwo.so.2) echo libtwo2:amd64: $2;;\n*) exit 1;;\nesac\n"
    )
    dpkg.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv(made.COMMON, str(common))
    monkeypatch.setattr(made, "DOCUMENTS", documents)
    return made


@pytest.mark.skipif(sys.platform != "linux", reason="the machine's libraries go along on Linux")
def test_whose_licences_go_along_with_what_is_packed(licences: ModuleType, tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    package(packages, "used", {"licenses/LICENSE": "text of used"}, "used/__init__.py")
    package(packages, "compiled", {"COPYING": "text of compiled"}, "compiled.libs/c.so")
    package(packages, "unused", {"LICENSE": "text of unused"}, "unused/__init__.py")
    package(packages, "pyinstaller", {"COPYING.txt": "text of the packer"}, "PyInstaller/__init__.py")
    link = tmp_path / "libone.so.1"
    link.symlink_to("/usr/lib/libone.so.1.2")
    libraries = [link, Path("/usr/lib/libtwo.so.2"), packages / "compiled.libs/c.so"]
    libraries += [Path(sys.base_prefix, "lib/libpython3.so")] if sys.base_prefix != "/usr" else []
    texts = licences.texts([packages / "used/__init__.py", ROOT / "studio/__init__.py"], libraries, packages)
    assert set(texts) == {
        *("packages.txt", "python.txt", "debian-libone1.txt", "debian-libtwo2.txt"),
        *("LGPL-2.1.txt", "LGPL-3.txt", "GPL-3.txt"),
    }
    assert texts["LGPL-2.1.txt"] == "text of LGPL-2.1" and texts["debian-libtwo2.txt"] == "Two.\n"
    assert "PYTHON SOFTWARE FOUNDATION LICENSE" in texts["python.txt"]
    said = texts["packages.txt"]
    assert [word for word in ("used", "compiled", "the packer", "unused") if f"text of {word}" in said] == [
        *("used", "compiled", "the packer"),
    ]
    assert "used 1.0: L-used" in said


def test_packages_are_told_through_a_link_to_the_checkout(licences: ModuleType, tmp_path: Path) -> None:
    package(tmp_path / "packages", "compiled", {"COPYING": "text of compiled"}, "compiled.libs/c.so")
    linked = tmp_path / "linked"
    linked.symlink_to(tmp_path / "packages")
    texts = licences.texts([], [linked / "compiled.libs/c.so"], linked)
    assert "text of compiled" in texts["packages.txt"]


def test_where_there_is_no_debian_a_library_of_nobody_is_told(
    licences: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(licences.Problem, match="is of no package"):
        licences.texts([], [tmp_path / "libnobodys.dylib"], tmp_path / "packages")


@pytest.mark.skipif(sys.platform != "linux", reason="the machine's libraries go along on Linux")
def test_nothing_is_packed_whose_licence_is_not_known(
    licences: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(licences.Problem, match=r"libnobodys\.so is of no package"):
        licences.texts([], [Path("/usr/local/lib/libnobodys.so")], tmp_path)
    monkeypatch.setenv(licences.COMMON, str(tmp_path / "empty"))
    with pytest.raises(licences.Problem, match="GPL-3 in STUDIO_COMMON_LICENCES"):
        licences.texts([], [], tmp_path)


def test_an_appimage_is_not_tried_where_a_tool_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And that is said before a minute of packing."""
    appimage = module("shipping.appimage", monkeypatch)
    source = module("shipping.parts", monkeypatch).Source(tmp_path, "1.0", "c", 0)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(appimage, "lay_out", lambda *_: pytest.fail("it began to pack"))
    with pytest.raises(appimage.Unavailable, match=r"is not installed: apt-get install "):
        appimage.build(source, tmp_path)
