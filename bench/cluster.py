"""Fits and studies on real schedulers: the same digests, workers and drivers that are killed, time and sizes.

    python bench/cluster.py digests [--mpi]     Dask on loopback (and MPI under `mpirun … python -m mpi4py.futures`)
    python bench/cluster.py kills               one of Dask's workers killed, 20 times at random moments
    python bench/cluster.py driver              the driver killed at random moments, and resumed
    python bench/cluster.py speed               two workers against one, overhead per piece
    python bench/cluster.py sizes               bytes of jobs, rounds and parts

Needs the package, distributed and, for MPI, mpi4py. Everything listens on 127.0.0.1 alone.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python" / "tests"))
warnings.simplefilter("ignore")

import pieces  # noqa: E402

from latentropy import BoltzmannMachine, _core, study  # noqa: E402


def dask(workers: int = 2) -> Any:
    """A scheduler and workers in processes of their own, on loopback."""
    from distributed import LocalCluster

    return LocalCluster(
        n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
    )


def show(name: str, found: dict[str, str], expected: dict[str, str]) -> None:
    for what, digest in found.items():
        same = "the same" if digest == expected[what] else f"NOT the same: {expected[what]} expected"
        print(f"{name:28} {what:22} {digest}  {same}", flush=True)
    if found != expected:
        sys.exit(1)


def digests(with_mpi: bool) -> None:
    folder = Path(tempfile.mkdtemp())
    expected = pieces.all_of_them(folder)
    show("threads of one process", expected, expected)
    if with_mpi:
        from mpi4py.futures import MPIPoolExecutor

        with MPIPoolExecutor() as executor:
            print(f"MPI with {executor.num_workers} workers")
            show("mpi4py MPIPoolExecutor", pieces.all_of_them(folder, executor=executor), expected)
        return
    from distributed import Client

    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        show("ProcessPoolExecutor", pieces.all_of_them(folder, executor=executor), expected)
    with dask() as cluster, Client(cluster) as client:
        show("Dask, get_executor()", pieces.all_of_them(folder, executor=client.get_executor()), expected)


def long_rows() -> np.ndarray:
    """A table whose restarts take a while."""
    random_ = np.random.default_rng(1)
    return (random_.random((400, 12)) < 0.3 + 0.4 * (random_.random((400, 1)) < 0.5)).astype(float)


def long_machine(restarts: int = 48) -> BoltzmannMachine:
    return BoltzmannMachine(n_hidden=4, n_init=restarts, ridge=0.05)


def kills() -> None:
    from distributed import Client

    X = long_rows()
    began = time.perf_counter()
    expected = long_machine().fit(X, executor=None)
    took = time.perf_counter() - began
    killed, fits, died = 0, 0, 0
    chances = random.Random(16)
    with dask() as cluster, Client(cluster) as client:
        while killed < 20:
            ended = threading.Event()

            def kill() -> None:
                nonlocal killed
                while killed < 20 and not ended.wait(chances.uniform(0.1, 1.0) * max(took, 1.0)):
                    alive = [nanny.pid for nanny in cluster.workers.values() if nanny.pid is not None]
                    if alive:
                        os.kill(chances.choice(alive), signal.SIGKILL)
                        killed += 1

            killer = threading.Thread(target=kill)
            killer.start()
            found = long_machine().fit(X, executor=client.get_executor())
            ended.set()
            killer.join()
            fits += 1
            same = np.array_equal(found.network_.weights, expected.network_.weights)
            same = same and len(found.candidates_) == len(expected.candidates_)
            died += not same
            print(f"fit {fits}: {killed} workers killed so far, {'the same' if same else 'NOT the same'}", flush=True)
    print(f"{killed} workers of Dask killed with SIGKILL over {fits} fits of 48 restarts; {died} fits differ")
    sys.exit(died > 0)


DRIVER = """
    import sys
    sys.path[:0] = [{bench!r}]
    import cluster
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context
    if __name__ == "__main__":
        with ProcessPoolExecutor(2, mp_context=get_context("fork")) as executor:
            machine = cluster.long_machine(480).fit(cluster.long_rows(), executor=executor, journal={journal!r})
        print(machine.network_.weights.tobytes().hex())
"""


def driver() -> None:
    began = time.perf_counter()
    expected = long_machine(480).fit(long_rows()).network_.weights.tobytes().hex()
    took = time.perf_counter() - began
    chances = random.Random(4)
    killed, fits = 0, 0
    while killed < 20:
        folder = Path(tempfile.mkdtemp())
        journal, program = folder / "journal", folder / "driver.py"
        program.write_text(textwrap.dedent(DRIVER.format(bench=str(ROOT / "bench"), journal=str(journal))))
        while True:
            process = subprocess.Popen(
                [sys.executable, str(program)], stdout=subprocess.PIPE, text=True, start_new_session=True
            )
            try:
                told, _ = process.communicate(timeout=1.0 + chances.uniform(0.2, 1.0) * took if killed < 20 else None)
                break
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                killed += 1
                lines = len(journal.read_bytes().splitlines()) if journal.exists() else 0
                print(f"driver and its workers killed {killed} times; {max(0, lines - 1)} parts in the journal", flush=True)
        fits += 1
        same = told.strip() == expected
        print(f"fit {fits} ended after {killed} kills so far: {'the same' if same else 'NOT the same'}", flush=True)
        if not same:
            sys.exit(1)


def timed(run: Any, repeats: int) -> float:
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        run()
        times.append(time.perf_counter() - began)
    return min(times)


def speed(repeats: int) -> None:
    shared = ROOT.parent / "shared" / "data" / "small" / "pydataset_ability.csv"
    tables: dict[str, Any] = {}
    if shared.is_file():
        import csv

        with shared.open() as lines:
            cells = [[np.nan if cell in ("", "NA", "?") else float(cell) for cell in row[1:]] for row in list(csv.reader(lines))[1:]]
        tables["ability, 3 hidden units, 100 restarts"] = np.array(cells)
    else:
        print(f"{shared.name} is not there: left out")
    grid = ROOT / "crates" / "latentropy-study" / "src" / "quick.toml"
    for workers in (1, 2):
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as executor:
            list(executor.map(abs, range(8)))
            study(grid, figure=5, executor=executor)
            for name, X in tables.items():
                machine = BoltzmannMachine(n_hidden=3, n_init=100, ridge=1.0, search="restarts", n_jobs=1)
                seconds = timed(lambda: machine.fit(X, executor=executor), repeats)
                print(f"{name}: {workers} workers {seconds:.2f} s", flush=True)
            seconds = timed(lambda: study(grid, executor=executor, n_jobs=1), repeats)
            print(f"quick grid of the paper: {workers} workers {seconds:.2f} s", flush=True)


def overhead() -> None:
    """What a piece costs beyond itself: a fit of restarts that take next to nothing, on one worker and in place."""
    X = pieces.rows()
    machine = BoltzmannMachine(n_hidden=1, n_init=1000, ridge=1.0, search="restarts", n_jobs=1)
    here = timed(lambda: machine.fit(X), 3)
    executors: list[tuple[str, Any]] = [
        ("ProcessPoolExecutor", ProcessPoolExecutor(1, mp_context=get_context("spawn"))),
        ("ThreadPoolExecutor", ThreadPoolExecutor(1)),
    ]
    try:
        from distributed import Client

        cluster = dask(1)
        executors.append(("Dask", Client(cluster).get_executor()))
    except ImportError:
        print("distributed is not installed: left out")
    for name, executor in executors:
        machine.fit(X, executor=executor)
        there = timed(lambda: machine.fit(X, executor=executor), 3)
        print(f"{name}: {(there - here) / 1000 * 1000:.2f} ms per piece beyond itself ({here:.2f} s in place, {there:.2f} s)")


def sizes() -> None:
    import json

    for rows, columns, hidden in ((100, 5, 3), (1500, 16, 3), (10_000, 16, 8), (16_000, 69, 20)):
        chances = np.random.default_rng(2)
        X = (chances.random((rows, columns)) < 0.4).astype(float)
        machine = BoltzmannMachine(n_hidden=hidden, shape="rbm", n_init=30, ridge=1.0, max_iter=3, learner="em-gis")
        data = machine._read(X, "learning", reset=True)
        assembly = _core.Assembly(data, json.dumps(machine._parameters()))
        job, _ = assembly.job()
        found = assembly.next(0)
        assert found is not None
        worker = _core.Worker(job, found[2])
        seconds = timed(lambda: _core.Worker(job, found[2]), 3)
        parts = [len(worker.run([piece], 1)) for piece in found[1][:3]]
        print(
            f"{rows} rows of {columns} columns, {hidden} hidden units: job {len(job):,} bytes (read in {seconds * 1000:.1f} ms), "
            f"round {len(found[2]):,}, part of one restart {statistics.median(parts):,.0f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["digests", "kills", "driver", "speed", "overhead", "sizes"])
    parser.add_argument("--mpi", action="store_true")
    parser.add_argument("--repeats", type=int, default=1)
    arguments = parser.parse_args()
    what = {
        "digests": lambda: digests(arguments.mpi),
        "kills": kills,
        "driver": driver,
        "speed": lambda: speed(arguments.repeats),
        "overhead": overhead,
        "sizes": sizes,
    }
    what[arguments.what]()


if __name__ == "__main__":
    main()
