"""The Python package beside what its users would take instead: scikit-learn's BernoulliRBM, torch, StepMix, SciPy and ConIII, in one
run.

Ratios are measured side by side on one thread each. Data that are not in the repository are looked for in ../shared, and
what needs them is left out where they are not there.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pandas

from latentropy import BernoulliRBM, BoltzmannMachine, Network

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
warnings.simplefilter("ignore")


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    clock = time.perf_counter()
    found = work()
    return time.perf_counter() - clock, found


def digits(passes: int) -> None:
    """A restricted machine of 16 hidden units on binarised digits: time, and log-likelihood of rows held out (exact)."""
    from sklearn.datasets import load_digits
    from sklearn.neural_network import BernoulliRBM as Theirs

    X = (load_digits().data > 7).astype(float)
    order = np.random.default_rng(0).permutation(len(X))
    train, test = X[order[:1500]], X[order[1500:]]
    print(f"binarised digits, 64 × 16, {passes} passes in batches of 10; 1500 rows, 297 held out")

    def exact(rbm: Any) -> float:
        ours = BernoulliRBM(n_components=16)
        ours.n_features_in_, ours._network = 64, None
        for name in ("components_", "intercept_hidden_", "intercept_visible_"):
            setattr(ours, name, getattr(rbm, name))
        return ours.score(test)

    rows = []
    for rate in (0.1, 0.05, 0.01):
        taken, theirs = timed(lambda: Theirs(16, learning_rate=rate, n_iter=passes, random_state=1).fit(train))
        rows.append(("scikit-learn", rate, taken, exact(theirs)))
        taken, ours = timed(
            lambda: BernoulliRBM(16, learning_rate=rate, n_iter=passes, random_state=1, n_jobs=1).fit(train)
        )
        rows.append(("latentropy", rate, taken, exact(ours)))
        try:
            taken, found = timed(lambda: by_torch(train, 16, rate, passes))
            rows.append(("torch", rate, taken, exact(found)))
        except ImportError:
            pass
    for name, rate, taken, score in rows:
        print(f"  {name:13} rate {rate:<5} {taken:7.2f} s   held out {score:.3f}")


def by_torch(train: np.ndarray, hidden: int, rate: float, passes: int) -> Any:
    """Persistent contrastive divergence as one writes it with torch, on one thread."""
    from types import SimpleNamespace

    import torch

    torch.manual_seed(1)
    torch.set_num_threads(1)
    rows = torch.tensor(train, dtype=torch.float32)
    weights = 0.01 * torch.randn(rows.shape[1], hidden)
    on_visible, on_hidden = torch.zeros(rows.shape[1]), torch.zeros(hidden)
    chains = torch.zeros(10, hidden)
    with torch.no_grad():
        for _ in range(passes):
            for batch in rows[torch.randperm(len(rows))].split(10):
                positive = torch.sigmoid(batch @ weights + on_hidden)
                visible = torch.bernoulli(torch.sigmoid(chains @ weights.T + on_visible))
                negative = torch.sigmoid(visible @ weights + on_hidden)
                chains = torch.bernoulli(negative)
                weights += rate * (batch.T @ positive / len(batch) - visible.T @ negative / len(visible))
                on_visible += rate * (batch.mean(0) - visible.mean(0))
                on_hidden += rate * (positive.mean(0) - negative.mean(0))
    return SimpleNamespace(
        components_=weights.T.double().numpy().copy(),
        intercept_hidden_=on_hidden.double().numpy(),
        intercept_visible_=on_visible.double().numpy(),
    )


def questionnaires() -> None:
    """Latent classes by StepMix beside the default fit: five folds, each method chooses its size on the other rows."""
    try:
        from stepmix.stepmix import StepMix
    except ImportError:
        print("StepMix is not installed: left out")
        return
    from sklearn.model_selection import KFold, cross_val_score

    tables = {
        "ability": (SHARED / "small/pydataset_ability.csv", 1),
        "blot": (SHARED / "items/blot.csv", 0),
    }
    for name, (path, first) in tables.items():
        if not path.exists():
            print(f"{name}: {path} is not there: left out")
            continue
        X = pandas.read_csv(path).iloc[:, first:].to_numpy(dtype=float)
        X = X - 1 if np.nanmax(X) == 2 else X
        ours, theirs, taken = [], [], [0.0, 0.0]
        for train, test in KFold(3, shuffle=True, random_state=0).split(X):
            seconds, machine = timed(lambda: BoltzmannMachine(n_jobs=1).fit(X[train]))
            taken[0] += seconds
            ours.append(machine.score_samples(X[test]))

            def classes(count: int) -> Any:
                return StepMix(count, measurement="binary_nan", n_init=3, random_state=0, progress_bar=0, verbose=0)

            def choose() -> Any:
                scores = [cross_val_score(classes(k), X[train], cv=3).mean() for k in range(1, 7)]
                return classes(1 + int(np.argmax(scores))).fit(X[train])

            seconds, found = timed(choose)
            taken[1] += seconds
            theirs.append(np.full(len(test), found.score(X[test])))
        mine, their = np.concatenate(ours).mean(), np.concatenate(theirs).mean()
        print(f"{name}: latentropy {mine:.3f} in {taken[0]:.1f} s, StepMix {their:.3f} in {taken[1]:.1f} s (held out, 3 folds)")


def spikes() -> None:
    """Pairs of 15 spike units by maximum likelihood: to the same mismatch, beside SciPy's L-BFGS on exact sums."""
    from scipy.optimize import minimize

    path = SHARED / "small/maxent_toolbox_spikes15.npz"
    if path.exists():
        X = np.load(path)["X"].astype(float)
        where = "40,000 spike words of 15 units"
    else:
        truth = Network.shaped(15, 2, "rbm")
        truth = truth.with_weights(np.random.default_rng(1).normal(-0.5, 1, len(truth.terms)))
        X = truth.sample(40_000, random_state=1).astype(float)
        where = "40,000 synthetic words of 15 units"
    states = ((np.arange(2**15)[:, None] >> np.arange(15)) & 1).astype(float)
    rows, columns = np.triu_indices(15, 1)
    target = np.concatenate([X.mean(axis=0), (X.T @ X / len(X))[rows, columns]])

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        pairs = np.zeros((15, 15))
        pairs[rows, columns] = weights[15:]
        energy = states @ weights[:15] + np.einsum("si,si->s", states @ pairs, states)
        top = energy.max()
        p = np.exp(energy - top)
        total = p.sum()
        p /= total
        moments = states.T @ (states * p[:, None])
        found = np.concatenate([np.diag(moments), moments[rows, columns]])
        return top + np.log(total) - weights @ target, found - target

    options = {"maxiter": 10_000, "gtol": 1e-7, "ftol": 0.0, "maxcor": 20}
    theirs, found = timed(lambda: minimize(loss, np.zeros(len(target)), jac=True, method="L-BFGS-B", options=options))
    mismatch = np.abs(found.jac).max()
    frame = pandas.DataFrame(X)
    ours, machine = timed(
        lambda: BoltzmannMachine(shape="visible", ridge=0, n_init=1, tol=max(mismatch, 1e-8), n_jobs=1).fit(frame)
    )
    residual = machine.candidates_[0].residual
    print(
        f"{where}, every pair: latentropy {ours:.2f} s to {residual:.1e}, SciPy {theirs:.2f} s to {mismatch:.1e}: "
        f"{theirs / ours:.1f} times; log-likelihoods {machine.log_likelihood_:.6f}, {-found.fun:.6f}"
    )


CONIII = """
import sys, time
import numpy as np
from coniii import Enumerate
X = np.load(sys.argv[1])
solver = Enumerate(X, iprint=False)
def work():
    return solver.solve(max_param_value=50, full_output=False)
work()                        # what is compiled at the first call is not counted
clock = time.perf_counter()
found = work()
taken = time.perf_counter() - clock
observed = solver.constraints if hasattr(solver, "constraints") else solver.calc_observables(X).mean(0)
print(taken, np.abs(solver.model.calc_observables(found) - observed).max())
"""


def by_coniii(python: str) -> None:
    """Pairs of nine spike units, the most that ConIII has exact equations for, to ConIII's own mismatch."""
    import subprocess
    import tempfile

    path = SHARED / "small/maxent_toolbox_spikes15.npz"
    if not path.exists():
        print(f"ConIII: {path} is not there: left out")
        return
    X = np.load(path)["X"].astype(int)[:, :9]
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/spins.npy", 2 * X - 1)
        told = subprocess.run([python, "-c", CONIII, f"{folder}/spins.npy"], capture_output=True, text=True)
    if told.returncode != 0:
        print(f"ConIII failed: {told.stderr.strip().splitlines()[-1]}")
        return
    theirs, mismatch = (float(word) for word in told.stdout.split()[-2:])
    machine = BoltzmannMachine(shape="visible", ridge=0, n_init=1, tol=1e-8, n_jobs=1)
    ours = min(timed(lambda: machine.fit(X.astype(float)))[0] for _ in range(3))
    print(
        f"nine spike units, every pair: latentropy {ours:.3f} s to {machine.candidates_[0].residual:.1e} (of 0 and 1), "
        f"ConIII {theirs:.2f} s to {mismatch:.1e} (of -1 and 1): {theirs / ours:.1f} times"
    )


def overhead() -> None:
    """What Python adds to 100 restarts of 5 + 3 units."""
    random = np.random.default_rng(2)
    X = (random.random((100, 5)) < 0.5).astype(float)
    best = np.inf
    for _ in range(7):
        machine = BoltzmannMachine(n_hidden=3, bias=False, ridge=0, n_init=100, n_jobs=1)
        wall, _ = timed(lambda: machine.fit(X))
        timings = json.loads(machine._fitted.record())["timings"]
        inside = timings["choosing_seconds"] + timings["fitting_seconds"]
        best = min(best, wall / inside - 1)
    print(f"100 restarts of 5 + 3 units: {inside:.3f} s in the library, {best:.1%} more in Python (the least of seven)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passes", type=int, default=100)
    parser.add_argument("--coniii", metavar="PYTHON", help="a Python with ConIII 3.0.1, which needs older packages than we do")
    parser.add_argument("parts", nargs="*", default=["overhead", "digits", "spikes", "questionnaires"])
    given = parser.parse_args()
    parts: dict[str, Callable[[], None]] = {
        "overhead": overhead,
        "digits": lambda: digits(given.passes),
        "spikes": spikes,
        "questionnaires": questionnaires,
    }
    for part in given.parts:
        parts[part]()
    if given.coniii:
        by_coniii(given.coniii)
