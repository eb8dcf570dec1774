"""Every benchmark runs, and says what it measured, with its spread; no test here looks at a clock."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from tests.bench.perf import (
    applying,
    blaming,
    comparing,
    confining,
    diff_view,
    finding,
    panels,
    patching,
    refusing,
    replies,
    ruling,
    streaming,
    trees,
    watching,
    writing,
)
from tests.bench.perf.benchmarks import BENCHMARKS
from tests.bench.perf.comparison import FEWEST_PAIRS, Benchmark, Comparison, compare, statement
from tests.bench.perf.processes import INSTALLED, environment, studio

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda benchmark: benchmark.name)
def test_a_benchmark_runs(
    benchmark: Benchmark, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "FILES", 40)
    monkeypatch.setattr(applying, "FILES", 40)
    monkeypatch.setattr(applying, "ENTRIES", 2_000)
    monkeypatch.setattr(blaming, "PLANS", 4)
    monkeypatch.setattr(finding, "FILES", 40)
    monkeypatch.setattr(comparing, "LINES", 6_000)
    monkeypatch.setattr(comparing, "HUNKS", 500)
    monkeypatch.setattr(patching, "LINES_OF_MUCH", 2_000)
    monkeypatch.setattr(patching, "LINES_OF_ONE_FILE", 2_000)
    monkeypatch.setattr(patching, "DRY_RUN_FILES", 20)
    monkeypatch.setattr(trees, "FILES", 200)
    monkeypatch.setattr(watching, "FOLDERS", 200)
    monkeypatch.setattr(streaming, "BYTES", 1 << 20)
    monkeypatch.setattr(panels, "STEPS", 100)
    monkeypatch.setattr(refusing, "HUNKS", 100_001)
    monkeypatch.setattr(refusing, "STEPS", 2_000)
    monkeypatch.setattr(refusing, "FILES", 2_000)
    monkeypatch.setattr(replies, "BLOCKS", 20)
    monkeypatch.setattr(confining, "FILES", 100)
    monkeypatch.setattr(ruling, "PATHS", 5_000)
    monkeypatch.setattr(diff_view, "LINES", 20_000)
    monkeypatch.setattr(diff_view, "CHARACTERS", 100_000)
    monkeypatch.setattr(diff_view, "FRAMES", 40)
    monkeypatch.setenv(INSTALLED, studio())
    comparison = benchmark.measure(tmp_path, 1)
    assert (len(comparison.ours), len(comparison.peer)) == (1, 1)
    assert min(*comparison.ours, *comparison.peer) > 0
    said = statement(benchmark, comparison)
    assert comparison.ours_name in said and comparison.peer_name in said


def test_without_a_name_the_benchmarks_are_listed() -> None:
    listed = subprocess.run(
        [sys.executable, "-m", "tests.bench.perf"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = [line.split()[0] for line in listed.stdout.splitlines()]
    assert names == [benchmark.name for benchmark in BENCHMARKS]


@pytest.mark.parametrize("name", ["installed-start", "installed-version"])
def test_an_installed_program_has_to_be_named(name: str) -> None:
    unnamed = {key: value for key, value in os.environ.items() if key != INSTALLED}
    command = [sys.executable, "-m", "tests.bench.perf", name]
    done = subprocess.run(command, cwd=ROOT, env=unnamed, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Name the installed program in STUDIO_INSTALLED, such as /usr/bin/studio.\n"


@pytest.mark.parametrize("words", [["nothing"], ["version", "many"], ["version", "7", "8"]])
def test_a_wrong_name_is_a_usage_error(words: list[str]) -> None:
    refused = subprocess.run(
        [sys.executable, "-m", "tests.bench.perf", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 2
    assert "start" in refused.stderr


def test_measured_processes_use_their_bytecode_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    variables = environment(tmp_path)
    assert "PYTHONDONTWRITEBYTECODE" not in variables
    assert variables["PATH"] == os.environ["PATH"]


def test_pairs_are_interleaved_after_a_warm_up() -> None:
    turns: list[str] = []

    def measured(name: str, value: float) -> float:
        turns.append(name)
        return value

    ours, peer = compare(lambda: measured("ours", 3.0), lambda: measured("peer", 2.0), 3)
    assert turns == ["ours", "peer", "ours", "peer", "peer", "ours", "ours", "peer"]
    assert (ours, peer) == ((3.0,) * 3, (2.0,) * 3)


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        ((1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6), "met"),
        ((1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9), "met within noise"),
        ((1.3, 1.4, 1.5, 1.7, 1.8, 1.9, 1.9), "met within noise"),
        ((1.3, 1.7, 1.8, 1.9, 2.0, 2.1, 2.2), "missed"),
    ],
)
def test_a_target_inside_the_spread_is_met_within_noise(ratios: tuple[float, ...], verdict: str) -> None:
    comparison = Comparison("ours", "peer", ratios, (1.0,) * FEWEST_PAIRS, 1.6)
    assert comparison.ratio == sorted(ratios)[3]
    assert comparison.verdict == verdict
    assert comparison.ours[0] < comparison.spread[0] <= comparison.ratio <= comparison.spread[1]


def test_a_statement_tells_both_medians_the_spread_and_the_verdict() -> None:
    comparison = Comparison("our way", "their way", (2.0, 4.0, 3.0), (1.0, 2.0, 1.0), 4.0)
    said = statement(Benchmark("name", "what it is", lambda _folder, _pairs: comparison), comparison)
    assert said.splitlines() == [
        "name: what it is",
        "       3.00 ms  (2.00 to 4.00)  our way",
        "       1.00 ms  (1.00 to 2.00)  their way",
        "       2.00 x   (2.00 to 2.50, the middle half of 3 pairs)",
        "  target <= 4 x: met",
    ]


def test_a_small_ratio_is_told_with_more_digits() -> None:
    comparison = Comparison("our way", "their way", (1.0,), (400.0,), 0.02)
    said = statement(Benchmark("name", "what it is", lambda _folder, _pairs: comparison), comparison)
    assert "0.0025 x   (0.0025 to 0.0025" in said
