"""The closed lists of contract 8: pattern and what it holds. No configuration adds to them or takes away."""

from __future__ import annotations

from typing import Final

DEFAULT_DENY: Final = (
    ("bin/", "build output"),
    ("obj/", "build output"),
    ("packages/", "a package folder"),
    ("node_modules/", "a package folder"),
    (".*/", "a hidden folder"),
    ("secrets/", "a folder of secrets"),
    (".env", "a file of secrets"),
    (".env.*", "a file of secrets"),
    ("*.key", "a key"),
    ("*.pem", "a key"),
    ("*.pfx", "a key"),
    ("*.p12", "a key"),
    ("*.exe", "a program"),
    ("*.dll", "a program"),
    ("*.so", "a program"),
    ("*.dylib", "a program"),
)
"""Denied unless a user rule allows it: the union of seeds 2 and 3 (R33, R36, C44)."""

LOCKED: Final = (
    (".claude", "configuration of an agent"),
    (".codex", "configuration of an agent"),
    (".gemini", "configuration of an agent"),
    (".cursor", "configuration of an agent"),
    (".mcp.json", "configuration of an agent"),
    ("**/.vscode/settings.json", "configuration that an editor runs"),
    ("**/.vscode/tasks.json", "configuration that an editor runs"),
    ("**/.vscode/launch.json", "configuration that an editor runs"),
    (".idea", "configuration that an editor runs"),
    (".husky", "a folder of git hooks"),
    (".githooks", "a folder of git hooks"),
    (".exacta-*", "a temporary file of Exacta Studio"),
)
"""Never proposed, whatever rules say, at any depth; beside `.git` and `studio.yaml` (contract 8)."""

DANGER: Final = (
    ("**/.github/workflows/", "runs on the build servers"),
    (".gitlab-ci.yml", "runs on the build servers"),
    (".circleci/", "runs on the build servers"),
    (".buildkite/", "runs on the build servers"),
    (".travis.yml", "runs on the build servers"),
    (".drone.yml", "runs on the build servers"),
    ("azure-pipelines.yml", "runs on the build servers"),
    ("bitbucket-pipelines.yml", "runs on the build servers"),
    ("appveyor.yml", "runs on the build servers"),
    ("Jenkinsfile", "runs on the build servers"),
    ("Makefile", "says what the build runs"),
    ("GNUmakefile", "says what the build runs"),
    ("pyproject.toml", "says what the build runs"),
    ("setup.py", "runs when the package is installed"),
    ("package.json", "says what the build runs"),
    ("conftest.py", "runs with every test"),
    (".pre-commit-config.yaml", "runs with every commit"),
    (".envrc", "runs when the folder is entered"),
    ("AGENTS.md", "instructs agents"),
    ("CLAUDE.md", "instructs agents"),
    ("*.pth", "runs at every start of Python"),
)
"""Allowed, but shown as a danger: files that something else runs or obeys (contract 8)."""
