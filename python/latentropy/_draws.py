"""Draws with names: states of Gibbs chains and refits of a bootstrap, as arrays or for xarray and ArviZ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._network import Network


@dataclass(frozen=True)
class ChainStates:
    """States of Gibbs chains, of shape ``(chain, draw, unit)``."""

    states: NDArray[np.int8]
    units: tuple[str, ...]

    def to_xarray(self) -> Any:
        """A data set of xarray with the dimensions that ArviZ knows: chain, draw and unit."""
        dims = ("chain", "draw", "unit")
        return _data_set({"state": (dims, self.states)}, {"unit": list(self.units)})

    def __repr__(self) -> str:
        chains, draws, units = self.states.shape
        return f"ChainStates({chains} chains, {draws} draws, {units} units)"


@dataclass(frozen=True)
class Refits:
    """The machine refitted to resamples: one row of weights per refit, and which of them are solutions."""

    weights: NDArray[np.float64]
    log_likelihood: NDArray[np.float64]
    entropy: NDArray[np.float64]
    converged: NDArray[np.bool_]
    network: Network

    @classmethod
    def of(cls, rows: NDArray[np.float64], network: Network) -> Refits | None:
        """From rows of converged, log-likelihood, entropy and the weights; None where there are none."""
        if not rows.size:
            return None
        return cls(rows[:, 3:], rows[:, 1], rows[:, 2], rows[:, 0] > 0, network)

    def __len__(self) -> int:
        return len(self.weights)

    def to_xarray(self) -> Any:
        """A data set of xarray in the form that ArviZ reads: refits are the draws of one chain; those that did not converge
        are left out."""
        kept = self.converged
        names = [" · ".join(self.network.units[unit] for unit in term) for term in self.network.terms]
        variables = {
            "weight": (("chain", "draw", "term"), self.weights[kept][None]),
            "log_likelihood": (("chain", "draw"), self.log_likelihood[kept][None]),
            "entropy": (("chain", "draw"), self.entropy[kept][None]),
        }
        return _data_set(variables, {"term": names})

    def __repr__(self) -> str:
        return f"Refits({len(self)} refits, {int(self.converged.sum())} converged)"


def _data_set(variables: dict[str, Any], names: dict[str, Any]) -> Any:
    try:
        import xarray
    except ImportError as error:
        raise ImportError("to_xarray needs xarray; install it, or take the arrays as they are") from error
    chains, draws = next(iter(variables.values()))[1].shape[:2]
    coordinates = {"chain": np.arange(chains), "draw": np.arange(draws), **names}
    return xarray.Dataset(variables, coords=coordinates, attrs={"created_by": "latentropy"})
