"""A restricted machine with the face of scikit-learn's ``BernoulliRBM``, and a likelihood."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _core, _parameters, _tables
from ._network import Network, Score
from ._progress import Bar
from ._warnings import warn


class BernoulliRBM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A restricted Boltzmann machine, learned by persistent contrastive divergence in mini-batches.

    The constructor and the fitted attributes are those of ``sklearn.neural_network.BernoulliRBM``. What is different:
    ``score_samples`` is the log-likelihood (exact for up to about 30 units on the smaller side, else annealed), and not a
    pseudo-likelihood; and cells are 0 and 1, so that grey values need ``binarize``.

    For small data ``BoltzmannMachine`` learns to the maximum, and says how far to trust it.

    Parameters
    ----------
    n_components : int
        Hidden units.
    learning_rate : float
        The first step length; it falls slowly.
    batch_size : int
        Rows in a mini-batch.
    n_iter : int
        Passes over the rows.
    verbose : int
        Whether a bar shows how far it is (with tqdm).
    random_state : int, NumPy generator or None
        The seed; None is 0.
    binarize : float, optional
        Cells above it are 1, others 0.
    n_jobs : int, optional
        Threads.

    Attributes
    ----------
    components_ : ndarray
        The pair weights, of shape ``(n_components, n_features_in_)``.
    intercept_hidden_, intercept_visible_ : ndarrays
        The biases.
    h_samples_ : ndarray
        The chains of ``partial_fit``, of shape ``(batch_size, n_components)``.
    """

    _network: Network | None

    def __init__(
        self,
        n_components: int = 256,
        *,
        learning_rate: float = 0.1,
        batch_size: int = 10,
        n_iter: int = 10,
        verbose: int = 0,
        random_state: Any = None,
        binarize: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.n_iter = n_iter
        self.verbose = verbose
        self.random_state = random_state
        self.binarize = binarize
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns from the rows of a table."""
        hidden = _parameters.count("n_components", self.n_components, 1)
        batch = _parameters.count("batch_size", self.batch_size, 1)
        rate = _parameters.number("learning_rate", self.learning_rate)
        passes = _parameters.count("n_iter", self.n_iter, 1)
        rows = self._rows(X, reset=True)
        data = _core.Data.from_matrix(rows, rows.shape[1], self._names(), "learning")
        warn(data.warnings, stacklevel=3)
        seed, threads = _parameters.seed(self.random_state), _parameters.threads(self.n_jobs)
        bar = Bar() if self.verbose else None
        try:
            self._take(Network._of(_core.restricted(data, hidden, batch, rate, passes, seed, threads, bar)))
        finally:
            if bar is not None:
                bar.close()
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """One step of persistent contrastive divergence by the rows of one mini-batch (Tieleman 2008)."""
        first = not hasattr(self, "components_")
        rows = self._rows(X, reset=first)
        random = self._random(first)
        if first:
            shape = (self.n_components, rows.shape[1])
            self.components_ = random.normal(0, 0.01, shape)
            self.intercept_hidden_ = np.zeros(shape[0])
            self.intercept_visible_ = np.zeros(shape[1])
            self.h_samples_ = np.zeros((self.batch_size, shape[0]))
        if len(self.h_samples_) != len(rows):
            self.h_samples_ = np.zeros((len(rows), self.n_components))
        positive = self._mean_hiddens(rows)
        visible = self._draw(self._mean_visibles(self.h_samples_), random)
        negative = self._mean_hiddens(visible)
        rate = float(self.learning_rate) / len(rows)
        self.components_ += rate * (positive.T @ rows - negative.T @ visible)
        self.intercept_hidden_ += rate * (positive.sum(axis=0) - negative.sum(axis=0))
        self.intercept_visible_ += rate * (rows.sum(axis=0) - visible.sum(axis=0))
        self.h_samples_ = self._draw(negative, random)
        self._network = None
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """P(h = 1 | row) of every hidden unit."""
        check_is_fitted(self, "components_")
        return self._mean_hiddens(self._rows(X, reset=False))

    def gibbs(self, v: Any) -> NDArray[np.bool_]:
        """One step of Gibbs sampling from visible states: hidden units given them, then visible units given those."""
        check_is_fitted(self, "components_")
        random = self._random(False)
        hidden = self._draw(self._mean_hiddens(np.asarray(v, dtype=np.float64)), random)
        states: NDArray[np.bool_] = self._draw(self._mean_visibles(hidden), random).astype(bool)
        return states

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """log p of every row, missing cells summed out."""
        return self.evaluate(X).per_row

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood of the rows."""
        return float(self.evaluate(X).mean)

    def evaluate(self, X: Any) -> Score:
        """The mean log-likelihood with its errors and, where log Z was sampled, the interval that it lies in."""
        check_is_fitted(self, "components_")
        data = self._read(X, "scoring", reset=False)
        return Score.of(
            self.network_._core, data, _parameters.seed(self.random_state), _parameters.threads(self.n_jobs)
        )

    @property
    def network_(self) -> Network:
        """The machine with its weights."""
        check_is_fitted(self, "components_")
        network = self._network
        if network is None:
            width, hidden = self.n_features_in_, len(self.components_)
            network = Network.shaped(self._names() or width, hidden, "rbm")
            biases = np.concatenate([self.intercept_visible_, self.intercept_hidden_])
            weights = [
                biases[term[0]] if len(term) == 1 else self.components_[term[1] - width, term[0]]
                for term in network.terms
            ]
            network = self._network = network.with_weights(weights)
        return network

    def _names(self) -> list[str] | None:
        return [str(name) for name in self.feature_names_in_] if hasattr(self, "feature_names_in_") else None

    def _take(self, network: Network) -> None:
        width = len(network.visible)
        biases, pairs = network.biases, network.pairs
        self._network = network
        self.components_ = np.ascontiguousarray(pairs[width:, :width])
        self.intercept_visible_ = biases[:width].copy()
        self.intercept_hidden_ = biases[width:].copy()
        self.h_samples_ = np.zeros((self.batch_size, len(self.components_)))

    def _read(self, X: Any, purpose: str, reset: bool) -> _core.Data:
        return _tables.read(X, estimator=self, purpose=purpose, reset=reset, binarize=self.binarize, stacklevel=5)

    def _rows(self, X: Any, reset: bool) -> NDArray[np.float64]:
        """Complete rows of 0 and 1."""
        rows = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)
        rows = rows if isinstance(rows, np.ndarray) else rows.toarray()
        if self.binarize is not None:
            return np.ascontiguousarray(rows > self.binarize, dtype=np.float64)
        strange = rows[(rows != 0) & (rows != 1)]
        if strange.size:
            raise ValueError(f"{strange[0]} is not a binary value; give 0 and 1, or binarize=0.5")
        return np.ascontiguousarray(rows)

    def _random(self, first: bool) -> np.random.RandomState:
        """Draws go on from call to call."""
        if first or not hasattr(self, "_drawing"):
            self._drawing: np.random.RandomState = check_random_state(_parameters.seed(self.random_state) % 2**32)
        return self._drawing

    def _mean_hiddens(self, visible: NDArray[np.float64]) -> NDArray[np.float64]:
        means: NDArray[np.float64] = expit(visible @ self.components_.T + self.intercept_hidden_)
        return means

    def _mean_visibles(self, hidden: NDArray[np.float64]) -> NDArray[np.float64]:
        means: NDArray[np.float64] = expit(hidden @ self.components_ + self.intercept_visible_)
        return means

    @staticmethod
    def _draw(means: NDArray[np.float64], random: np.random.RandomState) -> NDArray[np.float64]:
        drawn: NDArray[np.float64] = (random.random_sample(means.shape) < means).astype(np.float64)
        return drawn

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)
