"""Visible pairs of a table by samples, beside adabmDCA, ConIII and SciPy, to the same mismatch.

usage: inverse_ising.py LATENTROPY DATA [--seconds N] [--largest X] [--mean X] [--looks N] [--coniii PYTHON]

All learn the pairs of the complete rows of DATA. latentropy and SciPy (pseudo-likelihood by L-BFGS, then Monte-Carlo gradients
of persistent chains) have a ridge of 1 on the pairs; adabmDCA (its own training loop on two letters) and ConIII (its Monte-Carlo
histogram from independent columns) have none, and are held against the plain frequencies. After every stretch of work each
model is measured by the same long chains, whose time does not count: the largest and the mean distance of a frequency from what
is asked of it, in the standard errors of the data. A program is done where both are at most what is asked, and stopped where its
seconds are over. Seconds are of processor time, so that a busy machine does not matter. numpy, scipy and torch with adabmDCA are
needed; ConIII 3.0.1 needs SciPy 1.10 and may have a Python of its own.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np


def complete_rows(path):
    import csv

    rows = list(csv.reader(open(path)))
    kept = [row for row in rows[1:] if all(cell in ("0", "1") for cell in row)]
    return rows[0], np.array(kept, dtype=np.int8)


def write_model(path, names, biases, pairs):
    columns = len(names)
    terms = [{"units": [a], "weight": float(biases[a])} for a in range(columns)]
    terms += [{"units": [b, a], "weight": float(pairs[a, b])} for a in range(columns) for b in range(a)]
    units = [{"name": name, "role": "visible"} for name in names]
    json.dump({"format": "latentropy/1", "units": units, "terms": terms}, open(path, "w"))


class Judge:
    """The mismatch of a model, by long chains."""

    def __init__(self, program, names, table):
        self.program, self.names, self.rows = program, names, len(table)
        data = table.astype(float)
        self.frequencies = data.T @ data / self.rows
        spread = self.frequencies * (1 - self.frequencies)
        least = 0.5 / (self.rows + 1) * (1 - 0.5 / (self.rows + 1))
        self.errors = np.sqrt(np.maximum(spread, least) / self.rows)

    def mismatch(self, model, ridge):
        run = [self.program, "infer", str(model), "--engine", "gibbs", "--chains", "8192", "--sweeps", "1024"]
        found = json.loads(subprocess.run(run + ["--annealing", "32", "--json"], check=True, capture_output=True, text=True).stdout)
        weights = {tuple(sorted(term["units"])): term["weight"] for term in json.load(open(model))["terms"]}
        pulls = {key: ridge / self.rows * weight for key, weight in weights.items() if len(key) == 2}
        away = []
        for term in found["terms"]:
            key = tuple(sorted(term["units"]))
            a, b = key[0], key[-1]
            gap = self.frequencies[a, b] - term["expectation"]
            # The weak ridge on biases moves nothing by a hundredth of an error.
            gap -= pulls.get(key, 0.0)
            away.append(abs(gap) / self.errors[a, b])
        return max(away), sum(away) / len(away)


def of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def latentropy(program, folder, data, within, judge):
    out = folder / f"latentropy-{within}"
    run = [program, "fit", str(data), "--shape", "visible", "--engine", "gibbs", "--ridge", "1", "--within", str(within)]
    clock = of_children()
    subprocess.run(run + ["--restarts", "1", "--out", str(out), "-q"], check=True, capture_output=True)
    spent = of_children() - clock
    return spent, out / "model.json", *judge.mismatch(out / "model.json", 1.0)


def stretches(name, folder, judge, names, ridge, seconds, target, steps):
    """Runs `steps`, which yields (biases, pairs) now and then; the judge's time is not counted."""
    spent, begun = 0.0, time.process_time()
    for biases, pairs in steps:
        spent += time.process_time() - begun
        model = folder / f"{name}.json"
        write_model(model, names, biases, pairs)
        largest, mean = judge.mismatch(model, ridge)
        print(f"  {name}: {spent:.1f} s, largest {largest:.2f}, mean {mean:.3f}", file=sys.stderr, flush=True)
        if (largest <= target[0] and mean <= target[1]) or spent >= seconds:
            break
        begun = time.process_time()
    return spent, model, largest, mean


def by_scipy(table, ridge, looks):
    """Pseudo-likelihood, then persistent chains and diagonal Monte-Carlo gradients, whose steps fall as 1/n (Robbins and Monro)."""
    from scipy.optimize import minimize
    from scipy.special import expit

    data = table.astype(float)
    rows, columns = data.shape
    upper = np.triu_indices(columns, 1)

    def unpack(x):
        pairs = np.zeros((columns, columns))
        pairs[upper] = x[columns:]
        return x[:columns], pairs + pairs.T

    def objective(x):
        biases, pairs = unpack(x)
        field = biases + data @ pairs
        value = -np.mean(np.sum(data * field - np.logaddexp(0, field), axis=1)) + ridge / rows * np.sum(x[columns:] ** 2) / 2
        rest = data - expit(field)
        slope = data.T @ rest / rows
        slope = slope + slope.T
        return value, np.concatenate([-rest.mean(axis=0), -slope[upper] + ridge / rows * x[columns:]])

    found = minimize(objective, np.zeros(columns + len(upper[0])), jac=True, method="L-BFGS-B", options={"maxiter": 200})
    x = found.x
    yield unpack(x)
    random = np.random.default_rng(1)
    eta = data.T @ data / rows
    wanted = np.concatenate([np.diag(eta), eta[upper]])
    chains = data[random.integers(rows, size=2000)].copy()
    begun, count = time.process_time(), 0
    while True:
        biases, pairs = unpack(x)
        moments = np.zeros((columns, columns))
        sweeps = 10
        for _ in range(sweeps):
            for unit in random.permutation(columns):
                chains[:, unit] = random.random(len(chains)) < expit(biases[unit] + chains @ pairs[:, unit])
            moments += chains.T @ chains / (len(chains) * sweeps)
        model = np.concatenate([np.diag(moments), moments[upper]])
        slope = wanted - model
        slope[columns:] -= ridge / rows * x[columns:]
        # Columns are taken about their means, so that a diagonal is a fair guess at the curvature.
        means = np.diag(eta)
        pair = slope[columns:] - means[upper[0]] * slope[upper[1]] - means[upper[1]] * slope[upper[0]]
        spread = means * (1 - means)
        step = 1 / (count + 3)
        change = step * pair / (spread[upper[0]] * spread[upper[1]] + ridge / rows)
        shift = np.zeros((columns, columns))
        shift[upper] = change
        shift = shift + shift.T
        x[columns:] += change
        x[:columns] += step * slope[:columns] / spread - shift @ means
        count += 1
        if time.process_time() - begun > looks:
            yield unpack(x)
            begun = time.process_time()


def by_adabmdca(table, looks):
    import torch
    from adabmDCA.sampling import get_sampler
    from adabmDCA.stats import get_freq_single_point, get_freq_two_points
    from adabmDCA.training import train_graph
    from adabmDCA.utils import init_chains, init_parameters

    torch.manual_seed(1)
    data = torch.nn.functional.one_hot(torch.tensor(table.astype(np.int64)), 2).float()
    fi, fij = get_freq_single_point(data=data), get_freq_two_points(data=data)
    columns = table.shape[1]
    params = init_parameters(fi=fi)
    mask = torch.ones(columns, 2, columns, 2)
    for column in range(columns):
        mask[column, :, column, :] = 0
    if "coupling_matrix" not in params:
        params["coupling_matrix"] = torch.zeros(columns, 2, columns, 2)
    chains = init_chains(num_chains=10000, L=columns, q=2, fi=fi, device=torch.device("cpu"), dtype=torch.float32)
    begun, weights = time.process_time(), None
    while True:
        chains, params, weights, _ = train_graph(
            sampler=get_sampler("gibbs"), chains=chains, mask=mask, fi_target=fi, fij_target=fij, params=params,
            nsweeps=10, lr=0.05, max_epochs=5, target_pearson=2.0, log_weights=weights,
        )
        if time.process_time() - begun > looks:
            h, j = params["bias"].numpy(), params["coupling_matrix"].numpy()
            pairs = j[:, 1, :, 1] - j[:, 1, :, 0] - j[:, 0, :, 1] + j[:, 0, :, 0]
            yield h[:, 1] - h[:, 0] + (j[:, 1, :, 0] - j[:, 0, :, 0]).sum(axis=1), pairs
            begun = time.process_time()


CONIII = """
import sys, time, warnings
warnings.filterwarnings("ignore")
import numpy as np
from coniii import MCH, Pseudo
table = np.load(sys.argv[1]); seconds = float(sys.argv[2]); looks = float(sys.argv[3])
spins = (2 * table.astype(int) - 1)
columns = spins.shape[1]
begun = time.process_time(); spent = 0.0
def show(multipliers):
    np.save(sys.argv[1] + ".out.npy", multipliers)
    print(spent, flush=True)
    sys.stdin.readline()
solver = MCH(spins, sample_size=10000, iprint=False)
multipliers = np.zeros(columns * (columns + 1) // 2)
means = np.clip(spins.mean(axis=0), -0.99, 0.99)
multipliers[:columns] = np.arctanh(means)
last = begun
while True:
    found = solver.solve(initial_guess=multipliers, maxiter=1, n_iters=columns * 10, burn_in=columns * 10, tol=1e-12, tolNorm=1e-12,
                         learn_params_kwargs={"maxdlamda": 0.1, "eta": 0.1})
    multipliers = found[0] if isinstance(found, tuple) else found
    if time.process_time() - last > looks:
        spent += time.process_time() - begun
        show(multipliers)
        if spent > seconds:
            break
        begun = last = time.process_time()
"""


def by_coniii(python, folder, table, names, judge, seconds, looks, target):
    """ConIII in a Python of its own, asked for its multipliers now and then: fields and couplings of {-1, +1}."""
    np.save(folder / "table.npy", table)
    script = folder / "with_coniii.py"
    script.write_text(CONIII)
    run = [python, str(script), str(folder / "table.npy"), str(seconds), str(looks)]
    worker = subprocess.Popen(run, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    columns, result = table.shape[1], None
    for line in worker.stdout:
        spent = float(line)
        multipliers = np.load(str(folder / "table.npy") + ".out.npy")
        pairs = np.zeros((columns, columns))
        pairs[np.triu_indices(columns, 1)] = multipliers[columns:]
        pairs = pairs + pairs.T
        model = folder / "coniii.json"
        # x = 2 y − 1: a coupling counts four times, and a field twice, less twice its couplings.
        write_model(model, names, 2 * multipliers[:columns] - 2 * pairs.sum(axis=1), 4 * pairs)
        largest, mean = judge.mismatch(model, 0.0)
        print(f"  ConIII: {spent:.1f} s, largest {largest:.2f}, mean {mean:.3f}", file=sys.stderr, flush=True)
        result = spent, model, largest, mean
        if (largest <= target[0] and mean <= target[1]) or spent >= seconds:
            worker.kill()
            break
        worker.stdin.write("\n")
        worker.stdin.flush()
    worker.wait()
    return result


def main():
    options = argparse.ArgumentParser()
    options.add_argument("program")
    options.add_argument("data")
    options.add_argument("--seconds", type=float, default=90)
    options.add_argument("--largest", type=float, default=0.5)
    options.add_argument("--mean", type=float, default=0.1)
    options.add_argument("--looks", type=float, default=2, help="seconds of work between looks at the others")
    options.add_argument("--coniii", default=sys.executable)
    options.add_argument("--only", default="latentropy,SciPy,adabmDCA,ConIII")
    options = options.parse_args()
    names, table = complete_rows(options.data)
    folder = pathlib.Path(tempfile.mkdtemp())
    rows = folder / "rows.csv"
    np.savetxt(rows, table, fmt="%d", delimiter=",", header=",".join(names), comments="")
    judge = Judge(options.program, names, table)
    target, looks = (options.largest, options.mean), options.looks
    found = {}
    for name in options.only.split(","):
        if name == "latentropy":
            for within in (options.largest, 0.1):
                found[f"latentropy, within {within:g}"] = latentropy(options.program, folder, rows, within, judge)
        elif name == "SciPy":
            steps = by_scipy(table, 1.0, looks)
            found["SciPy, pseudo-likelihood and Monte-Carlo gradients"] = stretches(
                "SciPy", folder, judge, names, 1.0, options.seconds, target, steps)
        elif name == "adabmDCA":
            found["adabmDCA 1.0"] = stretches(
                "adabmDCA", folder, judge, names, 0.0, options.seconds, target, by_adabmdca(table, looks))
        elif name == "ConIII":
            ended = by_coniii(options.coniii, folder, table, names, judge, options.seconds, looks, target)
            if ended:
                found["ConIII 3.0.1, Monte-Carlo histogram"] = ended

    def is_reached(of):
        return of[2] <= target[0] and of[3] <= target[1]

    first = next((of for of in found.values() if is_reached(of)), next(iter(found.values())))[0]
    print(f"{len(table)} rows of {len(names)} columns; asked: largest {options.largest:g}, mean {options.mean:g}\n")
    print("| program | processor seconds | largest residual, in the data's errors | mean | reached | times as long |\n|---|---|---|---|---|---|")
    for name, of in found.items():
        spent, _, largest, mean = of
        reached = "yes" if is_reached(of) else "no"
        more = f"{spent / first:.1f}" if reached == "yes" else f"more than {spent / first:.0f}"
        print(f"| {name} | {spent:.1f} | {largest:.2f} | {mean:.3f} | {reached} | {more} |")


main()
