"""Seccomp filter program that blocks system calls able to escape the sandbox.

The kernel's keyrings have no namespace. Nor have sockets of some families: one of them reaches the host of a
virtual machine even without a network. io_uring opens sockets that no filter sees. Into a terminal that it
was given, a command could type what the shell behind it then runs. And the first process, which ends all
others with us, must not be changed: bubblewrap's own can be traced.
"""

from __future__ import annotations

import errno
import os
import struct

_LOAD, _EQUAL, _AT_LEAST, _ANSWER = 0x20, 0x15, 0x35, 0x06
_NUMBER, _MACHINE, _FIRST, _SECOND = 0, 4, 16, 24
"""Offsets in seccomp_data: call number, architecture, first and second argument."""

_ALLOWED = 0x7FFF_0000
_UNKNOWN = 0x0005_0000 | errno.ENOSYS
_NOT_PERMITTED = 0x0005_0000 | errno.EPERM
_NO_FAMILY = 0x0005_0000 | errno.EAFNOSUPPORT

_FAMILIES = (1, 2, 10, 16)
"""Of sockets: local, IPv4, IPv6, and netlink, by which programs ask for the machine's addresses."""

_TYPING = (0x5412, 0x541C)
"""The `ioctl` requests that type into a terminal: TIOCSTI, TIOCLINUX."""

_RING = 425
_X86_64 = (0xC000_003E, 41, 16, (248, 249, 250, _RING), (101, 310, 311))
_X86 = (0x4000_0003, 359, 54, (102, 286, 287, 288, _RING), (26, 347, 348))
_ARM_64 = (0xC000_00B7, 198, 29, (217, 218, 219, _RING), (117, 270, 271))
_ARM = (0x4000_0028, 281, 54, (309, 310, 311, _RING), (26, 376, 377))
"""Architecture, numbers of `socket` and `ioctl`, refused calls, calls on processes.

Refused are add_key, request_key, keyctl, io_uring_setup, and `socketcall`, whose family no filter can read.
Refused for the first process are ptrace, process_vm_readv, process_vm_writev.
"""

_MACHINES = {"x86_64": (_X86_64, _X86), "aarch64": (_ARM_64, _ARM)}
_OTHER_NUMBERS = 0x4000_0000
"""From here on x86-64 repeats the same calls, for 32-bit pointers."""


def call_filter() -> bytes:
    """Return the seccomp program for this machine, empty where none is known.

    In the form for `isolation.filter_calls`.
    """
    machines = _MACHINES.get(os.uname().machine, ())
    if not machines:
        return b""
    program = [_instruction(_LOAD, _MACHINE)]
    for machine, socket, control, refused_calls, (trace, *memory) in machines:
        instructions = [
            _instruction(_LOAD, _NUMBER),
            _instruction(_AT_LEAST, _OTHER_NUMBERS, 0, 1),
            _instruction(_ANSWER, _UNKNOWN),
            *_protect_first_process(trace, _SECOND),
            *(each for number in memory for each in _protect_first_process(number, _FIRST)),
            *_judge_calls(socket, control, refused_calls),
        ]
        program += [_instruction(_EQUAL, machine, 0, len(instructions)), *instructions]
    return b"".join([*program, _instruction(_ANSWER, _UNKNOWN)])


def _judge_calls(socket: int, control: int, refused_calls: tuple[int, ...]) -> list[bytes]:
    program: list[bytes] = []
    for number in refused_calls:
        program += [_instruction(_EQUAL, number, 0, 1), _instruction(_ANSWER, _UNKNOWN)]
    typing = [_instruction(_LOAD, _SECOND)]
    for request in _TYPING:
        typing += [_instruction(_EQUAL, request, 0, 1), _instruction(_ANSWER, _NOT_PERMITTED)]
    typing.append(_instruction(_ANSWER, _ALLOWED))
    program += [
        _instruction(_EQUAL, control, 0, len(typing)),
        *typing,
        _instruction(_EQUAL, socket, 1, 0),
        _instruction(_ANSWER, _ALLOWED),
        _instruction(_LOAD, _FIRST),
    ]
    for family in _FAMILIES:
        program += [_instruction(_EQUAL, family, 0, 1), _instruction(_ANSWER, _ALLOWED)]
    return [*program, _instruction(_ANSWER, _NO_FAMILY)]


def _protect_first_process(number: int, process: int) -> list[bytes]:
    """Return instructions that refuse a call on process 1.

    `process` is the offset of the argument that names the process.
    """
    instructions = [
        _instruction(_LOAD, process),
        _instruction(_EQUAL, 1, 0, 1),
        _instruction(_ANSWER, _NOT_PERMITTED),
        _instruction(_ANSWER, _ALLOWED),
    ]
    return [_instruction(_EQUAL, number, 0, len(instructions)), *instructions]


def _instruction(code: int, value: int, if_so: int = 0, if_not: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_so, if_not, value)
