"""Runs the baselines and latentropy side by side in one run and prints a table of ratios against their targets.

Absolute times mean little on a busy machine, so every comparison alternates (A B A B ...) and reports the
ratio of the medians and the ratio of the minima; a target is met when both say so.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

import baselines

HERE = Path(__file__).resolve().parent
TOLERANCE = 1e-9
BUSY = 0.5  # load average before the run from which on verdicts carry a warning
FLAT = 1.25  # "flat": a state of the largest machine takes at most this many times one of the smallest


# --------------------------------------------------------------------------- the two sides


class Failure(Exception):
    """A side that gave no usable answer; its rows say so, the others still run."""


class Latentropy:
    """The Rust program: a fresh process a job, so that both ways of reading its input work."""

    def __init__(self, binary):
        self.binary = binary

    def __call__(self, job):
        if self.binary is None:
            raise Failure("not run")
        # One thread, like the baselines, except where a job names its own number.
        alone = os.environ | {"RAYON_NUM_THREADS": "1"}
        process = subprocess.Popen(
            [self.binary], env=alone, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        peak = None
        sent = json.dumps(job) + "\n"
        while True:
            try:
                out, err = process.communicate(sent, timeout=0.005)
                break
            except subprocess.TimeoutExpired:
                sent = None  # communicate() keeps what it has not sent yet
                # The last reading counts: before exec the account is still this Python's.
                peak = _peak_memory(process.pid) or peak
        lines = out.strip().splitlines()
        if process.returncode != 0 or len(lines) != 1:
            raise Failure(f"exit code {process.returncode}, {len(lines)} reply lines: {err.strip()[-300:]}")
        reply = json.loads(lines[0])
        if "error" in reply:
            raise Failure(str(reply["error"]))
        reply["process_peak_bytes"] = peak
        return reply


def _peak_memory(pid):
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return None  # the process has ended but is not yet collected


def baseline(job):
    """One baseline in a process of its own."""
    done = subprocess.run(
        [sys.executable, str(HERE / "worker.py")], input=json.dumps(job), capture_output=True, text=True
    )
    if done.returncode != 0:
        raise Failure(f"baseline {job.get('baseline', job['job'])}: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout)


def alternate(rounds, *sides):
    """A B A B ...: each side's pooled seconds and last reply; a side that fails once is not asked again."""
    seconds, replies, failures = [[] for _ in sides], [None] * len(sides), [None] * len(sides)
    for _ in range(rounds):
        for k, side in enumerate(sides):
            if failures[k] is None:
                try:
                    replies[k] = side()
                    seconds[k] += replies[k]["seconds"]
                except Failure as reason:
                    failures[k] = str(reason)
                except (KeyError, TypeError, ValueError, OSError) as reason:  # no program, or not our contract
                    failures[k] = f"{type(reason).__name__}: {reason}"
    return [Side(s, r, f) for s, r, f in zip(seconds, replies, failures)]


@dataclass
class Side:
    """What one side of a comparison gave: seconds a unit of work, its last reply, or why there is none."""

    seconds: list
    reply: dict | None
    failure: str | None

    def scaled(self, units):
        """The same side with its seconds divided among `units` pieces of work."""
        return Side([s / units for s in self.seconds], self.reply, self.failure)

    @property
    def median(self):
        return statistics.median(self.seconds)

    @property
    def minimum(self):
        return min(self.seconds)


# --------------------------------------------------------------------------- rows


@dataclass
class Row:
    """One line of the table."""

    work: str
    baseline: str
    baseline_time: str
    ours: str
    ratio: str
    target: str
    met: str
    details: dict = field(default_factory=dict)


@dataclass
class Context:
    """What the sections share."""

    ours: Latentropy
    quick: bool
    busy: bool
    problems: list = field(default_factory=list)

    def verdict(self, *met):
        """Yes or no only when all agree; quick sizes are not the ones that the targets speak of."""
        if self.quick:
            return "not judged (quick)"
        word = "yes" if all(met) else "unclear" if any(met) else "no"
        return f"{word} (busy machine)" if self.busy else word

    def row(self, work, name, theirs, ours, at_least=None, agrees=None):
        """A ratio row: `theirs` over `ours`, wanted to be at least `at_least`."""
        target = "–" if at_least is None else f"≥ {at_least:g}×"
        details = {
            "baseline_seconds": theirs.seconds, "ours_seconds": ours.seconds,
            "failure": theirs.failure or ours.failure,
        }  # fmt: skip
        ratio, met = "–", "–"
        if theirs.seconds and ours.seconds:
            medians, minima = theirs.median / ours.median, theirs.minimum / ours.minimum
            ratio = f"{medians:.3g}× (minima {minima:.3g}×)"
            details |= {"ratio_of_medians": medians, "ratio_of_minima": minima, "target": at_least}
            if at_least is not None:
                met = self.verdict(medians >= at_least, minima >= at_least)
            if agrees is not None:
                details["disagreement"] = agrees(theirs.reply, ours.reply)
                if not details["disagreement"] <= TOLERANCE:  # written so that a NaN counts
                    met = f"WRONG: numbers differ by {details['disagreement']:.2g}"
                    self.problems.append(f"{work} / {name}: {met}")
        for failure in {theirs.failure, ours.failure} - {None, "not run"}:
            met = "failed"
            self.problems.append(f"{work} / {name}: {failure}")
        return Row(work, name, show(theirs), show(ours), ratio, target, met, details)


def show(side):
    """Median and minimum of a side in readable units."""
    if not side.seconds:
        return "–"
    return f"{duration(side.median)} (min {duration(side.minimum)})"


def duration(seconds):
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def size(n_bytes):
    return "–" if n_bytes is None else f"{n_bytes / 1e6:.4g} MB"


def difference(*fields):
    """The largest error over these reply fields, relative to the larger of 1 and the value."""

    def between(theirs, ours):
        worst = 0.0
        for name in fields:
            a, b = np.atleast_1d(theirs[name]).astype(float), np.atleast_1d(ours[name]).astype(float)
            if a.shape != b.shape:
                return math.inf
            error = float(np.max(np.abs(a - b) / np.maximum(1.0, np.abs(a)), initial=0.0))
            worst = error if math.isnan(error) else max(worst, error)
            if math.isnan(worst):
                return worst
        return worst

    return between


SAME_MOMENTS = difference("log_partition", "entropy", "means", "pairs")


# --------------------------------------------------------------------------- jobs


def machine(units, seed=0, **more):
    """A dense random machine with biases as a job; the same machine for every side."""
    b, W = baselines.random_machine(units, np.random.default_rng(seed + units))
    pairs = [[i, j, W[i, j]] for i in range(units) for j in range(i + 1, units)]
    return {"job": "exact", "biases": b.tolist(), "pairs": pairs, "strata": False, **more}


def learning_problem(visible=5, hidden=3, rows=100):
    """Rows from a random machine in which every pair of visible units occurs often.

    Otherwise an expectation is 0, its weight runs to minus infinity, and the unguarded NumPy loop times NaNs.
    """
    for seed in range(1, 1000):
        rng = np.random.default_rng(seed)
        tables = baselines.em_is_tables(visible, hidden, np.zeros((1, visible), dtype=int))
        p = np.exp(tables.features @ rng.normal(size=len(tables.pairs)))
        states = rng.choice(len(p), size=rows, p=p / p.sum())
        data = (states[:, None] >> np.arange(visible)) & 1
        if (data.T @ data).min() >= rows // 10:
            return {
                "visible": visible, "hidden": hidden, "rows": data.tolist(),
                "start": rng.normal(size=len(tables.pairs)).tolist(),
            }  # fmt: skip
    raise AssertionError("no seed gives data without a rare pair")


# --------------------------------------------------------------------------- sections


def exact_large(context):
    """24 units: state matrix, folding, blocked, and memory."""
    units = 18 if context.quick else 24
    rounds = 2 if context.quick else 5
    ours = lambda: context.ours(machine(units, repeats=10))  # noqa: E731
    rows = []
    # The state matrix takes seconds and gigabytes: two rounds, one call each.
    for name, at_least, count, repeats in (
        ("exact_state_matrix", 200, 2, 1),
        ("exact_folding", 10, rounds, 3),
        ("exact_blocked", None, rounds, 3),
    ):
        theirs, mine = alternate(count, lambda: baseline(machine(units, baseline=name, repeats=repeats)), ours)
        work = f"exact, {units} units, one thread"
        rows.append(context.row(work, name, theirs, mine, at_least, SAME_MOMENTS))
        peak = theirs.reply and theirs.reply["peak_extra_bytes"]
        rows[-1].details["baseline_peak_bytes"] = peak
        rows[-1].baseline_time += f", {size(peak)}"
    rows.append(memory_row(context, units))
    return rows


def memory_row(context, units, limit=16e6):
    """Memory of ours two ways: the extra that it reports, and the peak of its whole process seen from outside."""
    # Many repeats, so that the process lives long enough for its account to be read.
    (full,) = alternate(1, lambda: context.ours(machine(units, repeats=1000 if context.quick else 100)))
    row = context.row(f"extra memory, {units} units", "(limit)", Side([], None, None), full)
    row.ours, row.target = "–", f"< {limit / 1e6:g} MB"
    if full.reply is not None:
        said, seen = full.reply.get("peak_extra_bytes"), full.reply["process_peak_bytes"]
        known = [value for value in (said, seen) if value is not None]
        row.ours = f"{size(said)} reported, {size(seen)} the whole process"
        row.met = context.verdict(*(value < limit for value in known)) if known else "not measured"
        row.details |= {"reported_bytes": said, "process_peak_bytes": seen}
    return row


def strata(context):
    """What the strata by f# cost, ours against ours."""
    units = 18 if context.quick else 24
    plain, stratified = alternate(
        2 if context.quick else 7,
        lambda: context.ours(machine(units, repeats=10)),
        lambda: context.ours(machine(units, repeats=10) | {"strata": True}),
    )
    row = context.row(f"strata, {units} units", "ours without strata", plain, stratified, 0.5, SAME_MOMENTS)
    row.target = "≤ 2× the time without (ratio ≥ 0.5×)"
    return [row]


def flatness(context):
    """Time a state over sizes, ours only: memory-bound or quadratic work would show as a slope."""
    sizes = (16, 18, 20) if context.quick else (20, 22, 24, 26, 28, 30)
    rounds = 2 if context.quick else 3
    # At least three calls each; small sizes more, to about the same total.
    jobs = [machine(n, repeats=max(3, min(50, (1 << 27) >> n))) for n in sizes]
    sides = alternate(rounds, *(lambda job=job: context.ours(job) for job in jobs))
    rows = []
    for n, side in zip(sizes, sides):
        row = context.row(f"exact, {n} units", "(ours only)", Side([], None, None), side)
        if side.seconds:
            row.ratio = f"{side.minimum / 2**n * 1e9:.3f} ns/state (median {side.median / 2**n * 1e9:.3f})"
            row.details["ns_per_state"] = side.minimum / 2**n * 1e9
        rows.append(row)
    if all(side.seconds for side in sides):
        growth = [
            pick(sides[-1], sizes[-1]) / pick(sides[0], sizes[0])
            for pick in (lambda s, n: s.minimum / 2**n, lambda s, n: s.median / 2**n)
        ]
        rows.append(
            Row(
                f"time a state, {sizes[0]} to {sizes[-1]} units", "(ours only)", "–", "–",
                f"{sizes[-1]} units over {sizes[0]}: {growth[1]:.2f} (minima {growth[0]:.2f})",
                f"does not grow (≤ {FLAT:g})",
                context.verdict(growth[0] <= FLAT, growth[1] <= FLAT), {"growth": growth},
            )  # fmt: skip
        )
    return rows


def exact_small(context):
    """8 units: every numba variant as called from Python, then again inside a compiled loop.

    Batches are short (50 calls): on a busy machine a long one is interrupted more often than a single call of ours,
    which would flatter us.
    """
    rounds = 2 if context.quick else 7
    names = ("exact_gray_numba", "exact_doubling_numba", "exact_product_numba")
    variants = [(name, compiled) for compiled in (False, True) for name in names]
    *theirs, ours = alternate(
        rounds,
        *(
            lambda name=name, compiled=compiled: baseline(
                machine(8, baseline=name, repeats=200, calls=50, compiled_loop=compiled)
            )
            for name, compiled in variants
        ),
        lambda: context.ours(machine(8, repeats=2000)),
    )
    measured = [k for k in range(3) if theirs[k].seconds]
    strongest = min(measured, key=lambda k: theirs[k].minimum) if measured else None
    rows = []
    for k, (name, compiled) in enumerate(variants):
        how = "in a compiled loop" if compiled else "called from Python"
        # The target is against the strongest variant as a Python user pays for it.
        target = 5 if k == strongest else None
        label = f"{name}, {how}" + (", strongest" if k == strongest else "")
        rows.append(context.row("exact, 8 units", label, theirs[k], ours, target, SAME_MOMENTS))
    return rows


def em_is(context):
    """One EM-IS iteration, S = 4, 5 visible + 3 hidden, pairs only."""
    iterations = 50  # short for the same reason as the batches of `exact_small`
    rounds = 2 if context.quick else 7
    job = {"job": "em-is", **learning_problem(), "inner": 4, "iterations": iterations, "repeats": 20}
    numpy_side, numba_side, ours = alternate(
        rounds,
        lambda: baseline(job | {"baseline": "em_is_numpy"}),
        lambda: baseline(job | {"baseline": "em_is_numba"}),
        lambda: context.ours(job),
    )
    agrees = difference("weights", "log_likelihood")
    return [
        context.row(
            "one EM-IS iteration, S = 4, 5 + 3 units", name, theirs.scaled(iterations), ours.scaled(iterations),
            target, agrees,
        )  # fmt: skip
        for name, theirs, target in (("em_is_numpy", numpy_side, 20), ("em_is_numba", numba_side, None))
    ]


def restarts(context):
    """100 restarts on one and on two threads; with the second-order finish against SciPy's L-BFGS-B."""
    count = 20 if context.quick else 100
    problem = learning_problem()
    del problem["start"]
    job = {
        "job": "restarts", **problem, "restarts": count, "seed": 1, "repeats": 1,
        "learner": "em-is", "max_iter": 200 if context.quick else 2000,
    }  # fmt: skip
    one, two = alternate(
        2 if context.quick else 5,
        lambda: context.ours(job | {"threads": 1}),
        lambda: context.ours(job | {"threads": 2}),
    )
    row = context.row(f"{count} EM-IS restarts, 5 + 3 units, 2 threads", "ours on 1 thread", one, two, 1.7)
    if one.reply and two.reply:
        # Results must not depend on threads: everything in the replies but the clock has to be equal.
        own = {"seconds", "threads", "process_peak_bytes", "peak_extra_bytes", "job"}
        differing = [key for key in one.reply if key not in own and one.reply[key] != two.reply.get(key)]
        if differing:
            row.met = f"WRONG: {', '.join(differing)} depend on threads"
            context.problems.append(f"{row.work}: {row.met}")
    finished = job | {"threads": 1, "learner": "auto", "max_iter": 20000}
    scipy_side, ours = alternate(
        1 if context.quick else 2, lambda: baseline(job), lambda: context.ours(finished)
    )
    scale = context.row(
        f"{count} restarts with the finish, residual 1e-8 (SciPy 1e-6)", "restarts_lbfgsb (SciPy)", scipy_side, ours, 20
    )
    if scipy_side.reply:
        scale.details |= scipy_side.reply
    return [row, scale]


def iterations(context):
    """Steps, not seconds: plain EM-IS to residual 1e-4 against the default, EM-IS and finish, to 1e-8."""
    count, machines, cap = (20, 1, 2000) if context.quick else (100, 5, 50000)
    plain, finished, capped = [], [], 0
    work = f"iterations, {machines} × {count} restarts, 5 + 3 units, 100 rows"
    row = Row(work, f"plain EM-IS, S = 4, to 1e-4, at most {cap:,}", "–", "–", "–", "≥ 100×", "–")
    for seed in range(machines):
        job = {
            "job": "restarts", **random_rows(seed), "restarts": count, "seed": seed, "threads": 2, "repeats": 1,
        }  # fmt: skip
        slow, fast = alternate(
            1,
            lambda: context.ours(job | {"learner": "em-is", "tolerance": 1e-4, "max_iter": cap}),
            lambda: context.ours(job | {"learner": "auto", "tolerance": 1e-8, "max_iter": 20000}),
        )
        failure = slow.failure or fast.failure
        if failure == "not run":
            return [row]
        if failure:
            context.problems.append(f"{work}: {failure}")
            row.met = "failed"
            return [row]
        plain += slow.reply["iterations"]
        finished += fast.reply["iterations"]
        capped += sum(residual > 1e-4 for residual in slow.reply["residuals"])
        if fast.reply["converged"] < count:
            context.problems.append(f"{work}: {count - fast.reply['converged']} restarts did not reach 1e-8")
    median = statistics.median(p / f for p, f in zip(plain, finished))
    sums = sum(plain) / sum(finished)
    share = capped / len(plain)
    row.baseline_time = f"{sum(plain):,} in all, median {statistics.median(plain):,.0f}; {share:.0%} hit the cap"
    row.ours = f"{sum(finished):,} in all, median {statistics.median(finished):,.0f}, to 1e-8"
    row.ratio = f"median {median:.3g}×, sums {sums:.3g}×" + (" (at least: the cap)" if capped else "")
    # Counts do not depend on how busy the machine is.
    row.met = "not judged (quick)" if context.quick else {2: "yes", 1: "unclear", 0: "no"}[(median >= 100) + (sums >= 100)]
    row.details |= {"plain": plain, "finished": finished, "share_at_cap": share, "median": median, "sums": sums}
    return [row]


def random_rows(seed, visible=5, hidden=3, rows=100):
    """Rows from a random machine as they come, rare pairs and all."""
    rng = np.random.default_rng(seed)
    tables = baselines.em_is_tables(visible, hidden, np.zeros((1, visible), dtype=int))
    p = np.exp(tables.features @ rng.normal(size=len(tables.pairs)))
    states = rng.choice(len(p), size=rows, p=p / p.sum())
    data = (states[:, None] >> np.arange(visible)) & 1
    return {"visible": visible, "hidden": hidden, "rows": data.tolist()}


SECTIONS = {
    "large": exact_large,
    "strata": strata,
    "flat": flatness,
    "small": exact_small,
    "em-is": em_is,
    "restarts": restarts,
    "iterations": iterations,
}


# --------------------------------------------------------------------------- output


def environment():
    """What a reader needs to judge the numbers; no paths and no host names."""
    model = "unknown processor"
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    import numba
    import scipy

    return {
        "processor": model,
        "cores": os.cpu_count(),
        "load_before": os.getloadavg()[0],
        "python": sys.version.split()[0],
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "numba": numba.__version__,
    }


def table(rows):
    head = ("work", "baseline", "baseline time", "ours", "ratio", "target", "met?")
    body = [(r.work, r.baseline, r.baseline_time, r.ours, r.ratio, r.target, r.met) for r in rows]
    lines = ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *body)]
    return "\n".join(lines)


def write_whole(path, text):
    """The file appears whole or not at all."""
    path.parent.mkdir(exist_ok=True)
    draft = path.with_suffix(".part")
    draft.write_text(text)
    draft.replace(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, under 30 s; targets are not judged")
    parser.add_argument("--only", action="append", choices=SECTIONS, help="run this section (may be repeated)")
    parser.add_argument("--binary", help="the Rust program to measure")
    parser.add_argument("--baselines-only", action="store_true", help="leave the Rust side out")
    arguments = parser.parse_args()
    if not arguments.binary and not arguments.baselines_only:
        parser.error("--binary is needed (bench/run gives it), or --baselines-only")
    about = environment()
    print(", ".join(f"{key} {value}" for key, value in about.items()))
    busy = about["load_before"] > BUSY
    if busy:
        print(f"\nThe machine is busy (load {about['load_before']:.1f}): read only the ratios, and those with care.")
    begin = time.monotonic()
    baselines.check()
    context = Context(Latentropy(None if arguments.baselines_only else arguments.binary), arguments.quick, busy)
    rows = []
    for name in arguments.only or SECTIONS:
        print(f"… {name}", file=sys.stderr, flush=True)
        rows += SECTIONS[name](context)
    about |= {"load_after": os.getloadavg()[0], "seconds": time.monotonic() - begin, "quick": arguments.quick}
    print("\n" + table(rows) + "\n")
    for problem in context.problems:
        print(f"PROBLEM: {problem}")
    print(f"{about['seconds']:.0f} s, load {about['load_before']:.2f} before and {about['load_after']:.2f} after")
    results = {"environment": about, "problems": context.problems, "rows": [asdict(row) for row in rows]}
    write_whole(HERE / "results" / "latest.json", json.dumps(results, indent=1) + "\n")
    return 1 if context.problems else 0


if __name__ == "__main__":
    sys.exit(main())
