"""What the build on the path of this process answers to paths; both builds run this very file.

Reads `{"build": folder, "roots": [...], "paths": [...]}` from standard input and prints, for each root, the
verdict on each path as `[allowed, rule, level]`.
"""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path

import studio
from studio.workspace import Workspace


def main() -> None:
    asked = json.load(sys.stdin)
    build = Path(studio.__file__).resolve().parents[1]
    if build != Path(asked["build"]).resolve():
        sys.exit(f"this is the build in {build}")
    answers: list[list[tuple[bool, str, str]]] = []
    for root in asked["roots"]:
        with closing(Workspace.open(root)) as workspace:
            # As the proposer asks for a step of a plan, and `studio check`.
            verdicts = workspace.proposer.check(asked["paths"], format_name="plan", agent="agent")
        answers.append([(one.allowed, one.rule, one.level) for one in verdicts])
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
