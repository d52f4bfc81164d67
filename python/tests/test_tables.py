"""Tables of every kind mean the same, and what cannot be read is refused by its place."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import scipy.sparse
from conftest import two_groups, with_holes

import latentropy
from latentropy import BoltzmannMachine, DataWarning

NAMES = list("abcde")


def fitted(X: Any, **parameters: Any) -> BoltzmannMachine:
    return BoltzmannMachine(n_hidden=1, shape="rbm", ridge=1.0, n_init=2, **parameters).fit(X)


def kinds(X: np.ndarray) -> dict[str, Any]:
    columns = {name: [None if np.isnan(cell) else int(cell) for cell in X[:, at]] for at, name in enumerate(NAMES)}
    nullable = pandas.DataFrame({name: pandas.array(column, dtype="Int64") for name, column in columns.items()})
    words = {None: None, 0: "no", 1: "yes"}
    spelled = {name: [words[cell] for cell in column] for name, column in columns.items()}
    return {
        "array": X,
        "list": X.tolist(),
        "list of None": [[None if np.isnan(cell) else bool(cell) for cell in row] for row in X],
        "float32": X.astype(np.float32),
        "fortran": np.asfortranarray(X),
        "pandas": pandas.DataFrame(X, columns=NAMES),
        "pandas with NA": nullable,
        "pandas boolean": nullable.astype("boolean"),
        "pandas words": pandas.DataFrame(spelled),
        "pandas categories": pandas.DataFrame(spelled).astype("category"),
        "polars": polars.DataFrame(columns),
        "polars words": polars.DataFrame(spelled),
        "arrow": pyarrow.table(columns),
        "objects": np.array([[words[None if np.isnan(c) else int(c)] for c in row] for row in X], dtype=object),
    }


def test_every_kind_of_table_is_the_same() -> None:
    X = with_holes(two_groups())
    expected = fitted(X).network_.weights
    for name, table in kinds(X).items():
        machine = fitted(table)
        assert np.array_equal(machine.network_.weights, expected), name
        assert np.array_equal(machine.score_samples(table), fitted(X).score_samples(X)), name
        if name.startswith(("pandas", "polars", "arrow")):
            assert list(machine.feature_names_in_) == NAMES and machine.network_.visible == tuple(NAMES)


def test_sparse_and_bool() -> None:
    X = two_groups()
    expected = fitted(X).network_.weights
    for table in (scipy.sparse.csr_matrix(X), scipy.sparse.csc_array(X), X.astype(bool), X.astype(np.uint8)):
        assert np.array_equal(fitted(table).network_.weights, expected)


def test_two_valued_columns_are_recognised() -> None:
    X = two_groups()
    expected = fitted(X).network_.weights
    with pytest.warns(DataWarning, match="-1"):
        machine = fitted(2 * X - 1)
    assert np.array_equal(machine.network_.weights, expected)
    frame = pandas.DataFrame(np.where(X == 1, "agree", "disagree"), columns=NAMES)
    with pytest.warns(DataWarning, match="agree"):
        machine = fitted(frame)
    assert np.array_equal(machine.network_.weights, expected)
    assert machine.network_.words["a"] == ("disagree", "agree")
    # Answers come in the words of the data, and words are understood.
    drawn = machine.sample(30, given={"a": "agree"})
    assert isinstance(drawn, pandas.DataFrame) and set(drawn["a"]) == {"agree"}
    frame.loc[3, "b"] = None
    filled = machine.impute(frame, mode=True)
    assert filled.loc[3, "b"] in ("agree", "disagree") and (filled.drop(3) == frame.drop(3)).all(axis=None)
    with pytest.raises(ValueError, match="given: a cannot be 'maybe'; it is disagree or agree"):
        machine.sample(1, given={"a": "maybe"})
    turned = fitted(pandas.DataFrame(np.where(X == 1, "agree", "disagree"), columns=NAMES), recode="disagree=1,agree=0")
    assert turned.network_.words["a"] == ("agree", "disagree")
    assert turned.log_likelihood_ == pytest.approx(machine.log_likelihood_, abs=1e-9)


def test_binarize() -> None:
    X = two_groups()
    grey = X * 0.9 + 0.05
    machine = fitted(grey, binarize=0.5)
    assert np.array_equal(machine.network_.weights, fitted(X).network_.weights)
    assert np.array_equal(machine.score_samples(grey), fitted(X).score_samples(X))
    with pytest.raises(ValueError, match="is not a binary value"):
        fitted(grey * np.linspace(0.5, 1, 60)[:, None])


def test_bad_inputs_are_refused_in_words_of_python() -> None:
    X = two_groups()
    frame = pandas.DataFrame(X, columns=NAMES)
    bad = frame.astype(object)
    bad.loc[7, "c"] = "maybe"
    with pytest.raises(ValueError, match=r"X, row 8 \(counting from 1\), column c: `maybe` is not a binary value"):
        fitted(bad)
    ages = frame.assign(age=np.arange(60) + 20)
    with pytest.raises(ValueError, match=r"X\.drop\(columns='age'\)"):
        fitted(ages)
    for parameters, part in [
        ({"n_hidden": -1}, "n_hidden must be a whole number"),
        ({"n_hidden": 1.5}, "n_hidden"),
        ({"shape": "round"}, 'no shape "round"'),
        ({"shape": 3}, "shape must be"),
        ({"engine": "oracle"}, 'no engine "oracle"'),
        ({"ridge": -1}, "ridge"),
        ({"ridge": "strong"}, "ridge must be"),
        ({"select": "best"}, "auto, lme, mle and held-out"),
        ({"n_init": 0}, "n_init must be at least 1"),
        ({"learner": "magic"}, "no learner"),
        ({"learner_options": {"wings": 2}}, "no option"),
        ({"n_folds": 3, "n_hidden": 1, "shape": "rbm"}, "n_folds is for ridge='auto'"),
        ({"validation": 1.5}, "validation must be a table or a fraction"),
        ({"random_state": -1}, "random_state"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"bootstrap": "rows"}, "n_bootstrap"),
        ({"recode": "yes"}, "recode"),
    ]:
        with pytest.raises(ValueError) as caught:
            BoltzmannMachine(**({"n_hidden": 1, "n_init": 2} | parameters)).fit(X)
        assert part in str(caught.value), str(caught.value)
        assert "--" not in str(caught.value)
    with pytest.raises(ValueError, match="X has 3 features, but BoltzmannMachine is expecting 5"):
        fitted(X).score(X[:, :3])
    with pytest.raises(ValueError, match="has no known cell"):
        fitted(np.column_stack([X, np.full(60, np.nan)]))
    with pytest.raises(ValueError, match="weights"):
        BoltzmannMachine(n_hidden=1).fit(X, sample_weight=-np.ones(60))


def test_a_wide_table_gets_the_message_of_the_command_line(command_line: Any, tmp_path: Any) -> None:
    random = np.random.default_rng(1)
    frame = pandas.DataFrame({f"q{at}": random.integers(0, 2, 40) for at in range(200)}).astype(object)
    frame["q5"] = "always"
    frame.loc[3, "q7"] = np.nan
    frame["q9"] = random.choice(["red", "green", "blue"], 40)
    path = tmp_path / "wide.csv"
    frame.to_csv(path, index=False)
    told = command_line("fit", str(path), "--hidden", "1", check=False)
    assert told.returncode == 2
    with pytest.raises(ValueError) as caught:
        BoltzmannMachine(n_hidden=1).fit(frame)
    ours, theirs = str(caught.value), told.stderr
    for part in ("column q5", "`always` is not a binary value"):
        assert part in ours and part in theirs, (ours, theirs)


def test_warnings_have_categories() -> None:
    X = two_groups()
    constant = np.column_stack([X, np.ones(60)])
    with pytest.warns(DataWarning, match="no finite weight is the best"):
        machine = fitted(constant)
    assert any("always" in sentence or "one value" in sentence or "constant" in sentence for sentence in machine.warnings_)
    with pytest.warns(latentropy.ConvergenceWarning):
        BoltzmannMachine(n_hidden=2, n_init=2, max_iter=1, ridge=0, learner="em-is").fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted(X)


def test_rows_for_validation_are_read_as_the_others() -> None:
    X = two_groups(80)
    words = pandas.DataFrame(np.where(X == 1, "red", "green"), columns=NAMES)
    rows, kept = words.iloc[:60], words.iloc[60:].assign(a="green")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        machine = fitted(rows, validation=kept)
    cells = X[60:].copy()
    cells[:, 0] = 0
    told = machine.document_["validation"]
    assert told["rows"] == 20
    assert told["log_likelihood"] == pytest.approx(machine.network_.log_probability(cells).mean(), abs=1e-9)


def test_document_is_that_of_the_schema() -> None:
    from conftest import ROOT

    schema = json.loads((ROOT / "docs/schemas/fit.schema.json").read_text())
    document = fitted(two_groups()).document_
    assert set(schema["required"]) <= set(document)
