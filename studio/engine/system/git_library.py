"""Loading pygit2 on a system without certificates, where it refuses to be loaded."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def loadable() -> Generator[None]:
    """While it is loaded, pygit2 is shown a folder to look for certificates in, where the system has none:
    version 1.21 takes their absence for an error, and nothing of ours asks a server with it."""
    if "pygit2" in sys.modules:
        yield
        return
    from ssl import get_default_verify_paths

    found = get_default_verify_paths()
    if found.cafile or found.capath:
        yield
        return
    before = os.environ.get(found.openssl_capath_env)
    os.environ[found.openssl_capath_env] = os.sep
    try:
        yield
    finally:
        # What is started later has ways of its own to find some.
        if before is None:
            del os.environ[found.openssl_capath_env]
        else:
            os.environ[found.openssl_capath_env] = before
