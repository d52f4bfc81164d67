"""What the program writes follows the JSON schemas in docs/schemas (that these are the record's own is tested in Rust)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from conftest import ROOT

SCHEMAS = ROOT / "docs" / "schemas"

REQUESTS = [
    "--hidden 1 --restarts 3",
    "--hidden 0..1 --ridge auto --folds 2 --restarts 2",
    "--hidden 1 --ridge 0 --box 2 --restarts 3",
    "--hidden 1 --ridge 1 --restarts 2 --bootstrap 5",
    "--hidden 1 --learner em-gradient --step 0.5 --max-iter 5 --restarts 1",
    "--hidden 1 --engine gibbs --max-iter 5",
]


def follows(name: str, document: Any) -> None:
    schema = json.loads((SCHEMAS / name).read_text(encoding="utf-8"))
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    errors = [f"{error.message} at {error.json_path}" for error in validator(schema).iter_errors(document)]
    assert not errors, f"{name}: {errors}"


@pytest.mark.parametrize("flags", REQUESTS)
def test_what_is_written_follows_the_schemas(flags: str, tmp_path: Path, command_line: Callable[..., Any]) -> None:
    data = tmp_path / "rows.csv"
    data.write_text("a,b,c\n0,1,1\n1,1,0\n1,0,?\n0,0,0\n1,1,1\n0,1,1\n1,0,0\n?,?,?\n")
    out = tmp_path / "run"
    ran = command_line("fit", str(data), "--json", "--quiet", "--out", str(out), *flags.split())
    follows("fit.schema.json", json.loads(ran.stdout))
    follows("run.schema.json", json.loads((out / "run.json").read_text(encoding="utf-8")))
    follows("model.schema.json", json.loads((out / "model.json").read_text(encoding="utf-8")))


def test_a_document_that_does_not_follow_is_found() -> None:
    with pytest.raises(AssertionError, match="model.schema.json"):
        follows("model.schema.json", {"format": "latentropy/1", "units": 3})
