"""What a tool is given to work with: files, rules, and where changes become a plan (R8, R201)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Protocol

from studio.engine.errors import NotFound
from studio.engine.filesystem import BackedFilesystem, Filesystem
from studio.engine.filesystem.ruled import under_rules
from studio.engine.names import parse_tool, show_name
from studio.engine.plan import Plan
from studio.engine.system.log_file import LOGGER
from studio.engine.tools.security_policy import FileSystemSecurityPolicy

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
class ToolContext:
    """What every tool is given. No files are no error before something asks for them (R8).

    The rules belong to `filesystem`: `over` puts them there. `policy` says what a tool itself asks for, a
    confirmation and how many files at most. Without `proposals` changes are made in the files at once.
    `encoding_for` names the encoding that the project has for a path.
    """

    filesystem: Filesystem | None = None
    policy: FileSystemSecurityPolicy = field(default_factory=FileSystemSecurityPolicy)
    proposals: Proposals | None = None
    encoding_for: Callable[[str], str | None] | None = None

    @classmethod
    def over(
        cls, filesystem: BackedFilesystem, policy: FileSystemSecurityPolicy | None = None
    ) -> ToolContext:
        """Files of one's own, under a policy; what is written there is written. Raises ConfigRefused."""
        chosen = policy or FileSystemSecurityPolicy()
        config = chosen.config(Path(filesystem.root))
        log = _LoggedReads() if chosen.enable_audit_logging else _Unlogged()
        ruled = under_rules(filesystem, config.policy(), log)
        return cls(ruled, chosen, encoding_for=config.encoding_for)

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
        """The path beneath the root that a text names; "." is the root. "./" before it and a slash behind it
        are left out, and an absolute one is taken where it lies in the root (C2).

        Raises InvalidPath, PathTraversal for any other, also for "..".
        """
        if text in _HERE:
            return "."
        plain = text.removesuffix("/") if text != "/" else text
        while plain.startswith("./"):
            plain = plain[2:]
        return parse_tool(plain, (PurePath(self.files.root),))[1] or "."


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


class _Unlogged:
    def read(self, path: str, offset: int, length: int, size: int, sha256: str) -> None:
        """Nobody wants to know."""
