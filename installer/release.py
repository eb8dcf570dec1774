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


def main(arguments: list[str]) -> int:
    if sys.version_info < OLDEST_PYTHON:
        return start_again_with_newer_python(Path(__file__))
    import argparse

    from shipping import parts, run
    from system_packages import exit_code

    parser = argparse.ArgumentParser(
        prog="release.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--into", type=Path, default=Path(__file__).parents[1] / "dist", metavar="FOLDER")
    parser.add_argument("--only", type=run.parts_of, default="", metavar="NAMES")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--key", default="")
    parser.add_argument("revision", metavar="REVISION")
    asked = parser.parse_args(arguments)

    def make() -> int:
        try:
            return parts.has_failed(
                run.release(asked.revision, asked.into, asked.only, asked.quick, asked.key)
            )
        except KeyboardInterrupt:
            say("Interrupted: nothing was put in the place of an earlier release.")
            raise

    return exit_code(make)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
