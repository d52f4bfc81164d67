"""The grid of `latentropy reproduce` against the same restarts in NumPy and SciPy, measured on a slice and scaled.

A slice is a few samples of experiment 1 (truth 5+3, weights N(0, 1), fitted 5+3, pairs only) at every T of the grid, in
the two arms that cost most: restarts to convergence (ours: with certificates, the baseline: SciPy's L-BFGS-B in the same
box, both to the grid's residual of 1e-8) and plain EM-IS with S = 4 to residual 2e-3. L-BFGS-B ends above 1e-8 in some
restarts at small T, where weights run off; it is not charged for those. `--baseline-tolerance 1e-6` gives it an easier
task than ours. Both sides get the same rows, run on one thread and alternate; times are processor times, so that a busy
machine disturbs them less. The NumPy EM-IS cannot meet an expectation of zero: it gets a millionth of the uniform
distribution added to its rows. The baseline makes `--restarts` of the 100 restarts, and its time is scaled up: restarts
do not depend on each other.
"""

import argparse
import itertools
import json
import math
import os
import resource
import statistics
import subprocess
import time
from pathlib import Path

import baselines  # sets one thread before NumPy is imported
import numpy as np
from scipy.optimize import minimize

RESTARTS = 100
TARGET = 30.0
BOX = 15.0
SMOOTHING = 1e-6
SIZES = (10, 20, 50, 100, 200, 500, 1000)
# Samples of the full grid with each arm: seven sizes, five trials; 8 + 6 + 6 truths of experiments 1 to 3, 8 of the first.
GRID = {"converged": 7 * 5 * (8 + 6 + 6), "EM-IS to 2e-3": 7 * 5 * 8}


def sample(truth, rows):
    """Rows of a random machine with 5 visible and 3 hidden units, pairs only, weights N(0, 1)."""
    rng = np.random.default_rng(truth)
    pairs = list(itertools.combinations(range(8), 2))
    states = (np.arange(256)[:, None] >> np.arange(8)) & 1
    energy = sum(weight * states[:, a] * states[:, b] for weight, (a, b) in zip(rng.normal(size=28), pairs, strict=True))
    weights = np.exp(energy - energy.max())
    return states[rng.choice(256, size=rows, p=weights / weights.sum())][:, :5]


def converged(tables, restarts, seed, tolerance):
    """L-BFGS-B from normal starts in the box, only the gradient stops it."""
    rng = np.random.default_rng(seed)

    def objective(weights):
        value, gradient = baselines.log_likelihood(tables, weights)
        return -value, -gradient

    for _ in range(restarts):
        minimize(
            objective, rng.normal(size=len(tables.pairs)), jac=True, method="L-BFGS-B",
            bounds=[(-BOX, BOX)] * len(tables.pairs),
            options={"gtol": tolerance, "ftol": 0.0, "maxiter": 20_000, "maxfun": 40_000},
        )  # fmt: skip


def em_is(tables, restarts, seed, tolerance, most=5000, stride=10):
    """NumPy EM-IS; the residual is looked at every `stride` iterations, so that looking costs little."""
    rng = np.random.default_rng(seed)
    tables.empirical = (1 - SMOOTHING) * tables.empirical + SMOOTHING / len(tables.empirical)
    for _ in range(restarts):
        weights = rng.normal(size=len(tables.pairs))
        for _ in range(most // stride):
            _, gradient = baselines.log_likelihood(tables, weights)
            # At the box a gradient that points outwards is no violation.
            inside = ~((np.abs(weights) >= BOX) & (gradient * weights > 0))
            if np.abs(gradient[inside]).max(initial=0.0) <= tolerance:
                break
            weights = np.clip(baselines.em_is_numpy(tables, weights, stride), -BOX, BOX)


ARMS = {
    "converged": (converged, {"learner": "auto", "tolerance": 1e-8, "max_iter": 20_000}),
    "EM-IS to 2e-3": (em_is, {"learner": "em-is", "tolerance": 2e-3, "max_iter": 5000}),
}


def ours(binary, rows, settings):
    job = {"job": "restarts", "visible": 5, "hidden": 3, "rows": rows.tolist(), "restarts": RESTARTS, "threads": 1}
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    reply = subprocess.run(
        [binary], input=json.dumps(job | {"seed": 1, "repeats": 1} | settings) + "\n", text=True, check=True,
        capture_output=True, env=os.environ | {"RAYON_NUM_THREADS": "1"},
    )  # fmt: skip
    answer = json.loads(reply.stdout)
    if "error" in answer:
        raise SystemExit(f"latentropy: {answer['error']}")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, type=Path, help="the example bench_exact, built in release mode")
    parser.add_argument("--truths", type=int, default=2, help="truths in the slice")
    parser.add_argument("--restarts", type=int, default=10, help="restarts of the baseline, scaled up to 100")
    parser.add_argument("--baseline-tolerance", type=float, default=1e-8, help="residual at which L-BFGS-B stops")
    options = parser.parse_args()
    tolerances = {"converged": options.baseline_tolerance, "EM-IS to 2e-3": 2e-3}
    print(f"{options.truths} truths x T in {SIZES}, {RESTARTS} restarts, one thread; baseline: {options.restarts} restarts, scaled")
    print(f"{'arm':<16}{'T':>6}{'baseline s':>12}{'ours s':>9}{'ratio':>8}")
    sums = dict.fromkeys(ARMS, (0.0, 0.0))
    for (name, (baseline, settings)), size in itertools.product(ARMS.items(), SIZES):
        pairs = []
        for truth in range(options.truths):
            rows = sample(truth, size)
            tables = baselines.em_is_tables(5, 3, rows)
            started = time.process_time()
            baseline(tables, options.restarts, truth, tolerances[name])
            theirs = (time.process_time() - started) * RESTARTS / options.restarts
            pairs.append((theirs, ours(options.binary, rows, settings)))
        theirs, mine = (statistics.fmean(side) for side in zip(*pairs, strict=True))
        sums[name] = (sums[name][0] + theirs / len(SIZES), sums[name][1] + mine / len(SIZES))
        print(f"{name:<16}{size:>6}{theirs:>12.2f}{mine:>9.3f}{theirs / mine:>8.1f}", flush=True)
    theirs, mine = (sum(GRID[name] * sums[name][side] for name in ARMS) for side in (0, 1))
    ratio = theirs / mine
    print(f"\nthe grid's {sum(GRID.values())} cells in these arms, scaled: {theirs / 60:.0f} min against {mine / 60:.1f} min")
    print(f"ratio {ratio:.1f}, target {TARGET:.0f}: {'met' if ratio >= TARGET else 'missed'}")
    assert math.isfinite(ratio)


if __name__ == "__main__":
    main()
