"""Whose setting about the command line counts: what an agent brings makes nobody a person (contract 8)."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from pathlib import Path

from studio.engine.app_folders import account_config_directory, config_directory, is_state_chosen
from studio.engine.config.effective import ReviewCommandLine, review_of


def believed_review(
    folder: Path, said: ReviewCommandLine, decided: AbstractSet[Path] = frozenset()
) -> ReviewCommandLine:
    """How the command line may decide, where the configuration in `folder` says so: `allow` counts as `ask`
    unless a person `decided` with that folder before, or nobody decided yet and it is the account's own.

    An `off` of a known folder holds wherever the setting comes from.
    """
    # STUDIO_CONFIG_DIR=FOLDER studio approve would make an
    # agent a person, whatever the user's own file says.
    known = decided
    if not decided:
        by_account = account_config_directory()
        chosen = {folder} if is_state_chosen() else set[Path]()
        known = frozenset(chosen if by_account is None else {by_account, *chosen})
    # An agent may have opened the window with a folder of its own, before a person decided there.
    asked = known if folder not in known else decided
    if "off" in {said, *map(review_of, asked)}:
        return "off"
    return said if folder in known else "ask"


def user_review() -> ReviewCommandLine:
    """The same for what belongs to no project, and so to no store that knows who decided: `allow` counts in
    the account's own folder alone, which no variable chooses."""
    folder, by_account = config_directory().resolve(), account_config_directory()
    said = review_of(folder)
    if by_account is None:
        return "off" if said == "off" else "ask"
    return believed_review(folder, said, frozenset({by_account}))
