"""Examples for the help of every command, as lines to type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "": ("studio ~/projects/shop", "studio proposal.diff", "studio demo"),
    "submit": (
        "studio submit reply.md --agent codex",
        "git diff | studio submit --title 'Rename the parser' --wait 600",
        "studio submit --tree ../my-copy --delete",
        "studio withdraw 1a2b && studio submit revised.md --agent codex",
    ),
    "plans": ("studio plans", "studio plans --state dismissed --json"),
    "show": ("studio show 1a2b --diff", "studio show 1a2b --reply", "studio show 1a2b --message"),
    "wait": ("studio wait 1a2b --timeout 600 && make test",),
    "withdraw": ("studio withdraw 1a2b",),
    "sessions": ("studio sessions",),
    "blame": ("studio blame src/app.py", "studio blame README.md --json"),
    "check": ("studio check src/app.py .env", "studio check notes.md --format file-action"),
    "config": ("studio config", "studio config trust", "studio config allow vendor/bin"),
    "approve": (
        "studio approve 1a2b --apply",
        "studio approve 1a2b --step 1 --hunks 2:1,3 --note 'Not the second hunk.'",
    ),
    "snapshot": ("studio snapshot create 'before the migration'", "studio snapshot restore 3f2a --dry-run"),
    "observed": (
        "studio observed list",
        "studio observed keep 4b5c --group",
        "studio observed revert 4b5c --hunks 2 --dry-run",
    ),
    "review": (
        "studio review",
        "studio review main..agent/feature",
        "studio review --take-back 1a2b",
    ),
    "run": ("studio run -- make format", "studio run --network --timeout 60 -- npm install"),
    "try": ("studio try 1a2b -- python3 -m compileall -q .", "studio try 1a2b --step 2 -- make test"),
    "watch": ("studio watch --json",),
    "calls": ("studio calls --json",),
    "allow": ("studio allow 5c6d",),
    "deny": ("studio deny 5c6d --reason 'Leave the build folder as it is.'",),
    "reject": ("studio reject 1a2b --reason 'The old name is public.'",),
    "dismiss": ("studio dismiss 1a2b",),
    "apply": ("studio apply 1a2b", "studio apply 1a2b --approved"),
    "rollback": (
        "studio rollback 1a2b --dry-run",
        "studio rollback 1a2b --step 2 --on-drift save-beside",
    ),
    "history": ("studio history", "studio history --discard 1a2b"),
    "recover": ("studio recover",),
    "journal": (
        "studio journal --follow --json",
        "studio journal --export ../journal.ndjson",
        "studio journal --verify ../journal.ndjson",
        "studio journal --replay ../empty --from ../journal.ndjson",
    ),
    "forget": ("studio forget",),
    "doctor": (
        "studio doctor",
        "studio doctor claude-code",
        "studio doctor gemini-acp",
        "studio doctor --bundle fault.txt",
    ),
    "hook": ("studio hook claude-code < use-of-a-tool.json",),
    "demo": ("studio demo", "studio demo --dir ~/demo --theme dark", "studio demo --remove-old"),
    "connect": (
        "studio connect claude-code",
        "studio connect codex --dry-run",
        "studio connect claude-code --remove",
    ),
    "agent": (
        "studio agent codex",
        "studio agent codex --project ~/projects/shop -- Say hello in every language",
        "studio agent codex -- -c model=gpt-5.5 Fix the spelling in README.md",
        "studio agent continue -- Fix the spelling in README.md",
        "studio agent aider -- --model sonnet --file README.md Fix the spelling",
        "studio agent opencode -- -m openai/gpt-5.5 Fix the spelling",
    ),
    "acp": (
        "studio acp -- gemini --acp",
        "studio acp --sandbox --network --login gemini -- gemini --acp",
        "studio acp --resume 3f2a --project ~/projects/shop -- qwen --acp",
        "echo Say hello in every language | studio acp -- gemini --acp",
    ),
    "mcp": ("studio mcp --project ~/projects/shop", "studio mcp --agent codex"),
    "inbox": ("studio inbox", "studio inbox --project ~/projects/shop --once --json"),
    "completion": (
        "studio completion bash > ~/.local/share/bash-completion/completions/studio",
        "studio completion zsh > ~/.zfunc/_studio",
        "studio completion fish > ~/.config/fish/completions/studio.fish",
    ),
    "fs": ("studio fs read README.md", "studio fs list src --json", "studio fs write --help"),
    "fs read": ("studio fs read README.md --max-lines 20",),
    "fs write": ("generate | studio fs write src/made.py --agent codex",),
    "fs append": ('studio fs append notes.md --content "one more line"',),
    "fs list": ('studio fs list src --pattern "*.py" --recursive',),
    "fs tree": ("studio fs tree docs --max-depth 2",),
    "fs mkdir": ("studio fs mkdir src/new/deep",),
    "fs copy": ("studio fs copy a.txt b.txt --overwrite",),
    "fs move": ("studio fs move old.py new.py --session refactoring",),
    "fs delete": ("studio fs delete build --recursive",),
    "fs info": ("studio fs info src/app.py --json",),
    "fs exists": ("studio fs exists src/app.py && echo there",),
    "fs bulk": (
        "studio fs bulk operations.json --agent codex",
        """echo '[{"operation": "file_exists", "path": "a.txt"}]' | studio fs bulk""",
    ),
    "fs search": ('studio fs search "def main" src --pattern "*.py"',),
}
"""By the words that select the command; "" is the window."""


def examples_text(words: str) -> str:
    """Return the examples for the end of a command's help.

    For a subcommand, such as `snapshot create`, those of the command that show it, or else all of that
    command's.
    """
    of_command = EXAMPLES.get(words) or EXAMPLES[words.partition(" ")[0]]
    examples = tuple(line for line in of_command if f"studio {words}" in line) or of_command
    return "\n".join(["Example:" if len(examples) == 1 else "Examples:", *(f"  {line}" for line in examples)])
