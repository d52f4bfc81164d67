"""The same numbers from Python and from the command line, bit by bit, for the same seed."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from conftest import VOTES, two_groups, with_holes, write_csv

from latentropy import BoltzmannMachine, Network

NAMES = ["a", "b", "c", "d", "e"]

REQUESTS: list[tuple[str, list[str], dict[str, Any]]] = [
    ("groups", [], {}),
    ("groups", ["--hidden", "1"], {"n_hidden": 1}),
    ("groups", ["--hidden", "2", "--shape", "rbm"], {"n_hidden": 2, "shape": "rbm"}),
    ("groups", ["--hidden", "0..2", "--shape", "rbm,full"], {"n_hidden": range(3), "shape": ["rbm", "full"]}),
    ("groups", ["--shape", "visible"], {"shape": "visible"}),
    ("groups", ["--shape", "independent", "--ridge", "0"], {"shape": "independent", "ridge": 0}),
    ("groups", ["--hidden", "2", "--select", "mle", "--seed", "7"], {"n_hidden": 2, "select": "mle", "random_state": 7}),
    ("groups", ["--hidden", "1", "--select", "held-out"], {"n_hidden": 1, "select": "held-out"}),
    ("groups", ["--hidden", "1", "--ridge", "auto", "--folds", "3"], {"n_hidden": 1, "ridge": "auto", "n_folds": 3}),
    ("groups", ["--hidden", "1", "--ridge", "0", "--box", "5"], {"n_hidden": 1, "ridge": 0.0, "bound": 5}),
    ("groups", ["--hidden", "1", "--no-bias", "--restarts", "9"], {"n_hidden": 1, "bias": False, "n_init": 9}),
    ("groups", ["--shape", "visible", "--order", "3"], {"shape": "visible", "order": 3}),
    ("groups", ["--hidden", "1", "--learner", "em-is", "--inner", "2"], {"n_hidden": 1, "learner": "em-is", "learner_options": {"inner": 2}}),
    ("groups", ["--hidden", "1", "--engine", "bp", "--restarts", "2", "--ridge", "1"], {"n_hidden": 1, "engine": "bp", "n_init": 2, "ridge": 1}),
    ("groups", ["--hidden", "1", "--anneal", "--ridge", "1"], {"n_hidden": 1, "anneal": True, "ridge": 1}),
    ("groups", ["--hidden", "1", "--bootstrap", "5"], {"n_hidden": 1, "n_bootstrap": 5}),
    ("groups", ["--hidden", "2", "--search", "path", "--restarts", "3"], {"n_hidden": 2, "search": "path", "n_init": 3}),
    ("groups", ["--hidden", "1", "--validation", "0.25"], {"n_hidden": 1, "validation": 0.25}),
    ("holes", ["--hidden", "2"], {"n_hidden": 2}),
    ("holes", ["--hidden", "1", "--shape", "semi-restricted", "--tol", "1e-6"], {"n_hidden": 1, "shape": "semi-restricted", "tol": 1e-6}),
    ("votes", ["--hidden", "1", "--shape", "rbm", "--columns", "!party"], {"n_hidden": 1, "shape": "rbm"}),
    ("groups", ["--hidden", "3", "--shape", "rbm", "--learner", "pcd", "--batch", "10", "--max-iter", "20", "--engine", "gibbs"], {"n_hidden": 3, "shape": "rbm", "learner": "pcd", "learner_options": {"batch": 10}, "max_iter": 20, "engine": "gibbs"}),
]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, pandas.DataFrame]]:
    folder = tmp_path_factory.mktemp("tables")
    X = two_groups()
    holes = with_holes(X)
    for name, cells in (("groups", X), ("holes", holes)):
        write_csv(folder / f"{name}.csv", cells, NAMES)
    return {
        "groups": (folder / "groups.csv", pandas.DataFrame(X, columns=NAMES)),
        "holes": (folder / "holes.csv", pandas.DataFrame(holes, columns=NAMES)),
        "votes": (VOTES, pandas.read_csv(VOTES, keep_default_na=False).drop(columns="party")),
    }


@pytest.mark.parametrize(("table", "flags", "parameters"), REQUESTS, ids=[" ".join([r[0], *r[1]]) for r in REQUESTS])
def test_fit(command_line: Any, tables: Any, table: str, flags: list[str], parameters: dict[str, Any]) -> None:
    path, frame = tables[table]
    told = json.loads(command_line("fit", str(path), "--json", "--quiet", *flags).stdout)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine = BoltzmannMachine(**parameters).fit(frame)
    found = machine.document_
    for name in ("selected", "candidates", "distinct_solutions", "select", "rows_used", "uncertainty"):
        assert found[name] == told[name], name
    assert found.get("comparison") == told.get("comparison")
    assert found["model"]["terms"] == told["model"]["terms"]
    assert machine.log_likelihood_ == told["candidates"][told["selected"]]["log_likelihood"]


def test_answers(command_line: Any, tables: Any, tmp_path: Path) -> None:
    path, frame = tables["holes"]
    command_line("fit", str(path), "--hidden", "2", "--out", str(tmp_path), "--quiet")
    model = str(tmp_path / "model.json")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine = BoltzmannMachine(n_hidden=2).fit(frame)
    network = Network.load(model)
    assert np.array_equal(network.weights, machine.network_.weights)
    scored = json.loads(command_line("score", model, str(path), "--json").stdout)
    assert machine.score_samples(frame).tolist() == scored["per_row"]
    assert machine.score(frame) == scored["mean_log_likelihood"]["value"]
    posterior = json.loads(command_line("posterior", model, str(path), "--json").stdout)
    assert machine.transform(frame).tolist() == [row["means"] for row in posterior["rows"]]
    filled = json.loads(command_line("impute", model, str(path), "--json").stdout)
    assert machine.impute(frame).to_numpy().tolist() == filled["rows"]
    drawn = command_line("sample", model, "-n", "20", "--seed", "4").stdout.splitlines()[1:]
    rows = [[int(cell) for cell in line.split(",")] for line in drawn]
    assert network.sample(20, random_state=4).tolist() == rows
    told = json.loads(command_line("infer", model, "--given", "a=1", "--json").stdout)
    found = network.infer(given={"a": 1})
    assert found.means.tolist() == told["means"]
    assert found.log_partition.value == told["log_partition"]["value"]
    assert found.expectations.tolist() == [term["expectation"] for term in told["terms"]]
