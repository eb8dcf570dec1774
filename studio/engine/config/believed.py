"""Which configuration folder may let the command line decide.

A folder that an agent brings makes no one a person.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from pathlib import Path

from studio.engine.app_folders import account_config_directory, config_directory, is_state_chosen
from studio.engine.config.effective import ReviewCommandLine, review_of


def user_config_folders(folder: Path, decided: AbstractSet[Path]) -> AbstractSet[Path]:
    """Return the configuration folders that count as the user's own.

    They are those with which a person `decided` before. Until then they are the account's own, and `folder`,
    which is in use, where the state folder was chosen with it.
    """
    # Else `STUDIO_CONFIG_DIR=FOLDER studio approve` would make
    # an agent a person, whatever the user's own file sets.
    if decided:
        return decided
    by_account = account_config_directory()
    chosen = {folder} if is_state_chosen() else set[Path]()
    return chosen if by_account is None else {by_account, *chosen}


def effective_review(
    folder: Path, review: ReviewCommandLine, decided: AbstractSet[Path]
) -> ReviewCommandLine:
    """Return how the command line may decide, given the setting in `folder`.

    `allow` is reduced to `ask` unless that folder is the user's own; an `off` of one of the user's folders
    holds wherever the setting comes from.
    """
    own_folders = user_config_folders(folder, decided)
    # An agent may have opened the window with its own folder, before a person decided there.
    consulted = own_folders if folder not in own_folders else decided
    if "off" in {review, *map(review_of, consulted)}:
        return "off"
    return review if folder in own_folders else "ask"


def user_review() -> ReviewCommandLine:
    """Return how the command line may decide outside of any project.

    There is no store then that records who decided, so `allow` is effective only in the account's own folder,
    which no environment variable chooses.
    """
    folder, by_account = config_directory().resolve(), account_config_directory()
    review = review_of(folder)
    if by_account is None:
        return "off" if review == "off" else "ask"
    return effective_review(folder, review, frozenset({by_account}))
