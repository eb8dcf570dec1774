"""Sparse selection of hunks; a step may have a million."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from studio.engine.plan import HunkChoice

Choice = Mapping[int, HunkChoice]


class HunkChoices(Choice):
    """Mapping of hunk number (from 1) to its selection.

    `named` holds those that are not included whole.
    """

    __slots__ = ("_hunks", "named")

    def __init__(self, hunks: int = 0, chosen: Choice = MappingProxyType({})) -> None:
        self._hunks = hunks
        self.named: Choice = {
            number: choice for number, choice in chosen.items() if choice is not True and 0 < number <= hunks
        }

    @property
    def is_nothing(self) -> bool:
        """Whether there are hunks and all are excluded."""
        return 0 < self._hunks == len(self.named) and not any(self.named.values())

    def __getitem__(self, number: int) -> HunkChoice:
        if not 0 < number <= self._hunks:
            raise KeyError(number)
        return self.named.get(number, True)

    def __iter__(self) -> Iterator[int]:
        return iter(range(1, self._hunks + 1))

    def __len__(self) -> int:
        return self._hunks
