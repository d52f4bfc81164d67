"""The examples of the README and of the documentation print what they say."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import re
import warnings
from pathlib import Path

import pytest
from conftest import ROOT

PAGES = ["README.md", "docs/python.md", "python/README.md"]


def examples() -> list[tuple[str, str, str]]:
    """Every block of Python that is followed by what it prints."""
    found = []
    for page in PAGES:
        text = (ROOT / page).read_text()
        for at, match in enumerate(re.finditer(r"```python\n(.*?)```\s*```text\n(.*?)```", text, re.DOTALL)):
            found.append((f"{page} {at + 1}", match[1], match[2]))
    return found


@pytest.mark.parametrize(("name", "code", "printed"), examples(), ids=[example[0] for example in examples()])
def test_examples(name: str, code: str, printed: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(ROOT)
    output = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(output):
        warnings.simplefilter("ignore")
        exec(compile(code, name, "exec"), {"__name__": "example"})
    assert output.getvalue() == printed


@pytest.mark.parametrize("module", ["latentropy._machine", "latentropy._network"])
def test_docstrings(module: str) -> None:
    found = doctest.testmod(importlib.import_module(module))
    assert found.attempted > 0 and found.failed == 0
