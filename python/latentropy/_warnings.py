"""The categories of warnings."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from sklearn.exceptions import ConvergenceWarning as _SklearnConvergenceWarning


class FitWarning(UserWarning):
    """What a user should know about a machine and how it was chosen."""


class DataWarning(UserWarning):
    """What is remarkable about a table but not wrong: constant columns, two-valued columns and which value is 1."""


class ConvergenceWarning(_SklearnConvergenceWarning):
    """A solution was not reached, or samples do not agree."""


_CATEGORIES: dict[str, type[Warning]] = {
    "data": DataWarning,
    "convergence": ConvergenceWarning,
    "fit": FitWarning,
}


def warn(warned: Iterable[tuple[str, str]], stacklevel: int = 3) -> None:
    """Warns of each, under its category."""
    for category, sentence in warned:
        warnings.warn(sentence, _CATEGORIES[category], stacklevel=stacklevel)
