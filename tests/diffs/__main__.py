"""Has every tool write every change anew, into the archive that the tests read: python -m tests.diffs [TOOL…]

The tools must be installed. On Debian: mercurial subversion fossil brz cvs rcs quilt darcs patchutils
busybox; $PYTHON names a Python that has pygit2, dulwich and unidiff, $NODE_PATH a folder that has the
package `diff`.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.diffs.archive import ARCHIVE, VERSIONS, read_archive
from tests.diffs.changes import CHANGES, Change, Tree
from tests.diffs.tools import TOOLS, Tool

_VERSION = re.compile(r"v?(\d+(?:\.\d+)+)")


def main(names: list[str]) -> None:
    """Write the archive, with the diffs of those tools or of all anew."""
    files = dict(read_archive()) if names and ARCHIVE.exists() else {}
    versions = json.loads(files.pop(VERSIONS, b"{}"))
    for tool in TOOLS:
        if names and tool.name not in names:
            continue
        files = {name: data for name, data in files.items() if not name.startswith(f"{tool.name}/")}
        versions[tool.name] = _version(tool)
        for change in (each for each in CHANGES if each.name not in tool.refuses):
            for form, diff in _written(tool, change):
                if diff:
                    files[f"{tool.name}/{form}/{change.name}"] = diff
        print(tool.name, versions[tool.name], flush=True)
    _save({VERSIONS: json.dumps(versions, indent=1, sort_keys=True).encode(), **files})


def _version(tool: Tool) -> str:
    with tempfile.TemporaryDirectory() as home:
        said = _run(tool.version, Path(home), _environment(Path(home), tool))
    found = _VERSION.search(said.decode())
    assert found is not None, tool.name
    return found[1]


def _written(tool: Tool, change: Change) -> Iterator[tuple[str, bytes]]:
    """What each form of a tool writes of a change; nothing where the tool can't be told of it."""
    with tempfile.TemporaryDirectory(prefix="diffs-") as name:
        place = Path(name)
        made = place / "made"
        _lay_out(made / "before", change.before)
        _lay_out(made / "w", change.before)
        environment = _environment(place, tool, change)
        _run(f'eval "export CVSROOT={made}/cvsroot"; {tool.begin or "true"}', made / "w", environment)
        _change(tool, change, made, environment)
        _run(tool.settle or "true", made / "w", environment)
        for number, (form, command) in enumerate(tool.forms.items()):
            # In a folder of the same name: some tools keep where they were.
            kept = place / f"kept{number}"
            shutil.copytree(made, kept, symlinks=True)
            diff = _run(command, made / "w", environment)
            shutil.rmtree(made)
            kept.rename(made)
            yield form, diff.replace(name.encode(), b"/tmp/tree")


def _lay_out(folder: Path, tree: Tree) -> None:
    folder.mkdir(parents=True)
    for path, data in tree.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
        # Tools that compare times don't see a change in the second in which a file was written.
        os.utime(folder / path, (1_700_000_000, 1_700_000_000))


def _change(tool: Tool, change: Change, made: Path, environment: Mapping[str, str]) -> None:
    work = made / "w"
    for command, pairs in ((tool.move, change.moves), (tool.copy, change.copies)):
        for old, new in pairs if command else ():
            _run(command, work, {**environment, "old": old, "new": new})
    for path in change.before.keys() - change.after.keys():
        (work / path).unlink(missing_ok=True)
        for folder in (work / path).parents:
            if folder == work or not folder.is_dir() or any(folder.iterdir()):
                break
            folder.rmdir()
    for path, data in change.after.items():
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        if not (work / path).exists() or (work / path).read_bytes() != data:
            (work / path).write_bytes(data)
        if path in change.executable:
            (work / path).chmod(0o755)


def _environment(place: Path, tool: Tool, change: Change | None = None) -> dict[str, str]:
    names = sorted(change.before.keys() | change.after.keys()) if change is not None else []
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(place),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "HERE": str(Path(__file__).parent),
        "PYTHON": os.environ.get("PYTHON", sys.executable),
        "NODE_PATH": os.environ.get("NODE_PATH", ""),
        "GIT_CONFIG_NOSYSTEM": "1",
        "names": "\n".join(names),
        "executable": "\n".join(sorted(change.executable)) if change is not None else "",
        **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _WHO.items()},
        **tool.environment,
    }


_WHO = {"NAME": "T", "EMAIL": "t@example.org"}


def _run(command: str, folder: Path, environment: Mapping[str, str]) -> bytes:
    script = f"IFS='\n'\n{command}"
    done = subprocess.run(
        ("bash", "-c", script),
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    # 1 is how most of them say that there is a difference.
    if done.returncode not in (0, 1) or (done.stderr and os.environ.get("SAY")):
        print(folder.name, command, done.returncode, done.stderr.decode()[:300], file=sys.stderr)
    return done.stdout


def _save(files: Mapping[str, bytes]) -> None:
    whole = ARCHIVE.with_suffix(".new")
    with tarfile.open(whole, "w:xz", preset=9) as archive:
        for name, data in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    whole.replace(ARCHIVE)


if __name__ == "__main__":
    main(sys.argv[1:])
