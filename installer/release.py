"""A release: everything that is shipped, made from one commit, tried out, and told in a table.

    python3 installer/release.py [--into FOLDER] [--only NAMES] [--quick] [--key KEY] REVISION

REVISION is a tag such as v0.1.0, which must be the version of the program, have its section in CHANGELOG.md
and be checked out with nothing changed; or any commit for a trial build. What is not committed is no part of
it. Into FOLDER (dist/ of the checkout) comes at the end what was made by parts of which nothing failed, in
the place of what an earlier run left there, with the table in RELEASE.txt. NAMES are parts, with commas.
--quick tries each part briefly. KEY signs the checksums where nothing failed: an id in your keyring of gpg,
or a file with a secret key (or STUDIO_RELEASE_KEY in the environment).

Exit codes: 0 nothing failed, 1 something did, 2 usage, 130 after Ctrl-C.
"""

from __future__ import annotations

import sys
from pathlib import Path

from dev import OLDEST_PYTHON, say, start_again_with_newer_python

_USAGE = "python3 installer/release.py [--into FOLDER] [--only NAMES] [--quick] [--key KEY] REVISION"


def main(arguments: list[str]) -> int:
    if sys.version_info < OLDEST_PYTHON:
        return start_again_with_newer_python(Path(__file__))
    import argparse

    from shipping import outcome, run
    from system_packages import Problem

    parser = argparse.ArgumentParser(prog="release.py", usage=_USAGE, add_help=False)
    parser.add_argument("--help", "-h", action="store_true")
    parser.add_argument("--into", type=Path, default=Path(__file__).parents[1] / "dist")
    parser.add_argument("--only", default="")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--key", default="")
    parser.add_argument("revision", nargs="?")
    chosen = parser.parse_args(arguments)
    if chosen.help or chosen.revision is None:
        print(__doc__, file=sys.stdout if chosen.help else sys.stderr)
        return 0 if chosen.help else 2
    try:
        parts = run.parts_of(chosen.only)
    except Problem as problem:
        say(str(problem))
        return 2
    try:
        outcomes = run.release(chosen.revision, chosen.into, parts, chosen.quick, chosen.key)
    except Problem as problem:
        say(str(problem))
        return 1
    except OSError as error:
        say(f"{error.filename or 'The system'}: {error.strerror or error}. Mend that, then try again.")
        return 1
    except KeyboardInterrupt:
        say("Interrupted: nothing was put in the place of an earlier release.")
        return 130
    return 1 if outcome.has_failed(outcomes) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
