"""The Debian package as far as it can be looked at without building one: templates, manual, lists."""

from __future__ import annotations

import ast
import configparser
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest

import studio
from studio.doors.cli.parser import Parser, build_parser, build_window_parser
from studio.ui.help.documentation import first_page
from tests.packaging.test_installer import installer_module

ROOT = Path(__file__).parents[2]
LINUX = ROOT / "installer" / "linux"
ID = "org.exacta.Studio"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EPOCH = 1_700_000_000


@pytest.fixture
def tree(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return installer_module("shipping.deb", monkeypatch)


@pytest.fixture
def contents(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return installer_module("shipping.contents", monkeypatch)


@pytest.fixture
def shown(contents: ModuleType, tmp_path: Path) -> Path:
    """What software centres show, as the .deb and the AppImage have it."""
    file = contents.put_in_menus(LINUX, tmp_path, studio.__version__, EPOCH)
    assert isinstance(file, Path)
    return file


@pytest.fixture
def manual(monkeypatch: pytest.MonkeyPatch) -> str:
    return str(installer_module("shipping.deb", monkeypatch).manual(studio.__version__, EPOCH))


class Entries(configparser.ConfigParser):
    """Of a desktop file: its keys have capitals."""

    def optionxform(self, optionstr: str) -> str:
        return optionstr


@pytest.fixture
def desktop() -> configparser.ConfigParser:
    parsed = Entries(interpolation=None)
    parsed.read_string((LINUX / f"{ID}.desktop").read_text("utf-8"))
    return parsed


@pytest.fixture
def component(shown: Path) -> ElementTree.Element:
    return ElementTree.fromstring(shown.read_text("utf-8"))


def test_the_id_is_the_same_everywhere(
    tree: ModuleType, desktop: configparser.ConfigParser, component: ElementTree.Element
) -> None:
    """Else a desktop shows windows without their icon, and software centres don't know what is installed."""
    window = (ROOT / "studio" / "ui" / "app" / "start.py").read_text("utf-8")
    assert f'application.setDesktopFileName("{ID}")' in window
    assert tree.ID == ID
    assert desktop["Desktop Entry"]["Icon"] == ID
    # The class of windows on an X server, and the end of the D-Bus path of the taskbar's count: no hyphen.
    window_class = desktop["Desktop Entry"]["StartupWMClass"]
    assert re.fullmatch(r"[A-Za-z0-9_]+", window_class)
    assert f'application.setApplicationName("{window_class}")' in window
    assert component.findtext("id") == ID
    assert component.findtext("launchable") == f"{ID}.desktop"
    assert component.findtext("icon") == ID


def test_the_entry_in_menus_starts_what_is_there(desktop: configparser.ConfigParser) -> None:
    entry = desktop["Desktop Entry"]
    assert entry["Exec"] == "studio %F"
    assert entry["Name"] == "Exacta Studio"
    for action in filter(None, entry["Actions"].split(";")):
        words = desktop[f"Desktop Action {action}"]["Exec"].split()
        assert words[0] == "studio"
        build_parser().parse_args(words[1:])
    assert list(filter(None, entry["MimeType"].split(";"))) == ["text/x-patch", "text/x-diff"]


@pytest.mark.usefixtures("shown")
def test_what_desktops_show_has_no_gaps(tmp_path: Path) -> None:
    texts = [file.read_text("utf-8") for file in tmp_path.rglob("*") if file.is_file()]
    assert len(texts) == 2
    assert not [found for text in texts for found in re.findall(r"@[A-Z]+@", text)]


def test_software_centres_are_told_what_the_project_says(component: ElementTree.Element) -> None:
    assert component.findtext("project_license") == PROJECT["license"]
    release = component.find("releases/release")
    assert release is not None
    assert (release.get("version"), release.get("date")) == (studio.__version__, "2023-11-14")
    assert component.findtext("provides/binary") in PROJECT["scripts"]


@pytest.mark.skipif(shutil.which("appstreamcli") is None, reason="appstreamcli is not installed")
def test_appstreamcli_finds_nothing(shown: Path) -> None:
    done = subprocess.run(
        ["appstreamcli", "validate", "--no-net", str(shown)], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout.decode()


def test_the_package_says_what_the_project_says(tree: ModuleType) -> None:
    control = (LINUX / "debian" / "control").read_text("utf-8")
    fields = dict(line.split(": ", 1) for line in control.splitlines() if re.match(r"[A-Z]", line))
    assert fields["Package"] == fields["Source"] == tree.NAME == PROJECT["name"]
    assert len(fields["Description"]) <= 80
    assert all(len(line) <= 80 for line in control.splitlines())


def test_every_override_is_explained() -> None:
    """A tag of lintian that is put aside has a comment that says why."""
    lines = (LINUX / "debian" / "lintian-overrides").read_text("utf-8").splitlines()
    for before, line in zip(["", *lines], lines, strict=False):
        assert line.startswith(("# ", f"{PROJECT['name']}: "))
        assert line.startswith("#") or before.startswith("#"), line


def test_the_pages_lie_once_and_the_program_finds_them(tree: ModuleType, tmp_path: Path) -> None:
    """Where Debian's readers of documents look, and no more among the program's resources."""
    prefix = tmp_path / "usr"
    packages = prefix / "lib" / tree.BUNDLE.name / "lib/python3.11/site-packages"
    resources = packages / "studio" / "_resources"
    (resources / "site").mkdir(parents=True)
    (resources / "site" / "index.html").write_text("<p>Exacta Studio")
    tree.move_pages(packages, prefix / "share")
    assert not list(resources.iterdir())
    page = first_page(packages / "studio/ui/help/documentation.py", prefix)
    assert page is not None and page == prefix / "share/doc/exacta-studio/html/index.html"
    told = (prefix / "share" / "doc-base" / tree.NAME).read_text("utf-8")
    assert f"Index: /usr/{page.relative_to(prefix)}\n" in told


def test_a_newer_debian_has_the_newer_package(tree: ModuleType) -> None:
    assert tree.full_version("1", "bookworm") < tree.full_version("1", "trixie")


def parsers(parser: Parser, words: str) -> Iterator[tuple[str, Parser]]:
    yield words, parser
    for word, command in parser.commands().items():
        yield from parsers(command, f"{words} {word}")


def test_the_manual_has_every_command_and_option(manual: str) -> None:
    plain = manual.replace("\\-", "-").replace("\\(aq", "'").replace("\\(ti", "~")
    sections = dict(re.findall(r'^\.SS "(.+)"\n((?:(?!\.S[SH] ).*\n)*)', plain, re.M))
    everything = dict(parsers(build_parser(), "studio"))
    assert set(sections) == set(everything) - {"studio"}
    options = plain[plain.index(".SH OPTIONS") : plain.index(".SH COMMANDS")]
    for words, parser in [*everything.items(), ("", build_window_parser())]:
        text = sections.get(words, plain if words else options)
        for name in (name for action in parser.arguments() for name in action.option_strings):
            assert re.search(rf"(^  |, |\[){re.escape(name)}\b", text, re.M), (words, name)


def test_the_manual_means_nothing_by_accident(manual: str) -> None:
    """A line of it that begins with a dot is a request that is known, and every bar is one."""
    requests = {line.split()[0] for line in manual.splitlines() if line.startswith((".", "'"))}
    assert requests <= {".TH", ".SH", ".SS", ".EX", ".EE", ".B", ".br"}
    assert not re.search(r"\\(?!f[BIR]|-|e|&|\((?:aq|ga|ha|ti))", manual)


def imports_of_qt() -> set[str]:
    """The modules of Qt that the program's sources name."""
    found: set[str] = set()
    for file in (ROOT / "studio").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "PySide6":
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("PySide6."):
                found.add(str(node.module).split(".")[1])
            elif isinstance(node, ast.Import):
                found |= {
                    alias.name.split(".")[1] for alias in node.names if alias.name.startswith("PySide6.")
                }
    return found


def test_what_is_left_out_of_qt_is_not_used(tree: ModuleType) -> None:
    assert imports_of_qt() == set(tree.QT_MODULES)


@pytest.mark.skipif(sys.platform != "linux", reason="Qt's plugins have other names elsewhere")
def test_the_plugins_that_are_kept_exist(contents: ModuleType) -> None:
    found = importlib.util.find_spec("PySide6")
    assert found is not None and found.origin is not None
    plugins = Path(found.origin).parent / "Qt" / "plugins"
    assert [each for each in contents.QT_PLUGINS if not (plugins / each).is_file()] == []
    assert contents.FOREIGN_DESKTOP in contents.QT_PLUGINS
    pictures = [f"imageformats/{file.name}" for file in (plugins / "imageformats").iterdir()]
    wanted = {each for each in pictures if contents.is_wanted(f"PySide6/Qt/plugins/{each}")}
    assert set(pictures) - wanted == {"imageformats/libqpdf.so"}, "every format that Qt reads without QtPdf"


def test_the_version_is_told_without_what_is_slow_to_load() -> None:
    """`studio --version` takes at most twice what an empty Python takes: typing alone would take that."""
    script = (
        "import sys; sys.argv = ['studio', '--version']; from studio.__main__ import main; main(); "
        "print(sorted({'argparse', 'pathlib', 're', 'typing'} & set(sys.modules)))"
    )
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.append({str(ROOT)!r}); {script}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"studio {studio.__version__}", "[]"]


def test_the_demo_keeps_its_tests_and_other_packages_don_t(tree: ModuleType, tmp_path: Path) -> None:
    demo = tmp_path / "studio" / "_resources" / "demo"
    for file in ("of_c/tests/test_a.py", "of_c/fast.pyx", "of_c/fast.py"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    shutil.copytree(ROOT / "resources" / "demo", demo)
    assert list(demo.rglob("tests"))
    subprocess.run(["rm", "-rf", *tree.aside(tmp_path)], check=True)  # as the build does
    kept = sorted(each.relative_to(demo) for each in demo.rglob("*"))
    source = ROOT / "resources" / "demo"
    assert kept == sorted(each.relative_to(source) for each in source.rglob("*"))
    assert [each.name for each in (tmp_path / "of_c").iterdir()] == ["fast.py"]


def test_what_only_builds_packages_is_not_loaded(tree: ModuleType) -> None:
    """With those names taken, what was built with them loads all the same, and so does all of the program."""
    script = (
        "import importlib, pkgutil, sys\n"
        "for name in sys.argv[1:]: sys.modules[name] = None\n"
        "import acp, cryptography.x509, mcp, pygit2, zstandard, studio\n"
        "for each in pkgutil.walk_packages(studio.__path__, 'studio.'):\n"
        "    if not each.name.endswith('__main__'): importlib.import_module(each.name)\n"
    )
    command = [sys.executable, "-c", script, *tree.ONLY_TO_BUILD]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert set(tree.ONLY_TO_BUILD) <= set(locked_names())


def locked_names() -> list[str]:
    text = (ROOT / "installer" / "requirements.lock").read_text("utf-8")
    return re.findall(r"^([\w.-]+)==", text, re.MULTILINE)


def test_of_the_data_of_languages_only_names_and_what_nothing_opens_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    icu = installer_module("shipping.deb", monkeypatch)
    gone = ["brkitr/ja.res", "curr/de.res", "lang/de.res", "rbnf/de.res", "region/de.res", "translit/Any.res"]
    gone += ["unit/de.res", "zone/de.res", "zone/zh_Hans_CN.res", "de_AT.res", "unames.icu", "rfc3491.spp"]
    kept = [
        "coll/de.res",
        "curr/supplementalData.res",
        "en.res",
        "gb18030.cnv",
        "lang/root.res",
        "uprops.icu",
    ]
    kept += ["zone/pool.res", "zone/en.res", "zone/res_index.res", "zoneinfo64.res", "supplementalData.res"]
    assert icu.left_out(sorted(gone + kept)) == sorted(gone)
    with pytest.raises(icu.Problem, match="no unit in it"):
        icu.left_out(each for each in gone if not each.startswith("unit/"))


def test_this_qt_answers_as_the_package_s_should(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = installer_module("shipping.trial", monkeypatch)
    command = [sys.executable, "-I", "-c", trial.QT_ASKED]
    assert subprocess.check_output(command, text=True).split() == trial.QT_ANSWERS


def test_what_works_beside_the_window_opens_none(tree: ModuleType, tmp_path: Path) -> None:
    """multiprocessing loads the script once more in each process that it spawns."""
    packages = tmp_path / "packages"
    (packages / "studio").mkdir(parents=True)
    (packages / "studio" / "__init__.py").touch()
    (packages / "studio" / "__main__.py").write_text(
        "import multiprocessing, os\n"
        "def main():\n"
        "    print('a window', flush=True)\n"
        "    beside = multiprocessing.get_context('spawn').Process(target=os.getpid)\n"
        "    beside.start()\n"
        "    beside.join()\n"
        "    return beside.exitcode\n"
    )
    program = tmp_path / "studio"
    program.write_text(tree.program_text(Path(sys.executable), packages), "utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(program)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "a window\n"), done.stderr


def test_a_licence_that_debian_has_is_named_and_others_are_quoted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    licences = {
        "exacta_studio": (
            "MIT",
            "MIT License\n\nCopyright (c) 2026 Exacta Studio contributors\n",
        ),
        "pyside6_essentials": ("LGPL-3.0-only OR GPL-2.0-only", ""),
        "glass": ("Apache-2.0", "  Apache License\n  Version 2.0\n" + "long\n" * 200),
        "wood": ("BSD-3-Clause", "Copyright 2020 Ann Example\n\nRedistribution and use"),
    }
    for name, (licence, text) in licences.items():
        info = tmp_path / f"{name}-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {name}\nVersion: 1\nLicense-Expression: {licence}\n")
        if text:
            (info / "LICENSE").write_text(text)
        record = [f"{name}/__init__.py,,", *(f"{file.relative_to(tmp_path)},," for file in info.iterdir())]
        (info / "RECORD").write_text("\n".join(record))
    made = installer_module("shipping.contents", monkeypatch).copyright_of_debian(tmp_path)
    assert "\nexacta_studio 1: MIT\n\nMIT License\n\nCopyright (c) 2026 Exacta Studio" in made
    assert "\npyside6_essentials 1: LGPL-3.0-only OR GPL-2.0-only\n" in made
    assert "\nwood 1: BSD-3-Clause\n\nCopyright 2020 Ann Example\n\nRedistribution and use" in made
    assert "\nglass 1: Apache-2.0\n\nSee /usr/share/common-licenses/Apache-2.0\n" in made
    assert "/usr/share/common-licenses/LGPL-3" in made and "long" not in made
