"""Holds a network of its own open: brings its loopback up, and hands out a listener for each byte it reads.

Run by network.py as a process of its own; the number is that of a socket it inherits. Standard library only.
"""

from __future__ import annotations

import fcntl
import socket
import struct
import sys

SIOCSIFFLAGS = 0x8914
IFF_UP = 1


def main(handle: int) -> None:
    with socket.socket(fileno=handle) as above:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", IFF_UP))
        above.sendall(b"r")
        while above.recv(1):
            with socket.create_server(("127.0.0.1", 0)) as listener:
                socket.send_fds(above, [b"l"], [listener.fileno()])


if __name__ == "__main__":
    main(int(sys.argv[1]))
