"""States of Gibbs chains and refits of a bootstrap, as arrays and for xarray."""

from __future__ import annotations

import numpy as np
import pytest

from conftest import two_groups
from latentropy import BoltzmannMachine, Network


def test_chains_have_the_means_of_the_machine() -> None:
    network = Network(["a", "b"], ["z"], {("a", "z"): 2.0, ("b", "z"): 1.5, "z": -2.0, "a": 0.25})
    chains = network.chains(100, 200, burn_in=50, random_state=3)
    assert chains.states.shape == (100, 200, 3) and chains.units == ("a", "b", "z")
    assert np.array_equal(chains.states, network.chains(100, 200, burn_in=50, random_state=3, n_jobs=1).states)
    # Chains are independent: the error is that of their own means.
    means = chains.states.mean(axis=1)
    errors = means.std(axis=0, ddof=1) / np.sqrt(len(means))
    assert np.all(np.abs(means.mean(axis=0) - network.infer().means) < 5 * errors)
    held = network.chains(2, 5, given={"a": 1})
    assert np.all(held.states[:, :, 0] == 1)
    with pytest.raises(ValueError, match="n_chains"):
        network.chains(0)
    with pytest.raises(ValueError, match="keep fewer"):
        network.chains(2**30, 2**10)


def test_refits() -> None:
    X = two_groups()
    machine = BoltzmannMachine(n_hidden=1, shape="rbm", ridge=1.0, n_init=3, n_bootstrap=8).fit(X)
    refits = machine.bootstrap_
    assert refits is not None and len(refits) == 8 and refits.converged.all()
    assert refits.weights.shape == (8, len(machine.network_.terms))
    told = machine.document_["uncertainty"]["weights"][0]["bootstrap"]
    assert told["standard_error"] == pytest.approx(refits.weights[:, 0].std(ddof=1), rel=1e-9)
    assert BoltzmannMachine(n_hidden=1, ridge=1.0, n_init=1).fit(X).bootstrap_ is None


def test_xarray() -> None:
    pytest.importorskip("xarray")
    network = Network.shaped(3, 1, "rbm")
    states = network.chains(3, 10).to_xarray()
    assert dict(states.sizes) == {"chain": 3, "draw": 10, "unit": 4}
    assert list(states["unit"].values) == list(network.units)
    machine = BoltzmannMachine(n_hidden=1, shape="rbm", ridge=1.0, n_init=1, n_bootstrap=4).fit(two_groups())
    assert machine.bootstrap_ is not None
    refits = machine.bootstrap_.to_xarray()
    assert refits["weight"].dims == ("chain", "draw", "term") and refits.sizes["chain"] == 1
    assert "y1 · z1" in refits["term"].values


def test_where_a_search_begins() -> None:
    X = two_groups()
    first = BoltzmannMachine(n_hidden=1, shape="rbm", ridge=1.0, n_init=1).fit(X)
    again = BoltzmannMachine(n_hidden=1, shape="rbm", ridge=1.0, n_init=1, search="restarts", start=first.network_).fit(X)
    assert again.log_likelihood_ == pytest.approx(first.log_likelihood_, abs=1e-9)
    assert again.n_iter_ <= first.n_iter_
    with pytest.raises(ValueError, match="no search"):
        BoltzmannMachine(n_hidden=1, search="everywhere").fit(X)
    with pytest.raises(ValueError, match="start"):
        BoltzmannMachine(n_hidden=1, start=[1, 2]).fit(X)
