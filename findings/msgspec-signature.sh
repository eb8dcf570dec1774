#!/usr/bin/env bash
# A msgspec Struct resolves all its annotations when it is asked for its signature, as `hasattr` does: with a name that is
# imported for type checkers alone even `hasattr` raises NameError, where a dataclass answers with the texts.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
python3 -m venv python && python/bin/pip install -q msgspec==0.23.0
cat > shapes.py <<'PYTHON'
from __future__ import annotations

import dataclasses
from inspect import signature
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from decimal import Decimal


class Price(msgspec.Struct):
    amount: Decimal


@dataclasses.dataclass
class Cost:
    amount: Decimal


def answer(ask):
    try:
        return ask()
    except NameError as error:
        return f"NameError: {error}"


print("msgspec", msgspec.__version__)
print("made:", Price(3))
print("dataclass:", answer(lambda: signature(Cost)))
print("Struct:", answer(lambda: signature(Price)))
print("hasattr:", answer(lambda: hasattr(Price, "__signature__")))
PYTHON

python/bin/python shapes.py | tee seen
diff seen - <<'SEEN'
msgspec 0.23.0
made: Price(amount=3)
dataclass: (amount: 'Decimal') -> None
Struct: NameError: name 'Decimal' is not defined
hasattr: NameError: name 'Decimal' is not defined
SEEN
