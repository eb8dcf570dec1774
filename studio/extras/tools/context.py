"""Context of the file system tool: filesystem, security policy, proposals, external folders."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path, PurePath
from typing import Protocol

from msgspec import field

from studio.engine.config import Config
from studio.engine.filesystem import BackedFilesystem, Filesystem
from studio.engine.filesystem.access_log import AccessLog, Unlogged
from studio.engine.filesystem.external_folder import ExternalFolder
from studio.engine.filesystem.policy_backing import wrap_in_rules
from studio.engine.plan import Plan
from studio.engine.policy import Policy
from studio.errors import AccessDenied, InvalidPath, NotFound
from studio.extras.tools.security_policy import FileSystemSecurityPolicy
from studio.names import normalized, parse_existing, parse_tool, project_path, show_name
from studio.program.log_file import LOGGER
from studio.values import Value

CONFIRM_HINT = "To confirm in a program, pass confirm=True; on the command line, run the command yourself."
"""Hint for an unconfirmed immediate change."""

_HERE = frozenset({".", "./"})


class Proposals(Protocol):
    """Conversion of a session's file changes into a plan."""

    def renew(self) -> None:
        """Reset the files to what the session sees now, discarding changes.

        Raises Refused.
        """
        ...

    def propose(self) -> Plan | None:
        """Propose all changes as a plan; None where there are none.

        Raises Refused where a part is refused.
        """
        ...


class OtherFolder(Value):
    """A folder outside of the project; `open` yields a context for it.

    It raises FileMissing where there is no folder, AccessDenied for one that tools may not read.
    """

    path: Path
    open: Callable[[], AbstractContextManager[ToolContext]]


class ToolContext(Value):
    """Everything a tool works with.

    A missing `filesystem` is no error until files are requested. The rules belong to `filesystem`: `over`
    applies them. `policy` has what the tool checks itself: confirmation, and the maximum number of files.
    Without `proposals` changes are immediate. `encoding_for` returns the configured encoding of a path,
    `others` are external folders that absolute paths may name, to be read only.
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
        """Return a context for files that are written without a plan.

        Folders outside that the policy allows are only read. Raises ConfigRefused.
        """
        chosen = policy or FileSystemSecurityPolicy()
        config = chosen.config(Path(filesystem.root))
        log = _LoggedReads() if chosen.enable_audit_logging else Unlogged()
        ruled = wrap_in_rules(filesystem, config.policy(), log)
        others = other_folders(config, chosen, log)
        return cls(ruled, chosen, encoding_for=config.encoding_for, others=others)

    @property
    def files(self) -> Filesystem:
        """The filesystem.

        Raises NotFound where there is none.
        """
        if self.filesystem is None:
            raise NotFound("tool.no_files", "This tool was given no files.", "Open a project first.")
        return self.filesystem

    @property
    def writes_at_once(self) -> bool:
        """Whether writes are immediate, with no layer or plan in between."""
        if self.proposals is not None or self.files.read_only:
            return False
        return not (isinstance(self.files, BackedFilesystem) and self.files.backing.is_layer)

    def setting(self, path: str) -> str | None:
        """Return the configured encoding of a path."""
        return None if self.encoding_for is None else self.encoding_for(path)

    def path(self, text: str) -> str:
        """Return the path relative to the root; "." is the root.

        "./", doubled slashes and trailing slashes are removed, and an absolute path must be in the root.
        Raises InvalidPath, PathTraversal for any other, also for "..", and AccessDenied for one in an allowed
        external folder, where nothing is changed.
        """
        if text in _HERE:
            return "."
        outside = self.find_external_folder(text)
        if outside is not None:
            raise AccessDenied(
                "tool.elsewhere",
                f"{show_name(text)} is not changed: it is outside the project, where tools only read.",
                f"Propose it in the project {show_name(str(outside[0].path))}.",
                path=text,
            )
        root = Path(self.files.root)
        relative = project_path(_to_plain_path(text), (root,))

        def parse(exists: bool) -> str:
            return parse_tool(relative, (root,), exists=exists)[1]

        return parse_existing(parse, self.files.exists) or "."

    def find_external_folder(self, text: str) -> tuple[OtherFolder, str] | None:
        """Return the external folder and the path in it, if any.

        The path is absolute or starts with ".."; None for any other. Of nested folders it is the innermost,
        so that a project's files are never external.
        """
        if not self.others:
            return None
        absolute = _resolve_parent_path(PurePath(self.files.root), normalized(_to_plain_path(text)))
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
    """Return the external folders that a configuration allows.

    Each is opened when a path names it.
    """
    return tuple(
        OtherFolder(place.path, partial(_open_context, place.path, config, policy, log))
        for place in config.allowed_directories
    )


@contextmanager
def _open_context(
    folder: Path, config: Config, policy: FileSystemSecurityPolicy, log: AccessLog
) -> Generator[ToolContext]:
    def rules(root: Path) -> Policy:
        return config.config_outside(root).policy()

    with ExternalFolder(folder, config.root, rules, log) as files:
        yield ToolContext(files, policy, encoding_for=config.encoding_for)


def _to_plain_path(text: str) -> str:
    return text.rstrip("/") or text[:1]


def _resolve_parent_path(root: PurePath, path: str) -> str:
    """Make a path that starts with ".." absolute; others are unchanged.

    The root contains no links, so its parents are the real ones.
    """
    segments = path.split("/")
    climbs = next((count for count, segment in enumerate(segments) if segment != ".."), len(segments))
    if not 0 < climbs <= len(root.parents):
        return path
    return root.parents[climbs - 1].joinpath(*segments[climbs:]).as_posix()


class _LoggedReads:
    """Log of reads that are in no project's journal, without content."""

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
