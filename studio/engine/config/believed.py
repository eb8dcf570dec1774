"""Whose setting about the command line counts: what an agent brings makes nobody a person (contract 8)."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from pathlib import Path

from studio.engine.app_folders import account_config_directory, config_directory, is_state_chosen
from studio.engine.config.effective import ReviewCommandLine, review_of


def known_folders(folder: Path, decided: AbstractSet[Path]) -> AbstractSet[Path]:
    """The configuration folders that count as the user's own.

    They are those with which a person `decided` before; until then the account's own, and `folder`, which is
    in use, where the place of the stores was chosen with it.
    """
    # STUDIO_CONFIG_DIR=FOLDER studio approve would make an
    # agent a person, whatever the user's own file says.
    if decided:
        return decided
    by_account = account_config_directory()
    chosen = {folder} if is_state_chosen() else set[Path]()
    return chosen if by_account is None else {by_account, *chosen}


def believed_review(folder: Path, said: ReviewCommandLine, decided: AbstractSet[Path]) -> ReviewCommandLine:
    """How the command line may decide, where the configuration in `folder` says so.

    `allow` counts as `ask` unless that folder is known as the user's own; an `off` of a known folder holds
    wherever the setting comes from.
    """
    known = known_folders(folder, decided)
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
