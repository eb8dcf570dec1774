"""A JavaScript monorepo as anybody has it: reviewed, applied and taken back without a rule being touched."""

from __future__ import annotations

import json
from pathlib import Path

from studio.program.app_folders import config_directory
from tests.engine.git_data.repositories import commit, init, write
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.person import Program

ROOT_PACKAGE = {"name": "shop", "private": True, "workspaces": ["packages/*"], "bin": {"shop": "bin/cli.js"}}
TRACKED = {
    "package.json": json.dumps(ROOT_PACKAGE, indent=2) + "\n",
    ".gitignore": "node_modules/\n",
    "bin/cli.js": '#!/usr/bin/env node\nrequire("@shop/app").main();\n',
    "packages/app/package.json": '{"name": "@shop/app", "main": "src/index.js"}\n',
    "packages/app/src/index.js": 'const { total } = require("@shop/lib");\nexports.main = () => total([]);\n',
    "packages/lib/package.json": '{"name": "@shop/lib", "main": "index.js"}\n',
    "packages/lib/index.js": "exports.total = (prices) => prices.length;\n",
}
INSTALLED = {"node_modules/left-pad/index.js": "module.exports = (text) => text;\n"}
NEW = "packages/app/src/format.js"
CHANGED = {
    "bin/cli.js": '#!/usr/bin/env node\nrequire("@shop/app").main(process.argv);\n',
    NEW: "exports.format = (price) => price.toFixed(2);\n",
    "packages/app/src/index.js": (
        'const { total } = require("@shop/lib");\nconst { format } = require("./format");\n'
        "exports.main = () => format(total([]));\n"
    ),
    "packages/lib/index.js": "exports.total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n",
}


def texts(project: Path) -> dict[str, str]:
    """What the project's files hold, without git's own."""
    files = (path for path in project.rglob("*") if path.is_file())
    named = ((path.relative_to(project).as_posix(), path) for path in files)
    return {name: path.read_text() for name, path in named if not name.startswith(".git/")}


def test_packages_of_a_monorepo_are_applied_and_taken_back_by_clicks(
    tmp_path: Path, desktop: Desktop
) -> None:
    project = init(tmp_path / "shop")
    commit(project, TRACKED)
    write(project, INSTALLED)
    before = TRACKED | INSTALLED
    steps = [
        {"op": "create" if path == NEW else "modify", "path": path, "content": text}
        for path, text in CHANGED.items()
    ]
    installed = {"op": "modify", "path": "node_modules/left-pad/index.js", "content": "// patched\n"}
    proposal = tmp_path / "plan.json"
    proposal.write_text(json.dumps({"title": "Real prices", "steps": [*steps, installed]}))
    assert not (config_directory() / "config.yaml").exists() and not (project / "studio.yaml").exists()
    person, agent = desktop.open(project), Program(project)

    plan = agent.submit(proposal, "Real prices")
    wait_for(lambda: person.place[0] == plan, "the plan in the window")
    states = {step["path"]: step["state"] for step in agent.json("show", plan)["steps"]}
    assert states == {**dict.fromkeys(CHANGED, "pending"), installed["path"]: "invalid"}
    person.click_step(plan)
    person.click("plan-approve_undecided")
    person.click("plan-approve-now")
    person.wait_until_on("apply")
    assert texts(project) == before, "deciding writes nothing"

    person.click("toolbar-apply")
    wait_for(lambda: person.history_states() == ["applied"], "the plan in the history")
    assert texts(project) == before | CHANGED

    person.open_rollback(0)
    person.click("rollback-write")
    wait_for(lambda: len(person.history_states()) == 2, "the rollback in the history")
    assert texts(project) == before
    assert agent.json("show", plan)["state"] == "rolled_back"
