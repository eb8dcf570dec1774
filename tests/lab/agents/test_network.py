from __future__ import annotations

import os
import signal
import subprocess
import sys

from studio.doors.agents.model_server import ModelServer
from tests.lab.agents.network import Network

OUTSIDE = "192.0.2.1"
"""An address that is kept for documents: where a network is, it is looked for there."""

REACH = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=5).close()
except OSError as error:
    print(error.strerror)
else:
    print("reached")
"""


def reach(network: Network, host: str, port: int) -> str:
    command = [*network.prefix, sys.executable, "-I", "-c", REACH, host, str(port)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_only_what_listens_in_it_is_reached() -> None:
    with Network() as network, ModelServer((), network.listen()) as model, ModelServer(()) as elsewhere:
        inside, outside = (int(each.url.rpartition(":")[2]) for each in (model, elsewhere))
        assert reach(network, "127.0.0.1", inside) == "reached"
        if network.is_own:
            assert reach(network, OUTSIDE, 80) == "Network is unreachable"
            assert reach(network, "127.0.0.1", outside) == "Connection refused"


def test_two_models_listen_in_one_network() -> None:
    with Network() as network, network.listen() as one, network.listen() as other:
        for listener in (one, other):
            assert reach(network, "127.0.0.1", listener.getsockname()[1]) == "reached"


def test_what_is_left_in_it_is_killed() -> None:
    """Also what left the group of its client."""
    with Network() as network:
        command = [*network.prefix, "setsid", "sh", "-c", "echo $$; exec sleep 600"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as started:
            assert started.stdout is not None
            left = int(started.stdout.readline())
            if not network.is_own:
                os.kill(left, signal.SIGKILL)
            network.kill_all()
            # Its end of the pipe is closed.
            assert started.stdout.read() == ""
