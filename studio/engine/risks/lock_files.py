"""Summary of the packages that a changed lock file updates or redirects.

A reader that meets anything its package manager would not write gives up, so that nobody can hide a package
from it that the package manager finds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from studio.engine.plan import Fact, Severity
from studio.limits import LOCK_FILE_BYTES
from studio.names import show_name
from studio.values import Value

_NAMED_UP_TO = 3
_GO_MOD = " go.mod"
"""End of the names of modules of which go.sum has only the requirements."""


class _Package(NamedTuple):
    """Version, address and checksums of an entry.

    `url` is "" for what is local or of the usual registry. `checksums` are pairs of what was summed up (an
    algorithm, a file's name) and the sum.
    """

    version: str
    url: str
    checksums: frozenset[tuple[str, str]]


_Entry = tuple[str, _Package]
_Packages = Mapping[str, set[_Package]]


class LockChange(Value):
    """Counts of packages by name, and entries to warn of.

    `other_source` and `other_contents` map a package to a text of its new entry that the file holds.
    `other_contents` are of the same version as before.
    """

    up: int
    down: int
    new: int
    removed: int
    other_source: Mapping[str, str]
    other_contents: Mapping[str, str]

    @property
    def sentence(self) -> str:
        words = (("up", self.up), ("down", self.down), ("new", self.new), ("removed", self.removed))
        counts = [f"{count:,} {word}" for word, count in words if count]
        if not counts:
            return "No package changes its version."
        number, _, rest = counts[0].partition(" ")
        counts[0] = f"{number} package{'' if number == '1' else 's'} {rest}"
        return f"{', '.join(counts)}."


def lock_facts(path: str, base: bytes | None, result: bytes) -> Iterator[Fact]:
    """Yield what changes in a lock file, and warnings of redirected packages."""
    if path.rpartition("/")[2] not in _READERS:
        return
    change = compare_locks(path, base, result)
    if change is None:
        message = "The lock file can't be read. Which packages it changes is not known."
        yield Fact("lock_unread", Severity.WARNING, message)
        return
    yield Fact("lock_file", Severity.NOTE, change.sentence)
    for kind, found, what in (
        ("lock_source", change.other_source, "from another source"),
        ("lock_contents", change.other_contents, "with other contents under the same version"),
    ):
        if found:
            names = ", ".join(map(show_name, list(found)[:_NAMED_UP_TO]))
            more = f" and {len(found) - _NAMED_UP_TO:,} more" if len(found) > _NAMED_UP_TO else ""
            noun = "package" if len(found) == 1 else "packages"
            place = result.find(next(iter(found.values())).encode("utf-8", "surrogatepass"))
            line = result.count(b"\n", 0, place) + 1 if place >= 0 else None
            message = f"{len(found):,} {noun} {what}: {names}{more}."
            yield Fact(kind, Severity.WARNING, message, "result", line, line and 1)


def compare_locks(path: str, base: bytes | None, result: bytes) -> LockChange | None:
    """Return what changes between two lock files.

    None where either can't be read, is too large, or the format is not known.
    """
    read = _READERS.get(path.rpartition("/")[2])
    if read is None or max(len(base or b""), len(result)) > LOCK_FILE_BYTES:
        return None
    try:
        before, after = _gather(read, base or b""), _gather(read, result)
    except (ValueError, KeyError, RecursionError, msgspec.MsgspecError):
        return None
    return _compare(before, after)


def _gather(read: Callable[[str], Iterable[_Entry]], data: bytes) -> _Packages:
    packages: dict[str, set[_Package]] = {}
    text = data.decode("utf-8-sig").replace("\r\n", "\n")
    for name, package in read(text) if text.strip() else ():
        packages.setdefault(name, set()).add(package)
    return packages


def _compare(before: _Packages, after: _Packages) -> LockChange:
    names = (name for name in before.keys() | after.keys() if not name.endswith(_GO_MOD))
    counts = Counter(_direction(before.get(name), after.get(name)) for name in names)
    every = Counter(_source(name, each) for name, found in (before or after).items() for each in found)
    # Of a new file the source of most packages is the usual one.
    sources = every.keys() if before else {source for source, _ in every.most_common(1)}
    other_source: dict[str, str] = {}
    other_contents: dict[str, str] = {}
    for name, found in sorted(after.items()):
        old = before.get(name, set[_Package]())
        usual = {_source(name, package) for package in old} or {*sources, ""}
        checksums: dict[str, dict[str, set[str]]] = {}
        for package in old:
            of_version = checksums.setdefault(package.version, {})
            for key, total in package.checksums:
                of_version.setdefault(key, set()).add(total)
        for package in found - old:
            if _source(name, package) not in usual:
                other_source[name] = (package.url or name).split()[-1]
            elif _conflicts(checksums.get(package.version), package):
                other_contents[name] = max((total for _, total in package.checksums), default=name)
    return LockChange(
        counts["up"], counts["down"], counts["new"], counts["removed"], other_source, other_contents
    )


def _direction(old: set[_Package] | None, new: set[_Package] | None) -> str:
    """Return "up", "down", "new", "removed", or "" for the same versions."""
    if not old or not new:
        return "removed" if old else "new"
    before, after = {package.version for package in old}, {package.version for package in new}
    if not after - before:
        return "removed" if before - after else ""
    newest = max(map(_version_key, after - before))
    return "up" if newest > max(map(_version_key, before - after or before)) else "down"


def _version_key(version: str) -> list[tuple[int, int, str]]:
    """Return a sort key: a pre-release is before its version."""
    parts = re.findall(r"\d+|[a-z]+|-", version.lower().partition("+")[0])
    numbers = (part.lstrip("0") if part.isdigit() else part for part in parts)
    # By length first: int() refuses more than 4,300 digits.
    key = [
        (2, len(part), part) if part.isdigit() or not part else (0 if part != "post" else 2, 0, part)
        for part in numbers
    ]
    return [*key, (1, 0, "")]


def _source(name: str, package: _Package) -> str:
    """Return a package's address, with gaps for its name and version."""
    scheme, slashes, rest = package.url.partition("#")[0].rpartition("://")
    host, slash, path = rest.partition("/")
    path = f"{slash}{path}".replace("%2f", "/").replace("%2F", "/").replace(f"/{name}/", "/N/")
    path = path.replace(f"/{name.rpartition('/')[2]}-", "/N-").replace(package.version or "/", "V")
    return f"{scheme}{slashes}{host}{path}"


def _conflicts(old: Mapping[str, set[str]] | None, new: _Package) -> bool:
    """Return whether the checksums can't be of the same package.

    A file that was added to a version, as wheels for a new Python are, is no conflict.
    """
    shared = [total in old[key] for key, total in new.checksums if key in old] if old else [True]
    return not shared or not all(shared)


def _package(version: str, url: str, *checksums: tuple[str, str]) -> _Package:
    commit = url.partition("#")[2]
    pairs = [pair for pair in (("#", commit), *checksums) if pair[1]]
    return _Package(version, url, frozenset(pairs))


def _integrity(text: str) -> list[tuple[str, str]]:
    """Return the sums of a Subresource Integrity string by algorithm."""
    return [(each.partition("-")[0], each) for each in text.split()]


# npm


class _NpmPackage(msgspec.Struct):
    version: str = ""
    resolved: str | bool = ""
    integrity: str = ""
    name: str = ""
    link: bool = False
    is_bundled: bool = msgspec.field(default=False, name="inBundle")


class _NpmDependency(msgspec.Struct):
    version: str = ""
    resolved: str | bool = ""
    integrity: str = ""
    is_bundled: bool = msgspec.field(default=False, name="bundled")
    dependencies: dict[str, _NpmDependency] = {}


class _NpmLock(msgspec.Struct):
    packages: dict[str, _NpmPackage] = {}
    dependencies: dict[str, _NpmDependency] = {}


def _read_npm(text: str) -> Iterator[_Entry]:
    lock = msgspec.json.decode(text, type=_NpmLock)
    for path, found in lock.packages.items():
        _, folder, name = path.rpartition("node_modules/")
        if folder:
            yield from _npm_entry(name, found, "" if found.link else found.resolved or "", found.name)
    # npm 6 reads these alone, also where both are there.
    waiting = [lock.dependencies]
    while waiting:
        for name, dependency in waiting.pop().items():
            # "npm:other@1.0", a version, or the address of a package of no registry
            kind, colon, rest = dependency.version.partition(":")
            alias, _, dependency.version = rest.rpartition("@") if kind == "npm" else ("", "", kind)
            if colon and kind != "npm":
                dependency.version, dependency.resolved = "", f"{kind}:{rest}" if kind != "file" else ""
            yield from _npm_entry(name, dependency, dependency.resolved or "", alias)
            waiting.append(dependency.dependencies)


def _npm_entry(
    name: str, found: _NpmPackage | _NpmDependency, url: str | bool, alias: str
) -> Iterator[_Entry]:
    url = str(url or (f"npm:{alias}" if alias not in ("", name) else ""))
    if url or found.integrity or not found.is_bundled:
        yield name, _package(found.version, url, *_integrity(found.integrity))


# pnpm and yarn write YAML, or nearly. ruamel.yaml 0.18 takes 14 s for 4 MB, these lines one second.

_PLAIN = r"[^\s'\"&*!|>%@`#?{\[,-]\S*"
_PNPM_KEY = re.compile(rf"  (?:'([^']+)'|({_PLAIN})):")
_PNPM_FIELD = re.compile(r"    ([A-Za-z]+):(?: (.*))?")
_PNPM_BLOCK = re.compile(rf"      ([A-Za-z]+): ('[^']*'|{_PLAIN})")
_PNPM_VALUE = r"(?:'[^']*'|[^\s'\"&*!,{}\[\]][^\s,{}\[\]]*)"
_PNPM_FLOW = re.compile(rf"\{{((?:[A-Za-z]+: {_PNPM_VALUE}(?:, (?=[A-Za-z])|(?=\}})))+)\}}")
_PNPM_PAIR = re.compile(r"([A-Za-z]+): ('[^']*'|[^\s,]+)")
_SECTION = re.compile(r"([A-Za-z]+):(?: .*)?|---|#.*|")
_NAMED = re.compile(r"(@?[^@\s]+)@(\S.*)")


def _read_pnpm(text: str) -> Iterator[_Entry]:
    key, fields, section, form = "", dict[str, str](), "", ""
    for line in (*text.split("\n"), "---"):
        if line[:1] != " ":
            if key:
                yield _pnpm_entry(key, fields, form)
            key, section = "", _match(_SECTION, line)[1] or section * (not line)
            if section == "packages" and line not in ("", "packages:", "packages: {}"):
                raise ValueError(line)
            form = line if section == "lockfileVersion" and line else form
        elif section != "packages":
            continue
        elif line[:3] != "   ":
            if key:
                yield _pnpm_entry(key, fields, form)
            found = _match(_PNPM_KEY, line)
            key, fields = found[1] or found[2], {}
        elif line[:5] != "     ":
            name, value = _match(_PNPM_FIELD, line).groups()
            _set_once(fields, name, value or "")
            if name == "resolution" and value:
                for each in _PNPM_PAIR.finditer(_match(_PNPM_FLOW, value)[1]):
                    _set_once(fields, f".{each[1]}", each[2].strip("'"))
        elif fields and next(reversed(fields)).partition(".")[0] in ("resolution", ""):
            found = _match(_PNPM_BLOCK, line)
            _set_once(fields, f".{found[1]}", found[2].strip("'"))


def _pnpm_entry(key: str, fields: Mapping[str, str], form: str) -> _Entry:
    """Return an entry by its key: "/foo/1.0_peer", "/foo@1.0(peer)" or "foo@1.0"."""
    if not any(name.startswith(".") for name in fields):
        raise ValueError(key)
    path = key.removeprefix("/").partition("(")[0]
    if "lockfileVersion: 5" in form and key.startswith("/"):
        folders = path.split("/")
        name, version = "/".join(folders[:-1]), folders[-1].partition("_")[0]
    elif "'9" in form or key.startswith("/"):
        name, version = _match(_NAMED, path).groups()
    else:
        name, version = fields["name"], fields.get("version", "")
    url = fields.get(".tarball") or fields.get(".repo", "")
    commit = fields.get(".commit", "")
    url = f"{url}#{commit}" if commit else url
    return name, _package("" if ":" in version else version, url, *_integrity(fields.get(".integrity", "")))


_YARN_FIELD = re.compile(r"  ([A-Za-z]+)(?::|:? (?:\"([^\"]*)\"|([^\s\"&*!|>{\[].*)))")
_YARN_OWN_PATCH = re.compile(r"(@?[^@]+)@patch:\1@npm%3A[^#]+#(?:optional!|~)builtin<.*")


def _read_yarn(text: str) -> Iterator[_Entry]:
    head, fields = "", dict[str, str]()
    for line in (*text.split("\n"), "#"):
        if line[:1] not in (" ", ""):
            if head and head != "__metadata:":
                yield from _yarn_entries(head, fields)
            head, fields = "" if line.startswith("#") else line, {}
        elif line and line[:3] != "   ":
            found = _match(_YARN_FIELD, line)
            _set_once(fields, found[1], found[2] or found[3] or "")


def _yarn_entries(head: str, fields: Mapping[str, str]) -> Iterator[_Entry]:
    version, resolution = fields["version"], fields.get("resolution", "")
    own_patch = _YARN_OWN_PATCH.fullmatch(resolution)
    checksum = fields.get("checksum", "")
    if not head.endswith(":"):
        raise ValueError(head)
    for name in {_match(_NAMED, each)[1] for each in head[:-1].replace('"', "").split(", ")}:
        url = fields.get("resolved", resolution)
        if "@workspace:" in url or url == f"{name}@npm:{version}" or (own_patch and own_patch[1] == name):
            url = ""
        yield name, _package(version, url, ("", checksum), *_integrity(fields.get("integrity", "")))


def _match(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    found = pattern.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return found


def _set_once(fields: dict[str, str], name: str, value: str) -> None:
    if name in fields:
        raise ValueError(name)
    fields[name] = value


# poetry, uv, Cargo. tomllib 3.11 takes hours for a dotted key of 4 MB.

_TOML_SECTION = re.compile(r"\[\[?([A-Za-z][\w.-]*)\]\]?")
_TOML_FIELD = re.compile(r"([A-Za-z][\w-]*) = (.+)")
_TOML_TEXT = re.compile(r"\"([^\"\\]*)\"")
_TOML_PAIR = re.compile(r"([a-z][\w-]*) = (?:\"([^\"\\]*)\"|\d+|\{[^{}]*\})")
_TOML_TABLE = re.compile(rf" *\{{ ?({_TOML_PAIR.pattern}(?:, {_TOML_PAIR.pattern})*) ?\}},?")
_TOML_FILES = ("files", "wheels", "sdist")


class _TomlPackage(NamedTuple):
    fields: dict[str, str]
    source: dict[str, str]
    files: list[Mapping[str, str]]


def _read_toml(text: str) -> Iterator[_Entry]:
    packages: list[_TomlPackage] = []
    older: dict[str, list[Mapping[str, str]]] = {}
    section, field, fields = "", "", dict[str, str]()
    for line in text.split("\n"):
        if "'''" in line or '"""' in line or line.startswith('"checksum'):
            raise ValueError(line)
        if line.startswith("["):
            section, field, fields = _match(_TOML_SECTION, line)[1], "", {}
            if section == "package":
                packages.append(_TomlPackage(fields, {}, []))
            elif section == "package.source":
                fields = packages[-1].source
        elif line[:1] in ("", "#", "]") or section not in ("", "package", "package.source", "metadata.files"):
            continue
        elif line[0] != " ":
            field, value = _match(_TOML_FIELD, line).groups()
            _set_once(fields, field, value)
            if field in _TOML_FILES and section == "package" and value not in ("[", "[]"):
                packages[-1].files.append(_toml_table(value))
        elif section == "metadata.files":
            older.setdefault(field, []).append(_toml_table(line))
        elif field in _TOML_FILES and packages:
            packages[-1].files.append(_toml_table(line))
        if section == "" and field == "package":
            raise ValueError(line)
    for package in packages:
        yield _toml_entry(package, older)


def _toml_entry(package: _TomlPackage, older: Mapping[str, list[Mapping[str, str]]]) -> _Entry:
    fields, source = package.fields, {key: _toml_text(value) for key, value in package.source.items()}
    name = _toml_text(fields["name"])
    files = [*package.files, *older.get(name, ())]
    addresses = [each.get("url", "") for each in files]
    names = [each.get("file") or each.get("url", each.get("path", "")).rpartition("/")[2] for each in files]
    hosts = {address.partition("://")[2].partition("/")[0] for address in addresses if address}
    foreign = [each for each in names if not _plain(each).startswith(f"{_plain(name)}-")]
    if fields.get("source", "").startswith("{"):
        source = dict(_toml_table(fields["source"]))
    url = source.get("registry") or source.get("git") or source.get("url", "")
    url = url if source else _toml_text(fields.get("source", '""'))
    if commit := source.get("resolved_reference"):
        url = f"{url}#{commit}"
    version, checksum = (_toml_text(fields.get(key, '""')) for key in ("version", "checksum"))
    sums = zip(names, (each.get("hash", "") for each in files), strict=True)
    return name, _package(
        version, " ".join([url, *sorted(hosts | {*foreign})]).strip(), ("", checksum), *sums
    )


def _toml_text(value: str) -> str:
    return _match(_TOML_TEXT, value)[1]


def _toml_table(text: str) -> Mapping[str, str]:
    table: dict[str, str] = {}
    for each in _TOML_PAIR.finditer(_match(_TOML_TABLE, text)[1]):
        _set_once(table, each[1], each[2] or "")
    return table


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


_GO_LINE = re.compile(r"(\S+) (v[^\s/]+)(/go\.mod)? (h1:\S+)")


def _read_go(text: str) -> Iterator[_Entry]:
    for line in filter(None, text.split("\n")):
        module, version, of_go_mod, total = _match(_GO_LINE, line).groups()
        name = module + _GO_MOD if of_go_mod else module
        yield name, _Package(version, "", frozenset({("h1", total)}))


_READERS: Mapping[str, Callable[[str], Iterable[_Entry]]] = {
    "package-lock.json": _read_npm,
    "npm-shrinkwrap.json": _read_npm,
    "pnpm-lock.yaml": _read_pnpm,
    "yarn.lock": _read_yarn,
    "poetry.lock": _read_toml,
    "uv.lock": _read_toml,
    "Cargo.lock": _read_toml,
    "go.sum": _read_go,
}
