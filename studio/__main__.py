"""Entry point: prints the version, runs a command, or opens the window.

It loads neither a command nor the window before it knows which one is needed.
"""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module

from studio import __version__, doors, formats
from studio.doors.cli.console.output import print_line, run_with_output

_ALLOCATIONS = 50_000
_VERSION = ("--version", "-V")
_SYSTEM_LIBRARIES = ("libEGL.so.1", "libGL.so.1", "libGLX.so.0", "libOpenGL.so.0")
"""Libraries of the graphics driver, which no package of ours contains."""


def main() -> int:
    """Run `studio` with this process's arguments and return the exit code."""
    words = sys.argv[1:]
    return run_with_output(lambda: _run(words))


def _run(words: list[str]) -> int:
    try:
        return _dispatch(words)
    except ImportError as error:
        return _incomplete(error, words)


def _dispatch(words: list[str]) -> int:
    if len(words) == 1 and words[0] in _VERSION:
        print_line(f"studio {__version__}")
        return 0
    # Under a umask that removes the owner's permissions this process could not read its own files.
    os.umask(os.umask(0o077) & ~0o700)
    if getattr(sys, "frozen", False):
        from studio.program.packaged_services import run_service

        if run_service(words):
            return 0
    if words[:1] == ["hook"] and _answer_hook(words[1:]):
        return 0
    command = doors.command_of(words)
    if command is not None:
        doors.interrupt_signals.install_interrupt_handler()
    if command is None or command == "demo":
        from studio.open_window import open_window

        return open_window(words, with_demo=command == "demo")
    # What is loaded is never garbage: collecting it takes a tenth of a short command.
    gc.set_threshold(_ALLOCATIONS)
    if command == "mcp":
        return doors.run_mcp(words)
    gc.disable()
    _load_msgspec()
    run = doors.main.run
    gc.freeze()
    gc.enable()
    code = run(words)
    # Freeze again: the collection at exit would delay the caller.
    gc.freeze()
    return code


def _load_msgspec() -> None:
    """Load msgspec without typing_extensions, for which typing serves as well.

    msgspec 0.23 takes typing's functions where the others are missing, and CPython 3.11 has all of them. With
    inspect and ast, which nothing else needs, they took 10 of the 105 ms of `studio check`.
    """
    name = "typing_extensions"
    if name in sys.modules:
        return
    sys.modules[name] = type(sys)(name)  # empty, so that nothing can be imported from it
    try:
        import_module("msgspec")
    finally:
        del sys.modules[name]


def _answer_hook(arguments: list[str]) -> bool:
    """Answer an agent's hook for a tool that changes nothing.

    Returns whether it did; if not, the command reads the same input. It takes a sixth of the time: an agent
    asks before each tool it uses.
    """
    try:
        data = doors.standard_input.read_standard_input(formats.limits.SUBMISSION_BYTES + 1)
    except OSError:
        return False  # the command reports it
    answer = doors.quick_answer(arguments, data)
    if answer is None:
        doors.standard_input.replace_standard_input(data)
        return False
    print_line(answer)
    return True


def _incomplete(error: ImportError, words: list[str]) -> int:
    """Report which part of the installation is missing.

    Only the standard library is certain to be available.
    """
    library = str(error).partition(":")[0] if "cannot open shared object file" in str(error) else ""
    if library in _SYSTEM_LIBRARIES:
        message = f"This system lacks {library}, without which no window can be drawn."
        hint = "Install the package that holds it; on Debian and Ubuntu: apt install libegl1 libgl1."
    else:
        message = f"A part of Exacta Studio's installation is missing: {error}."
        hint = "Install it again; in a checkout, python3 installer/dev.py run does."
    if "--json" in words:
        import json

        error_object = {"code": "installation.incomplete", "message": message, "hint": hint}
        error_object |= {"registry": "CFG-002", "severity": "fatal", "retryable": False}
        print_line(json.dumps({"error": error_object}), flush=True)
    else:
        sys.stderr.write(f"studio: {message} {hint}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
