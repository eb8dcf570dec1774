"""Risk facts on a step for reviewers: content, names, secrets, file metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.engine.risks import added_lines as added_lines, credentials as credentials
    from studio.engine.risks.credentials import Secret as Secret, secrets_in as secrets_in
    from studio.engine.risks.facts import KINDS as KINDS, byte_facts as byte_facts, facts_of as facts_of
    from studio.engine.risks.target import (
        NOTHING_KNOWN as NOTHING_KNOWN,
        TargetContext as TargetContext,
        Writer as Writer,
    )

__getattr__ = late_names(
    __name__,
    {
        "studio.engine.risks.added_lines": "added_lines",
        "studio.engine.risks.credentials": "credentials Secret secrets_in",
        "studio.engine.risks.facts": "KINDS byte_facts facts_of",
        "studio.engine.risks.target": "NOTHING_KNOWN TargetContext Writer",
    },
)
