"""What a worker runs: pieces of a fit or cells of a study. The job travels with every task and is made ready once."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import Any

from . import _core

# Made ready already, by digest; a worker may serve several fits by turns.
_READY: OrderedDict[Any, Any] = OrderedDict()
_MOST_READY = 8


def _ready(key: Any, make: Any) -> Any:
    if key in _READY:
        _READY.move_to_end(key)
        return _READY[key]
    made = _READY[key] = make()
    while len(_READY) > _MOST_READY:
        _READY.popitem(last=False)
    return made


def run_pieces(
    job: bytes, job_digest: int, round_: bytes, round_digest: int, pieces: list[int], threads: int
) -> tuple[Any, float]:
    """The part of some pieces, or the error that one of them raised, and how long it took in seconds.

    An error of a piece is a result: whatever else is raised on the way is a fault of the executor.
    """
    began = time.perf_counter()
    found: Any
    try:
        worker = _ready((job_digest, round_digest), lambda: _core.Worker(job, round_))
        found = worker.run(pieces, threads)
    except Exception as error:
        found = error
    return found, time.perf_counter() - began


def run_cells(
    spec: str, name: str, seed: int, figure: int | None, fingerprint: str, cells: list[int], threads: int
) -> tuple[Any, float]:
    """The share of some cells, or the error that one of them raised, and how long it took in seconds."""
    began = time.perf_counter()
    found: Any
    try:
        study = _ready((fingerprint, figure), lambda: _core.Study(spec, name, seed, figure))
        found = study.run(cells, threads)
    except Exception as error:
        found = error
    return found, time.perf_counter() - began
