"""A command for the sandbox, what came of it, and the layer that it left behind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from studio.engine.limits import SANDBOX_OUTPUT_BYTES, SANDBOX_SECONDS
from studio.engine.root import Copied


class Way(Enum):
    """How the project's layer is made, the best way first. In each the command is confined alike."""

    NAMESPACE = "namespace"
    REFLINK = "reflink"
    COPY = "copy"

    @property
    def words(self) -> str:
        """What it is, for people."""
        return {
            Way.NAMESPACE: "an overlay over the project",
            Way.REFLINK: "a copy of the project that shares its blocks on the disk",
            Way.COPY: "a plain copy of the project",
        }[self]


class Spaces(Enum):
    """Who makes the name spaces around a command, the better first."""

    OWN = "own"
    BUBBLEWRAP = "bubblewrap"


class EndedBy(Enum):
    """What ended a command. `APPLY`: somebody wants to write to the project. `KILLED`: its surroundings
    were killed from outside."""

    ITSELF = "itself"
    TIME = "time"
    CANCEL = "cancel"
    DISK = "disk"
    APPLY = "apply"
    KILLED = "killed"


class LayerKind(Enum):
    """What a layer is: changes above the project, as overlayfs notes them (`userxattr`), or all of it."""

    OVERLAY = "overlay"
    COPY = "copy"


@dataclass(frozen=True, slots=True)
class Layer:
    """What commands have changed; hostile, all of it. `path` is the upper folder or the copy.

    Of a copy, `copied` has each entry by its path: a copy with another signature now was written to, an entry
    of the project with another one was changed from outside. What is in the project and was not copied is not
    in it: what can't be read, pipes, sockets, devices.
    """

    kind: LayerKind
    path: Path
    copied: Mapping[str, Copied] = field(default_factory=dict[str, Copied])


@dataclass(frozen=True, slots=True)
class LaidFile:
    """What commands see at a path of the project instead of what is there: a file with what `read` gives and
    these permission bits, a folder, or nothing. `path` goes through no link."""

    path: str
    mode: int = 0
    read: Callable[[], bytes] | None = None
    is_folder: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """What is to be run. `folder` is relative to the project's root. `logins` are files or folders of the
    home, relative to it, that are handed in: a folder to be read, of a file a copy that goes with the
    command and holds what `login_contents` has for it, if anything. `variables` come on top of the few that
    are passed on (`places`). `seconds` is how long it may run."""

    argv: tuple[str, ...]
    folder: str = ""
    network: bool = False
    seconds: float = SANDBOX_SECONDS
    logins: tuple[str, ...] = ()
    login_contents: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    output_bytes: int = SANDBOX_OUTPUT_BYTES


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a command. Of `exit` and `signal` one is known where it ended by itself.

    `output` is what was kept of all that it printed; where `left_out_bytes` are missing they stood in the
    middle of it, at `cut_at`. `not_enforced` are sentences.
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


@dataclass(frozen=True, slots=True)
class CopySize:
    """What a plain copy of a project takes."""

    files: int
    bytes: int
