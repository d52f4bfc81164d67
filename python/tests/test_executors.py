"""Fits and studies on executors: the same numbers as in one process, whatever dies on the way."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pieces
import pytest

from latentropy import BoltzmannMachine, FitWarning, WorkerDiedError, _worker

SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What one process finds."""
    return pieces.all_of_them(tmp_path_factory.mktemp("local"))


def test_process_pool(local: dict[str, str], tmp_path: Path) -> None:
    with ProcessPoolExecutor(2, mp_context=SPAWN) as executor:
        assert pieces.all_of_them(tmp_path, executor=executor) == local


def test_other_executors(local: dict[str, str]) -> None:
    name = "48 restarts"
    with ThreadPoolExecutor(3) as threads:
        assert pieces.of_fit(name, executor=threads) == local[name]
    with SPAWN.Pool(2) as pool:
        assert pieces.of_fit(name, executor=pool) == local[name]
    from joblib.externals.loky import get_reusable_executor

    # joblib would take it for its own if it lived on.
    loky = get_reusable_executor(2)
    assert pieces.of_fit(name, executor=loky) == local[name]
    loky.shutdown(wait=True, kill_workers=True)
    with pytest.raises(TypeError, match="executor must have submit"):
        pieces.of_fit(name, executor=3.5)


def test_dask_with_a_worker_that_is_killed(local: dict[str, str], tmp_path: Path) -> None:
    """A scheduler and two worker processes on loopback; bench/cluster.py kills more of them."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert pieces.all_of_them(tmp_path, executor=client.get_executor()) == local
        victim = next(iter(cluster.workers.values())).pid
        killer = threading.Timer(0.3, os.kill, (victim, getattr(signal, "SIGKILL", signal.SIGTERM)))
        killer.start()
        assert pieces.all_of_them(tmp_path, executor=client.get_executor()) == local
        killer.join()


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib_is_honoured(local: dict[str, str], tmp_path: Path, backend: str) -> None:
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert pieces.of_fit("48 restarts") == local["48 restarts"]
        assert pieces.of_study(tmp_path) == local["study"]


class Spoken(ThreadPoolExecutor):
    """Counts tasks and can do harm to them."""

    def __init__(self, harm: Any = None) -> None:
        super().__init__(2)
        self.harm = harm
        self.pieces: list[list[int]] = []

    def submit(self, function: Any, /, *arguments: Any, **_: Any) -> Future[Any]:
        own = arguments[-2]
        self.pieces.append(own)
        if self.harm is not None and (error := self.harm(own, len(self.pieces))) is not None:
            future: Future[Any] = Future()
            future.set_exception(error)
            return future
        return super().submit(function, *arguments)


class KilledWorker(Exception):
    """As Dask names it."""


class WorkerCrashedError(Exception):
    """As Ray names it."""


def test_a_piece_that_kills_its_worker_is_named_and_the_rest_is_kept() -> None:
    machine = BoltzmannMachine(n_hidden=1, n_init=12, ridge=1.0, search="restarts")
    executor = Spoken(lambda own, _: KilledWorker("gone") if 7 in own else None)
    with pytest.raises(WorkerDiedError, match="restart 7 killed the worker") as caught:
        machine.fit(pieces.rows(), executor=executor)
    assert caught.value.pieces == [7]
    kept = machine.interrupted_.candidates
    assert kept is not None and [c.index for c in kept] == [at for at in range(12) if at != 7]
    # Where a scheduler does not try by itself, it is tried three times in all.
    executor = Spoken(lambda own, _: WorkerCrashedError("gone") if 7 in own else None)
    with pytest.raises(WorkerDiedError):
        machine.fit(pieces.rows(), executor=executor)
    assert sum(7 in own for own in executor.pieces) == 3


def test_workers_that_die_now_and_then_cost_their_pieces_time(local: dict[str, str]) -> None:
    executor = Spoken(lambda _, count: WorkerCrashedError("gone") if count % 5 == 3 else None)
    assert pieces.of_fit("48 restarts", executor=executor) == local["48 restarts"]


def test_a_pieces_own_error_is_raised_and_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def failing(*arguments: Any) -> Any:
        calls.append(arguments[-2])
        return ValueError("a piece's own"), 0.01

    monkeypatch.setattr(_worker, "run_pieces", failing)
    with pytest.raises(ValueError, match="a piece's own"):
        BoltzmannMachine(n_hidden=1, n_init=50, ridge=1.0).fit(pieces.rows(), executor=Spoken())
    assert len(calls) <= 6


def test_a_broken_pool_keeps_what_is_done(local: dict[str, str]) -> None:
    executor = ProcessPoolExecutor(2, mp_context=SPAWN)
    executor.submit(os.getpid).result()

    class Breaking:
        """Its first worker is killed after some tasks."""

        _max_workers = 2
        count = 0

        def submit(self, *arguments: Any) -> Any:
            self.count += 1
            if self.count == 6:
                os.kill(next(iter(executor._processes)), signal.SIGKILL)
            return executor.submit(*arguments)

    machine = BoltzmannMachine(**pieces.FITS["48 restarts"])
    with pytest.warns(FitWarning, match="the executor broke"):
        machine.fit(pieces.rows(), executor=Breaking())
    assert len(machine.candidates_) == 48
    whole = BoltzmannMachine(**pieces.FITS["48 restarts"]).fit(pieces.rows())
    assert np.array_equal(machine.network_.weights, whole.network_.weights)
    executor.shutdown(wait=False)
    # One that is shut down before takes nothing, and all is run here.
    with pytest.warns(FitWarning, match="the executor broke"):
        machine.fit(pieces.rows(), executor=executor)
    assert np.array_equal(machine.network_.weights, whole.network_.weights)


def test_tasks_grow_where_pieces_are_short() -> None:
    executor = Spoken()
    BoltzmannMachine(n_hidden=1, n_init=400, ridge=1.0, search="restarts").fit(pieces.rows(), executor=executor)
    assert sorted(piece for own in executor.pieces for piece in own) == list(range(400))
    assert max(len(own) for own in executor.pieces) > 4


def test_progress_comes_back_and_cancelling_stops_the_rest() -> None:
    executor = Spoken()
    machine = BoltzmannMachine(n_hidden=2, n_init=100_000, ridge=1.0, search="restarts")

    def interrupt(own: list[int], count: int) -> None:
        if count == 20:
            os.kill(os.getpid(), signal.SIGINT)

    executor.harm = interrupt
    with pytest.raises(KeyboardInterrupt):
        machine.fit(pieces.rows(), executor=executor)
    handed_out = len(executor.pieces)
    assert machine.interrupted_.candidates is not None
    time.sleep(0.5)
    assert len(executor.pieces) == handed_out


DRIVER = """
    import sys
    sys.path.insert(0, {tests!r})
    import pieces
    from concurrent.futures import ThreadPoolExecutor
    print("go", flush=True)
    print(pieces.of_fit("48 restarts", executor=ThreadPoolExecutor(1), journal={journal!r}), flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_a_driver_that_is_killed_goes_on(local: dict[str, str], tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    program = textwrap.dedent(DRIVER.format(tests=str(Path(__file__).parent), journal=str(journal)))
    kept = []
    for delay in (0.05, 0.1, 0.2):
        process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None and process.stdout.readline().strip() == "go"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        kept.append(len(journal.read_bytes().splitlines()) if journal.exists() else 0)
    # A journal grows from one start to the next, and is gone once the fit is whole.
    whole = kept.index(0) if 0 in kept else len(kept)
    assert kept[:whole] == sorted(kept[:whole])
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert told == ["go", local["48 restarts"]]
    assert not journal.exists()


def test_journals_belong_to_their_fit(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    machine = BoltzmannMachine(n_hidden=1, n_init=12, ridge=1.0, search="restarts")
    executor = Spoken(lambda own, _: KilledWorker("gone") if 7 in own else None)
    with pytest.raises(WorkerDiedError):
        machine.fit(pieces.rows(), executor=executor, journal=journal)
    with pytest.raises(ValueError, match="belongs to a run with"):
        BoltzmannMachine(n_hidden=1, n_init=13, ridge=1.0).fit(pieces.rows(), journal=journal)
    # Without an executor it goes on in this process, with one piece left.
    machine.fit(pieces.rows(), journal=journal)
    assert len(machine.candidates_) == 12 and not journal.exists()


def test_jobs_are_a_few_kilobytes() -> None:
    from pickle import dumps

    executor = Spoken()
    sizes = []
    submit = executor.submit

    def weighed(function: Any, /, *arguments: Any) -> Any:
        sizes.append(len(dumps((function, arguments))))
        return submit(function, *arguments)

    executor.submit = weighed  # type: ignore[method-assign]
    BoltzmannMachine(n_hidden=2, n_init=30, ridge=1.0).fit(pieces.rows(), executor=executor)
    assert max(sizes) < 8_000
