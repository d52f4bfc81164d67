"""Pieces on any executor: how they are handed out, and what is done when something dies.

A piece depends on nothing but its job and its number, so a piece that is lost is run again, and one that comes twice does
no harm. The driver hands out two tasks per worker, each of as many pieces as take about half a second, or longer where there
are many workers or the job is large.
"""

from __future__ import annotations

import os
import queue
import sys
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future
from typing import Any, Protocol

from ._warnings import FitWarning

# A task takes about so many seconds: long beside what handing it out costs, short beside what a lost worker costs.
_TASK_SECONDS = 0.5
# What handing a task out costs the driver and its scheduler, in seconds, and how many bytes of it they pass on in a second: with
# many workers tasks take longer, so that neither is overrun.
_HAND_OUT_SECONDS = 0.002
_BYTES_PER_SECOND = 50e6
# Tasks that wait at each worker, so that it does not idle while results travel.
_WAITING = 1
# A piece that so often takes its worker with it is not run again.
_MOST_DEATHS = 3
# How often the driver looks up while nothing ends.
_LOOK_SECONDS = 0.1


class WorkerDiedError(RuntimeError):
    """Pieces that killed the workers that ran them, again and again; all others are done and kept."""

    def __init__(self, kind: str, pieces: list[int]) -> None:
        self.kind = kind
        self.pieces = pieces
        named = ", ".join(str(piece) for piece in pieces)
        super().__init__(
            f"{kind} {named} killed the worker that ran it {_MOST_DEATHS} times; all other pieces that could be run are "
            f"kept: look for what ends the worker, such as its limit of memory"
        )

    def __reduce__(self) -> Any:
        return type(self), (self.kind, self.pieces)


class Work(Protocol):
    """Something that falls into pieces."""

    @property
    def weight(self) -> int:
        """How many bytes travel with every task."""

    def next(self) -> tuple[str, list[int]] | None:
        """The kind and the numbers of the pieces to be run next; None where all is done."""

    def task(self, pieces: list[int]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """What a worker calls for some of them, and with what."""

    def take(self, part: bytes) -> None:
        """Takes in what a worker has found."""

    def here(self, pieces: list[int]) -> bytes:
        """Runs some of them in this process."""


Look = Callable[[str, int, int, float | None, float | None], object]


def run(work: Work, executor: Any, look: Look | None = None) -> None:
    """Runs all pieces on an executor; where it breaks, the rest here."""
    lane = _lane(executor)
    while (following := work.next()) is not None:
        kind, pieces = following
        round_ = _Round(work, lane, kind, pieces, look)
        try:
            round_.run()
        except BaseException:
            round_.cancel()
            raise
        lane = round_.lane


class _Lane:
    """An executor with ``submit``; later ones know how long a piece took before."""

    def __init__(self, executor: Any) -> None:
        self.executor = executor
        self.seconds: float | None = None

    def workers(self) -> int:
        """How many tasks run at once, as far as that can be known."""
        client = getattr(self.executor, "_client", None)
        if client is not None and hasattr(client, "nthreads"):
            return max(1, sum(client.nthreads().values()))
        for name in ("_max_workers", "num_workers", "_processes"):
            found = getattr(self.executor, name, None)
            if isinstance(found, int) and found > 0:
                return found
        return os.cpu_count() or 1

    def submit(self, function: Any, arguments: tuple[Any, ...]) -> Any:
        return self.executor.submit(function, *arguments)


class _PoolLane(_Lane):
    """A pool with ``apply_async``, such as multiprocessing's and Ray's."""

    def submit(self, function: Any, arguments: tuple[Any, ...]) -> Any:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        self.executor.apply_async(
            function, arguments, callback=future.set_result, error_callback=future.set_exception
        )
        return future


class _JoblibLane(_Lane):
    """What ``joblib.parallel_config`` names; its tasks are handed out a round at a time."""

    def workers(self) -> int:
        import joblib

        backend, n_jobs = joblib.parallel.get_active_backend()
        return max(1, backend.effective_n_jobs(n_jobs))

    def all(self, tasks: Iterable[tuple[Any, tuple[Any, ...]]]) -> Iterator[Any]:
        import joblib

        backend, _ = joblib.parallel.get_active_backend()
        as_they_come = getattr(backend, "supports_return_generator", False)
        parallel = joblib.Parallel(return_as="generator_unordered" if as_they_come else "list", batch_size=1)
        yield from parallel(joblib.delayed(function)(*arguments) for function, arguments in tasks)


def _lane(executor: Any) -> _Lane | None:
    if executor is None or isinstance(executor, _Lane):
        return executor
    if hasattr(executor, "get_executor"):
        executor = executor.get_executor()  # a client of Dask
    if hasattr(executor, "submit"):
        return _Lane(executor)
    if hasattr(executor, "apply_async"):
        return _PoolLane(executor)
    raise TypeError(
        f"executor must have submit, as those of concurrent.futures, or apply_async, as pools have, not {executor!r}"
    )


def configured() -> Any:
    """The executor that ``joblib.parallel_config`` names: None where it names none, a number where it names threads."""
    joblib = sys.modules.get("joblib")
    if joblib is None:
        return None
    backend, n_jobs = joblib.parallel.get_active_backend()
    if getattr(backend, "nesting_level", 0) or n_jobs in (None, 1):
        return None
    if getattr(backend, "uses_threads", False):
        return backend.effective_n_jobs(n_jobs)
    return _JoblibLane(None)


class _Round:
    """Pieces that do not depend on each other, on their way."""

    def __init__(self, work: Work, lane: _Lane | None, kind: str, pieces: list[int], look: Look | None) -> None:
        self.work = work
        self.lane = lane
        self.kind = kind
        self.all = len(pieces)
        self.left = deque(pieces)
        self.running: dict[Any, list[int]] = {}
        self.ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.deaths: Counter[int] = Counter()
        self.lost: list[int] = []
        self.look = look

    def run(self) -> None:
        self._show()
        if isinstance(self.lane, _JoblibLane):
            self._run_joblib(self.lane)
        while self.lane is not None and (self.left or self.running):
            self._hand_out(self.lane)
            self._gather()
        while self.left:
            self._run_here()
        if self.lost:
            raise WorkerDiedError(self.kind, sorted(self.lost))

    def cancel(self) -> None:
        """Stops what has not begun; what runs ends with its piece, and nobody waits for it."""
        for future in self.running:
            future.cancel()
        self.running.clear()

    def _show(self) -> None:
        if self.look is not None:
            waiting = len(self.left) + sum(len(pieces) for pieces in self.running.values())
            self.look(f"{self.kind}s", self.all - waiting, self.all, None, None)

    def _size(self, lane: _Lane, workers: int) -> int:
        if lane.seconds is None:
            return 1
        fair = -(-len(self.left) // (2 * workers))
        hand_out = _HAND_OUT_SECONDS + self.work.weight / _BYTES_PER_SECOND
        seconds = max(_TASK_SECONDS, workers * hand_out)
        return max(1, min(fair, int(seconds / max(lane.seconds, 1e-6))))

    def _hand_out(self, lane: _Lane) -> None:
        if not self.left:
            return
        workers = lane.workers()
        while self.left and len(self.running) < workers * (1 + _WAITING):
            # A piece that took a worker with it is run by itself, so that no other is taken for it.
            alone = self.deaths[self.left[0]] > 0
            size = 1 if alone else self._size(lane, workers)
            pieces = [self.left.popleft()]
            while self.left and len(pieces) < size and not self.deaths[self.left[0]]:
                pieces.append(self.left.popleft())
            function, arguments = self.work.task(pieces)
            try:
                future = lane.submit(function, arguments)
            except Exception as error:
                self.left.extendleft(reversed(pieces))
                self._break(error)
                return
            self.running[future] = pieces
            future.add_done_callback(self.ended.put)

    def _gather(self) -> None:
        """Waits for a task to end, and takes in all that have."""
        if not self.running:
            return
        try:
            future = self.ended.get(timeout=_LOOK_SECONDS)
        except queue.Empty:
            return
        while True:
            pieces = self.running.pop(future, None)
            if pieces is not None:
                self._ended(future, pieces)
            try:
                future = self.ended.get_nowait()
            except queue.Empty:
                break
        self._show()

    def _ended(self, future: Any, pieces: list[int]) -> None:
        if future.cancelled():
            self.left.extendleft(reversed(pieces))
            self._break(RuntimeError("its tasks were cancelled"))
            return
        error = future.exception()
        if error is None:
            found, seconds = future.result()
            self._took(found, seconds, len(pieces))
        elif _worker_died(error):
            self._died(pieces, error)
        else:
            self.left.extendleft(reversed(pieces))
            self._break(error)

    def _took(self, found: Any, seconds: float, count: int) -> None:
        if isinstance(found, BaseException):
            raise found
        if self.lane is not None:
            each, before = seconds / count, self.lane.seconds
            self.lane.seconds = each if before is None else 0.7 * before + 0.3 * each
        self.work.take(found)

    def _died(self, pieces: list[int], error: BaseException) -> None:
        # Schedulers that run a task again by themselves have tried often enough.
        deaths = _MOST_DEATHS if len(pieces) == 1 and _has_retried(error) else 1
        for piece in pieces:
            self.deaths[piece] += deaths
            if self.deaths[piece] >= _MOST_DEATHS:
                self.lost.append(piece)
            else:
                self.left.appendleft(piece)

    def _break(self, error: BaseException) -> None:
        """The executor is no use any more: what runs on it is taken back."""
        if self.lane is None:
            return
        self.lane = None
        for future, pieces in self.running.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                found, seconds = future.result()
                self._took(found, seconds, len(pieces))
            else:
                future.cancel()
                self.left.extend(pieces)
        self.running.clear()
        warnings.warn(
            f"the executor broke ({type(error).__name__}: {error}); what it has finished is kept, and the other "
            f"{len(self.left)} of {self.all} {self.kind}s are run in this process",
            FitWarning,
            stacklevel=6,
        )

    def _run_here(self) -> None:
        count = os.cpu_count() or 1
        pieces = [self.left.popleft() for _ in range(min(count, len(self.left)))]
        self.work.take(self.work.here(pieces))
        self._show()

    def _run_joblib(self, lane: _JoblibLane) -> None:
        workers, waiting = lane.workers(), list(self.left)
        size = self._size(lane, workers)
        chunks = [waiting[at : at + size] for at in range(0, len(waiting), size)]
        here = {tuple(chunk) for chunk in chunks}
        try:
            for done, found, seconds in lane.all((_numbered, (chunk, self.work.task(chunk))) for chunk in chunks):
                self._took(found, seconds, len(done))
                here.discard(tuple(done))
                self.left = deque(piece for chunk in chunks if tuple(chunk) in here for piece in chunk)
                self._show()
        except Exception as error:
            if not (isinstance(error, BrokenExecutor) or _worker_died(error)):
                raise
            self._break(error)


def _numbered(chunk: list[int], task: tuple[Any, tuple[Any, ...]]) -> tuple[list[int], Any, float]:
    """A task with the pieces that it is of, for schedulers that give no handle."""
    function, arguments = task
    found, seconds = function(*arguments)
    return chunk, found, seconds


def _names(error: BaseException) -> set[str]:
    return {kind.__name__ for kind in type(error).__mro__}


def _worker_died(error: BaseException) -> bool:
    """Whether one worker died under a task, while its executor lives on: Dask and Ray say so by these."""
    return bool(_names(error) & {"KilledWorker", "WorkerCrashedError", "OutOfMemoryError", "NodeDiedError"})


def _has_retried(error: BaseException) -> bool:
    """Dask runs a task anew itself, by default on three more workers, before it gives up."""
    return "KilledWorker" in _names(error)
