"""What of each hunk of a step goes in, without a list of all hunks: a step may have a million."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from studio.engine.plan import HunkChoice

Choice = Mapping[int, HunkChoice]


class HunkChoices(Choice):
    """Hunk number, from 1, to what of it goes in; `named` holds those that do not go in whole."""

    __slots__ = ("_hunks", "named")

    def __init__(self, hunks: int = 0, chosen: Choice = MappingProxyType({})) -> None:
        self._hunks = hunks
        self.named: Choice = {
            number: choice for number, choice in chosen.items() if choice is not True and 0 < number <= hunks
        }

    @property
    def is_nothing(self) -> bool:
        """Whether there are hunks and each is left out as a whole."""
        return 0 < self._hunks == len(self.named) and not any(self.named.values())

    def __getitem__(self, number: int) -> HunkChoice:
        if not 0 < number <= self._hunks:
            raise KeyError(number)
        return self.named.get(number, True)

    def __iter__(self) -> Iterator[int]:
        return iter(range(1, self._hunks + 1))

    def __len__(self) -> int:
        return self._hunks
