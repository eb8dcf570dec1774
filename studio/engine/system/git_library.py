"""Loading pygit2 where a system has no certificates, or its user names bad ones: it refuses to be loaded."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

# A folder that holds none and is there wherever we are packed, as that of this module is not; where a file's
# name is expected, it is passed over.
_NONE: Final = Path(os.sep).anchor
_VARIABLES: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_load = threading.Lock()


@contextmanager
def loadable() -> Generator[None]:
    """While it is loaded, pygit2 is shown a folder without certificates: version 1.21 takes their absence, or
    a file of them that can't be read, for an error, and nothing of ours asks a server with it."""
    if "pygit2" in sys.modules:
        yield
        return
    with _load:
        before = {name: os.environ.get(name) for name in _VARIABLES}
        os.environ.update(dict.fromkeys(_VARIABLES, _NONE))
        try:
            yield
        finally:
            # What is started later may well ask a server.
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
