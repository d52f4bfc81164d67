"""Machines with their weights, and what engines say of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core, _parameters
from ._candidates import Records, html_table
from ._draws import ChainStates
from ._tables import array
from ._warnings import warn

Given = Mapping[str, Any]
"""Units held at a value: 0, 1, a bool, or a word of the unit's column."""


@dataclass(frozen=True)
class Value:
    """A number with what it is worth: exact, a bound, an estimate, or by Monte Carlo with its standard error.

    Where log Z was sampled, ``at_least`` and ``at_most`` hold all ways to it, and ``trusted`` says whether they agree: if
    they do not, the interval is the answer.
    """

    value: float
    kind: str
    std_err: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    trusted: bool | None = None

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        error = f" ± {self.std_err:.2g}" if self.std_err is not None else ""
        told = f"{self.value:.6g}{error} ({self.kind.replace('_', ' ')}"
        if self.trusted is None:
            return told + ")"
        trust = "all ways agree" if self.trusted else "not settled"
        return f"{told}, between {self.at_least:.6g} and {self.at_most:.6g}: {trust})"


@dataclass(frozen=True)
class Score:
    """How probable rows are under a machine: the mean log-likelihood in nats per row, and that of every row.

    ``std_err_over_rows`` is what the mean would vary by with other rows; the errors of ``mean`` and ``std_errs`` are those
    of sampling, None and NaN where sums are exact.
    """

    mean: Value
    std_err_over_rows: float | None
    log_partition: Value
    engine: str
    per_row: NDArray[np.float64]
    std_errs: NDArray[np.float64]

    @classmethod
    def of(cls, core: _core.Network, data: _core.Data, seed: int, threads: int) -> Score:
        """Of rows under a machine, by the engine that suits it."""
        scores, errors, text = core.score(data, None, (seed, None, None, None), threads)
        found = json.loads(text)
        # The caller's caller is the user.
        warn([tuple(warned) for warned in found["warnings"]], stacklevel=5)
        return cls(
            mean=Value(**found["mean"]),
            std_err_over_rows=found["std_err_over_rows"],
            log_partition=Value(**found["log_partition"]),
            engine=found["engine"],
            per_row=array(scores),
            std_errs=array(errors),
        )

    def __repr__(self) -> str:
        return f"Score(mean={self.mean}, rows={len(self.per_row)}, engine={self.engine!r})"


@dataclass(frozen=True)
class Inference:
    """What an engine says of a machine."""

    engine: str
    reason: str
    method: str
    log_partition: Value
    entropy: Value
    units: tuple[str, ...]
    means: NDArray[np.float64]
    mean_std_errs: NDArray[np.float64] | None
    terms: tuple[tuple[int, ...], ...]
    expectations: NDArray[np.float64]
    expectation_std_errs: NDArray[np.float64] | None
    notes: tuple[str, ...] = ()

    def mean(self, unit: str) -> float:
        """P(unit = 1)."""
        return float(self.means[self.units.index(unit)])

    def __repr__(self) -> str:
        return f"Inference(engine={self.engine!r}, log_partition={self.log_partition}, entropy={self.entropy})"


class EngineComparison(Records):
    """What every engine says of one machine, the most trustworthy first."""

    @property
    def best(self) -> str:
        """The engine that the others are measured by."""
        return str(next(row["engine"] for row in self if row["is_best"]))


class Network:
    """Named units, visible or hidden, and terms (sets of units) with weights: p(x) ∝ exp Σ λ_V Π_{v∈V} x_v.

    Parameters
    ----------
    visible, hidden : sequences of str
        The names of the units.
    terms : mapping or iterable of pairs
        From the names of a term's units (a tuple, or one name) to its weight.

    Examples
    --------
    >>> from latentropy import Network
    >>> agree = Network(["a", "b"], ["z"], {("a", "z"): 2.0, ("b", "z"): 2.0, "z": -2.0})
    >>> round(agree.infer(given={"a": 1}).mean("b"), 3)
    0.807
    """

    def __init__(
        self,
        visible: Sequence[str],
        hidden: Sequence[str] = (),
        terms: Mapping[Any, float] | Iterable[tuple[Any, float]] = (),
    ) -> None:
        pairs = terms.items() if isinstance(terms, Mapping) else terms
        listed = [
            ([names] if isinstance(names, str) else list(names), _parameters.number("a weight", weight))
            for names, weight in pairs
        ]
        self._core = _core.Network.from_terms(list(visible), list(hidden), listed)

    @classmethod
    def _of(cls, core: _core.Network) -> Network:
        network = cls.__new__(cls)
        network._core = core
        return network

    @classmethod
    def shaped(
        cls,
        columns: Sequence[str] | int,
        n_hidden: int = 0,
        shape: str = "full",
        *,
        bias: bool = True,
        order: int | None = None,
    ) -> Network:
        """A named shape (full, rbm, semi-restricted, visible, independent), all weights zero."""
        names = [f"y{at + 1}" for at in range(columns)] if isinstance(columns, int) else list(columns)
        return cls._of(_core.Network.shaped(names, _parameters.count("n_hidden", n_hidden), shape, bias, order))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Network:
        """From a file: latentropy's model.json, UAI, or dimod's BQM as JSON, by extension."""
        core, warned = _core.Network.read(path)
        warn(warned)
        return cls._of(core)

    def save(self, path: str | PathLike[str]) -> None:
        """Writes a file, whole or not at all: json, uai or bqm by extension."""
        warn(self._core.write(path))

    def to_json(self) -> str:
        """The text of model.json: everything, weights bit by bit."""
        return self._core.text("model.json")[0]

    @classmethod
    def from_json(cls, text: str) -> Network:
        """From the text of model.json."""
        return cls._of(_core.Network.from_text("model.json", text))

    def to_uai(self) -> str:
        """The text of a UAI model; it keeps no names."""
        text, warned = self._core.text("model.uai")
        warn(warned)
        return text

    def to_bqm(self) -> Any:
        """dimod's ``BinaryQuadraticModel``: the energy is minus the exponent."""
        import dimod

        if self.order > 2:
            raise ValueError("a binary quadratic model holds terms of at most two units; this machine has larger ones")
        bqm = dimod.BinaryQuadraticModel(dimod.BINARY)
        for name in self.units:
            bqm.add_variable(name)
        for term, weight in zip(self.terms, self.weights):
            names = [self.units[unit] for unit in term]
            if len(names) == 1:
                bqm.add_linear(names[0], -float(weight))
            else:
                bqm.add_quadratic(names[0], names[1], -float(weight))
        bqm.offset -= self.constant
        return bqm

    def to_networkx(self) -> Any:
        """A graph of networkx: units with ``hidden`` and ``bias``, pairs with ``weight``."""
        import networkx

        if self.order > 2:
            raise ValueError("a graph holds pairs; this machine has terms of more units")
        graph = networkx.Graph()
        biases = self.biases
        for at, (name, hidden) in enumerate(self._core.units):
            graph.add_node(name, hidden=hidden, bias=float(biases[at]))
        for term, weight in zip(self.terms, self.weights):
            if len(term) == 2:
                graph.add_edge(self.units[term[0]], self.units[term[1]], weight=float(weight))
        return graph

    @property
    def units(self) -> tuple[str, ...]:
        """The names of all units."""
        return tuple(name for name, _ in self._core.units)

    @property
    def visible(self) -> tuple[str, ...]:
        """The names of the visible units."""
        return tuple(name for name, hidden in self._core.units if not hidden)

    @property
    def hidden(self) -> tuple[str, ...]:
        """The names of the hidden units."""
        return tuple(name for name, hidden in self._core.units if hidden)

    @property
    def terms(self) -> tuple[tuple[int, ...], ...]:
        """The places of the units of every term."""
        return tuple(tuple(term) for term in self._core.terms)

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights of the terms."""
        return array(self._core.weights)

    @property
    def constant(self) -> float:
        """The weight of the empty term, which changes no probability."""
        return self._core.constant

    @property
    def order(self) -> int:
        """The most units in a term."""
        return max((len(term) for term in self._core.terms), default=0)

    @property
    def words(self) -> dict[str, tuple[str, str]]:
        """What 0 and 1 are written as in columns that have words of their own."""
        return {column: (zero, one) for column, zero, one in self._core.words_of_columns}

    @property
    def biases(self) -> NDArray[np.float64]:
        """The bias of every unit; 0 where there is none."""
        return self.spread(self.weights)[0]

    @property
    def pairs(self) -> NDArray[np.float64]:
        """The pair weights as a symmetric matrix over all units."""
        return self.spread(self.weights)[1]

    def spread(self, values: NDArray[np.float64], fill: float = 0.0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """One value per term as a vector over units and a symmetric matrix over pairs."""
        size = len(self._core.units)
        biases, pairs = np.full(size, fill), np.full((size, size), fill)
        for term, value in zip(self._core.terms, values):
            if len(term) == 1:
                biases[term[0]] = value
            elif len(term) == 2:
                pairs[term[0], term[1]] = pairs[term[1], term[0]] = value
        return biases, pairs

    def with_weights(self, weights: Any) -> Network:
        """The same machine with other weights, one per term."""
        return Network._of(self._core.with_weights(np.ascontiguousarray(weights, dtype=np.float64)))

    def spins(self) -> tuple[NDArray[np.float64], float]:
        """The weights of the terms in the {−1,+1} view, and the constant of that view."""
        weights, constant = self._core.spins()
        return array(weights), constant

    def infer(
        self,
        *,
        given: Given | None = None,
        engine: str = "auto",
        chains: int | None = None,
        sweeps: int | None = None,
        annealing: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> Inference:
        """log Z, entropy, means and expectations, some units held at will; by the best engine, or the one named."""
        sampled = (_parameters.seed(random_state), chains, sweeps, annealing)
        named = _parameters.optional(_parameters.word, "engine", engine)
        text = self._core.infer(_held(given), named, sampled, _parameters.threads(n_jobs))
        found = json.loads(text)
        warn([tuple(warned) for warned in found["warnings"]])
        return Inference(
            engine=found["engine"],
            reason=found["reason"],
            method=found["method"],
            log_partition=Value(**found["log_partition"]),
            entropy=Value(**found["entropy"]),
            units=self.units,
            means=np.asarray(found["means"]),
            mean_std_errs=_optional_array(found["mean_std_errs"]),
            terms=self.terms,
            expectations=np.asarray(found["terms"]),
            expectation_std_errs=_optional_array(found["term_std_errs"]),
            notes=tuple(found["notes"]),
        )

    def compare_engines(
        self,
        *,
        given: Given | None = None,
        chains: int | None = None,
        sweeps: int | None = None,
        annealing: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> EngineComparison:
        """What every engine says, each with its answer or its refusal."""
        sampled = (_parameters.seed(random_state), chains, sweeps, annealing)
        rows = json.loads(self._core.compare(_held(given), sampled, _parameters.threads(n_jobs)))
        for row in rows:
            warn([tuple(warned) for warned in row.pop("warnings")])
            for name in ("log_partition", "entropy"):
                value = row.pop(name) or {"value": None, "kind": None, "std_err": None}
                row[name], row[f"{name}_kind"], row[f"{name}_std_err"] = (
                    value["value"],
                    value["kind"],
                    value["std_err"],
                )
        return EngineComparison(rows)

    def sample(
        self,
        n_samples: int = 1,
        *,
        given: Given | None = None,
        hidden: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> NDArray[np.int8]:
        """States drawn from the machine, one column per visible unit (per unit with ``hidden``)."""
        count = _parameters.count("n_samples", n_samples, 1)
        drawn, warned = self._core.sample(
            count, _held(given), _parameters.seed(random_state), _parameters.threads(n_jobs)
        )
        warn(warned)
        states: NDArray[np.int8] = array(drawn, len(self.units), np.int8)
        if hidden:
            return states
        return states[:, [at for at, (_, is_hidden) in enumerate(self._core.units) if not is_hidden]]

    def chains(
        self,
        n_chains: int = 4,
        n_draws: int = 1000,
        *,
        burn_in: int = 1000,
        apart: int = 1,
        given: Given | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> ChainStates:
        """States of Gibbs chains in their order, hidden units included, for those who judge mixing by themselves.

        ``burn_in`` sweeps go before the first state, ``apart`` from one to the next. ``sample`` draws independently where an
        engine can; ``infer(engine="gibbs")`` runs chains until they agree, and gives standard errors.
        """
        count = _parameters.count
        plan = (
            count("n_chains", n_chains, 1),
            count("n_draws", n_draws, 1),
            count("burn_in", burn_in),
            count("apart", apart, 1),
        )
        drawn = _core.chains(
            self._core, _held(given), plan, _parameters.seed(random_state), _parameters.threads(n_jobs)
        )
        states: NDArray[np.int8] = np.frombuffer(drawn, dtype=np.int8).reshape(plan[0], plan[1], len(self.units))
        return ChainStates(states, self.units)

    def log_probability(self, X: Any, *, engine: str = "auto", random_state: Any = None, n_jobs: int | None = None) -> Any:
        """log p of rows over the visible units, hidden units and missing cells (NaN) summed out."""
        rows = np.ascontiguousarray(np.atleast_2d(np.asarray(X, dtype=np.float64)))
        if rows.shape[1] != len(self.visible):
            raise ValueError(f"X has {rows.shape[1]} columns, and the machine has {len(self.visible)} visible units")
        data = _core.Data.from_matrix(rows, rows.shape[1], list(self.visible), "scoring", None, self._core)
        sampled = (_parameters.seed(random_state), None, None, None)
        named = _parameters.optional(_parameters.word, "engine", engine)
        scores, _, text = self._core.score(data, named, sampled, _parameters.threads(n_jobs))
        warn([tuple(warned) for warned in json.loads(text)["warnings"]])
        return array(scores)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (Network.from_json, (self.to_json(),))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Network) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __repr__(self) -> str:
        return f"Network({len(self.visible)} visible, {len(self.hidden)} hidden, {len(self._core.terms)} terms)"

    def _repr_html_(self) -> str:
        rows = [
            {"term": " · ".join(self.units[unit] for unit in term) or "constant", "weight": float(weight)}
            for term, weight in sorted(zip(self.terms, self.weights), key=lambda pair: -abs(pair[1]))
        ]
        return f"<p>{self!r}</p>{html_table(rows, 12)}"


def infer(network: Network, **options: Any) -> Inference:
    """``network.infer(...)``."""
    return network.infer(**options)


def compare_engines(network: Network, **options: Any) -> EngineComparison:
    """``network.compare_engines(...)``."""
    return network.compare_engines(**options)


def engines() -> dict[str, str]:
    """The engines, each with what it is; the most trustworthy first."""
    return dict(_core.names()[0])


def learners() -> dict[str, str]:
    """The learners, each with what it is."""
    return dict(_core.names()[1])


def _held(given: Given | None) -> list[tuple[str, bool | str]]:
    held: list[tuple[str, bool | str]] = []
    for name, value in (given or {}).items():
        if isinstance(value, str):
            held.append((name, value))
        elif value in (0, 1):
            held.append((name, bool(value)))
        else:
            raise ValueError(f"given: the value of {name} must be 0, 1 or a word, not {value!r}")
    return held


def _optional_array(values: Sequence[float] | None) -> NDArray[np.float64] | None:
    return None if values is None else np.asarray(values)
