"""Import workaround for pygit2 when TLS certificates are missing or unreadable.

Without this it fails to import.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

# A folder without certificates that exists in every packaging, unlike that of this module; where a file is
# expected, it is ignored.
_NONE: Final = Path(os.sep).anchor
_VARIABLES: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_load = threading.Lock()


@contextmanager
def loadable() -> Generator[None]:
    """Hide certificates from pygit2 while it is imported.

    Version 1.21 takes missing or unreadable certificates for an error, and we contact no server with it.
    """
    if "pygit2" in sys.modules:
        yield
        return
    with _load:
        before = {name: os.environ.get(name) for name in _VARIABLES}
        os.environ.update(dict.fromkeys(_VARIABLES, _NONE))
        try:
            yield
        finally:
            # Programs started later may contact servers.
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
