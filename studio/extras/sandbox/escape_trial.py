"""Self-test of each sandbox method with a script that tries to escape."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from studio.errors import StudioError
from studio.extras.sandbox.refusals import NoLayerMethod
from studio.extras.sandbox.sandbox import Sandbox
from studio.extras.sandbox.values import LAYER_METHODS, Command, EndedBy, Spaces, Way
from studio.program.app_folders import state_directory
from studio.program.work_folder import WorkFolder
from studio.values import Value

_SECONDS: Final = 10.0
_BEFORE: Final = b"as it was\n"
_TRIES: Final = """
echo new > inside.txt || exit 2
for file in "$1/victim.txt" out/victim.txt "/proc/1/root$1/victim.txt" "/proc/self/root$1/victim.txt"; do
    echo new > "$file"
done
mount -o remount,rw / && exit 3
umount -l "$1" && exit 3
for folder in / /usr /etc /sys /proc; do
    echo new > "$folder/exacta-victim" && exit 4
done
exit 0
"""
"""Shell script that tries to write outside.

Its first argument is a folder outside of the project.
"""


class LayerMethodCheck(Value):
    """Whether a way works on this machine, with a hint if not."""

    way: Way
    works: bool
    message: str
    hint: str


def check_layer_methods() -> tuple[LayerMethodCheck, ...]:
    """Test every way, best first, on a small project.

    The project is in the state folder.
    """
    return tuple(_check_method(method) for method in LAYER_METHODS)


def _check_method(method: Way) -> LayerMethodCheck:
    try:
        with WorkFolder("ways", state_directory() / "sandbox") as folder:
            spaces, failed = _try_method(method, folder)
    except NoLayerMethod as error:
        return LayerMethodCheck(method, False, f"Not {method.words}. {error.reasons}", "")
    except StudioError as error:
        return LayerMethodCheck(method, False, f"Not {method.words}. {error.message}", error.hint)
    except OSError as error:
        return LayerMethodCheck(method, False, f"Not {method.words}. {error.strerror}.", "")
    if failed:
        return LayerMethodCheck(method, False, f"Not {method.words}. {failed}", "Report this.")
    maker = ", in name spaces that bubblewrap makes" if spaces is Spaces.BUBBLEWRAP else ""
    sentence = f"Commands work on {method.words}{maker}: one that tried to write outside wrote nothing."
    return LayerMethodCheck(method, True, sentence, "")


def _try_method(method: Way, folder: Path) -> tuple[Spaces, str]:
    """Return who created the namespaces, and the failure as a sentence."""
    project, outside = folder / "project", folder / "outside"
    victims = (project / "victim.txt", outside / "victim.txt")
    for victim in victims:
        victim.parent.mkdir()
        victim.write_bytes(_BEFORE)
    (project / "out").symlink_to(outside)
    before = sorted(project.iterdir())
    with Sandbox(project, ways=(method,), state=folder / "state") as sandbox:
        command = Command(("/bin/sh", "-c", _TRIES, "sh", str(outside)), seconds=_SECONDS)
        outcome = sandbox.run(command)
        spaces = sandbox.spaces
        has_written = (sandbox.layer.path / "inside.txt").is_file()
    if any(victim.read_bytes() != _BEFORE for victim in victims) or sorted(project.iterdir()) != before:
        return spaces, "a command wrote outside its overlay."
    if outcome.ended_by is not EndedBy.ITSELF or outcome.exit != 0 or not has_written:
        return spaces, f"a command that should only write inside ended with {outcome.exit}."
    return spaces, ""
