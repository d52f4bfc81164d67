"""Held-out log-likelihood of visible pairs learned by samples, beside pseudo-likelihood and a restricted machine.

usage: pairs.py LATENTROPY DATA

One row in five is held out. Pairs are learned from all other rows; pseudo-likelihood (one logistic regression per column,
its two weights for each pair averaged; numpy and scikit-learn are needed) and the restricted machine with about as many
weights (mini-batches) from those of them that are complete. All are scored by `latentropy score` on the same rows, missing
cells summed out, log Z by annealing.
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
from sklearn.linear_model import LogisticRegression


def read(path):
    rows = list(csv.reader(open(path)))
    cell = lambda text: -1 if text in ("", "NA", "?") else int(text)
    return rows[0], np.array([[cell(text) for text in row] for row in rows[1:]])


def write(path, names, table):
    with open(path, "w") as out:
        out.write(",".join(names) + "\n")
        for row in table:
            out.write(",".join("" if cell < 0 else str(cell) for cell in row) + "\n")


def pseudo_likelihood(names, table, ridge):
    columns = table.shape[1]
    weights, biases = np.zeros((columns, columns)), np.zeros(columns)
    for column in range(columns):
        others = np.delete(table, column, axis=1)
        found = LogisticRegression(C=1 / ridge, max_iter=500).fit(others, table[:, column])
        weights[column] = np.insert(found.coef_[0], column, 0.0)
        biases[column] = found.intercept_[0]
    weights = (weights + weights.T) / 2
    terms = [{"units": [a], "weight": biases[a]} for a in range(columns)]
    terms += [{"units": [b, a], "weight": weights[a, b]} for a in range(columns) for b in range(a)]
    units = [{"name": name, "role": "visible"} for name in names]
    return {"format": "latentropy/1", "units": units, "terms": terms}


def main():
    program, data = sys.argv[1:3]
    names, table = read(data)
    table = table[(table >= 0).any(axis=1)]
    held = np.random.default_rng(1).permutation(len(table)) % 5 == 0
    folder = pathlib.Path(tempfile.mkdtemp())
    train, complete = table[~held], table[~held][(table[~held] >= 0).all(axis=1)]
    write(folder / "train.csv", names, train)
    write(folder / "complete.csv", names, complete)
    # `score` sums missing cells exactly: rows that miss more than a dozen are not scored.
    write(folder / "test.csv", names, table[held][(table[held] < 0).sum(axis=1) <= 12])
    columns = table.shape[1]
    pairs = columns * (columns - 1) // 2
    hidden = round(pairs / (columns + 1))
    machines = {}

    def learned(name, rows, *flags):
        out = folder / name.replace(" ", "-")
        clock = time.time()
        run = [program, "fit", folder / rows, "--engine", "gibbs", "--out", out, "-q", *flags]
        subprocess.run([str(part) for part in run], check=True, capture_output=True)
        machines[name] = (out / "model.json", time.time() - clock)

    learned("pairs", "train.csv", "--shape", "visible", "--restarts", "1")
    learned(f"restricted {hidden}", "complete.csv", "--shape", "rbm", "--hidden", hidden, "--batch", "50", "--ridge", "1")
    for ridge in (1.0, 10.0):
        clock = time.time()
        model = folder / f"pseudo-{ridge}.json"
        json.dump(pseudo_likelihood(names, complete, ridge), open(model, "w"))
        machines[f"pseudo-likelihood, ridge {ridge:g}"] = (model, time.time() - clock)
    print("| machine | held-out log-likelihood per row | error of log Z | seconds |\n|---|---|---|---|")
    for name, (model, seconds) in machines.items():
        run = [program, "score", str(model), str(folder / "test.csv"), "--engine", "gibbs", "--json"]
        found = json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
        score = found["mean_log_likelihood"]
        print(f"| {name} | {score['value']:.4f} | {score['std_err'] or 0:.4f} | {seconds:.0f} |", flush=True)


main()
