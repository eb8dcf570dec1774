"""What a tool is given to work with: files, rules, and where changes become a plan (R8, R201)."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePath
from typing import Protocol

from studio.engine.config import Config
from studio.engine.errors import AccessDenied, InvalidPath, NotFound
from studio.engine.filesystem import BackedFilesystem, Filesystem
from studio.engine.filesystem.access_log import AccessLog
from studio.engine.filesystem.elsewhere import ElsewhereFiles
from studio.engine.filesystem.ruled import under_rules
from studio.engine.names import normalized, parse_existing, parse_tool, show_name
from studio.engine.plan import Plan
from studio.engine.policy import Policy
from studio.engine.project_paths import project_path
from studio.engine.system.log_file import LOGGER
from studio.engine.tools.security_policy import FileSystemSecurityPolicy

CONFIRM_HINT = "A program that means it says confirm=True; from the command line, do it there yourself."
"""What to do about a change at once that nobody confirmed."""

_HERE = frozenset({".", "./"})


class Proposals(Protocol):
    """Where what a session changed in its files becomes a plan."""

    def renew(self) -> None:
        """Let the files be what the session sees now; what was not proposed is gone. Raises Refused."""
        ...

    def propose(self) -> Plan | None:
        """The plan of all that was changed, None for nothing. Raises Refused where a part is turned away."""
        ...


@dataclass(frozen=True, slots=True)
class OtherFolder:
    """A folder outside of the project; `open` gives the context of a tool in it, for as long as it is held.

    It raises FileMissing where there is no folder, AccessDenied for one that is none for tools.
    """

    path: Path
    open: Callable[[], AbstractContextManager[ToolContext]]


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What every tool is given. No files are no error before something asks for them (R8).

    The rules belong to `filesystem`: `over` puts them there. `policy` says what a tool itself asks for, a
    confirmation and how many files at most. Without `proposals` changes are made in the files at once.
    `encoding_for` names the encoding that the project has for a path, `others` are the folders outside that
    may be named by absolute paths (C15).
    """

    filesystem: Filesystem | None = None
    policy: FileSystemSecurityPolicy = field(default_factory=FileSystemSecurityPolicy)
    proposals: Proposals | None = None
    encoding_for: Callable[[str], str | None] | None = None
    others: tuple[OtherFolder, ...] = ()

    @classmethod
    def over(
        cls, filesystem: BackedFilesystem, policy: FileSystemSecurityPolicy | None = None
    ) -> ToolContext:
        """Files of one's own, under a policy; what is written there is written. Raises ConfigRefused.

        Folders outside that the policy allows are only read.
        """
        chosen = policy or FileSystemSecurityPolicy()
        config = chosen.config(Path(filesystem.root))
        log = _LoggedReads() if chosen.enable_audit_logging else _Unlogged()
        ruled = under_rules(filesystem, config.policy(), log)
        others = other_folders(config, chosen, log)
        return cls(ruled, chosen, encoding_for=config.encoding_for, others=others)

    @property
    def files(self) -> Filesystem:
        """The files. Raises NotFound where there are none."""
        if self.filesystem is None:
            raise NotFound("tool.no_files", "This tool was given no files.", "Open a project first.")
        return self.filesystem

    @property
    def writes_at_once(self) -> bool:
        """Whether what is written is there at once, and no layer or plan holds it back."""
        if self.proposals is not None or self.files.read_only:
            return False
        return not (isinstance(self.files, BackedFilesystem) and self.files.backing.is_layer)

    def setting(self, path: str) -> str | None:
        """The encoding that the project names for a path."""
        return None if self.encoding_for is None else self.encoding_for(path)

    def path(self, text: str) -> str:
        """The path beneath the root that a text names; "." is the root. "./" and doubled slashes in it and
        slashes behind it are left out, and an absolute one is taken where it is in the root (C2).

        Raises InvalidPath, PathTraversal for any other, also for "..", and AccessDenied for one in another
        folder that is allowed: there nothing is changed.
        """
        if text in _HERE:
            return "."
        outside = self.elsewhere(text)
        if outside is not None:
            raise AccessDenied(
                "tool.elsewhere",
                f"{show_name(text)} is not changed: it lies outside of the project, where tools only read.",
                f"Propose it in a project there: studio --project {show_name(str(outside[0].path))} submit.",
                path=text,
            )
        root = Path(self.files.root)
        given = project_path(_plain(text), (root,))

        def parse(exists: bool) -> str:
            return parse_tool(given, (root,), exists=exists)[1]

        return parse_existing(parse, self.files.exists) or "."

    def elsewhere(self, text: str) -> tuple[OtherFolder, str] | None:
        """The folder outside that a path leads into, absolute or with ".." at its start, and the path there;
        None for any other text.

        Of folders within each other it is the innermost, so that a project's files are the project's.
        """
        if not self.others:
            return None
        absolute = _from_above(PurePath(self.files.root), normalized(_plain(text)))
        if not absolute.startswith("/"):
            return None
        roots = [PurePath(self.files.root), *(other.path for other in self.others)]
        try:
            root, path = parse_tool(absolute, roots, exists=True)
        except InvalidPath:
            return None
        found = next((other for other in self.others if other.path == root), None)
        return None if found is None or root == roots[0] else (found, path or ".")


def other_folders(
    config: Config, policy: FileSystemSecurityPolicy, log: AccessLog
) -> tuple[OtherFolder, ...]:
    """The folders outside of the project that a configuration allows, each to be opened when it is named."""
    return tuple(
        OtherFolder(place.path, partial(_opened, place.path, config, policy, log))
        for place in config.allowed_directories
    )


@contextmanager
def _opened(
    folder: Path, config: Config, policy: FileSystemSecurityPolicy, log: AccessLog
) -> Generator[ToolContext]:
    def rules(root: Path) -> Policy:
        return config.elsewhere(root).policy()

    with ElsewhereFiles(folder, config.root, rules, log) as files:
        yield ToolContext(files, policy, encoding_for=config.encoding_for)


def _plain(text: str) -> str:
    return text.rstrip("/") or text[:1]


def _from_above(root: PurePath, path: str) -> str:
    """A path that begins with ".." as an absolute one; the root has no links, so that its parents are those
    of the disk. Any other path as it is."""
    segments = path.split("/")
    climbs = next((count for count, segment in enumerate(segments) if segment != ".."), len(segments))
    if not 0 < climbs <= len(root.parents):
        return path
    return root.parents[climbs - 1].joinpath(*segments[climbs:]).as_posix()


class _LoggedReads:
    """Reads of files that no project's journal knows of, a line of the log each, without content (R169)."""

    def read(self, path: str, offset: int, length: int, size: int, sha256: str) -> None:
        LOGGER.info(
            "tool read path=%s offset=%d length=%d size=%d sha256=%s",
            show_name(path),
            offset,
            length,
            size,
            sha256,
        )

    def listed(self, path: str, pattern: str, lines: list[str]) -> None:
        LOGGER.info(
            "tool listed path=%s pattern=%s count=%d", show_name(path), show_name(pattern), len(lines)
        )


class _Unlogged:
    def read(self, path: str, offset: int, length: int, size: int, sha256: str) -> None:
        """Nobody wants to know."""

    def listed(self, path: str, pattern: str, lines: list[str]) -> None:
        """Nobody wants to know."""
