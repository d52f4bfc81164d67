"""Studies: the paper's experiments, or one's own, as cells on threads or on any executor."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from . import _core, _executors, _parameters, _worker
from ._candidates import Records
from ._progress import Bar


@dataclass(frozen=True)
class StudyResult:
    """What a study found."""

    title: str
    cells_csv: str
    verdicts: list[dict[str, Any]]

    @property
    def cells(self) -> Records:
        """Every estimate, one record each, as in the file cells.csv of ``latentropy study``."""
        rows = csv.DictReader(io.StringIO(self.cells_csv))
        return Records([{name: _value(text) for name, text in row.items()} for row in rows])


class _Cells:
    """A study as pieces."""

    def __init__(self, study: _core.Study, spec: str, name: str, figure: int | None, threads: int) -> None:
        self.study, self.threads = study, threads
        self.travels = (spec, name, study.seed, figure, study.fingerprint)

    @property
    def weight(self) -> int:
        return len(self.travels[0])

    def next(self) -> tuple[str, list[int]] | None:
        left = self.study.left
        return ("cell", left) if left else None

    def task(self, pieces: list[int]) -> tuple[Any, tuple[Any, ...]]:
        return _worker.run_cells, (*self.travels, pieces, 1)

    def take(self, part: bytes) -> None:
        self.study.take(part)

    def here(self, pieces: list[int]) -> bytes:
        return bytes(self.study.run(pieces, self.threads))


def study(
    spec: str | PathLike[str] = "paper",
    *,
    executor: Any = None,
    journal: str | PathLike[str] | None = None,
    random_state: int | None = None,
    figure: int | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> StudyResult:
    """Runs the experiments of a file of settings, as ``latentropy study`` does.

    Parameters
    ----------
    spec : path, "paper" or "quick"
        The settings (``latentropy reproduce --print-spec`` prints some); "paper" and "quick" are the built-in ones.
    executor : optional
        Anything with ``submit``, as ``BoltzmannMachine.fit`` takes it; files that the settings name must be there for its
        workers. Without one, what ``joblib.parallel_config`` names, or else threads of this process.
    journal : path, optional
        Cells are noted in this file as they end; a run with the same settings goes on with it.
    random_state : int, optional
        The seed, in place of that of the settings.
    figure : int, optional
        Only the experiments of this figure.
    """
    built_in = isinstance(spec, str) and spec in ("paper", "quick")
    name = "the built-in spec" if built_in else str(spec)
    text = _core.Study.built_in(spec == "quick") if built_in else Path(spec).read_text()
    found = _core.Study(text, name, random_state, figure)
    if journal is not None:
        found.note_in(Path(journal))
    if executor is None and n_jobs is None:
        executor = _executors.configured()
    if isinstance(executor, int):
        executor, n_jobs = None, executor
    bar = Bar() if verbose else None
    work = _Cells(found, text, name, figure, _parameters.threads(n_jobs))
    try:
        _executors.run(work, executor, bar)
    finally:
        if bar is not None:
            bar.close()
    cells, verdicts = found.finish()
    return StudyResult(name, cells, json.loads(verdicts))


def _value(text: str | None) -> Any:
    """A number where the text is one."""
    for kind in (int, float):
        try:
            return kind(text or "")
        except ValueError:
            continue
    return text
