"""Facts on files that git could read as configuration, whatever their name.

A repository nested in the project, or the user's own configuration, may include any file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from studio.engine.limits import GIT_CONFIG_BYTES
from studio.engine.plan import Fact, Severity
from studio.engine.policy.git_config import leads_to_commands, parse_git_config

_SECTION: Final = re.compile(
    rb"(?i)\[(?:alias|core|credential|diff|difftool|filter|gpg|hook|include|includeif|interactive|merge"
    rb"|mergetool|pager|remote|sendemail|sequence|submodule|trailer|uploadpack)[\]. \t\r\"]"
)


def git_configuration_facts(base: bytes | None, result: bytes) -> Iterator[Fact]:
    """Yield what a changed file makes git run, if it is configuration."""
    if _SECTION.search(result) is None:
        return
    if len(result) > GIT_CONFIG_BYTES:
        message = "It may be a configuration of git, and is too large to be read as one."
        yield Fact("git_configuration", Severity.WARNING, message)
        return
    text = parse_git_config(result)
    if not text.is_whole:
        return
    base_variables = frozenset(parse_git_config((base or b"")[:GIT_CONFIG_BYTES]).variables)
    for variable in dict.fromkeys(text.variables):
        if variable not in base_variables and leads_to_commands(variable):
            name = f"{variable.section}.{variable.key}"
            message = f"It reads as a configuration of git, in which {name} says what git runs."
            yield Fact("git_configuration", Severity.DANGER, message)
