"""Our opencode plugin, which calls our hook program before each tool use.

Found by running opencode 1.18.33: an error thrown there stops the tool, and its model gets the message;
opencode waits for a plugin. A plugin that can't be loaded is silently skipped, and with `--pure` none is
called: so this one writes a file once it is loaded, which `doctor` checks.
"""

from __future__ import annotations

import json
from pathlib import Path
from string import Template
from typing import Final

from studio import __version__
from studio.doors.clients.hook_program import NOTHING

EVENT: Final = "tool.execute.before"

# A single file without dependencies. It compares the arguments after the answer, as other plugins may change
# them. No error on the way may prevent it from being loaded.
_TEXT: Final = Template("""\
// Exacta Studio $version: asks for approval of each tool call. An incomplete answer is a denial.
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"

const HOOK = $hook
const NOTHING = $nothing

function answered(question) {
  return new Promise((resolve) => {
    const hook = spawn(HOOK, { stdio: "pipe" })
    const said = { stdout: "", stderr: "" }
    for (const name of ["stdout", "stderr"]) {
      hook[name].setEncoding("utf8").on("data", (text) => (said[name] += text))
    }
    hook.on("error", () => resolve("{}"))
    hook.on("close", (code) => {
      const refused = JSON.stringify({ reason: said.stderr.trim() })
      resolve(code === 0 ? said.stdout : refused)
    })
    hook.stdin.on("error", () => {})
    hook.stdin.end(question)
  })
}

// With --pure the plugin is loaded but not called, so loading it has no other effect than this file.
export const ExactaStudio = async ({ directory }) => {
  try {
    writeFileSync(`$${HOOK}.loaded`, `$${process.pid}\\n`)
  } catch {}
  return {
    "$event": async ({ tool, sessionID }, { args }) => {
      const input = JSON.stringify(args)
      const use = { tool_name: tool, tool_input: args, cwd: directory, session_id: sessionID }
      let answer = {}
      try {
        answer = JSON.parse(await answered(JSON.stringify({ hook_event_name: "$event", ...use })))
      } catch {}
      const passes = answer.decision === "allow" || answer.decision === "none"
      if (!passes || JSON.stringify(args) !== input) throw new Error(answer.reason || NOTHING)
    },
  }
}
""")


def opencode_plugin(hook: Path) -> str:
    """Return the plugin that calls this hook program."""
    return _TEXT.substitute(
        version=__version__, hook=json.dumps(str(hook)), nothing=json.dumps(NOTHING), event=EVENT
    )


def loaded_name(hook_name: str) -> str:
    """Return the name of the file that the loaded plugin writes."""
    return f"{hook_name}.loaded"
