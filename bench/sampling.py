"""Gibbs sampling beside numba and NumPy on one thread: `bench/run sampling`, or with `--binary PATH` this script alone.

Dense: every pair of 1000 units, normal weights of standard deviation 1/√units, single-site updates a second. The
baseline keeps fields up to date, flip by flip, in compiled loops. Restricted: 784 × 500 units, block steps of 100
chains in NumPy with its BLAS, in double and in single precision. Sides alternate; ratios are of the minima.
"""

import argparse
import itertools
import json
import subprocess
import time
from pathlib import Path

import numba
import numpy as np

HERE = Path(__file__).resolve().parent


@numba.njit(fastmath=True, inline="always")
def update(W, x, f, u):
    """Draws unit u of one chain; a flip updates the chain's fields by a row of weights."""
    on = np.random.random() * (1.0 + np.exp(-f[u])) < 1.0
    if on and x[u] == 0:
        x[u] = 1
        for k in range(len(f)):
            f[k] += W[u, k]
    elif not on and x[u] == 1:
        x[u] = 0
        for k in range(len(f)):
            f[k] -= W[u, k]


@numba.njit(fastmath=True)
def chain_by_chain(W, states, fields, sweeps):
    """A chain's fields stay in the first cache, all weights stream through."""
    for _ in range(sweeps):
        for c in range(len(states)):
            for u in range(len(W)):
                update(W, states[c], fields[c], u)


@numba.njit(fastmath=True)
def unit_by_unit(W, states, fields, sweeps):
    """A unit's weights stay in the first cache, all fields stream through."""
    for _ in range(sweeps):
        for u in range(len(W)):
            for c in range(len(states)):
                update(W, states[c], fields[c], u)


class Dense:
    def __init__(self, sweep, units, chains, dtype):
        self.sweep = sweep
        rng = np.random.default_rng(1)
        W = np.triu(rng.normal(size=(units, units)) / np.sqrt(units), 1)
        self.W = (W + W.T).astype(dtype)
        self.states = rng.integers(0, 2, size=(chains, units)).astype(np.int8)
        self.fields = (0.1 * rng.normal(size=units) + self.states @ self.W).astype(dtype)
        self.sweep(self.W, self.states, self.fields, 3)

    def seconds(self, sweeps):
        before = time.perf_counter()
        self.sweep(self.W, self.states, self.fields, sweeps)
        return time.perf_counter() - before

    def flip_rate(self):
        before = self.states.copy()
        self.sweep(self.W, self.states, self.fields, 1)
        return float((before != self.states).mean())


class Restricted:
    def __init__(self, visible, hidden, chains, dtype):
        self.rng, self.dtype = np.random.default_rng(1), dtype
        degree = 2 * visible * hidden / (visible + hidden)
        self.W = (self.rng.normal(size=(visible, hidden)) / np.sqrt(degree)).astype(dtype)
        self.b = (0.1 * self.rng.normal(size=visible)).astype(dtype)
        self.c = (0.1 * self.rng.normal(size=hidden)).astype(dtype)
        self.v = (self.rng.random((chains, visible)) < 0.5).astype(dtype)
        self.steps(3)

    def draw(self, fields):
        np.negative(fields, out=fields)
        np.exp(fields, out=fields)
        fields += 1
        return (self.rng.random(fields.shape, dtype=self.dtype) * fields < 1).astype(self.dtype)

    def steps(self, count):
        for _ in range(count):
            h = self.draw(self.v @ self.W + self.c)
            self.v = self.draw(h @ self.W.T + self.b)

    def seconds(self, count):
        before = time.perf_counter()
        self.steps(count)
        return time.perf_counter() - before


class Ours:
    def __init__(self, binary):
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, job):
        self.process.stdin.write(json.dumps(job | {"repeats": 1}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def compare(title, unit, ours, job, others, rounds, target):
    """Alternates and prints rates of the fastest rounds; `others` are (name, seconds a round, work a round)."""
    best, rate = {}, {}
    for _ in range(rounds):
        reply = ours(job)
        best["latentropy"] = min(best.get("latentropy", np.inf), min(reply["seconds"]))
        for name, run, _ in others:
            best[name] = min(best.get(name, np.inf), run())
    rate["latentropy"] = reply["work"] / best["latentropy"]
    rate |= {name: work / best[name] for name, _, work in others}
    print(f"\n{title} ({unit} a second; flips in {reply['flip_rate']:.0%} of our updates)")
    for name, value in rate.items():
        ratio = "" if name == "latentropy" else f"   ours is {rate['latentropy'] / value:.2f} times that"
        print(f"  {name:<32} {value:>14,.0f}{ratio}")
    fastest = max(value for name, value in rate.items() if name != "latentropy")
    verdict = "yes" if rate["latentropy"] >= target * fastest else "no"
    print(f"  at least {target:g} times the fastest baseline: {verdict}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=HERE.parent / "target/release/examples/bench_sampling")
    parser.add_argument("--quick", action="store_true", help="one round, 200 units")
    options = parser.parse_args()
    ours = Ours(options.binary)
    rounds, units, sweeps = (1, 200, 5) if options.quick else (7, 1000, 5)

    def counted(job, work):
        return lambda asked: ours(asked) | {"work": work(ours_chains(asked))}

    def ours_chains(job):
        return -(-job["chains"] // 64) * 64

    for size in (units, 100):
        job = {"job": "dense", "units": size, "chains": 100, "sweeps": sweeps}
        sides = []
        for sweep, dtype in itertools.product((chain_by_chain, unit_by_unit), (np.float64, np.float32)):
            side = Dense(sweep, size, 100, dtype)
            name = f"numba, {sweep.__name__}, {np.dtype(dtype).name}"
            sides.append((name, lambda side=side: side.seconds(sweeps), 100 * size * sweeps))
        print(f"\nflips in {side.flip_rate():.0%} of the baseline's updates", end="")
        asked = counted(job, lambda chains: chains * size * sweeps)
        compare(f"dense, {size} units", "single-site updates", asked, job, sides, rounds, 4)
    job = {"job": "rbm", "visible": 784, "hidden": 500, "chains": 100, "sweeps": 10}
    sides = []
    for dtype in (np.float64, np.float32):
        side = Restricted(784, 500, 100, dtype)
        sides.append((f"NumPy, {np.dtype(dtype).name}", lambda side=side: side.seconds(10), 10 * 100))
    asked = counted(job, lambda chains: chains * 10)
    compare("restricted, 784 × 500, 100 chains asked for", "block steps × chains", asked, job, sides, rounds, 1)
    print("\nChains come in groups of 64: 100 are asked for, 128 are run and counted.")


if __name__ == "__main__":
    main()
