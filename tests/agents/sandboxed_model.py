"""Started in the sandbox: a scripted model on its loopback, and the agent that asks it.

Its first word is JSON: the turns of the model, and variables for the agent. The words behind it start the
agent. `{url}` in any of them is where the model is reached. What the model was told is printed at the end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

MODEL_WAS_TOLD: Final = "The model was told: "
URL: Final = "{url}"


def main(order: str, *words: str) -> int:
    # Nothing but this folder is known of the Python in there.
    sys.path.insert(0, str(Path(__file__).parents[2]))
    from studio.doors.agents.model_server import ModelServer
    from studio.doors.agents.script import Call

    said = json.loads(order)
    script = tuple(tuple(Call(*call) for call in turn) for turn in said["turns"])
    with ModelServer(script) as model:
        variables = {name: value.replace(URL, model.url) for name, value in said["variables"].items()}
        command = [word.replace(URL, model.url) for word in words]
        code = subprocess.run(command, env={**os.environ, **variables}, check=False).returncode
        told = [result.text for request in model.record.work[-1:] for result in request.results]
    print(f"\n{MODEL_WAS_TOLD}{json.dumps(told)}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
