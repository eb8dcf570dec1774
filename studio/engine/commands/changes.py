"""What a command left in its sandbox, as it is proposed."""

from __future__ import annotations

from collections.abc import Iterable

from studio.engine.limits import TITLE_CHARACTERS
from studio.engine.proposer import LaidResult, LayerChanges
from studio.engine.sandbox import LayerKind, Sandbox


def changes_of(sandbox: Sandbox, shown: str, message: str, laid: Iterable[LaidResult] = ()) -> LayerChanges:
    """What is in the layer now; `shown` is what the command is called, `message` what is said of it."""
    layer = sandbox.layer
    return LayerChanges(
        layer.path,
        layer.copied if layer.kind is LayerKind.COPY else None,
        sandbox.since_ns,
        f"Changes of {shown}"[:TITLE_CHARACTERS],
        message,
        frozenset(laid),
    )
