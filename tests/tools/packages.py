"""Released packages: single ones, and two versions with the diff between them as git makes it.

The packages are somebody else's code: they are fetched when a test asks for one, kept in a cache outside
the checkout, and none of it is ever run. Tests that ask are marked `network`. Beside them stand two versions
of the demo project and two of a package that is made up here, so that nothing hangs on the network.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest

from studio.doors.demo import make_demo

NO_NETWORK = "the source archives of docutils can't be downloaded"
"""The reason of the only skip: tests/repo/allowed_skips.txt lists it."""

# Taken when the tests are collected: each test then has a home of its own.
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "exacta-studio-tests")
_ENVIRONMENT = dict(os.environ)
_ARCHIVES = {
    "Django-5.1.3.tar.gz": "c0fa0e619c39325a169208caef234f90baa925227032ad3f44842ba14d75234a",
    "Pygments-2.2.0.tar.gz": "dbae1046def0efb574852fab9e90209b23f556367b5a320c0bcb871c77c3e8cc",
    "Pyphen-0.9.5.tar.gz": "3b633a50873156d777e1f1075ba4d8e96a6ad0a3ca42aa3ea9a6259f93f18921",
    "Sphinx-1.8.6.tar.gz": "e096b1b369dbb0fcb95a31ba8c9e1ae98c588e601f08eada032248e1696de4b1",
    "TurboGears-1.5.1.tar.gz": "12da769e85922ff051aada9478b3d25e80c48a4207d32f46c7f9724f17a8e849",
    "ansible-11.1.0.tar.gz": "d01b425990d960d2a33fc378e1b73dbca1c0e28bc22f4056ab6b3c8e9ae74fba",
    "bokeh-3.6.0.tar.gz": "0032dc1e76ad097b07626e51584685ff48c65481fbaaad105663b1046165867a",
    "chardet-5.2.0.tar.gz": "1b3b6ff479a8c414bc3fa2c0852995695c4a026dcd6d0633b2dd092ca39c1cf7",
    "cryptography-43.0.3.tar.gz": "315b9001266a492a6ff443b61238f956b214dbec9910a081ba5b6646a055a805",
    "docutils-0.20.1.tar.gz": "f08a4e276c3a1583a86dce3e34aba3fe04d02bba2dd51ed16106244e8a923e3b",
    "docutils-0.21.2.tar.gz": "3a6b18732edf182daa3cd12775bbb338cf5691468f91eeeb109deff6ebfa986f",
    "flask-3.0.3.tar.gz": "ceb27b0af3823ea2737928a4d99d125a06175b8512c445cbd9a9ce200ef76842",
    "gopy-0.7.3.tar.gz": "2022d231b2825d51142a10a37c3984f6fed09d93b88c8a84082b8e8b3bf84a64",
    "lxml-3.8.0.tar.gz": "736f72be15caad8116891eb6aa4a078b590d231fdc63818c40c21624ac71db96",
    "lxml-5.3.0.tar.gz": "4e109ca30d1edec1ac60cdbe341905dc3b8f55b16855e03a54aaf59e51ec8c6f",
    "mailman-3.3.8.tar.gz": "83ac07ee55ea2b4c89f00c4ed4717132f06270127d3465a53de3c5cb197d41ce",
    "maturin-1.7.4.tar.gz": "2b349d742a07527d236f0b4b6cab26f53ebecad0ceabfc09ec4c6a396e3176f9",
    "moin-1.9.11.tar.gz": "02be31d55f39d4fe0c6253df8b49e01b76d095634cbd1b56d185f66e1e0c3cf5",
    "psutil-6.1.0.tar.gz": "353815f59a7f64cdaca1c0307ee13558a0512f6db064e92fe833784f08539c7a",
    "pycodestyle-2.5.0.tar.gz": "e40a936c9a450ad81df37f549d676d127b1b66000a6c500caa2b085bc0ca976c",
    "pydantic_core-2.27.0.tar.gz": "f57783fbaf648205ac50ae7d646f27582fc706be3977e87c3c124e7a92407b10",
    "pygments-2.18.0.tar.gz": "786ff802f32e91311bff3889f6e9a86e81505fe99f2735bb6d60ae0c5004f199",
    "roundup-1.6.1.tar.gz": "493d4725b9798a0e4c0d827e0d54f13ddd7c3fbdad07acea0be0302de3a7ad52",
    "spambayes-1.1b3.tar.gz": "188d650fa930b27f74c96233429bd48f96d304a22d401b34cde32839c81bd904",
    "zstandard-0.23.0.tar.gz": "b2d8c62d08e7255f68f7a740bae85b3c9b8e5466baa9cbf7f57f1cde0ac6bc09",
}
_DOCUTILS = ("docutils-0.20.1.tar.gz", "docutils-0.21.2.tar.gz")
_GIT_OPTIONS = ("-c", "core.autocrlf=false", "-c", "core.filemode=true", "-c", "core.hooksPath=/dev/null")
# What pip wants to know of a source archive before it hands it over, answered without running its code.
_BACKEND = """
import sys
from pathlib import Path

__legacy__ = sys.modules[__name__]

def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    fields = dict(line.split(": ", 1) for line in Path("PKG-INFO").read_text("utf-8").splitlines()[:3])
    name, version = fields["Name"], fields["Version"]
    folder = Path(metadata_directory, f"{name}-{version}.dist-info")
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n")
    return folder.name
"""


_BACKENDS = (
    "setuptools/__init__.py",
    "setuptools/build_meta.py",
    "flit_core/buildapi.py",
    "hatchling/build.py",
    "maturin/__init__.py",
)


class Unavailable(Exception):
    """A package can't be fetched: there is no network, or no index that has it."""


@dataclass(frozen=True, slots=True)
class Versions:
    """Two trees and the bytes of `git diff -M` from the old one to the new one."""

    name: str
    old: Path
    new: Path
    diff: bytes


@dataclass(frozen=True, slots=True)
class FileContent:
    """What a file is: its bytes, and whether it may be executed."""

    data: bytes
    executable: bool


def docutils(folder: Path) -> Versions:
    """docutils 0.20.1 and 0.21.2, unpacked into `folder`. Skips the test where they can't be fetched."""
    try:
        archives = [archive(name) for name in _DOCUTILS]
    except Unavailable:
        pytest.skip(NO_NETWORK)
    old, new = (_unpacked(file, folder / part) for file, part in zip(archives, "ab", strict=True))
    return Versions("docutils", old, new, git_diff(old, new, folder / "git"))


def archive(name: str) -> Path:
    """The source archive of that file name in the cache, fetched into it first if need be.

    Raises Unavailable where it can't be fetched, AssertionError where it is not the released one.
    """
    return _cached(name, _ARCHIVES[name], _download)


def wheel(name: str, sha256: str) -> Path:
    """The pure Python wheel of that file name in the cache, fetched and checked as `archive` does."""
    return _cached(name, sha256, _download_wheel)


def _cached(name: str, sha256: str, download: Callable[[str, Path], Path]) -> Path:
    file = _CACHE / name
    if not file.exists():
        _CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_CACHE) as folder:
            download(name, Path(folder)).replace(file)
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    assert found == sha256, f"{file} is not the released {name}: delete it and try again"
    return file


def members(file: Path) -> Iterator[tuple[str, bytes]]:
    """Path (with slashes, without the archive's own top folder) and bytes of each regular file in it."""
    with tarfile.open(file) as found:
        for member in found:
            stream = found.extractfile(member) if member.isfile() else None
            path = member.name.partition("/")[2]
            if stream is not None and path:
                yield path, stream.read()


def demo(folder: Path) -> Versions:
    """The demo project as it is, and with every text file changed, one made, deleted and renamed."""
    old, new = make_demo(folder / "a"), make_demo(folder / "b")
    for path, content in contents(new).items():
        file = new / path
        if b"\0" not in content.data and not path.startswith(("studio.yaml", ".git")):
            ending = b"\r\n" if b"\r\n" in content.data else b"\n"
            lines = content.data.splitlines(keepends=True)
            file.write_bytes(b"".join([*lines[:1], b"a new line" + ending, *lines[1:-1]]))
    (new / "docs" / "new" / "page.md").parent.mkdir(parents=True)
    (new / "docs" / "new" / "page.md").write_bytes(b"A page without a last newline")
    (new / "src" / "tidewatch" / "export_csv.py").unlink()
    (new / "CHANGELOG.md").rename(new / "docs" / "CHANGES.md")
    (new / "src" / "tidewatch" / "__main__.py").chmod(0o755)
    return Versions("the demo project", old, new, git_diff(old, new, folder / "git"))


def generated(folder: Path) -> Versions:
    """Two made-up releases, as large as docutils and always the same: what the real ones prove, offline."""
    old, new = folder / "a", folder / "b"
    chance = random.Random(20_240)
    for number in range(120):
        path = f"part{number % 7}/{'deep/' * (number % 3)}file{number}.{'py txt md css'.split()[number % 4]}"
        lines = [_made_up_line(chance) for _ in range(chance.randrange(1, 120))]
        after = list(lines)
        for _ in range(chance.randrange(1, 5)):
            at = chance.randrange(len(after))
            after[at : at + chance.randrange(2)] = [_made_up_line(chance) for _ in range(chance.randrange(3))]
            after = after or [_made_up_line(chance)]
        is_deleted, is_created, is_moved = (number % 12 == part for part in (3, 6, 9))
        if not is_created:
            _write_made_up(old / path, lines, number)
        if not is_deleted:
            _write_made_up(new / f"moved/{path}" if is_moved else new / path, after, number)
    for side, tail in ((old, b"1"), (new, b"2")):
        (side / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0" + tail)
    return Versions("a made-up package", old, new, git_diff(old, new, folder / "git"))


def _made_up_line(chance: random.Random) -> str:
    words = "tide gauge harbour def return # x=1 \t über naïve {} // the of long_name_of_something".split(" ")
    return " ".join(chance.choices(words, k=chance.randrange(0, 14)))


def _write_made_up(file: Path, lines: list[str], number: int) -> None:
    """In one of several encodings and line ends, some without a last newline, some executable."""
    ending = "\r\n" if number % 5 == 1 else "\n"
    text = ending.join(lines) + ("" if number % 8 == 2 else ending)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("windows-1252" if number % 10 == 4 else "utf-8"))
    file.chmod(0o755 if number % 15 == 0 else 0o644)


def contents(tree: Path) -> Mapping[str, FileContent]:
    """Every regular file of a tree by its relative path with slashes; links are left out."""
    found: dict[str, FileContent] = {}
    for path in sorted(tree.rglob("*")):
        status = path.lstat()
        if stat.S_ISREG(status.st_mode):
            name = path.relative_to(tree).as_posix()
            found[name] = FileContent(path.read_bytes(), bool(status.st_mode & stat.S_IXUSR))
    return found


def git_diff(old: Path, new: Path, repository: Path) -> bytes:
    """What `git diff -M` says between two trees, in a repository of its own that no user setting reaches."""
    shutil.copytree(old, repository)
    _git(repository, "init", "--quiet")
    # Whatever attributes the trees bring, their bytes are taken as they are.
    (repository / ".git" / "info").mkdir(exist_ok=True)
    (repository / ".git" / "info" / "attributes").write_text("* -text -filter -ident\n")
    _git(repository, "add", "--all", "--force")
    identity = ("-c", "user.name=tester", "-c", "user.email=tester@example.org")
    _git(repository, *identity, "commit", "--quiet", "--message=old")
    for entry in repository.iterdir():
        if entry.name != ".git":
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    shutil.copytree(new, repository, dirs_exist_ok=True)
    _git(repository, "add", "--all", "--force")
    return _git(repository, "diff", "--cached", "-M", "--no-color", "--no-ext-diff", "--no-textconv", "HEAD")


def _git(repository: Path, *words: str) -> bytes:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", *_GIT_OPTIONS, *words]
    return subprocess.run(command, cwd=repository, env=environment, check=True, capture_output=True).stdout


def _download(name: str, folder: Path) -> Path:
    package, _, version = name.removesuffix(".tar.gz").rpartition("-")
    for module in _BACKENDS:
        (folder / module).parent.mkdir(exist_ok=True)
        (folder / module).write_text(_BACKEND)
    options = "--no-binary :all: --no-build-isolation --use-pep517".split()
    return _pip_download(name, f"{package}=={version}", options, folder)


def _download_wheel(name: str, folder: Path) -> Path:
    package, version = name.split("-")[:2]
    options = "--only-binary :all: --platform any".split()
    return _pip_download(name, f"{package}=={version}", options, folder)


def _pip_download(name: str, requirement: str, options: Iterable[str], folder: Path) -> Path:
    done = subprocess.run(
        [*(sys.executable, "-m", "pip", "download", "--no-deps", "--retries", "1"), *options, requirement],
        cwd=folder,
        env={**_ENVIRONMENT, "PYTHONPATH": str(folder)},
        capture_output=True,
        check=False,
        text=True,
    )
    if done.returncode and "No matching distribution found" in done.stderr:
        raise Unavailable(f"{name} can't be downloaded")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / name


def _unpacked(archive: Path, folder: Path) -> Path:
    """Regular files and folders alone, each beneath `folder`, without the archive's own top folder."""
    folder.mkdir(parents=True)
    with tarfile.open(archive) as members:
        for member in members:
            parts = PurePosixPath(member.name).parts[1:]
            if not parts or not (member.isfile() or member.isdir()):
                continue
            assert ".." not in parts, member.name
            path = folder.joinpath(*parts)
            if member.isdir():
                path.mkdir(parents=True, exist_ok=True)
                continue
            stream = members.extractfile(member)
            assert stream is not None
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(stream.read())
            path.chmod(0o755 if member.mode & stat.S_IXUSR else 0o644)
    return folder
