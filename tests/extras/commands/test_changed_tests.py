"""Names by which a file decides what a test run says."""

from __future__ import annotations

import pytest

from studio.extras.commands.trials import is_test_file


@pytest.mark.parametrize(
    "path",
    """tests/a.py src/test_a.py a_test.go web/app.test.ts app.spec.js conftest.py pytest.ini Tests/x.cs
    __snapshots__/a.snap lib/a_spec.rb deep/spec/x.rb jest.config.js TEST_A.PY""".split(),
)
def test_it_is_one(path: str) -> None:
    assert is_test_file(path)


@pytest.mark.parametrize(
    "path", "src/a.py contest.py latest.py testing.md attest/a.py src/protest_a.py inspector.js".split()
)
def test_it_is_none(path: str) -> None:
    assert not is_test_file(path)
