"""Started in the sandbox: a scripted model on its loopback, and the agent that asks it.

Its first word is JSON: the turns of the model, and variables for the agent. The words behind it start the
agent. `{url}` in any of them is where the model is reached. What the model was told is printed
each time that it is asked.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from studio.doors.agents.model_server import ModelServer

MODEL_WAS_TOLD: Final = "The model was told: "
URL: Final = "{url}"
_LOOK_SECONDS: Final = 0.05


def main(order: str, *words: str) -> int:
    # Nothing but this folder is known of the Python in there.
    sys.path.insert(0, str(Path(__file__).parents[3]))
    from studio.doors.agents.model_server import ModelServer
    from studio.doors.agents.script import Call

    said = json.loads(order)
    script = tuple(tuple(Call(*call) for call in turn) for turn in said["turns"])
    with ModelServer(script) as model:
        variables = {name: value.replace(URL, model.url) for name, value in said["variables"].items()}
        command = [word.replace(URL, model.url) for word in words]
        agent = subprocess.Popen(command, env={**os.environ, **variables})
        # An agent that is talked with may not end by itself, and is ended with us.
        was_told = 0
        while agent.poll() is None:
            time.sleep(_LOOK_SECONDS)
            if len(model.record.work) > was_told:
                was_told = len(model.record.work)
                _print_told(model)
        _print_told(model)
    return agent.returncode


def _print_told(model: ModelServer) -> None:
    told = [result.text for request in model.record.work[-1:] for result in request.results]
    # Not to standard output, by which an agent may be talked with.
    print(f"\n{MODEL_WAS_TOLD}{json.dumps(told)}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
