"""Built-in pattern tables of denied, locked and dangerous paths."""

from __future__ import annotations

from typing import Final

from studio.names import CONFIGURATION_NAME
from studio.values import Value

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
"""Patterns denied by default: the union of all source lists."""

SECRET: Final = frozenset({"secrets/", ".env", ".env.*", "*.key", "*.pem", "*.pfx", "*.p12"})
"""Those of the defaults that only a rule naming them allows.

An allowed folder does not include them.
"""

OPENED_BY_GIT: Final = frozenset({"bin/", "packages/"})
"""Those of the defaults that don't apply where git's HEAD has files.

npm workspaces, melos and lerna have their sources in packages/, Rails and Symfony tracked scripts in bin/.
"""

LOCKED: Final = (
    (".claude", "configuration of an agent"),
    (".codex", "configuration of an agent"),
    (".gemini", "configuration of an agent"),
    (".qwen", "configuration of an agent"),
    (".opencode", "configuration of an agent"),
    (".cursor", "configuration of an agent"),
    (".cline", "configuration of an agent"),
    (".continue", "configuration of an agent"),
    (".mcp.json", "configuration of an agent"),
    ("opencode.json", "configuration of an agent"),
    ("opencode.jsonc", "configuration of an agent"),
    (".aider.conf.yml", "configuration of an agent"),
    ("**/.vscode/settings.json", "configuration that an editor runs"),
    ("**/.vscode/tasks.json", "configuration that an editor runs"),
    ("**/.vscode/launch.json", "configuration that an editor runs"),
    (".idea", "configuration that an editor runs"),
    (".husky", "a folder of git hooks"),
    (".githooks", "a folder of git hooks"),
    (".exacta-*", "a temporary file of Exacta Studio"),
)
"""Patterns locked at any depth, besides `.git` and `studio.yaml`."""

# By name alone, whatever is edited: a new dependency in Cargo.toml or a *.csproj brings code to a build, too.
# Of those whose name does not show it, the tool's own documentation has:
# - binding.gyp: "npm will default the install command to compile using node-gyp" (npm, "scripts"), and
#   `<!(command)` in it is run (GYP, "Input Format Reference").
# - Cargo.toml: `package.build` is a program that runs before the build (The Cargo Book, "Build scripts").
# - rust-toolchain.toml: `path` is a folder whose cargo and rustc are run (The rustup book, "Overrides").
# - tools/bazel: run in Bazel's place; .bazelversion: which Bazel is fetched and run (Bazelisk, README).
# - Directory.Build.rsp: options of every build below it, `-logger` among them (MSBuild, "Response files");
#   *.targets and *.csproj: the Exec task (MSBuild, "Exec task"). build.xml: the exec task (Ant, "Exec").
# - Setup.hs: run where a *.cabal has `build-type: Custom` (Cabal, "Package description").
# - extconf.rb: run by `gem install`; *.gemspec: Ruby that Bundler evaluates (RubyGems guides).
# - .pylintrc: `init-hook` is Python code (Pylint, "All options"). mypy.ini: `plugins` are paths of modules
#   (mypy, "Extending mypy"). .flake8: `[flake8:local-plugins]` (flake8, "Using plugins").
# - .coveragerc: `plugins` are imported (coverage.py, "Plug-ins"). .rubocop.yml: `require` and `plugins`
#   (RuboCop, "Extensions"). phpstan.neon: `bootstrapFiles` (PHPStan, "Config reference"). psalm.xml:
#   `plugin filename` (Psalm, "Using plugins"). .mocharc.*: `require` (Mocha, "Configuring Mocha").
# - ansible.cfg: "a serious security risk" in a folder that others write (Ansible, "Configuration settings").
# - nodemon.json: `exec` (nodemon, README). *.desktop: `Exec` (Desktop Entry Specification).
_DANGERS: Final = {
    "runs on the build servers": """
        **/.github/workflows/ **/.github/actions/ action.yml action.yaml **/.gitea/workflows/
        **/.forgejo/workflows/ .gitlab-ci.yml .gitlab-ci.yaml **/.gitlab/ci/ .circleci/ .buildkite/
        .woodpecker/ .woodpecker.yml .woodpecker.yaml .teamcity/ .builds/ .build.yml .cirrus.yml .cirrus.star
        .semaphore/ .tekton/ .travis.yml .drone.yml azure-pipelines.yml azure-pipelines.yaml
        **/.azure-pipelines/ bitbucket-pipelines.yml appveyor.yml .appveyor.yml buildspec.yml buildspec.yaml
        cloudbuild.yaml cloudbuild.yml codemagic.yaml wercker.yml Jenkinsfile""",
    "defines what the build runs": """
        Makefile GNUmakefile BSDmakefile Justfile .justfile Taskfile.yml Taskfile.yaml Rakefile Earthfile
        Dockerfile Containerfile compose.yml compose.yaml docker-compose.yml docker-compose.yaml Vagrantfile
        CMakeLists.txt CMakePresets.json meson.build SConstruct wscript BUILD.bazel WORKSPACE.bazel
        MODULE.bazel .bazelrc pyproject.toml setup.cfg noxfile.py fabfile.py package.json
        deno.json deno.jsonc composer.json build.rs build.zig build.sbt pom.xml mvnw mvnw.cmd **/.mvn/ gradlew
        gradlew.bat build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties
        gradle-wrapper.properties init.gradle Directory.Build.props Directory.Build.targets Package.swift
        Podfile mix.exs rebar.config gulpfile.js gulpfile.mjs gulpfile.ts Gruntfile.js Tiltfile Procfile
        *.config.js *.config.cjs *.config.mjs *.config.ts *.config.mts *.config.cts .eslintrc.js .eslintrc.cjs
        .prettierrc.js .prettierrc.cjs .mocharc.js .mocharc.cjs .babelrc.js flake.nix
        shell.nix default.nix Cargo.toml Makefile.am *.mk *.cmake configure configure.ac extconf.rb *.gemspec
        build.xml *.csproj *.fsproj *.vbproj *.vcxproj *.proj *.targets Directory.Build.rsp
        Directory.Solution.props Directory.Solution.targets Setup.hs Setup.lhs *.cabal cabal.project
        project.clj Makefile.PL Build.PL **/tools/bazel .bazelversion rust-toolchain
        rust-toolchain.toml""",
    "defines where packages come from and what runs with them": """
        .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs pnpm-workspace.yaml bunfig.toml pip.conf
        pip.ini .pypirc .condarc nuget.config Gemfile .gemrc **/.cargo/config.toml **/.cargo/config""",
    "runs when the package is installed": "setup.py hatch_build.py binding.gyp",
    "runs in every test": """
        conftest.py tox.ini pytest.ini .pytest.ini pytest.toml .pytest.toml .coveragerc .coveragerc.toml
        .rspec .phpunit.xml phpunit.xml phpunit.xml.dist .mocharc.json .mocharc.jsonc .mocharc.yml
        .mocharc.yaml""",
    "defines what a linter loads and runs": """
        .pylintrc pylintrc .pylintrc.toml pylintrc.toml mypy.ini .mypy.ini .flake8 .rubocop.yml phpstan.neon
        phpstan.neon.dist phpstan.dist.neon psalm.xml psalm.xml.dist .php-cs-fixer.php
        .php-cs-fixer.dist.php""",
    "defines what a command-line tool loads and runs here": "ansible.cfg nodemon.json",
    "runs when it is opened in a file manager": "*.desktop",
    "runs on every commit": """
        .pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml lefthook.yml lefthook.yaml
        lefthook.toml lefthook.json lefthook-local.yml .lefthook.yml .lefthook.yaml .lefthook.toml
        .lefthook-local.yml .overcommit.yml captainhook.json .huskyrc .huskyrc.js .lintstagedrc
        .lintstagedrc.js .lintstagedrc.json .lintstagedrc.yml .lintstagedrc.yaml""",
    "defines what git runs or adds to the project": ".gitattributes .gitmodules .gitconfig .lfsconfig",
    "runs when the folder is entered": """
        .envrc .mise.toml .mise.local.toml mise.toml mise.local.toml **/.mise/ .rtx.toml .tool-versions
        .autoenv .env.fish .devcontainer.json **/.devcontainer/ .gitpod.yml devbox.json devenv.nix""",
    "runs when an editor opens the project": """
        .exrc .vimrc .gvimrc .nvimrc .nvim.lua .lvimrc .lazy.lua .vim/ .dir-locals.el .dir-locals-2.el .emacs
        *.code-workspace .vscode/ .fleet/ .zed/ .helix/ *.sublime-project""",
    "runs when a debugger or a shell starts here": """
        .gdbinit .lldbinit .pdbrc .pdbrc.py .irbrc .pryrc .Rprofile .inputrc .profile .bashrc .bash_profile
        .bash_login .zshrc .zshenv .zprofile .kshrc .user.ini .htaccess""",
    "instructs agents": """
        AGENTS.md AGENTS.override.md AGENT.md CLAUDE.md CLAUDE.local.md GEMINI.md QWEN.md CRUSH.md WARP.md
        SKILL.md .cursorrules .clinerules .windsurfrules .roorules .roomodes .rules .goosehints
        .windsurf/ .roo/ .kilocode/ .kiro/ .trae/ .augment/ .junie/ .amazonq/ .agents/ .agent/ .goose/
        **/.github/copilot-instructions.md **/.github/instructions/ **/.github/prompts/ **/.github/agents/
        **/.github/chatmodes/ mcp.json crush.json .crush.json""",
    "runs whenever Python starts": "*.pth sitecustomize.py usercustomize.py pyvenv.cfg",
}

DANGER: Final = tuple((pattern, what) for what, patterns in _DANGERS.items() for pattern in patterns.split())
"""Patterns of allowed files that other programs run or obey."""


# List of all built-in rules, for display.


class BuiltInRule(Value):
    """A built-in deny pattern in .gitignore form, with its reason ("build output").

    `is_locked`: no rule can allow it. `is_opened_by_git`: it does not apply in folders of which git's HEAD
    has files.
    """

    pattern: str
    reason: str
    is_locked: bool
    is_opened_by_git: bool = False


BUILT_IN: Final = (
    BuiltInRule(".git", "data of git", is_locked=True),
    BuiltInRule(CONFIGURATION_NAME, "configuration of Exacta Studio", is_locked=True),
    *(BuiltInRule(pattern, reason, is_locked=True) for pattern, reason in LOCKED),
    *(
        BuiltInRule(pattern, reason, is_locked=False, is_opened_by_git=pattern in OPENED_BY_GIT)
        for pattern, reason in DEFAULT_DENY
    ),
)
"""Locked ones first, in the order in which the policy checks them."""
