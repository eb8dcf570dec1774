"""Whether opencode loads our plugin as its user has it: one that is passed over is no gate."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from typing import Final

from studio.doors.connect import Client
from studio.doors.connect.opencode_plugin import loaded_name
from studio.engine.agent_limits import TRIAL_SECONDS
from studio.engine.home_files import drop_kept, read_kept
from studio.engine.work_folder import WorkFolder

QUIET: Final = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
}
"""What keeps it from calling anybody but its model."""
_SECONDS: Final = 2 * TRIAL_SECONDS
"""It may have to look for a package of its own before, for more than a minute without a network."""


def is_plugin_loaded(client: Client) -> bool:
    """Have opencode say how it is set up, in an empty folder, and see whether our plugin was loaded for that.

    Raises OSError where it can't be started, or FileError.
    """
    beacon = loaded_name(client.hook_name)
    drop_kept(beacon)
    with WorkFolder("doctor") as folder, suppress(subprocess.TimeoutExpired):
        subprocess.run(
            [client.program, "debug", "config"],
            cwd=folder,
            env={**os.environ, **QUIET},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    return read_kept(beacon) is not None
