"""The estimators as scikit-learn's users expect them."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import joblib
import numpy as np
import pandas
import pytest
from conftest import two_groups, with_holes
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer
from sklearn.utils.estimator_checks import parametrize_with_checks

from latentropy import BernoulliRBM, BoltzmannMachine, Network


@parametrize_with_checks(
    [
        BoltzmannMachine(n_hidden=1, shape="rbm", n_init=2, ridge=1.0, binarize=0.5),
        BernoulliRBM(n_components=2, n_iter=3, binarize=0.5),
    ]
)
def test_all_estimator_checks(estimator: Any, check: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.fixture(scope="module")
def X() -> np.ndarray:
    return two_groups()


@pytest.fixture(scope="module")
def machine(X: np.ndarray) -> BoltzmannMachine:
    return BoltzmannMachine(n_hidden=2, shape="rbm", ridge=1.0, n_init=5).fit(X)


def test_fitted_attributes(machine: BoltzmannMachine, X: np.ndarray) -> None:
    assert machine.converged_ and machine.certificate_ == "interior local maximum"
    assert machine.weights_.shape == (7, 7) and np.array_equal(machine.weights_, machine.weights_.T)
    assert machine.biases_.shape == (7,)
    assert machine.log_likelihood_ == pytest.approx(machine.score(X), abs=1e-12)
    assert machine.entropy_ > 0 and machine.n_iter_ > 0
    assert np.isfinite(machine.standard_errors_.biases).all()
    assert np.isnan(machine.standard_errors_.weights[0, 1])  # a restricted machine has no such pair
    assert len(machine.candidates_) == 5
    table = machine.candidates_.to_pandas()
    assert list(table["index"]) == [0, 1, 2, 3, 4]
    assert machine.candidates_.to_polars().shape == table.shape
    other = machine.candidates_[1].network
    assert isinstance(other, Network) and other.units == machine.network_.units
    assert machine.candidates_[1].log_likelihood == pytest.approx(other.log_probability(X).mean(), abs=1e-9)


def test_what_is_said_of_rows(machine: BoltzmannMachine, X: np.ndarray) -> None:
    scores = machine.score_samples(X)
    assert scores.shape == (60,) and (scores < 0).all()
    hidden = machine.transform(X)
    assert hidden.shape == (60, 2) and ((hidden > 0) & (hidden < 1)).all()
    states, chances = machine.most_probable_states(X)
    assert states.shape == (60, 2) and (chances > 0.25).all()
    # P(column | others) by hand: the two completions of a row.
    zero, one = X.copy(), X.copy()
    zero[:, 2], one[:, 2] = 0, 1
    by_hand = 1 / (1 + np.exp(machine.score_samples(zero) - machine.score_samples(one)))
    assert np.allclose(machine.predict_proba(X)[:, 2], by_hand, atol=1e-12)
    assert np.allclose(machine.predict_proba(X, columns=[2])[:, 0], by_hand, atol=1e-12)
    holes = with_holes(X)
    filled = machine.impute(holes)
    known = ~np.isnan(holes)
    assert np.array_equal(filled[known], X[known]) and not np.isnan(filled).any()
    assert set(np.unique(machine.impute(holes, mode=True))) <= {0.0, 1.0}
    draws = machine.impute(holes, n_draws=3, random_state=1)
    assert len(draws) == 3 and all(np.array_equal(draw[known], X[known]) for draw in draws)
    drawn = machine.sample(500, random_state=2)
    assert drawn.shape == (500, 5) and np.array_equal(drawn, machine.sample(500, random_state=2))
    assert machine.sample(50, given={"y1": 1})[:, 0].all()


def test_weights_are_repeated_rows(X: np.ndarray) -> None:
    weights = np.arange(len(X)) % 3
    weighted = BoltzmannMachine(n_hidden=1, ridge=1.0, n_init=2).fit(X, sample_weight=weights)
    repeated = BoltzmannMachine(n_hidden=1, ridge=1.0, n_init=2).fit(np.repeat(X, weights, axis=0))
    assert np.allclose(weighted.weights_, repeated.weights_, atol=1e-6)
    assert weighted.score(X, sample_weight=weights) == pytest.approx(repeated.log_likelihood_, abs=1e-9)


def test_copies(machine: BoltzmannMachine, X: np.ndarray, tmp_path: Any) -> None:
    fresh = clone(machine)
    with pytest.raises(NotFittedError):
        fresh.transform(X)
    again = pickle.loads(pickle.dumps(machine))
    assert np.array_equal(again.score_samples(X), machine.score_samples(X))
    assert again.candidates_[2].network == machine.candidates_[2].network
    with pytest.raises(RuntimeError, match="pickled"):
        again.report(tmp_path / "report.html")
    joblib.dump(machine, tmp_path / "machine")
    assert joblib.load(tmp_path / "machine").entropy_ == machine.entropy_


def test_pipelines_and_searches(X: np.ndarray) -> None:
    pipeline = make_pipeline(Binarizer(threshold=0.5), BoltzmannMachine(n_hidden=1, ridge=1.0, n_init=2))
    assert pipeline.fit_transform(X * 3).shape == (60, 1)
    search = GridSearchCV(BoltzmannMachine(shape="rbm", ridge=1.0, n_init=2), {"n_hidden": [0, 1, 2]}, cv=3, n_jobs=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(X)
    assert search.best_params_["n_hidden"] in (1, 2)
    frame = pandas.DataFrame(X, columns=list("abcde"))
    told = BoltzmannMachine(n_hidden=1, ridge=1.0, n_init=2).set_output(transform="pandas").fit_transform(frame)
    assert list(told.columns) == ["z1"]


def test_numbers_do_not_depend_on_threads(X: np.ndarray) -> None:
    one, two = (BoltzmannMachine(n_hidden=2, n_init=6, n_jobs=jobs).fit(X) for jobs in (1, 2))
    assert one.document_ == two.document_


def test_restricted_machine_beside_scikit_learn(X: np.ndarray) -> None:
    from sklearn.neural_network import BernoulliRBM as Theirs

    ours = BernoulliRBM(n_components=3, learning_rate=0.1, n_iter=20, random_state=1).fit(X)
    theirs = Theirs(n_components=3, learning_rate=0.1, n_iter=20, random_state=1).fit(X)
    for name in ("components_", "intercept_hidden_", "intercept_visible_", "h_samples_"):
        assert getattr(ours, name).shape == getattr(theirs, name).shape, name
    assert ours.transform(X).shape == (60, 3) and ours.gibbs(X).shape == X.shape
    assert ours.get_feature_names_out().tolist() == ["bernoullirbm0", "bernoullirbm1", "bernoullirbm2"]
    # The same weights in both: the same posterior, and a likelihood that sums to one.
    theirs.components_, theirs.intercept_hidden_ = ours.components_, ours.intercept_hidden_
    assert np.allclose(ours.transform(X), theirs.transform(X))
    states = np.array(np.meshgrid(*[[0, 1]] * 5)).reshape(5, -1).T
    assert np.exp(ours.score_samples(states)).sum() == pytest.approx(1, abs=1e-9)
    grown = BernoulliRBM(n_components=3, learning_rate=0.1, random_state=1)
    before = None
    for at in range(0, 60, 10):
        grown.partial_fit(X[at : at + 10])
        before = grown.score(X) if before is None else before
    for _ in range(50):
        for at in range(0, 60, 10):
            grown.partial_fit(X[at : at + 10])
    assert grown.score(X) > before
    with pytest.raises(ValueError, match="binarize=0.5"):
        grown.transform(X * 0.3)


def test_what_a_score_is_worth() -> None:
    X = two_groups()
    machine = BoltzmannMachine(n_hidden=1, n_init=3, ridge=1.0, random_state=0).fit(X)
    found = machine.evaluate(X)
    assert found.mean.kind == "exact" and found.mean.trusted is None and np.isnan(found.std_errs).all()
    assert float(found.mean) == machine.score(X) == pytest.approx(found.per_row.mean())
    assert found.std_err_over_rows == pytest.approx(found.per_row.std(ddof=1) / np.sqrt(len(X)))

    wide = (np.random.default_rng(3).random((60, 40)) < 0.4).astype(float)
    rbm = BernoulliRBM(n_components=40, n_iter=2, random_state=0).fit(wide)
    sampled = rbm.evaluate(wide)
    assert sampled.mean.kind == "monte_carlo" and sampled.mean.std_err is not None
    assert sampled.mean.at_least <= sampled.mean.value <= sampled.mean.at_most
    assert isinstance(sampled.mean.trusted, bool) and not np.isnan(sampled.std_errs).any()
