"""Fits that are interrupted, forked and watched."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import two_groups

from latentropy import BoltzmannMachine

LONG = """
    import numpy as np, sys, time, warnings
    from latentropy import BoltzmannMachine
    warnings.simplefilter("ignore")
    random = np.random.default_rng(1)
    X = (random.random((300, {columns})) < 0.5).astype(float)
    machine = BoltzmannMachine(n_hidden={hidden}, n_init={restarts}, ridge=0.01, tol=1e-13, learner="em-gradient", max_iter=10**9)
    print("go", flush=True)
    try:
        machine.fit(X)
    except KeyboardInterrupt:
        print("stopped", time.monotonic(), flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize(("columns", "hidden", "restarts"), [(6, 2, 10_000), (14, 4, 1)], ids=["many", "one long"])
def test_an_interrupt_returns_within_a_second(columns: int, hidden: int, restarts: int) -> None:
    program = textwrap.dedent(LONG.format(columns=columns, hidden=hidden, restarts=restarts))
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "go"
    time.sleep(2.0)
    asked = time.monotonic()
    process.send_signal(signal.SIGINT)
    told = process.stdout.readline().split()
    assert told[0] == "stopped"
    # The time on one clock, with room for a busy machine.
    assert float(told[1]) - asked < 1.0
    process.kill()
    process.wait()


def test_what_was_finished_is_reachable() -> None:
    X = two_groups()
    machine = BoltzmannMachine(n_hidden=2, n_init=1_000_000, ridge=1.0, n_jobs=1)
    timer = threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        machine.fit(X)
    finished = machine.interrupted_.candidates
    assert finished is not None and len(finished) > 0
    best = max(finished, key=lambda candidate: candidate.log_likelihood)
    assert best.network.log_probability(X).mean() == pytest.approx(best.log_likelihood, abs=1e-9)


def _fit(_: int) -> float:
    return float(BoltzmannMachine(n_hidden=1, n_init=3, ridge=1.0).fit(two_groups()).log_likelihood_)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_fits() -> None:
    expected = _fit(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(_fit, range(4)).get(timeout=60) == [expected] * 4


def test_the_interpreter_is_free_while_a_fit_runs() -> None:
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.005)

    thread = threading.Thread(target=count)
    thread.start()
    clock = time.monotonic()
    random = np.random.default_rng(2)
    X = (random.random((200, 8)) < 0.5).astype(float)
    BoltzmannMachine(n_hidden=3, n_init=20, ridge=1.0).fit(X)
    took = time.monotonic() - clock
    done.set()
    thread.join()
    assert counted > 10 * took


def test_files_and_report(tmp_path: Path, command_line: Any) -> None:
    machine = BoltzmannMachine(n_hidden=1, n_init=5, ridge=1.0, keep_traces=True, verbose=True).fit(two_groups())
    assert machine.trace().shape[1] == 3 and len(machine.trace()) > 3
    page = machine.report(tmp_path / "page.html").read_text()
    assert page.startswith("<!") and "What was learned" in page
    folder = machine.save(tmp_path / "run")
    names = {path.name for path in folder.iterdir()}
    assert {"model.json", "candidates.csv", "weights.csv", "run.json", "report.html"} <= names
    told = command_line("report", str(folder))
    assert told.returncode == 0
    assert "log-likelihood" in machine._repr_html_() or "log-likelihood" in machine._repr_html_inner()
