"""Figures of a fitted machine, with matplotlib (``pip install latentropy[plot]``).

Every function draws into ``ax``, or into a new figure, and returns the axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _tables
from ._machine import BoltzmannMachine

__all__ = ["candidates", "comparison", "moments", "network", "posterior", "sum_score", "training", "weights"]

_CHOSEN = "#c1440e"
_PLAIN = "#3b6ea5"


def candidates(machine: BoltzmannMachine, ax: Any = None) -> Any:
    """Entropy against log-likelihood of every candidate: what the two principles choose from."""
    ax = _axes(ax)
    table = machine.candidates_
    likelihood, entropy = np.array(table.column("log_likelihood")), np.array(table.column("entropy"))
    feasible = np.array(table.column("feasible"), dtype=bool)
    ax.scatter(likelihood[feasible], entropy[feasible], s=24, color=_PLAIN, alpha=0.6, label="solutions")
    if not feasible.all():
        ax.scatter(likelihood[~feasible], entropy[~feasible], s=24, color="0.7", label="not converged")
    chosen = machine.document_["selected"]
    label = f"chosen ({machine.document_['select']})"
    ax.scatter(likelihood[chosen], entropy[chosen], s=90, facecolors="none", edgecolors=_CHOSEN, linewidths=2, label=label)
    for values, set_limits in ((likelihood, ax.set_xlim), (entropy, ax.set_ylim)):
        if np.ptp(values) < 0.01:  # one solution: its rounding is not worth an axis
            set_limits(values.mean() - 0.05, values.mean() + 0.05)
    ax.set_xlabel("log-likelihood per row (nats)")
    ax.set_ylabel("entropy of the machine (nats)")
    ax.legend(frameon=False)
    return ax


def comparison(machine: BoltzmannMachine, ax: Any = None) -> Any:
    """The machines that were compared on rows held out, behind the best of them."""
    if machine.comparison_ is None:
        raise ValueError("nothing was compared: n_hidden and shape were given; leave them open or give several")
    ax = _axes(ax)
    rows = list(machine.comparison_)
    places = np.arange(len(rows))[::-1]
    for place, row in zip(places, rows):
        color = _CHOSEN if row["chosen"] else _PLAIN
        ax.errorbar(-row["behind_best"], place, xerr=row["behind_best_std_err"], fmt="o", color=color, capsize=3)
    ax.axvline(0, color="0.8", zorder=0)
    ax.set_yticks(places, [f"{row['shape']}, {row['hidden']} hidden" for row in rows])
    ax.set_xlabel("held-out log-likelihood per row, against the best (nats)")
    return ax


def moments(machine: BoltzmannMachine, X: Any, ax: Any = None) -> Any:
    """How often columns and pairs of them are 1: in the rows, and by the machine."""
    ax = _axes(ax)
    cells = _cells(machine, X)
    names = machine.network_.visible
    drawn = machine.network_.sample(20_000, random_state=0)
    for size, color, label in ((2, _PLAIN, "pairs"), (1, _CHOSEN, "columns")):
        seen, said = [], []
        for first in range(len(names)):
            for second in range(first, len(names)) if size == 2 else [first]:
                if size == 2 and first == second:
                    continue
                both = cells[:, first] * cells[:, second]
                if np.isfinite(both).any():
                    seen.append(np.nanmean(both))
                    said.append((drawn[:, first] * drawn[:, second]).mean())
        ax.scatter(said, seen, s=14 if size == 2 else 28, color=color, alpha=0.6, label=label)
    ax.axline((0, 0), slope=1, color="0.7", zorder=0)
    ax.set_xlabel("the machine (20,000 rows drawn)")
    ax.set_ylabel("the rows")
    ax.legend(frameon=False)
    return ax


def sum_score(machine: BoltzmannMachine, X: Any, ax: Any = None) -> Any:
    """How many columns are 1 in a row: in the complete rows, and by the machine."""
    ax = _axes(ax)
    cells = _cells(machine, X)
    complete = cells[~np.isnan(cells).any(axis=1)]
    width = len(machine.network_.visible)
    places = np.arange(width + 1)
    if len(complete):
        seen = np.bincount(complete.sum(axis=1).astype(int), minlength=width + 1) / len(complete)
        ax.bar(places, seen, color="0.8", label=f"{len(complete)} complete rows")
    drawn = machine.network_.sample(20_000, random_state=0).astype(int).sum(axis=1)
    ax.plot(places, np.bincount(drawn, minlength=width + 1) / len(drawn), "o-", color=_CHOSEN, label="the machine")
    ax.set_xlabel("columns that are 1")
    ax.set_ylabel("share of rows")
    ax.legend(frameon=False)
    return ax


def weights(machine: BoltzmannMachine, ax: Any = None) -> Any:
    """The pair weights, biases on the diagonal."""
    ax = _axes(ax)
    table = machine.weights_ + np.diag(machine.biases_)
    largest = float(np.abs(table).max()) or 1.0
    image = ax.imshow(table, cmap="RdBu_r", vmin=-largest, vmax=largest)
    units = machine.network_.units
    if len(units) <= 40:
        ax.set_xticks(range(len(units)), units, rotation=90)
        ax.set_yticks(range(len(units)), units)
    ax.figure.colorbar(image, ax=ax, label="weight (diagonal: bias)")
    return ax


def network(machine: BoltzmannMachine, ax: Any = None, most: int = 60) -> Any:
    """The machine as a graph: hidden units inside, the strongest pairs as lines."""
    ax = _axes(ax)
    found = machine.network_
    place = {name: _on_circle(at, len(found.visible), 1.0) for at, name in enumerate(found.visible)}
    inner = 0.45 if len(found.hidden) > 1 else 0.0
    place |= {name: _on_circle(at, len(found.hidden), inner) for at, name in enumerate(found.hidden)}
    pairs = [(term, weight) for term, weight in zip(found.terms, found.weights) if len(term) == 2]
    pairs.sort(key=lambda pair: -abs(pair[1]))
    largest = abs(pairs[0][1]) if pairs else 1.0
    for term, weight in pairs[:most]:
        ends = np.array([place[found.units[unit]] for unit in term])
        color = _CHOSEN if weight > 0 else _PLAIN
        ax.plot(*ends.T, color=color, linewidth=4 * abs(weight) / (largest or 1.0), alpha=0.7, zorder=1)
    for name, (across, up) in place.items():
        hidden = name in found.hidden
        ax.scatter(across, up, s=260 if hidden else 140, color="0.15" if hidden else "white", edgecolors="0.15", zorder=2)
        if hidden:
            ax.text(across, up, name, ha="center", va="center", fontsize=7, color="white", zorder=3)
        else:
            ax.text(across * 1.16, up * 1.16, name, ha="center", va="center", fontsize=8)
    ax.set_aspect("equal")
    ax.set_xlim(-1.45, 1.45)
    ax.set_ylim(-1.3, 1.3)
    ax.axis("off")
    return ax


def posterior(machine: BoltzmannMachine, X: Any, ax: Any = None) -> Any:
    """P(z = 1 | row) of every hidden unit, rows sorted by it."""
    ax = _axes(ax)
    means = np.asarray(machine.transform(X))
    if means.shape[1] == 0:
        raise ValueError("the machine has no hidden unit")
    order = np.lexsort(means.T[::-1])
    image = ax.imshow(means[order].T, aspect="auto", cmap="viridis", vmin=0, vmax=1, interpolation="nearest")
    ax.set_yticks(range(means.shape[1]), machine.network_.hidden)
    ax.set_xlabel("rows, sorted")
    ax.figure.colorbar(image, ax=ax, label="P(z = 1 | row)")
    return ax


def training(machine: BoltzmannMachine, ax: Any = None, most: int = 30) -> Any:
    """How learning went: the log-likelihood of rows kept for validation, look by look, where a machine in mini-batches has
    such rows; else the residual on its way down, restart by restart (``keep_traces=True``)."""
    looks = (machine.document_.get("validation") or {}).get("looks")
    if looks:
        return _validation(_axes(ax), looks, machine.document_["validation"].get("kept_pass"))
    if not machine.keep_traces:
        raise ValueError("no traces were kept: fit with keep_traces=True")
    ax = _axes(ax)
    chosen = machine.document_["selected"]
    shown = [at for at in range(min(most, len(machine.candidates_))) if at != chosen]
    for at in [*shown, chosen]:
        residuals = machine.trace(at)[:, 2]
        color, width = (_CHOSEN, 2.0) if at == chosen else ("0.7", 0.8)
        ax.plot(np.maximum(residuals, 1e-16), color=color, linewidth=width)
    ax.set_yscale("log")
    ax.set_xlabel("evaluations")
    ax.set_ylabel("residual")
    return ax


def _validation(ax: Any, looks: list[dict[str, Any]], kept: int | None) -> Any:
    passes = np.array([look["pass"] for look in looks])
    for name, color, label in (("training", "0.6", "rows learned from"), ("validation", _CHOSEN, "validation rows")):
        values = np.array([look[f"{name}_log_likelihood"] for look in looks])
        errors = np.array([look["std_err"] for look in looks])
        ax.plot(passes, values, color=color, label=label)
        ax.fill_between(passes, values - errors, values + errors, color=color, alpha=0.2, linewidth=0)
    if kept is not None:
        ax.axvline(kept, color="0.3", linestyle=":", linewidth=1, label="kept")
    ax.set_xlabel("passes over the rows")
    ax.set_ylabel("log-likelihood (nats per row)")
    ax.legend(frameon=False)
    return ax


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(layout="constrained")[1]


def _on_circle(at: int, count: int, radius: float) -> tuple[float, float]:
    angle = np.pi / 2 - 2 * np.pi * at / max(count, 1)
    return float(radius * np.cos(angle)), float(radius * np.sin(angle))


def _cells(machine: BoltzmannMachine, X: Any) -> NDArray[np.float64]:
    """The rows as 0, 1 and NaN, read by the machine's words."""
    return _tables.array(machine._read(X, "answering").cells(), len(machine.network_.visible))
