"""Runs one baseline in a process of its own, so that its time and its peak memory are nobody else's.

One JSON job on standard input, one JSON reply on standard output; `compare.py` is the only caller.
"""

import json
import sys
import time

import numpy as np

import baselines


def memory(field):
    """A field of this process's memory account in bytes. VmHWM, unlike ru_maxrss, starts anew at exec."""
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    return None


def timed(work, repeats, calls=1):
    """Seconds a call for each repeat, and the last result."""
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        for _ in range(calls):
            result = work()
        seconds.append((time.perf_counter() - begin) / calls)
    return seconds, result


def exact(job):
    b = np.array(job["biases"])
    W = np.zeros((len(b), len(b)))
    for i, j, weight in job["pairs"]:
        W[i, j] = W[j, i] = weight
    function = baselines.EXACT[job["baseline"]]
    function(b[:3].copy(), W[:3, :3].copy())  # compiled code and BLAS loaded before the clock starts
    calls = job.get("calls", 1)
    if job.get("compiled_loop"):
        loop = baselines.compiled_loop(function)
        loop(b, W, 1)
        seconds, _ = timed(lambda: loop(b, W, calls), job["repeats"])
        seconds = [s / calls for s in seconds]
        result = function(b, W)
        peak = None
    else:
        before = memory("VmRSS")
        seconds, result = timed(lambda: function(b, W), job["repeats"], calls)
        peak = memory("VmHWM") - before
    log_partition, entropy, means, pairs = result
    return {
        "seconds": seconds,
        "log_partition": log_partition,
        "entropy": entropy,
        "means": means.tolist(),
        "pairs": [pairs[i, j] for i, j, _ in job["pairs"]],
        "peak_extra_bytes": peak,
    }


def em_is(job):
    tables = baselines.em_is_tables(job["visible"], job["hidden"], job["rows"])
    function = baselines.EM_IS[job["baseline"]]
    function(tables, job["start"], 2, job["inner"])
    seconds, weights = timed(lambda: function(tables, job["start"], job["iterations"], job["inner"]), job["repeats"])
    value, _ = baselines.log_likelihood(tables, weights)
    return {"seconds": seconds, "weights": weights.tolist(), "log_likelihood": value}


def restarts(job):
    tables = baselines.em_is_tables(job["visible"], job["hidden"], job["rows"])
    baselines.restarts_lbfgsb(tables, restarts=1)
    seconds, candidates = timed(lambda: baselines.restarts_lbfgsb(tables, job["restarts"], job["seed"]), job["repeats"])
    return {
        "seconds": seconds,
        "best_log_likelihood": max(c[0] for c in candidates),
        "converged": sum(c[1] <= 1e-6 for c in candidates),
        "iterations": sum(c[2] for c in candidates),
    }


if __name__ == "__main__":
    job = json.load(sys.stdin)
    json.dump({"exact": exact, "em-is": em_is, "restarts": restarts}[job["job"]](job), sys.stdout)
