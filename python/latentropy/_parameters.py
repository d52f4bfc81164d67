"""Parameters checked by type and written down for the library, which judges their values."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np


def count(name: str, value: Any, least: int = 0) -> int:
    """A whole number."""
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least:
        return int(value)
    raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}")


def number(name: str, value: Any) -> float:
    """A number."""
    if isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(float(value)):
        return float(value)
    raise ValueError(f"{name} must be a number, not {value!r}")


def word(name: str, value: Any) -> str:
    """A word."""
    if isinstance(value, str):
        return str(value)
    raise ValueError(f"{name} must be a word, not {value!r}")


def optional(check: Any, name: str, value: Any, *further: Any) -> Any:
    """None or "auto" leave it open."""
    if value is None or (isinstance(value, str) and value == "auto"):
        return None
    return check(name, value, *further)


def hidden(value: Any) -> int | list[int] | None:
    """How many hidden units: one number, several to choose from, or open."""
    if isinstance(value, (Sequence, range, np.ndarray)) and not isinstance(value, str):
        return [count("n_hidden", item) for item in value]
    found: int | None = optional(count, "n_hidden", value)
    return found


def shape(value: Any) -> tuple[str | list[str] | None, list[list[str]] | None]:
    """Named shapes, or terms by the names of their units."""
    if value is None or isinstance(value, str):
        return optional(word, "shape", value), None
    items = list(value) if isinstance(value, Sequence) else []
    if items and all(isinstance(item, str) for item in items):
        return items, None
    if items and all(isinstance(item, Sequence) for item in items):
        return None, [[word("shape", name) for name in item] for item in items]
    raise ValueError(
        f"shape must be 'auto', the name of a shape, a list of such names, or a list of terms such as "
        f"[('a',), ('a', 'z1')], not {value!r}"
    )


def ridge(value: Any) -> float | str:
    """A number, or how to choose it."""
    return value if isinstance(value, str) else number("ridge", value)


def options(value: Any) -> dict[str, int | float | str]:
    """Options of the learner."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ValueError(f"learner_options must be a dict such as {{'inner': 4}}, not {value!r}")
    return {word("learner_options", name): _plain(name, option) for name, option in value.items()}


def _plain(name: str, value: Any) -> int | float | str:
    if isinstance(value, str):
        return value
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0:
        return int(value)
    return number(f"learner_options[{name!r}]", value)


def seed(random_state: Any) -> int:
    """The seed of all random numbers; None is that of the command line, 0."""
    if random_state is None:
        return 0
    if isinstance(random_state, Integral) and 0 <= int(random_state) < 2**64:
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    raise ValueError(
        f"random_state must be None, a whole number of at least 0, or one of NumPy's generators, not {random_state!r}"
    )


def threads(n_jobs: Any) -> int:
    """How many threads; 0 for all there are. Results do not depend on it.

    Without a word on it, a worker of joblib or of a batch system keeps to the share that its environment names.
    """
    if n_jobs is None:
        allowed = os.environ.get("OMP_NUM_THREADS", "")
        return int(allowed) if allowed.isdigit() else 0
    if not isinstance(n_jobs, Integral) or int(n_jobs) == 0:
        raise ValueError(f"n_jobs must be None or a whole number other than 0, not {n_jobs!r}")
    if int(n_jobs) > 0:
        return int(n_jobs)
    return max(1, len(os.sched_getaffinity(0)) + 1 + int(n_jobs)) if hasattr(os, "sched_getaffinity") else 0
