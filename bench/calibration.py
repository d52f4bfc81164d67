"""Whether second-order steps by samples land within their stated errors of the exact fit.

usage: calibration.py LATENTROPY DATA [SEEDS]

DATA is a table that exact sums hold (15 columns, say). For each seed the visible pairs are learned by samples with the
ridge of the exact fit; printed are the shares of seeds whose log-likelihood and entropy are within two stated errors of
the exact ones, the largest distance of a weight in its standard errors, and the ridges by evidence.
"""

import json
import subprocess
import sys


def fit(program, data, *more):
    command = [program, "fit", data, "--shape", "visible", "--json", "-q", *more]
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def main():
    program, data = sys.argv[1:3]
    seeds = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    exact = fit(program, data, "--engine", "exact")
    ridge = exact["ridge_evidence"]["chosen"]
    errors = [term["standard_error"] for term in exact["uncertainty"]["weights"]]
    truth, within = exact["candidates"][0], {"log_likelihood": 0, "entropy": 0}
    weights = [term["weight"] for term in exact["model"]["terms"]]
    worst, met, ridges = [], [], []
    for seed in range(seeds):
        found = fit(program, data, "--engine", "gibbs", "--ridge", repr(ridge), "--seed", str(seed))
        candidate = found["candidates"][found["selected"]]
        met.append(candidate["residual_in_errors"])
        for name in within:
            error = candidate[f"{name}_std_err"]
            within[name] += abs(candidate[name] - truth[name]) <= 2 * error
        moved = zip(found["model"]["terms"], weights, errors)
        worst.append(max(abs(term["weight"] - weight) / error for term, weight, error in moved if error))
        by_samples = fit(program, data, "--engine", "gibbs", "--seed", str(seed))
        ridges.append(by_samples["ridge_evidence"]["chosen"] / ridge)
    print(f"{seeds} seeds; within two stated errors of the exact fit:")
    for name, count in within.items():
        print(f"  {name}: {count / seeds:.0%}")
    print(f"largest residual in the data's errors: {max(met):.3f}")
    print(f"largest distance of a weight in its standard errors: median {sorted(worst)[seeds // 2]:.3f}, worst {max(worst):.3f}")
    print(f"ridge by evidence over the exact one: {min(ridges):.3f} to {max(ridges):.3f}")


main()
