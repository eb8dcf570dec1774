"""What makes two submissions the same: the ordered op, paths, base, result and mode of their steps."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from studio.engine.plan import FileImage, Step


def submission_hash(steps: Sequence[Step]) -> str:
    """SHA-256 over the steps as proposed, in lower-case hex (contract 3)."""
    listed = [
        [step.op.value, step.path, step.to, _image(step.base), _image(step.result), _reasons(step)]
        for step in steps
    ]
    return hashlib.sha256(json.dumps(listed).encode()).hexdigest()


def _image(image: FileImage | None) -> list[object] | None:
    return None if image is None else [image.sha256, image.git_mode]


def _reasons(step: Step) -> list[str]:
    """An invalid step has no bytes to compare; why it was refused stands for them."""
    return [problem.message for problem in step.problems]
