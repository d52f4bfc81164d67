"""The estimator: a machine learned from a table, in the manner of scikit-learn."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, DensityMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _core, _executors, _parameters, _tables, _worker
from ._candidates import Candidates, Records
from ._draws import Refits
from ._network import Network, Score
from ._progress import Bar
from ._warnings import warn


@dataclass(frozen=True)
class StandardErrors:
    """Standard errors of the chosen machine; NaN where there is none, as where the data do not determine a weight."""

    weights: NDArray[np.float64]
    biases: NDArray[np.float64]
    log_likelihood: float
    entropy: float


class Interrupted:
    """What there is of a fit that was stopped: the restarts that had ended."""

    def __init__(self, watch: _core.Watch | _core.Assembly, threads: int) -> None:
        self._watch = watch
        self._threads = threads
        self._candidates: Candidates | None = None

    @property
    def candidates(self) -> Candidates | None:
        """The candidates that had ended, certified when they are first asked for; None where none had."""
        if self._candidates is None:
            text, networks = self._watch.finished(self._threads)
            if networks:
                weights = np.array([_tables.array(network.weights) for network in networks])
                self._candidates = Candidates(json.loads(text), Network._of(networks[0]), weights)
        return self._candidates


class _Pieces:
    """A fit as pieces, round after round."""

    def __init__(self, assembly: _core.Assembly, threads: int) -> None:
        self.assembly, self.threads = assembly, threads
        self.job, self.digest = assembly.job()
        self.round: tuple[bytes, int] = (b"", 0)

    @property
    def weight(self) -> int:
        return len(self.job) + len(self.round[0])

    def next(self) -> tuple[str, list[int]] | None:
        found = self.assembly.next(self.threads)
        if found is None:
            return None
        kind, pieces, round_, digest = found
        self.round = (round_, digest)
        return kind, pieces

    def task(self, pieces: list[int]) -> tuple[Any, tuple[Any, ...]]:
        return _worker.run_pieces, (self.job, self.digest, *self.round, pieces, 1)

    def take(self, part: bytes) -> None:
        self.assembly.take(part)

    def here(self, pieces: list[int]) -> bytes:
        return bytes(_core.Worker(self.job, self.round[0]).run(pieces, self.threads))


def _in_pieces(assembly: _core.Assembly, executor: Any, journal: Any, threads: int, bar: Any) -> _core.Fit:
    """A fit whose pieces an executor runs."""
    if journal is not None:
        assembly.note_in(Path(journal))
    _executors.run(_Pieces(assembly, threads), executor, bar)
    kinds = sorted(set(assembly.processors) | {_core.processor()})
    if len(kinds) > 1:
        sentence = (
            f"the pieces were run on several kinds of processors ({', '.join(kinds)}): the result is that of one kind to a "
            f"tolerance, not bit for bit"
        )
        warn([("fit", sentence)], stacklevel=4)
    return assembly.finish(threads)


class BoltzmannMachine(TransformerMixin, DensityMixin, BaseEstimator):  # type: ignore[misc]
    """A Boltzmann machine with hidden units, learned from binary rows by the latent maximum entropy principle.

    Cells are 0, 1 or missing (NaN, None, pd.NA); bool and two-valued columns (−1/1, 1/2, M/F, agree/disagree) are
    recognised, with a warning that says which value is 1. Nothing has to be set: machines are compared on rows held out.

    Parameters
    ----------
    n_hidden : int, sequence of int or "auto"
        How many hidden units; several are compared on rows held out, and "auto" adds them one at a time while one pays.
    shape : str, list of str, list of terms, or "auto"
        "full" (every pair), "rbm", "semi-restricted", "screened", "visible", "independent"; a list of these is compared; a list of
        tuples of unit names (columns, z1, z2, …) is the machine's terms. "auto" is "full", or where ``n_hidden`` is
        "auto", too, the machine that foretells rows held out best.
    select : {"lme", "mle", "held-out", "auto"}
        Of the solutions, the one of highest entropy (latent maximum entropy), of highest likelihood, or what rows held out
        decide: those of ``validation``, or folds. "auto" is what the command line does by itself: "lme", or where ``validation`` is
        a table the machine and the solution that foretell its rows best.
    n_init : int or "auto"
        How many restarts; "auto" stops where another solution is unlikely.
    ridge : float, "evidence" or "auto"
        The ridge on interactions; chosen by evidence or ("auto") by cross-validation.
    engine : str
        Who sums over states: see ``latentropy.engines()``.
    binarize : float, optional
        Cells above it are 1, others 0, as in scikit-learn's ``BernoulliNB``. Without it, a value that is not binary is an
        error.
    random_state : int, NumPy generator or None
        The seed of all random numbers, the same as the command line's ``--seed``; None is 0.
    n_jobs : int, optional
        Threads; all if None (or what OMP_NUM_THREADS allows). Results do not depend on it.
    learner : str
        How to learn: see ``latentropy.learners()``.
    learner_options : dict, optional
        Options of the learner, such as ``{"inner": 4}`` or ``{"batch": 10, "cd_rate": 0.1}``.
    bias : bool
        Whether units have biases.
    order : int, optional
        The most units in a term; 2 if None.
    bias_ridge : float, optional
        The ridge on biases; 0.1 beside a ridge if None.
    bound : float, optional
        Interactions stay within ± this.
    tol : float, optional
        The largest violation of a constraint at a solution; 1e-8 (1e-6 with engines that are not exact) if None.
    max_iter : int, optional
        Iterations after which a restart stops unconverged.
    anneal : bool
        Deterministic annealing in place of random starts; the same as ``search="anneal"``.
    start : Network, optional
        The weights that the first restart begins at.
    n_folds : int, optional
        How many folds, where something is compared; 5 if None.
    validation : float or table, optional
        A share of the rows, or a table, that is not learned from and judges the machine instead of folds.
    n_bootstrap : int, optional
        Refits to so many resamples.
    bootstrap : {"rows", "parametric"}, optional
        Where resamples come from.
    recode : str, optional
        What words mean: ``"agree=1,disagree=0; sex:M=1,F=0"``.
    keep_traces : bool
        Whether candidates keep every iteration, for ``latentropy.plot.training`` and the report.
    verbose : bool or int
        Whether a bar shows how far the fit is (with tqdm).
    search : {"auto", "iterated", "restarts", "anneal", "path"}
        Where restarts begin; "auto" is "iterated": after twenty at random weights, rounds of ten from the best solutions. All
        restarts of "restarts" are independent, and run on any number of workers at once.

    Attributes
    ----------
    network_ : Network
        The chosen machine.
    weights_, biases_ : ndarrays
        Its pair weights as a symmetric matrix over all units, and their biases.
    log_likelihood_, entropy_ : float
        Mean log-likelihood of a row, and entropy of the machine, in nats.
    candidates_ : Candidates
        Every restart's result with its machine.
    certificate_ : str
        What kind of point the chosen machine is.
    standard_errors_ : StandardErrors
    bootstrap_ : Refits or None
        With ``n_bootstrap``: the machine refitted to every resample.
    comparison_ : Records or None
        The machines that were compared on rows held out.
    warnings_ : list of str
        What a user should know.
    converged_, n_iter_ : bool, int
    document_ : dict
        The whole fit, as ``latentropy fit --json`` prints it.
    interrupted_ : Interrupted
        After a KeyboardInterrupt: the restarts that had ended.

    Examples
    --------
    >>> import numpy as np
    >>> from latentropy import BoltzmannMachine
    >>> X = np.array([[0, 0, 1], [1, 1, 0], [1, 1, 1], [0, 0, 0], [1, np.nan, 0]] * 4)
    >>> machine = BoltzmannMachine(n_hidden=1, shape="rbm", ridge=1.0).fit(X)
    >>> machine.converged_, machine.transform(X).shape
    (True, (20, 1))
    """

    def __init__(
        self,
        n_hidden: Any = "auto",
        shape: Any = "auto",
        select: str = "lme",
        n_init: Any = "auto",
        ridge: Any = "evidence",
        engine: str = "auto",
        binarize: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        *,
        learner: str = "auto",
        learner_options: dict[str, Any] | None = None,
        bias: bool = True,
        order: int | None = None,
        bias_ridge: float | None = None,
        bound: float | None = None,
        tol: float | None = None,
        max_iter: int | None = None,
        anneal: bool = False,
        start: Network | None = None,
        n_folds: int | None = None,
        validation: Any = None,
        n_bootstrap: int | None = None,
        bootstrap: str | None = None,
        recode: str | None = None,
        keep_traces: bool = False,
        verbose: bool | int = False,
        search: str = "auto",
    ) -> None:
        self.n_hidden = n_hidden
        self.shape = shape
        self.select = select
        self.n_init = n_init
        self.ridge = ridge
        self.engine = engine
        self.binarize = binarize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.learner = learner
        self.learner_options = learner_options
        self.bias = bias
        self.order = order
        self.bias_ridge = bias_ridge
        self.bound = bound
        self.tol = tol
        self.max_iter = max_iter
        self.anneal = anneal
        self.start = start
        self.n_folds = n_folds
        self.validation = validation
        self.n_bootstrap = n_bootstrap
        self.bootstrap = bootstrap
        self.recode = recode
        self.keep_traces = keep_traces
        self.verbose = verbose
        self.search = search

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, executor: Any = None, journal: Any = None
    ) -> Self:
        """Learns from the rows of a table; ``sample_weight`` says what each weighs.

        ``executor`` runs the pieces of the fit (folds, restarts, refits) elsewhere: anything with ``submit``, such as
        ``ProcessPoolExecutor``, loky, Dask's client, mpi4py's ``MPIPoolExecutor``, or a pool with ``apply_async``, such as
        Ray's. Without one, what ``joblib.parallel_config`` names, or else threads of this process. The result is the same,
        bit for bit, on one kind of processor. ``journal`` names a file in which finished pieces are noted: a fit that was
        killed goes on with it.
        """
        parameters = self._parameters()
        threads = _parameters.threads(self.n_jobs)
        data = self._read(X, "learning", reset=True)
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, np.empty((len(data), 0)), dtype=np.float64)
            data = data.with_weights(weights)
        kept = None
        if self.validation is not None and parameters["validation"] is None:
            kept = self._read(self.validation, "learning", like=data)
        if executor is None and self.n_jobs is None:
            executor = _executors.configured()
        if isinstance(executor, int):
            executor, threads = None, executor
        if not (self.start is None or isinstance(self.start, Network)):
            raise ValueError(f"start must be a Network with weights to start at, not {self.start!r}")
        start = None if self.start is None else self.start._core
        bar = Bar() if self.verbose else None
        watch: _core.Watch | _core.Assembly = _core.Watch()
        try:
            if executor is None and journal is None:
                assert isinstance(watch, _core.Watch)
                found = _core.fit(data, json.dumps(parameters), threads, watch, kept, bar, start)
            else:
                watch = _core.Assembly(data, json.dumps(parameters), kept, start)
                found = _in_pieces(watch, executor, journal, threads, bar)
        except (KeyboardInterrupt, _executors.WorkerDiedError):
            self.interrupted_ = Interrupted(watch, threads)
            raise
        finally:
            if bar is not None:
                bar.close()
        self._kind = _tables.kind_of(X)
        self._keep(found)
        warn(found.warnings, stacklevel=3)
        self.warnings_ = [sentence for _, sentence in [*data.warnings, *found.warnings]]
        return self

    def _parameters(self) -> dict[str, Any]:
        """What the library is asked for; what is open stays open."""
        open_, number, count = _parameters.optional, _parameters.number, _parameters.count
        shape, terms = _parameters.shape(self.shape)
        share = self.validation if isinstance(self.validation, (int, float)) else None
        if self.bootstrap is not None and self.n_bootstrap is None:
            raise ValueError("bootstrap is for n_bootstrap; give it, too, such as n_bootstrap=200")
        return {
            "n_hidden": _parameters.hidden(self.n_hidden),
            "shape": shape,
            "terms": terms,
            "bias": bool(self.bias),
            "order": open_(count, "order", self.order, 1),
            "select": _parameters.word("select", self.select),
            "ridge": _parameters.ridge(self.ridge),
            "bias_ridge": open_(number, "bias_ridge", self.bias_ridge),
            "bound": open_(number, "bound", self.bound),
            "n_init": open_(count, "n_init", self.n_init),
            "engine": open_(_parameters.word, "engine", self.engine),
            "learner": open_(_parameters.word, "learner", self.learner),
            "learner_options": _parameters.options(self.learner_options),
            "anneal": bool(self.anneal),
            "tol": open_(number, "tol", self.tol),
            "max_iter": open_(count, "max_iter", self.max_iter),
            "n_folds": open_(count, "n_folds", self.n_folds),
            "validation": None if share is None else float(share),
            "n_bootstrap": open_(count, "n_bootstrap", self.n_bootstrap, 2),
            "bootstrap": open_(_parameters.word, "bootstrap", self.bootstrap),
            "keep_traces": bool(self.keep_traces),
            "seed": _parameters.seed(self.random_state),
            "search": open_(_parameters.word, "search", self.search),
        }

    def _read(
        self,
        X: Any,
        purpose: str,
        reset: bool = False,
        masked: list[int] | None = None,
        like: _core.Data | None = None,
    ) -> _core.Data:
        if self.binarize is not None:
            _parameters.number("binarize", self.binarize)
        return _tables.read(
            X,
            estimator=self,
            purpose=purpose,
            reset=reset,
            binarize=self.binarize,
            recode=self.recode,
            model=None if reset or purpose == "learning" else self.network_._core,
            like=like,
            masked=masked,
            stacklevel=5,
        )

    def _keep(self, found: _core.Fit) -> None:
        """The fitted attributes."""
        document = json.loads(found.document())
        chosen = document["candidates"][document["selected"]]
        network = Network._of(found.network(document["selected"]))
        weights = _tables.array(found.weights(), max(len(network.terms), 1))
        self._fitted = found
        self.document_ = document
        self.network_ = network
        self.biases_, self.weights_ = network.biases, network.pairs
        self.log_likelihood_ = chosen["log_likelihood"]
        self.entropy_ = chosen["entropy"]
        self.certificate_ = chosen["certificate"]
        self.converged_ = document["selected_is_feasible"]
        self.n_iter_ = chosen["iterations"]
        self.candidates_ = Candidates(document["candidates"], network, weights)
        self.standard_errors_ = _standard_errors(document["uncertainty"], network)
        self.bootstrap_ = Refits.of(_tables.array(found.refits(), 3 + len(network.terms)), network)
        compared = document.get("comparison")
        self.comparison_ = None if compared is None else Records(compared["table"])

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """log p of every row, hidden units and missing cells summed out."""
        return self.evaluate(X).per_row

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The mean log-likelihood of the rows."""
        return float(self.evaluate(X, sample_weight).mean)

    def evaluate(self, X: Any, sample_weight: Any = None) -> Score:
        """The mean log-likelihood with its errors and, where log Z was sampled, the interval that it lies in."""
        check_is_fitted(self)
        data = self._read(X, "scoring")
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, np.empty((len(data), 0)), dtype=np.float64)
            data = data.with_weights(weights)
        return Score.of(
            self.network_._core, data, _parameters.seed(self.random_state), _parameters.threads(self.n_jobs)
        )

    def transform(self, X: Any) -> NDArray[np.float64]:
        """P(z = 1 | row) of every hidden unit."""
        check_is_fitted(self)
        data = self._read(X, "answering")
        means = self.network_._core.posterior(data, _parameters.threads(self.n_jobs))
        units = self.network_.units
        hidden = [units.index(name) for name in self.network_.hidden]
        return np.ascontiguousarray(_tables.array(means, len(units))[:, hidden])

    def most_probable_states(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The most probable joint state of the hidden units of each row, and its probability; NaN where not known."""
        check_is_fitted(self)
        data = self._read(X, "answering")
        found = self.network_._core.states(data, _parameters.threads(self.n_jobs))
        unknown = [np.nan] * len(self.network_.hidden)
        states = [unknown if state is None else state[0] for state in found]
        chances = [np.nan if state is None else state[1] for state in found]
        return np.array(states, dtype=np.float64).reshape(len(found), -1), np.array(chances)

    def predict_proba(self, X: Any, columns: Any = None) -> NDArray[np.float64]:
        """P(column = 1 | the other columns) of some columns, by name or place, whatever X holds there.

        The columns named are taken as unknown together; without any, each in turn is, given all others.
        """
        check_is_fitted(self)
        if issparse(X):
            raise TypeError("predict_proba takes no sparse matrix, since unknown cells are not zeros; give X.toarray()")
        threads = _parameters.threads(self.n_jobs)
        if columns is not None:
            places = [self._place(column) for column in _listed(columns)]
            data = self._read(X, "answering", masked=places)
            filled, _ = self.network_._core.impute(data, threads)
            return np.ascontiguousarray(_tables.array(filled, self.n_features_in_)[:, places])
        self._read(X, "answering")
        found = np.empty((_rows(X), self.n_features_in_))
        for place in range(self.n_features_in_):
            data = self._read(X, "answering", masked=[place])
            filled, _ = self.network_._core.impute(data, threads)
            found[:, place] = _tables.array(filled, self.n_features_in_)[:, place]
        return found

    def _place(self, column: Any) -> int:
        names = list(self.network_.visible)
        if isinstance(column, str):
            if column not in names:
                raise ValueError(f"there is no column {column!r}; the columns are {', '.join(names[:12])}")
            return names.index(column)
        if isinstance(column, (int, np.integer)) and 0 <= column < len(names):
            return int(column)
        raise ValueError(f"columns are named by their names or by places from 0 to {len(names) - 1}, not {column!r}")

    def impute(self, X: Any, *, mode: bool = False, n_draws: int | None = None, random_state: Any = None) -> Any:
        """The table with missing cells filled: with P(1 | known cells), with the more probable value, or drawn.

        A data frame comes back as one. ``n_draws`` gives a list of so many completed tables (multiple imputation).
        """
        check_is_fitted(self)
        data = self._read(X, "answering")
        threads, width = _parameters.threads(self.n_jobs), self.n_features_in_
        if n_draws is not None:
            count = _parameters.count("n_draws", n_draws, 1)
            seed = _parameters.seed(self.random_state if random_state is None else random_state)
            drawn, warned = self.network_._core.draws(data, count, seed, threads)
            warn(warned, stacklevel=3)
            tables = _tables.array(drawn, None, np.int8).reshape(count, -1, width)
            return [self._table(table, X, in_words=True) for table in tables]
        filled, inexact = self.network_._core.impute(data, threads)
        if inexact:
            sentence = f"{inexact} distinct rows leave too much open for exact sums: their probabilities are sampled"
            warn([("convergence", sentence)], stacklevel=3)
        cells = _tables.array(filled, width)
        return self._table(cells > 0.5 if mode else cells, X, in_words=mode)

    def sample(self, n_samples: int = 1, *, given: Any = None, random_state: Any = None) -> Any:
        """Rows drawn from the machine; a data frame, in the words of the data, where it was fitted to one."""
        check_is_fitted(self)
        state = self.random_state if random_state is None else random_state
        rows = self.network_.sample(n_samples, given=given, random_state=state, n_jobs=self.n_jobs)
        return self._table(rows, None, in_words=True)

    def _table(self, cells: NDArray[Any], like: Any, in_words: bool) -> Any:
        """An array, or a data frame where X was one."""
        kind = self._kind if like is None else _tables.kind_of(like)
        if cells.dtype == np.bool_:
            cells = cells.astype(np.float64)
        if kind is None:
            return cells
        words = self.network_.words if in_words else {}
        names = list(self.network_.visible)
        columns = {
            name: [_word(words[name][int(cell)]) for cell in cells[:, at]] if name in words else cells[:, at]
            for at, name in enumerate(names)
        }
        return _tables.made(columns, kind, getattr(like, "index", None))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of the hidden units."""
        check_is_fitted(self)
        return np.asarray(self.network_.hidden, dtype=object)

    def trace(self, candidate: int | None = None) -> NDArray[np.float64]:
        """Log-likelihood, Q and residual of every evaluation of a candidate (the chosen one), with ``keep_traces``."""
        found = self._of_this_process("traces")
        at = self.document_["selected"] if candidate is None else candidate
        return _tables.array(found.trace(at), 3)

    def save(self, directory: str | PathLike[str]) -> Path:
        """Writes model.json, candidates.csv, weights.csv, run.json and report.html, as ``latentropy fit --out`` does."""
        found = self._of_this_process("the files of a run")
        path = Path(directory)
        path.mkdir(parents=True, exist_ok=True)
        found.write(path, _parameters.threads(self.n_jobs))
        return path

    def report(self, path: str | PathLike[str] = "report.html") -> Path:
        """Writes the report, one file of HTML to look at."""
        import shutil
        import tempfile

        found = self._of_this_process("a report")
        with tempfile.TemporaryDirectory() as directory:
            written = found.write(directory, _parameters.threads(self.n_jobs))
            return Path(shutil.copyfile(written, path))

    def _of_this_process(self, what: str) -> _core.Fit:
        check_is_fitted(self)
        found: _core.Fit | None = getattr(self, "_fitted", None)
        if found is None:
            raise RuntimeError(f"this estimator was pickled, and {what} is made where it was fitted; fit it again")
        return found

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "network_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.string = self.binarize is None
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name not in ("_fitted", "interrupted_")}

    def _repr_html_inner(self) -> str:  # type: ignore[override]
        """In notebooks: the parameters and, once it is fitted, what was found."""
        parameters: str = super()._repr_html_inner()
        return parameters + summary(self) if self.__sklearn_is_fitted__() else parameters


def summary(machine: BoltzmannMachine) -> str:
    """The first screen of a fitted machine as HTML."""
    from html import escape

    document = machine.document_
    network = machine.network_
    errors = machine.standard_errors_
    lines = [
        f"{network!r}, {machine.certificate_}",
        f"log-likelihood {machine.log_likelihood_:.4f} ± {errors.log_likelihood:.4f} nats per row, "
        f"entropy {machine.entropy_:.4f} nats",
        f"{len(machine.candidates_)} restarts, {document['distinct_solutions']} distinct solutions, "
        f"chosen by {document['select']}",
    ]
    told = "".join(f"<li>{escape(line)}</li>" for line in lines)
    warned = "".join(f"<li>{escape(sentence)}</li>" for sentence in machine.warnings_)
    compared = machine.comparison_._repr_html_() if machine.comparison_ is not None else ""
    strongest = network._repr_html_()
    warned = f"<details><summary>{len(machine.warnings_)} warnings</summary><ul>{warned}</ul></details>" if warned else ""
    return f"<div><ul>{told}</ul>{warned}{compared}{strongest}</div>"


def _standard_errors(uncertainty: dict[str, Any], network: Network) -> StandardErrors:
    def number(record: dict[str, Any]) -> float:
        error = record.get("standard_error")
        return float("nan") if error is None else float(error)

    values = np.array([number(record) for record in uncertainty["weights"]])
    biases, weights = network.spread(values, fill=float("nan"))
    return StandardErrors(
        weights, biases, number(uncertainty["log_likelihood"]), number(uncertainty["entropy"])
    )


def _listed(columns: Any) -> list[Any]:
    return [columns] if isinstance(columns, (str, int, np.integer)) else list(columns)


def _rows(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _word(word: str) -> Any:
    """A word, or the number that it spells."""
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word
