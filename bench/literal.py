"""Literal sums over states, with no tricks at all: what the baselines themselves are checked against."""

import itertools
import math

import numpy as np


def exact(b, W):
    """Sums over states, no tricks."""
    n = len(b)
    states = list(itertools.product((0, 1), repeat=n))
    pairs = list(itertools.combinations(range(n), 2))
    energies = [
        math.fsum([b[i] for i in range(n) if x[i]] + [W[i, j] for i, j in pairs if x[i] and x[j]]) for x in states
    ]
    largest = max(energies)
    log_partition = largest + math.log(math.fsum(math.exp(e - largest) for e in energies))
    p = [math.exp(e - log_partition) for e in energies]
    entropy = -math.fsum(q * (e - log_partition) for q, e in zip(p, energies))
    means = np.array([math.fsum(q for q, x in zip(p, states) if x[i]) for i in range(n)])
    matrix = np.zeros((n, n))
    for i, j in pairs:
        matrix[i, j] = math.fsum(q for q, x in zip(p, states) if x[i] and x[j])
    return log_partition, entropy, means, matrix


def expectations(visible, hidden, rows, weights):
    """Clamped expectations (6), and free expectations by the value of f#, one row a term."""
    units = visible + hidden
    pairs = list(itertools.combinations(range(units), 2))

    def weight(x):
        return math.exp(math.fsum(w for w, (i, j) in zip(weights, pairs) if x[i] and x[j]))

    clamped = np.zeros(len(pairs))
    for y in rows:
        completions = [(*y, *z) for z in itertools.product((0, 1), repeat=hidden)]
        total = math.fsum(map(weight, completions))
        for x in completions:
            clamped += [weight(x) / total * (x[i] and x[j]) / len(rows) for i, j in pairs]
    free = np.zeros((len(pairs), len(pairs) + 1))
    states = list(itertools.product((0, 1), repeat=units))
    total = math.fsum(map(weight, states))
    for x in states:
        active = [k for k, (i, j) in enumerate(pairs) if x[i] and x[j]]
        for k in active:
            free[k, len(active)] += weight(x) / total
    return clamped, free


def em_is(visible, hidden, rows, start, iterations, inner):
    """EM-IS with (8) solved by bisection, f# counted and not derived."""
    weights = np.array(start)
    for _ in range(iterations):
        clamped, _ = expectations(visible, hidden, rows, weights)
        for _ in range(inner):
            _, free = expectations(visible, hidden, rows, weights)
            for k in range(len(weights)):
                low, high = -20.0, 20.0
                for _ in range(100):
                    gamma = 0.5 * (low + high)
                    value = sum(a * math.exp(gamma * c) for c, a in enumerate(free[k]) if a)
                    low, high = (gamma, high) if value < clamped[k] else (low, gamma)
                weights[k] += 0.5 * (low + high)
    return weights
