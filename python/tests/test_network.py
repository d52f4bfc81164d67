"""Machines and engines."""

from __future__ import annotations

import pickle
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from latentropy import Network, compare_engines, engines, infer, learners


@pytest.fixture
def network() -> Network:
    weights = {("a", "z"): 2.0, ("b", "z"): 1.5, ("a", "b"): -0.5, "z": -2.0, "a": 0.25}
    return Network(["a", "b"], ["z"], weights)


def exponent(network: Network, state: tuple[int, ...]) -> float:
    pairs = zip(network.terms, network.weights)
    return network.constant + sum(weight * all(state[unit] for unit in term) for term, weight in pairs)


def test_inference_by_hand(network: Network) -> None:
    states = list(product([0, 1], repeat=3))
    weights = np.exp([exponent(network, state) for state in states])
    found = network.infer()
    assert found.log_partition.value == pytest.approx(np.log(weights.sum()), abs=1e-12)
    assert found.log_partition.kind == "exact" and found.engine == "exact"
    means = weights @ np.array(states) / weights.sum()
    assert np.allclose(found.means, means, atol=1e-12)
    held = infer(network, given={"a": 1})
    assert held.mean("a") == 1
    rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    assert np.exp(network.log_probability(rows)).sum() == pytest.approx(1, abs=1e-12)
    assert network.log_probability([[np.nan, 1]])[0] == pytest.approx(np.log(means[1]), abs=1e-12)


def test_engines_side_by_side(network: Network) -> None:
    table = compare_engines(network)
    assert table.best == "exact" and len(table) == len(engines())
    frame = table.to_pandas()
    exact = frame["log_partition"][0]
    bounds = dict(zip(frame["engine"], frame["log_partition"]))
    assert bounds["mean-field"] <= exact + 1e-9 <= bounds["trw"] + 2e-9
    sampled = network.infer(engine="gibbs", chains=64, sweeps=500, random_state=3)
    assert sampled.mean_std_errs is not None and sampled.log_partition.kind == "monte_carlo"
    assert np.all(np.abs(sampled.means - network.infer().means) < 5 * sampled.mean_std_errs + 1e-3)
    with pytest.raises(ValueError, match="does not sample"):
        network.infer(engine="exact", sweeps=3)
    assert "em-is" in learners()


def test_files(network: Network, tmp_path: Path) -> None:
    for name in ("model.json", "model.bqm"):
        network.save(tmp_path / name)
        again = Network.load(tmp_path / name)
        assert again.infer().entropy.value == pytest.approx(network.infer().entropy.value, abs=1e-12)
    assert Network.load(tmp_path / "model.json") == network
    assert network.to_uai().startswith("MARKOV")
    assert pickle.loads(pickle.dumps(network)) == network
    with pytest.raises(FileNotFoundError, match="cannot read"):
        Network.load(tmp_path / "nothing.json")
    with pytest.raises(ValueError, match="extension"):
        network.save(tmp_path / "model.txt")


def test_other_packages(network: Network) -> None:
    dimod = pytest.importorskip("dimod")
    bqm = network.to_bqm()
    for state in product([0, 1], repeat=3):
        energy = bqm.energy(dict(zip(network.units, state)))
        assert -energy == pytest.approx(exponent(network, state), abs=1e-12)
    assert isinstance(bqm, dimod.BinaryQuadraticModel)
    graph = network.to_networkx()
    assert graph.nodes["z"]["hidden"] and graph.edges["a", "z"]["weight"] == 2.0


def test_shapes_and_views() -> None:
    network = Network.shaped(3, 2, "rbm")
    assert len(network.terms) == 5 + 6 and network.visible == ("y1", "y2", "y3")
    other = network.with_weights(np.arange(11) / 10)
    spins, constant = other.spins()
    state = np.array([1, 0, 1, 1, 0])
    spun = constant + sum(w * np.prod(2 * state[list(term)] - 1) for term, w in zip(other.terms, spins))
    assert spun == pytest.approx(exponent(other, tuple(state)), abs=1e-12)
    drawn = other.sample(2000, hidden=True, random_state=1)
    assert drawn.shape == (2000, 5)
    assert np.abs(drawn.mean(axis=0) - other.infer().means).max() < 5 * 0.5 / np.sqrt(2000)
    with pytest.raises(ValueError, match="weights"):
        network.with_weights([1.0])
    with pytest.raises(ValueError, match='no unit named "q"'):
        Network(["a"], [], {"q": 1.0})
    assert "term" in other._repr_html_()
