"""Two versions of a real package and of the demo project, and the diff between them as git makes it.

The package is somebody else's code: it is fetched when a test asks for it, kept in a cache outside the
checkout, and none of it is ever run.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest

from studio.doors.demo import make_demo

NO_NETWORK = "the source archives of docutils can't be downloaded"
"""The reason of the only skip: tests/repo/allowed_skips.txt lists it."""

# Taken when the tests are collected: each test then has a home of its own.
_CACHE = Path(
    os.environ.get("STUDIO_TEST_CACHE")
    or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "exacta-studio-tests")
)
_ENVIRONMENT = dict(os.environ)
_ARCHIVES = {
    "docutils-0.20.1.tar.gz": "f08a4e276c3a1583a86dce3e34aba3fe04d02bba2dd51ed16106244e8a923e3b",
    "docutils-0.21.2.tar.gz": "3a6b18732edf182daa3cd12775bbb338cf5691468f91eeeb109deff6ebfa986f",
}
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
    old, new = (_unpacked(_archive(name), folder / part) for name, part in zip(_ARCHIVES, "ab", strict=True))
    return Versions("docutils", old, new, git_diff(old, new, folder / "git"))


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


def _archive(name: str) -> Path:
    """The archive in the cache, fetched into it first if need be."""
    file = _CACHE / name
    if not file.exists():
        _CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_CACHE) as folder:
            _download(name, Path(folder)).replace(file)
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    assert found == _ARCHIVES[name], f"{file} is not the released {name}: delete it and try again"
    return file


def _download(name: str, folder: Path) -> Path:
    package, _, version = name.removesuffix(".tar.gz").rpartition("-")
    for module in ("setuptools/__init__.py", "setuptools/build_meta.py", "flit_core/buildapi.py"):
        (folder / module).parent.mkdir(exist_ok=True)
        (folder / module).write_text(_BACKEND)
    options = "--no-deps --no-binary :all: --no-build-isolation --use-pep517 --retries 1 --dest .".split()
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", *options, f"{package}=={version}"],
        cwd=folder,
        env={**_ENVIRONMENT, "PYTHONPATH": str(folder)},
        capture_output=True,
        check=False,
        text=True,
    )
    if done.returncode and "No matching distribution found" in done.stderr:
        pytest.skip(NO_NETWORK)
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
