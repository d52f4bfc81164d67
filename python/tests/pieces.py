"""What the tests of executors share: fits and a study of every kind, and a digest of what they write."""

from __future__ import annotations

import hashlib
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from conftest import two_groups

from latentropy import BoltzmannMachine, study

SPEC = """
title = "small"
seed = 5

[[arm]]
name = "converged"
[[arm]]
name = "ridge-1"
ridge = 1.0

[[experiment]]
name = "small"
title = "Small machines"
figures = [5]
truth = { visible = 3, hidden = 1 }
fitted = { hidden = 1 }
truths = 2
trials = 2
rows = [10, 30]
restarts = 3
arms = ["converged", "ridge-1"]
"""

FITS: dict[str, dict[str, Any]] = {
    "48 restarts": {"n_hidden": 2, "n_init": 48, "ridge": 0.1},
    "0 to 3 hidden units": {"n_hidden": range(4), "shape": "rbm", "n_init": 6},
    "a bootstrap of 50": {"n_hidden": 1, "n_init": 5, "ridge": 1.0, "n_bootstrap": 50},
}


def rows() -> np.ndarray:
    """The table that all of them learn from."""
    return two_groups(80, 6)


def of_fit(name: str, **how: Any) -> str:
    """The digest of model.json and candidates.csv of a fit, on an executor or not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine = BoltzmannMachine(**FITS[name]).fit(rows(), **how)
    with tempfile.TemporaryDirectory() as folder:
        written = machine.save(Path(folder) / "run")
        files = [(written / file).read_bytes() for file in ("model.json", "candidates.csv")]
    return hashlib.sha256(b"".join(files)).hexdigest()[:16]


def of_study(folder: Path, **how: Any) -> str:
    """The digest of all estimates and verdicts of a study."""
    path = Path(folder) / "small.toml"
    path.write_text(SPEC)
    found = study(path, **how)
    return hashlib.sha256((found.cells_csv + repr(found.verdicts)).encode()).hexdigest()[:16]


def all_of_them(folder: Path, **how: Any) -> dict[str, str]:
    """The digests of all fits and of the study."""
    found = {name: of_fit(name, **how) for name in FITS}
    return found | {"study": of_study(folder, **how)}
