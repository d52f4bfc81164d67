"""Figures are drawn, with what they should show in them."""

from __future__ import annotations

import warnings

import matplotlib
import numpy as np
import pytest
from conftest import two_groups, with_holes

matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402

from latentropy import BoltzmannMachine, plot  # noqa: E402


@pytest.fixture(scope="module")
def X() -> np.ndarray:
    return with_holes(two_groups())


@pytest.fixture(scope="module")
def machine(X: np.ndarray) -> BoltzmannMachine:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return BoltzmannMachine(n_hidden=[1, 2], shape="rbm", keep_traces=True).fit(X)


def test_every_figure(machine: BoltzmannMachine, X: np.ndarray) -> None:
    for name in plot.__all__:
        draw = getattr(plot, name)
        ax = draw(machine, X) if name in ("moments", "posterior", "sum_score") else draw(machine)
        assert ax.has_data() or ax.texts or ax.collections, name
        ax.figure.canvas.draw()
        pyplot.close(ax.figure)


def test_into_given_axes(machine: BoltzmannMachine) -> None:
    figure, axes = pyplot.subplots(1, 2)
    assert plot.candidates(machine, axes[0]) is axes[0]
    assert len(axes[0].collections) >= 2
    pyplot.close(figure)


def test_what_cannot_be_drawn_is_said(X: np.ndarray) -> None:
    machine = BoltzmannMachine(shape="independent", ridge=1.0).fit(X)
    for draw, part in ((plot.comparison, "nothing was compared"), (plot.training, "keep_traces=True")):
        with pytest.raises(ValueError, match=part):
            draw(machine)
    with pytest.raises(ValueError, match="no hidden unit"):
        plot.posterior(machine, X)


def test_the_curve_of_validation_rows(X: np.ndarray) -> None:
    options = {"batch": 10}
    machine = BoltzmannMachine(
        n_hidden=2, shape="rbm", engine="gibbs", learner="pcd", learner_options=options, validation=0.3, n_init=1, max_iter=20, ridge=1
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ax = plot.training(machine.fit(two_groups()))
    assert "log-likelihood" in ax.get_ylabel() and len(ax.lines) == 3
    pyplot.close(ax.figure)
