"""Boltzmann machines with hidden units, learned from small binary data by the latent maximum entropy principle.

``BoltzmannMachine`` learns a machine from a table, ``BernoulliRBM`` takes the place of scikit-learn's, ``Network`` is a
machine with its weights that can be asked by any engine.
"""

from ._candidates import Candidate, Candidates, Records
from ._core import __version__
from ._draws import ChainStates, Refits
from ._executors import WorkerDiedError
from ._machine import BoltzmannMachine
from ._network import EngineComparison, Inference, Network, Score, Value, compare_engines, engines, infer, learners
from ._rbm import BernoulliRBM
from ._study import StudyResult, study
from ._warnings import ConvergenceWarning, DataWarning, FitWarning

__all__ = [
    "BernoulliRBM",
    "BoltzmannMachine",
    "Candidate",
    "Candidates",
    "ChainStates",
    "ConvergenceWarning",
    "DataWarning",
    "EngineComparison",
    "FitWarning",
    "Inference",
    "Network",
    "Records",
    "Refits",
    "Score",
    "StudyResult",
    "Value",
    "WorkerDiedError",
    "__version__",
    "compare_engines",
    "engines",
    "infer",
    "learners",
    "study",
]
