"""Projects whose git data differ in what decides on `bin/` and `packages/`; git itself makes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.engine.git_data.repositories import commit, git, init, write

_APP, _LIB, _BIN = "packages/app/src/main.js", "packages/lib/index.js", "bin/cli.js"
_NESTED = (
    *(_APP, "packages/app/packages/inner/main.js", "packages/app/bin/run", "web/packages/ui/index.js"),
    *("web/bin/run", "src/bin/app/main.js", "tools/packages/bin/cli/packages/x.txt"),
)


def _plain(folder: Path) -> Path:
    write(folder, {_APP: "x\n", _BIN: "x\n"})
    return folder


def _unborn(folder: Path) -> Path:
    init(folder)
    return _plain(folder)


def _with(*paths: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        commit(init(folder), dict.fromkeys(("README.md", *paths), "x\n"))
        return folder

    return make


def _staged(folder: Path) -> Path:
    commit(init(folder), {"README.md": "x\n"})
    write(folder, {_APP: "x\n", _BIN: "x\n"})
    git(folder, "add", "-f", "--", _APP, _BIN)
    return folder


def _removed(folder: Path) -> Path:
    _with(_APP, _BIN)(folder)
    git(folder, "rm", "-q", "-r", "--cached", "packages", "bin")
    git(folder, "commit", "-q", "-m", "remove")
    return folder


def _packed(folder: Path) -> Path:
    _with(_APP, _BIN)(folder)
    git(folder, "gc", "-q")
    git(folder, "pack-refs", "--all")
    return folder


def _detached(folder: Path) -> Path:
    _with(_APP, _BIN)(folder)
    git(folder, "checkout", "-q", "--detach")
    return folder


def _broken(folder: Path) -> Path:
    """The objects of HEAD's tree are gone."""
    _with(_APP, _BIN)(folder)
    tree = git(folder, "rev-parse", "HEAD^{tree}").strip()
    (folder / ".git/objects" / tree[:2] / tree[2:]).unlink()
    return folder


def _garbage(folder: Path) -> Path:
    _with(_APP, _BIN)(folder)
    (folder / ".git/HEAD").write_text("no reference\n")
    return folder


def _no_branch(folder: Path) -> Path:
    _with(_APP, _BIN)(folder)
    (folder / ".git/HEAD").write_text("ref: refs/heads/missing\n")
    return folder


def _worktree(folder: Path) -> Path:
    main = folder.with_name(f"{folder.name} (main)")
    _with(_APP, _LIB)(main)
    git(main, "worktree", "add", "-q", "-b", "other", str(folder))
    return folder


def _sha256(folder: Path) -> Path:
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main", "--object-format=sha256")
    commit(folder, {_APP: "x\n", _BIN: "x\n"})
    return folder


def _spelled(folder: Path) -> Path:
    """Folders in other spellings of the names, which a disk that folds case takes for the same."""
    return _with("Packages/app/main.js", "BIN/run", "packages./x.txt", "bin /x.txt", "\uff42in/x.txt")(folder)


def _links(folder: Path) -> Path:
    """HEAD has a link in bin, which is a file to git, and a file called packages."""
    init(folder)
    write(folder, {"packages": "x\n", "README.md": "x\n"})
    (folder / "bin").mkdir()
    (folder / "bin/linked").symlink_to("../README.md")
    git(folder, "add", "-f", "--", "packages", "bin/linked", "README.md")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def _submodules(*others: str) -> Callable[[Path], Path]:
    """A submodule in packages; nothing beside it but these files."""

    def make(folder: Path) -> Path:
        other = folder.with_name(f"{folder.name} (other)")
        _with(_APP, _BIN, "x.txt")(other)
        commit(init(folder), dict.fromkeys(("README.md", *others), "x\n"))
        git(folder, "submodule", "--quiet", "add", str(other), "packages/vendored")
        git(folder, "commit", "-q", "-m", "submodule")
        return folder

    return make


def _empty_tree(folder: Path) -> Path:
    """HEAD has a folder packages without anything in it, which git itself makes for nobody."""
    init(folder)
    empty = git(folder, "mktree").strip()
    tree = git(folder, "mktree", given=f"040000 tree {empty}\tpackages\n").strip()
    git(folder, "update-ref", "HEAD", git(folder, "commit-tree", "-m", "first", tree).strip())
    return folder


def _below(folder: Path) -> Path:
    """The project is a folder of a larger repository, which has more of these names above it."""
    above = folder.with_name(f"{folder.name} (above)")
    commit(init(above), {f"packages/project/{path}": "x\n" for path in (_APP, "README.md")} | {_BIN: "x\n"})
    return above / "packages/project"


def _hooks(folder: Path) -> Path:
    """Git runs what lies in packages/core, and HEAD has it."""
    _with(_APP, "packages/core/pre-commit")(folder)
    git(folder, "config", "core.hooksPath", "packages/core")
    return folder


def _configured(text: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        _with(_APP, _LIB, _BIN)(folder)
        (folder / "studio.yaml").write_text(text)
        return folder

    return make


MAKERS: Final[dict[str, Callable[[Path], Path]]] = {
    "no git": _plain,
    "no commit": _unborn,
    "neither in HEAD": _with("src/main.js"),
    "packages in HEAD": _with(_APP, _LIB),
    "bin in HEAD": _with(_BIN, "tools/bin/run"),
    "only staged": _staged,
    "removed from HEAD": _removed,
    "nested": _with(*_NESTED),
    "packed": _packed,
    "detached HEAD": _detached,
    "tree is missing": _broken,
    "HEAD is garbage": _garbage,
    "branch is missing": _no_branch,
    "worktree": _worktree,
    "SHA-256": _sha256,
    "other spellings": _spelled,
    "links and files": _links,
    "submodule alone": _submodules(),
    "submodule beside files": _submodules(_LIB),
    "empty tree": _empty_tree,
    "below the repository": _below,
    "hooks in packages": _hooks,
    "denied by the project": _configured('file_rules: {deny: ["packages/lib/"]}\n'),
}
"""What makes each project in a new folder, and returns the project's root, by a name of a few words."""


NOT_READ: Final = frozenset({"SHA-256"})
"""Projects that stay closed although HEAD has files: libgit2 1.9 reads no repository of SHA-256 objects."""


def make_all(folder: Path) -> dict[str, Path]:
    """Make every project beneath a folder; its root by its name."""
    return {name: make(folder / f"project {number}") for number, (name, make) in enumerate(MAKERS.items())}


def folders_with_files(root: Path) -> frozenset[str]:
    """Return each folder beneath the root, relative to it, of which HEAD has a file, as git itself lists it.

    A submodule is none. Empty where git reads no HEAD.
    """
    found = set[str]()
    for line in git(root, "ls-tree", "-r", "-z", "HEAD", may_fail=True).split("\0"):
        kind, _, path = line.partition("\t")
        if " blob " in kind:
            found.update(path[:at] for at, letter in enumerate(path) if letter == "/")
    return frozenset(found)
