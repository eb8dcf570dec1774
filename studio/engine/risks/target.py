"""Warnings on extended attributes, hard links, owners, open editors, git configuration commands."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from msgspec import field

from studio.engine.plan import Fact, Operation, Severity, Step
from studio.engine.policy.git_config import leads_to_commands, parse_git_config
from studio.engine.root import EntryKind, FileState
from studio.engine.root.editor_files import OpenInEditor
from studio.limits import GIT_CONFIG_BYTES
from studio.names import show_name
from studio.system.syscalls import FS_APPEND_ONLY, FS_IMMUTABLE, LOST_FLAGS
from studio.values import Value

_SET_USER, _SET_GROUP = 0o4000, 0o2000
_WRITERS = 0o222
_SUPERUSER = 0
_ACCESS_LISTS = frozenset({"system.posix_acl_access", "system.nfs4_acl", "system.richacl"})
_CAPABILITIES = "security.capability"
_SYSTEM_OWN = ("security.", "trusted.")
# Labels that the system sets itself, with the same value for a new file in the same folder.
_SET_BY_SYSTEM = frozenset({"security.selinux", "security.ima", "security.evm", "security.apparmor"})


class Writer(Value):
    """Identity of the process that writes: user id and all group ids."""

    user: int
    groups: frozenset[int]

    @property
    def is_superuser(self) -> bool:
        return self.user == _SUPERUSER


class TargetContext(Value):
    """Target context of a step, the only input of these facts.

    `source` is what is at the step's path (None: nothing, or not checked), `attributes` the names of its
    extended attributes, access lists among them. `target_takes_attributes`: whether the file system of the
    step's target supports them. `writer` None: no facts on owners. `beside` has the names in each folder on
    the way to the target by the folder's path, `root` is the project's absolute path; both may be empty.
    `flags` are the source's inode flags, as chattr sets them. `open_in` is the editor that has the source
    open, by its lock beside it. `origin` is what .gitattributes says of generated and vendored files.
    """

    source: FileState | None = None
    attributes: Collection[str] = ()
    target_takes_attributes: bool = True
    writer: Writer | None = None
    beside: Mapping[str, Collection[str]] = field(default_factory=dict[str, Collection[str]])
    root: str = ""
    flags: int = 0
    open_in: OpenInEditor | None = None
    origin: Mapping[str, bool] = field(default_factory=dict[str, bool])


NOTHING_KNOWN = TargetContext()
"""Context of a step without a disk: a text only parsed."""


def target_facts(step: Step, around: TargetContext) -> Iterator[Fact]:
    """Yield facts on editors, hard links, owners and attributes of the target."""
    if around.open_in is not None:
        unsaved = " with unsaved changes" if around.open_in.is_unsaved else ""
        how, action = ("left by", "recovery") if around.open_in.is_left else ("open in", "save")
        message = f"{show_name(step.path)} is {how} {around.open_in.editor}{unsaved}."
        yield Fact("open_in_editor", Severity.WARNING, f"{message} A {action} there may overwrite this step.")
    source = around.source
    if source is None or source.kind is not EntryKind.FILE or step.op is Operation.CREATE:
        return
    yield from _yield_link_facts(step, source)
    yield from _read_only_facts(step, source, around)
    if step.op is Operation.DELETE or step.result is None:
        return
    yield from _yield_privilege_facts(step, source, around)
    if step.op is Operation.MOVE and step.base is not None and step.result.sha256 == step.base.sha256:
        return  # a rename preserves everything
    yield from _yield_owner_facts(step, source, around.writer)
    yield from _yield_attribute_facts(step, around)


def _yield_link_facts(step: Step, source: FileState) -> Iterator[Fact]:
    if source.links <= 1:
        return
    more = source.links - 1
    names = "another name" if more == 1 else f"{more} other names"
    keeps = "keeps" if more == 1 else "keep"
    if step.op is Operation.COPY:
        return
    message = f"{show_name(step.path)} has {names} (hard link), which {keeps} the old bytes."
    yield Fact("hard_link", Severity.WARNING, message)


def _read_only_facts(step: Step, source: FileState, around: TargetContext) -> Iterator[Fact]:
    if step.op in (Operation.COPY, Operation.MODE):
        return
    name = show_name(step.path)
    if around.flags & (FS_IMMUTABLE | FS_APPEND_ONLY):
        letter = "i" if around.flags & FS_IMMUTABLE else "a"
        message = f"{name} is marked immutable (chattr +{letter}), which prevents writing."
        yield Fact("read_only", Severity.WARNING, message)
    elif not source.mode & _WRITERS:
        outcome = "deleted" if step.result is None else "replaced, and stay read-only"
        message = f"{name} is read-only. It will be {outcome} anyway."
        yield Fact("read_only", Severity.WARNING, message)


def _yield_privilege_facts(step: Step, source: FileState, around: TargetContext) -> Iterator[Fact]:
    runs_as = [
        name
        for bit, name in ((_SET_USER, "its owner"), (_SET_GROUP, "its group"))
        if source.mode & bit and source.mode & 0o111
    ]
    if runs_as:
        message = (
            f"{show_name(step.path)} runs with the rights of {' and '.join(runs_as)}, whoever starts it."
        )
        yield Fact("privileged", Severity.DANGER, message)
    elif _CAPABILITIES in around.attributes:
        message = f"{show_name(step.path)} runs with extra privileges (file capabilities)."
        yield Fact("privileged", Severity.DANGER, message)


def _yield_owner_facts(step: Step, source: FileState, writer: Writer | None) -> Iterator[Fact]:
    if writer is None or writer.is_superuser or step.op is Operation.COPY:
        return
    name = show_name(step.path)
    if source.user != writer.user:
        message = f"{name} belongs to another user (id {source.user}); the new file will belong to you."
        yield Fact("owner_lost", Severity.WARNING, message)
    if source.group not in writer.groups:
        message = f"{name} belongs to a group that you are not in (id {source.group}); the new file will not."
        yield Fact("owner_lost", Severity.WARNING, message)


def _yield_attribute_facts(step: Step, around: TargetContext) -> Iterator[Fact]:
    lost = sorted(name for name in set(around.attributes) if not _is_kept(name, around))
    lists = _ACCESS_LISTS & set(lost)
    if lists:
        message = f"The access list of {show_name(step.path)} can't be kept; others may read or change it."
        yield Fact("attributes_lost", Severity.WARNING, message)
    others = [show_name(name) for name in lost if name not in lists]
    others += [f"chattr +{letter}" for bit, letter in LOST_FLAGS.items() if around.flags & bit]
    if others:
        more = f" and {len(others) - 3} more" if len(others) > 3 else ""
        message = f"Attributes of {show_name(step.path)} can't be kept: {', '.join(others[:3])}{more}."
        yield Fact("attributes_lost", Severity.WARNING, message)


def _is_kept(name: str, around: TargetContext) -> bool:
    if name in _SET_BY_SYSTEM:
        return True
    if not around.target_takes_attributes:
        return False
    if name.startswith(_SYSTEM_OWN):
        return around.writer is None or around.writer.is_superuser
    return True


# Facts on files that git could read as configuration, whatever their name.
#
# A repository nested in the project, or the user's own configuration, may include any file.

_SECTION: Final = re.compile(
    rb"(?i)\[(?:alias|core|credential|diff|difftool|filter|gpg|hook|include|includeif|interactive|merge"
    rb"|mergetool|pager|remote|sendemail|sequence|submodule|trailer|uploadpack)[\]. \t\r\"]"
)


def git_configuration_facts(base: bytes | None, result: bytes) -> Iterator[Fact]:
    """Yield what a changed file makes git run, if it is configuration."""
    if _SECTION.search(result) is None:
        return
    if len(result) > GIT_CONFIG_BYTES:
        message = "It may be a git configuration file, and is too large to check."
        yield Fact("git_configuration", Severity.WARNING, message)
        return
    text = parse_git_config(result)
    if not text.is_whole:
        return
    base_variables = frozenset(parse_git_config((base or b"")[:GIT_CONFIG_BYTES]).variables)
    for variable in dict.fromkeys(text.variables):
        if variable not in base_variables and leads_to_commands(variable):
            name = f"{variable.section}.{variable.key}"
            message = f"It is a git configuration file; {name} defines commands that git runs."
            yield Fact("git_configuration", Severity.DANGER, message)
