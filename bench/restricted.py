"""Restricted machines in mini-batches beside scikit-learn's BernoulliRBM: time a pass, and held-out log-likelihood.

Usage: restricted.py DIGITS.csv BINARY, with the release build of the example `bench_restricted`; needs scikit-learn.
Every fifth row is held out. log Z of both sides is by the same program (exact, or annealed importance sampling).
"""

import json
import os
import subprocess
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
from sklearn.neural_network import BernoulliRBM


def run(binary, *arguments):
    command = [binary, *[str(a) for a in arguments]]
    environment = dict(os.environ, RAYON_NUM_THREADS="1")
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    if done.stderr:
        print(done.stderr, file=sys.stderr, end="")
    return json.loads(done.stdout)


def model_file(path, rbm):
    """A machine of scikit-learn in the format of latentropy."""
    hidden, visible = rbm.components_.shape
    units = [{"name": f"y{v + 1}", "role": "visible"} for v in range(visible)]
    units += [{"name": f"z{h + 1}", "role": "hidden"} for h in range(hidden)]
    terms = [{"units": [v], "weight": float(w)} for v, w in enumerate(rbm.intercept_visible_)]
    terms += [{"units": [visible + h], "weight": float(w)} for h, w in enumerate(rbm.intercept_hidden_)]
    terms += [
        {"units": [v, visible + h], "weight": float(rbm.components_[h, v])}
        for v in range(visible)
        for h in range(hidden)
    ]
    with open(path, "w") as file:
        json.dump({"format": "latentropy/1", "units": units, "terms": terms}, file)


def main():
    data_file, binary = sys.argv[1:3]
    rows = np.loadtxt(data_file, delimiter=",", dtype=float)
    held = np.arange(len(rows)) % 5 == 4
    with tempfile.TemporaryDirectory() as folder:
        train_file, held_file = f"{folder}/train.csv", f"{folder}/held.csv"
        np.savetxt(train_file, rows[~held], fmt="%d", delimiter=",")
        np.savetxt(held_file, rows[held], fmt="%d", delimiter=",")
        print("| hidden | batch | program | rate | passes | ms a pass | seconds | held-out log-likelihood |")
        print("|---|---|---|---|---|---|---|---|", flush=True)
        for hidden, batch in ((16, 10), (64, 10), (64, 100)):
            for rate in (0.01, 0.05):
                for passes in (30, 100):
                    rbm = BernoulliRBM(hidden, learning_rate=rate, batch_size=batch, n_iter=passes, random_state=0)
                    clock = time.perf_counter()
                    rbm.fit(rows[~held])
                    seconds = time.perf_counter() - clock
                    model_file(f"{folder}/model.json", rbm)
                    score = run(binary, "score", f"{folder}/model.json", train_file, held_file)
                    show(hidden, batch, "scikit-learn", rate, passes, 1e3 * seconds / passes, seconds, score)
            for rate, decay, passes in ((0.05, 20, 100), (0.1, 20, 100), (0.1, 50, 300)):
                arguments = (hidden, batch, batch, passes, rate, decay, 1)
                found = run(binary, "fit", train_file, held_file, *arguments)
                pace = found["milliseconds_a_pass"]
                show(hidden, batch, "latentropy", rate, passes, pace, pace * passes / 1e3, found["held_out"])


def show(hidden, batch, program, rate, passes, pace, seconds, score):
    value = f"{score['log_likelihood']:.3f} ± {score['std_err']:.3f}"
    print(f"| {hidden} | {batch} | {program} | {rate} | {passes} | {pace:.2f} | {seconds:.2f} | {value} |", flush=True)


if __name__ == "__main__":
    main()
