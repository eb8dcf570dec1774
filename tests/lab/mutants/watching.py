"""The plugin of pytest that remembers how long each test took that passed in the watched copy."""

from __future__ import annotations

import pytest

from tests.lab.mutants.reaching import append


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" and report.passed:
        append("times", f"{report.duration:.4f} {report.nodeid}\n".encode())
