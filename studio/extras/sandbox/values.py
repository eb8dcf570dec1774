"""Data types of the sandbox: command, outcome, layer of changes, layer methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Final

from msgspec import field

from studio.engine.root import Copied
from studio.limits import SANDBOX_OUTPUT_BYTES, SANDBOX_SECONDS
from studio.values import Value


class Way(Enum):
    """How the project's layer is created, best way first.

    The confinement of the command is the same in each but a container, which is made only on request.
    """

    NAMESPACE = "namespace"
    REFLINK = "reflink"
    COPY = "copy"
    CONTAINER = "container"

    @property
    def words(self) -> str:
        """Description of this way, for messages."""
        return {
            Way.NAMESPACE: "an overlay over the project",
            Way.REFLINK: "a copy of the project that shares its blocks on disk",
            Way.COPY: "a plain copy of the project",
            Way.CONTAINER: "an overlay over the project in a container",
        }[self]


LAYER_METHODS: Final = (Way.NAMESPACE, Way.REFLINK, Way.COPY)
"""The ways that need no container."""


class Spaces(Enum):
    """Program that creates the namespaces around a command, better one first."""

    OWN = "own"
    BUBBLEWRAP = "bubblewrap"


class EndedBy(Enum):
    """What ended a command.

    `APPLY`: another process waits to write to the project. `KILLED`: the sandbox was killed from outside.
    """

    ITSELF = "itself"
    TIME = "time"
    CANCEL = "cancel"
    DISK = "disk"
    APPLY = "apply"
    KILLED = "killed"


class LayerKind(Enum):
    """Kind of a layer: an overlayfs upper folder or a full copy.

    The overlay is mounted with `userxattr`.
    """

    OVERLAY = "overlay"
    COPY = "copy"


class Layer(Value):
    """Everything that sandboxed commands changed; untrusted input.

    `path` is the overlay's upper folder, or the copy.

    For a copy, `copied` has each entry by its path: if the copy has another signature now, the command wrote
    it; if the project's entry has another one, it was changed from outside. Entries of the project that were
    not copied are missing: unreadable ones, pipes, sockets and devices.
    """

    kind: LayerKind
    path: Path
    copied: Mapping[str, Copied] = field(default_factory=dict[str, Copied])


class OverriddenFile(Value):
    """What commands see at a project path instead of its entry.

    A file with the bytes from `read` and the permission bits `mode`, a folder, or nothing. `path` contains no
    symbolic link.
    """

    path: str
    mode: int = 0
    read: Callable[[], bytes] | None = None
    is_folder: bool = False


class Command(Value):
    """A command to run in the sandbox.

    `folder` is relative to the project's root. `logins` are files or folders, relative to the home, to make
    available: a folder read-only; a file as a writable copy that is discarded with the command and has the
    bytes of `login_contents`, if given. `variables` are added to the few that are passed on (see
    `studio.extras.sandbox.mounts`). `seconds` is the time limit.
    """

    argv: tuple[str, ...]
    folder: str = ""
    network: bool = False
    seconds: float = SANDBOX_SECONDS
    logins: tuple[str, ...] = ()
    login_contents: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    output_bytes: int = SANDBOX_OUTPUT_BYTES


class Outcome(Value):
    """Result of a command.

    Where it ended by itself, either `exit` or `signal` is set. `output` is the kept part of what it printed;
    if `left_out_bytes` are missing, they were cut out at offset `cut_at`. `not_enforced` are sentences.
    """

    argv: tuple[str, ...]
    exit: int | None
    signal: int | None
    seconds: float
    way: Way
    network: bool
    not_enforced: tuple[str, ...]
    output: bytes
    cut_at: int
    left_out_bytes: int
    ended_by: EndedBy


class CopySize(Value):
    """Number of files and bytes in a plain copy of a project."""

    files: int
    bytes: int
