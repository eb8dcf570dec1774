"""What may stand where git's configuration is expected, and is no file that ends."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def home(name: str) -> Path:
    return Path(os.environ["HOME"], name)


def configured(project: Path, text: str) -> None:
    (project / ".git" / "config").write_text(text)


def pipe(place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(place)


def link_to_pipe(place: Path) -> None:
    pipe(place.with_name("pipe"))
    place.symlink_to("pipe")


def include_of(target: str) -> Callable[[Path], None]:
    return lambda project: configured(project, f"[include]\n\tpath = {target}\n")


def included_pipe(project: Path) -> None:
    include_of("../team.gitconfig")(project)
    pipe(project / "team.gitconfig")


def conditional_pipe(project: Path) -> None:
    configured(project, '[includeIf "gitdir:/somewhere/else/"]\n\tpath = more\n')
    pipe(project / ".git" / "more")


def pipe_for_a_worktree(project: Path) -> None:
    (project / ".git").rmdir()
    (project / ".git").write_text("gitdir: ../elsewhere\n")
    pipe(project.with_name("elsewhere") / "commondir")


def pipe_for_git_itself(project: Path) -> None:
    (project / ".git").rmdir()
    pipe(project / ".git")


PLACES: dict[str, Callable[[Path], None]] = {
    "config": lambda project: pipe(project / ".git/config"),
    "config, a link": lambda project: link_to_pipe(project / ".git/config"),
    "config.worktree": lambda project: pipe(project / ".git/config.worktree"),
    "commondir": lambda project: pipe(project / ".git/commondir"),
    "commondir of a worktree": pipe_for_a_worktree,
    ".git": pipe_for_git_itself,
    "include.path": included_pipe,
    "includeIf": conditional_pipe,
    "the terminal": include_of("/dev/tty"),
    "our own input": include_of("/proc/self/fd/0"),
    "endless": include_of("/dev/zero"),
    "~/.gitconfig": lambda _: pipe(home(".gitconfig")),
    "~/.gitconfig, a link": lambda _: link_to_pipe(home(".gitconfig")),
    "the user's git/config": lambda _: pipe(Path(os.environ["XDG_CONFIG_HOME"], "git", "config")),
}
