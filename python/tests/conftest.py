"""What the tests share: example tables, and the command line to compare with."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
VOTES = ROOT / "data" / "house-votes-84.csv"


def two_groups(rows: int = 60, columns: int = 5, seed: int = 3) -> np.ndarray:
    """Rows of two groups: one says mostly yes, the other mostly no."""
    random = np.random.default_rng(seed)
    group = random.random(rows) < 0.5
    chances = np.where(group[:, None], 0.8, 0.25)
    return (random.random((rows, columns)) < chances).astype(float)


def with_holes(X: np.ndarray, seed: int = 5) -> np.ndarray:
    """The same with a tenth of the cells missing."""
    X = X.copy()
    X[np.random.default_rng(seed).random(X.shape) < 0.1] = np.nan
    return X


def write_csv(path: Path, X: np.ndarray, names: list[str]) -> None:
    def cell(value: float) -> str:
        return "" if np.isnan(value) else str(int(value))

    lines = [",".join(names), *(",".join(cell(value) for value in row) for row in X)]
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="session")
def command_line() -> Callable[..., Any]:
    """Runs the program; skipped where it is not built."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    found = Path(os.environ.get("LATENTROPY_PROGRAM", target / "debug" / "latentropy"))
    if not found.is_file():
        pytest.skip(f"the command line is not built: {found} is not there")

    def run(*arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(found), *arguments], capture_output=True, text=True, check=check)

    return run

# Tests that are started in the background begin with interrupts ignored, and some of them interrupt a fit.
signal.signal(signal.SIGINT, signal.default_int_handler)
