"""How Codex is told to take a server on loopback for its model. Found by running Codex 0.169.0."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

MODEL: Final = "gpt-5.5"
"""The name of a model that it knows: to one that it doesn't know it offers no `apply_patch`."""

KEY: Final[Mapping[str, str]] = {"SCRIPTED_MODEL_KEY": "scripted"}
"""The variable in which it looks for the key of that model."""


def model_options(url: str) -> list[str]:
    """The words with which it takes a server at that address for its model, and calls nobody else.

    Its home stays as it is.
    """
    provider = {
        "name": "scripted",
        "base_url": f"{url}/v1",
        "wire_api": "responses",
        "env_key": next(iter(KEY)),
        "supports_websockets": False,
    }
    settings: dict[str, Any] = {
        "model": MODEL,
        "model_provider": "scripted",
        "check_for_update_on_startup": False,
        "analytics.enabled": False,
        # Else its sandbox makes /tmp/.git for a moment, and whatever lies beside is in a repository.
        "sandbox_workspace_write.exclude_slash_tmp": True,
        "sandbox_workspace_write.exclude_tmpdir_env_var": True,
        **{f"model_providers.scripted.{key}": value for key, value in provider.items()},
    }
    # Words and truth values are the same in JSON and in TOML.
    return [word for key, value in settings.items() for word in ("-c", f"{key}={json.dumps(value)}")]
