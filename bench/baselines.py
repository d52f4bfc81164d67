"""What a user would write instead of calling latentropy: NumPy, SciPy and numba, each as fast as it reasonably gets.

A machine is `b` (n biases) and `W` (n x n, symmetric, zero diagonal; weight of x_i x_j once, at i < j).
Every exact function returns (log_partition, entropy, means, pairs), pairs filled above the diagonal.
`python baselines.py` runs `check()`.
"""

import os

# One thread for everybody, set before the first import that reads it: ratios against one thread of ours.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"

import itertools
import math
from types import SimpleNamespace

import numba
import numpy as np
from scipy.optimize import minimize

import literal

# Reassociation lets numba vectorise the sums; NaN and infinity keep their meaning.
_njit = numba.njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz", "arcp"})


# --------------------------------------------------------------------------- exact, NumPy


def exact_state_matrix(b, W):
    """Enumerates the 2^n x n state matrix: logits, weights, then X^T diag(p) X.

    The textbook way; 2 * 8 * n * 2^n bytes at its peak (6.4 GB at 24 units).
    """
    states = _state_matrix(len(b))
    products = states @ np.triu(W, 1)
    products += b
    logits = np.einsum("ij,ij->i", products, states)
    shift = logits.max()
    logits -= shift
    weights = np.exp(logits, out=logits)
    total = weights.sum()
    # The second matrix is reused: a third would make the peak half as high again.
    np.multiply(states, weights[:, None], out=products)
    moments = states.T @ products
    return _summary(b, W, shift, total, moments.diagonal().copy(), moments)


def exact_folding(b, W):
    """Doubles the energy vector in place and folds the weights (upper half added into the lower).

    One vector of 2^n numbers and no other; about eight passes over it.
    """
    n = len(b)
    weights = _energies(b, W)
    shift = weights.max()
    weights -= shift
    np.exp(weights, out=weights)
    means, pairs = np.empty(n), np.zeros((n, n))
    for j in reversed(range(n)):
        half = 1 << j
        upper = weights[half : 2 * half]
        weights[:half] += upper
        # `upper` is the weight of x_j = 1 over the units below j: folding it gives all its pairs.
        for i in reversed(range(j)):
            low, high = upper[: 1 << i], upper[1 << i : 2 << i]
            pairs[i, j] = high.sum()
            low += high
        means[j] = upper[0]
    return _summary(b, W, shift, weights[0], means, pairs)


def exact_blocked(b, W, low_units=11, rows=32):
    """Splits low and high units, one matrix product a chunk of high states, so that a chunk stays in cache.

    Not what most users would write, but the fastest NumPy found here, and a few megabytes at 24 units.
    `rows` is a power of two, so that every chunk is full.
    """
    n = len(b)
    k = min(n, low_units)
    low, high = slice(0, k), slice(k, n)
    low_states, high_states = _state_matrix(k), _state_matrix(n - k)
    # Energies of a chunk as one product: cross fields, and a column of ones for each side's own energy.
    left = np.column_stack(
        [high_states @ W[high, low], np.ones(len(high_states)), _energies(b[high], W[high, high])]
    )
    right = np.vstack([low_states.T, _energies(b[low], W[low, low]), np.ones(len(low_states))])
    selectors = np.vstack([np.ones(len(high_states)), high_states.T])
    sums = np.zeros((n - k + 1, len(low_states)))
    high_weights = np.zeros(len(high_states))
    ones = np.ones(len(low_states))
    block = np.empty((min(rows, len(high_states)), len(low_states)))
    shift = -np.inf
    for start in range(0, len(high_states), rows):
        chunk = slice(start, start + rows)
        np.dot(left[chunk], right, out=block)
        largest = block.max()
        if largest > shift:
            sums *= np.exp(shift - largest)
            high_weights *= np.exp(shift - largest)
            shift = largest
        block -= shift
        np.exp(block, out=block)
        sums += selectors[:, chunk] @ block
        high_weights[chunk] = block @ ones
    moments = np.zeros((n, n))
    moments[low, low] = low_states.T @ (sums[0][:, None] * low_states)
    moments[high, high] = high_states.T @ (high_weights[:, None] * high_states)
    moments[low, high] = (sums[1:] @ low_states).T
    return _summary(b, W, shift, sums[0].sum(), moments.diagonal().copy(), moments)


def _state_matrix(n):
    """All 2^n states, bit j of the row number in column j; rows doubled, so that no integer copy is made."""
    states = np.zeros((1 << n, n))
    for j in range(n):
        states[1 << j : 2 << j] = states[: 1 << j]
        states[1 << j : 2 << j, j] = 1.0
    return states


def _energies(b, W):
    """log weight of every state by doubling: E[2^j:2^(j+1)] = E[:2^j] + field_j, the field built in place."""
    n = len(b)
    energies = np.empty(1 << n)
    energies[0] = 0.0
    for j in range(n):
        field = energies[1 << j : 2 << j]
        field[0] = b[j]
        for i in range(j):
            np.add(field[: 1 << i], W[i, j], out=field[1 << i : 2 << i])
        field += energies[: 1 << j]
    return energies


def _summary(b, W, shift, total, means, pairs):
    """Normalises sums of shifted weights; entropy = log Z - expected log weight."""
    log_partition = float(shift + np.log(total))
    means, pairs = means / total, np.triu(pairs, 1) / total
    entropy = log_partition - means @ b - np.vdot(W, pairs)
    return log_partition, float(entropy), means, pairs


# --------------------------------------------------------------------------- exact, numba


@_njit
def exact_gray_numba(b, W):
    """Gray-code walk: one flip a state, fields kept up to date, running sums of means and pairs."""
    n = b.size
    field = b.copy()
    active = np.zeros(n)
    sums = np.zeros((n, n))
    energy, shift, total = 0.0, 0.0, 1.0
    for step in range(1, 1 << n):
        j = 0
        while (step >> j) & 1 == 0:
            j += 1
        if active[j] == 0.0:
            active[j] = 1.0
            energy += field[j]
            for i in range(n):
                field[i] += W[j, i]
        else:
            active[j] = 0.0
            energy -= field[j]
            for i in range(n):
                field[i] -= W[j, i]
        if energy > shift + 300.0:  # far above all seen so far: rescale, rather than a first pass for the maximum
            factor = math.exp(shift - energy)
            total *= factor
            sums *= factor
            shift = energy
        weight = math.exp(energy - shift)
        total += weight
        for i in range(n):
            if active[i] != 0.0:
                for k in range(i + 1):
                    sums[k, i] += weight * active[k]
    means = np.empty(n)
    for i in range(n):
        means[i] = sums[i, i]
        sums[i, i] = 0.0
    return _summary_numba(b, W, shift, total, means, sums)


@_njit
def exact_doubling_numba(b, W):
    """The folding baseline as plain compiled loops: energies doubled, one exponential a state, weights folded."""
    weights = np.empty(1 << b.size)
    shift = _weights_by_energy(b, W, weights)
    return _fold_numba(b, W, shift, weights)


@_njit
def exact_product_numba(b, W):
    """As the doubling loop, but on the weights themselves: one exponential a term, none a state.

    This is the small-size trick that latentropy itself uses; the strongest baseline of all, so it is kept.
    """
    weights = np.empty(1 << b.size)
    shift = _state_weights(b, W, weights)
    return _fold_numba(b, W, shift, weights)


@_njit
def _state_weights(b, W, weights):
    """Fills in the weight of every state; returns the shift that was taken out of the exponents."""
    n = b.size
    highest, lowest = 0.0, 0.0
    for j in range(n):
        highest += max(b[j], 0.0)
        lowest += min(b[j], 0.0)
        for i in range(j):
            highest += max(W[i, j], 0.0)
            lowest += min(W[i, j], 0.0)
    if highest > 600.0 or lowest < -600.0:  # a product could leave the range of a double
        return _weights_by_energy(b, W, weights)
    weights[0] = 1.0
    for j in range(n):
        half = 1 << j
        weights[half] = math.exp(b[j])
        for i in range(j):
            width, factor = 1 << i, math.exp(W[i, j])
            for s in range(half, half + width):
                weights[s + width] = weights[s] * factor
        for s in range(half):
            weights[half + s] *= weights[s]
    return 0.0


@_njit
def _weights_by_energy(b, W, weights):
    """As `_state_weights`, safe at any weight: energies first, the largest taken out before exp."""
    weights[0] = 0.0
    for j in range(b.size):
        half = 1 << j
        weights[half] = b[j]
        for i in range(j):
            width, weight = 1 << i, W[i, j]
            for s in range(half, half + width):
                weights[s + width] = weights[s] + weight
        for s in range(half):
            weights[half + s] += weights[s]
    shift = weights[0]
    for s in range(weights.size):
        shift = max(shift, weights[s])
    for s in range(weights.size):
        weights[s] = math.exp(weights[s] - shift)
    return shift


@_njit
def _fold_numba(b, W, shift, weights):
    """All single and pair sums by folding; destroys `weights`."""
    n = b.size
    means, pairs = np.empty(n), np.zeros((n, n))
    for j in range(n - 1, -1, -1):
        half = 1 << j
        for s in range(half):
            weights[s] += weights[half + s]
        for i in range(j - 1, -1, -1):
            width = 1 << i
            total = 0.0
            for s in range(half, half + width):
                total += weights[s + width]
                weights[s] += weights[s + width]
            pairs[i, j] = total
        means[j] = weights[half]
    return _summary_numba(b, W, shift, weights[0], means, pairs)


@_njit
def _summary_numba(b, W, shift, total, means, pairs):
    """`_summary` without temporaries: at 8 units an allocation is a tenth of the whole."""
    scale, expected = 1.0 / total, 0.0
    for j in range(b.size):
        means[j] *= scale
        expected += b[j] * means[j]
        for i in range(j):
            pairs[i, j] *= scale
            expected += W[i, j] * pairs[i, j]
    log_partition = shift + math.log(total)
    return log_partition, log_partition - expected, means, pairs


def compiled_loop(exact):
    """A compiled loop of calls of a numba baseline, so that the cost of calling from Python can be told apart."""

    @numba.njit
    def loop(b, W, calls):
        b = b.copy()
        checksum = 0.0
        for _ in range(calls):
            b[0] += 1e-15  # a new input each time, or the optimiser may hoist the work out of the loop
            log_partition, entropy, means, pairs = exact(b, W)
            checksum += log_partition + entropy + means[0] + pairs[0, 1]
        return checksum

    return loop


# --------------------------------------------------------------------------- learning, 5 visible + 3 hidden


def em_is_tables(visible, hidden, rows):
    """Everything of an EM-IS iteration that the weights do not change (complete graph, pairs only).

    Unit i is bit i of a state's number and the visible units come first, so that an array over states
    is a (hidden state, visible state) matrix after a reshape, and the posterior needs no index table.
    """
    units = visible + hidden
    states = _state_matrix(units)
    pairs = list(itertools.combinations(range(units), 2))
    counts = states.sum(axis=1).astype(np.int64)
    active = np.arange(2, units + 1)  # fewer than two active units: no pair is active
    numbers = np.asarray(rows, dtype=np.int64) @ (1 << np.arange(visible))
    strata = active * (active - 1) / 2.0  # f# of a state with so many active units
    return SimpleNamespace(
        visible=visible,
        hidden=hidden,
        units=units,
        pairs=np.array(pairs),
        features=np.ascontiguousarray(np.stack([states[:, i] * states[:, j] for i, j in pairs], axis=1)),
        indicators=(counts[None, :] == active[:, None]).astype(float),
        strata=strata,
        moments=np.stack([np.ones_like(strata), strata]),
        counts=counts,
        empirical=np.bincount(numbers, minlength=1 << visible) / len(numbers),
    )


def em_is_numpy(tables, start, iterations, inner=4):
    """EM-IS in vectorised NumPy: E step (6), then `inner` parallel updates, each a Newton solve of (8) for all terms.

    Newton runs on the logarithm of (8), which is convex and increasing, so it needs no safeguard as long as
    every expectation is positive; a pair that never occurs is the caller's problem here.
    """
    features, indicators, moments = tables.features, tables.indicators, tables.moments
    strata, empirical = tables.strata[:, None], tables.empirical
    shape = (1 << tables.hidden, 1 << tables.visible)
    weights = np.array(start, dtype=float)
    states = _shifted_weights(features, weights)
    for _ in range(iterations):
        joint = states.reshape(shape)
        clamped = (joint * (empirical / joint.sum(axis=0))).ravel() @ features
        for _ in range(inner):
            free = (indicators * states) @ features
            free /= states.sum()
            total, slope = moments @ free
            step = np.log(total / clamped)
            step *= total / slope
            gamma = -step
            for _ in range(50):  # a bound, because near underflow the steps need not shrink
                if step @ step < 1e-18:  # quadratic: the next error is far below rounding
                    break
                scaled = np.exp(strata * gamma)
                scaled *= free
                total, slope = moments @ scaled
                step = np.log(total / clamped)
                step *= total / slope
                gamma -= step
            weights += gamma
            states = _shifted_weights(features, weights)
    return weights


def em_is_numba(tables, start, iterations, inner=4):
    """The same iteration as compiled loops."""
    return _em_is_loops(
        np.array(start, dtype=float), iterations, inner, tables.visible, tables.pairs,
        tables.features, tables.counts, tables.empirical,
    )  # fmt: skip


@_njit
def _em_is_loops(weights, iterations, inner, visible, pairs, features, counts, empirical):
    states, terms = features.shape
    units = counts[states - 1]
    patterns = 1 << visible
    b, W = np.zeros(units), np.zeros((units, units))
    p, clamped, ratio = np.empty(states), np.empty(terms), np.empty(patterns)
    free = np.empty((units + 1, terms))
    _unpack(weights, pairs, W)
    _state_weights(b, W, p)
    for _ in range(iterations):
        ratio[:] = 0.0
        for s in range(states):
            ratio[s & (patterns - 1)] += p[s]
        for v in range(patterns):
            ratio[v] = empirical[v] / ratio[v]
        clamped[:] = 0.0
        for s in range(states):
            share = p[s] * ratio[s & (patterns - 1)]
            if share != 0.0:
                for k in range(terms):
                    clamped[k] += share * features[s, k]
        for _ in range(inner):
            free[:] = 0.0
            total = 0.0
            for s in range(states):
                total += p[s]
                row = counts[s]
                for k in range(terms):
                    free[row, k] += p[s] * features[s, k]
            for k in range(terms):
                weights[k] += _newton(free, k, units, clamped[k] * total)
            _unpack(weights, pairs, W)
            _state_weights(b, W, p)
    return weights


@_njit
def _newton(free, k, units, target):
    """Root of (8) for one term; e^(gamma n(n-1)/2) by repeated products, since it grows by e^(gamma n) with n."""
    gamma = 0.0
    for _ in range(200):
        base = math.exp(gamma)
        power, factor, total, slope = 1.0, base, 0.0, 0.0
        for n in range(2, units + 1):
            power *= factor
            factor *= base
            value = free[n, k] * power
            total += value
            slope += 0.5 * n * (n - 1) * value
        step = max(math.log(total / target) * total / slope, -10.0)  # an overshoot must not overflow
        gamma -= step
        if abs(step) < 1e-9:
            break
    return gamma


@_njit
def _unpack(weights, pairs, W):
    for k in range(weights.size):
        W[pairs[k, 0], pairs[k, 1]] = weights[k]


def log_likelihood(tables, weights):
    """Mean log-likelihood of a row, and its gradient: clamped minus free expectations."""
    states = _shifted_weights(tables.features, weights)
    joint = states.reshape(1 << tables.hidden, 1 << tables.visible)
    marginal = np.maximum(joint.sum(axis=0), 1e-300)  # an unseen pattern may underflow: 0 * log 0 is 0 here
    total = states.sum()
    residual = joint * (tables.empirical / marginal - 1.0 / total)
    return tables.empirical @ np.log(marginal) - math.log(total), residual.ravel() @ tables.features


def restarts_lbfgsb(tables, restarts=100, seed=0, tolerance=1e-6):
    """SciPy L-BFGS-B from normal starts, gradient from exact enumeration; all candidates, one tuple each.

    Only the gradient stops a run (ftol = 0): the maximum is often at infinity, where L hardly moves any more.
    """
    rng = np.random.default_rng(seed)

    def objective(weights):
        value, gradient = log_likelihood(tables, weights)
        return -value, -gradient

    candidates = []
    for _ in range(restarts):
        start = rng.normal(size=len(tables.pairs))
        found = minimize(
            objective, start, jac=True, method="L-BFGS-B",
            options={"gtol": tolerance, "ftol": 0.0, "maxiter": 20_000, "maxfun": 40_000},
        )  # fmt: skip
        candidates.append((-found.fun, float(np.abs(found.jac).max()), found.nit, found.x))
    return candidates


def _shifted_weights(features, weights):
    logits = features @ weights
    logits -= logits.max()
    return np.exp(logits, out=logits)


# --------------------------------------------------------------------------- check

EXACT = {
    "exact_state_matrix": exact_state_matrix,
    "exact_folding": exact_folding,
    "exact_blocked": exact_blocked,
    "exact_gray_numba": exact_gray_numba,
    "exact_doubling_numba": exact_doubling_numba,
    "exact_product_numba": exact_product_numba,
}
EM_IS = {"em_is_numpy": em_is_numpy, "em_is_numba": em_is_numba}


def random_machine(units, rng, scale=1.0):
    """A dense machine with biases whose energies stay of order one at every size."""
    W = np.triu(rng.normal(size=(units, units)) * scale / math.sqrt(units), 1)
    return rng.normal(size=units) * 0.5 * scale, W + W.T


def check(tolerance=1e-10):
    """Every baseline against a literal enumeration on random small machines; raises on the first disagreement."""
    rng = np.random.default_rng(1)
    for units, scale in itertools.product((1, 2, 3, 5, 8, 10), (0.0, 1.0, 20.0, 400.0)):
        b, W = random_machine(units, rng, scale)
        wanted = literal.exact(b, W)
        for name, exact in EXACT.items():
            variants = [exact(b, W)]
            if exact is exact_blocked:  # the small machines fit one block: force several
                variants.append(exact_blocked(b, W, low_units=2, rows=4))
            for got in variants:
                _agree(f"{name}, {units} units, scale {scale}", wanted, got, tolerance)
    rows = (rng.random((40, 3)) < 0.7).astype(int)
    tables = em_is_tables(3, 2, rows)
    start = rng.normal(size=len(tables.pairs))
    wanted = literal.em_is(3, 2, rows, start, iterations=3, inner=4)
    for name, em_is in EM_IS.items():
        _agree(name, [wanted], [em_is(tables, start, 3, 4)], tolerance)
    before, _ = log_likelihood(tables, start)
    after, gradient = log_likelihood(tables, wanted)
    assert after > before, "EM-IS lowered the likelihood"
    clamped, free = literal.expectations(3, 2, rows, wanted)
    _agree("gradient", [np.subtract(clamped, free.sum(axis=1))], [gradient], tolerance)
    for value, residual, _, found in restarts_lbfgsb(tables, restarts=3):
        assert residual < 1e-5 and value >= before, "L-BFGS-B did not converge on a small problem"
        _agree("L-BFGS-B value", [value], [log_likelihood(tables, found)[0]], tolerance)


def _agree(what, wanted, got, tolerance):
    for expected, value in zip(wanted, got, strict=True):
        error = np.max(np.abs(np.subtract(value, expected)) / np.maximum(1.0, np.abs(expected)), initial=0.0)
        if not error <= tolerance:  # written so that a NaN fails
            raise AssertionError(f"{what}: off by {error:.3g}")


if __name__ == "__main__":
    check()
    print("all baselines agree with the literal enumeration")
