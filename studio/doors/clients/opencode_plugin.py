"""The plugin of ours that opencode loads: it has our hook program asked before every tool is used.

Found by running opencode 1.18.33: what a plugin throws there stops the tool, and its model is told the words;
for a plugin that waits opencode waits. One that can't be loaded is passed over without a word, and with
`--pure` none is asked: so this one says that it was loaded, where `doctor` looks.
"""

from __future__ import annotations

import json
from pathlib import Path
from string import Template
from typing import Final

from studio import __version__
from studio.doors.clients.hook_program import NOTHING

EVENT: Final = "tool.execute.before"

# It is one file without a package beside it. What is asked for is what is done: whatever else is loaded may
# change the arguments as well. Nothing that fails on the way may keep it from being loaded.
_TEXT: Final = Template("""\
// Exacta Studio $version: asks what becomes of each use of a tool. Whatever is no whole answer is a no.
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

// Nothing that is loaded alone does anything: with --pure it is, and nobody is asked.
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
    """The plugin that has this program asked."""
    return _TEXT.substitute(
        version=__version__, hook=json.dumps(str(hook)), nothing=json.dumps(NOTHING), event=EVENT
    )


def loaded_name(hook_name: str) -> str:
    """What the plugin says that it was loaded in, beside the hook program of that name."""
    return f"{hook_name}.loaded"
