"""Tables of results: records that any data frame takes, and candidates with their machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._network import Network


class Records(Sequence[dict[str, Any]]):
    """Rows of named values; ``to_pandas`` and ``to_polars`` make a data frame of them."""

    def __init__(self, rows: Sequence[dict[str, Any]]) -> None:
        self._rows = list(rows)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, at: slice) -> Records: ...
    def __getitem__(self, at: int | slice) -> dict[str, Any] | Records:
        if isinstance(at, slice):
            return Records(self._rows[at])
        return self._rows[at]

    def column(self, name: str) -> list[Any]:
        """The values of one column."""
        return [row.get(name) for row in self._rows]

    def to_pandas(self) -> Any:
        """A data frame of pandas."""
        import pandas

        return pandas.DataFrame(self._rows)

    def to_polars(self) -> Any:
        """A data frame of polars."""
        import polars

        return polars.DataFrame(self._rows, infer_schema_length=None)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self._rows)} rows)"

    def _repr_html_(self) -> str:
        return html_table(self._rows)


class Candidate:
    """Where one restart ended: its record as attributes, and its machine."""

    def __init__(self, record: dict[str, Any], network: Network) -> None:
        self.record = record
        self.network = network

    def __getattr__(self, name: str) -> Any:
        record = self.__dict__.get("record", {})
        if name in record:
            return record[name]
        raise AttributeError(f"a candidate has no {name!r}; it has {', '.join(record)} and network")

    def __repr__(self) -> str:
        told = self.record
        return (
            f"Candidate(index={told['index']}, log_likelihood={told['log_likelihood']:.6g}, "
            f"entropy={told['entropy']:.6g}, certificate={told['certificate']!r})"
        )


class Candidates(Sequence[Candidate]):
    """Every restart's result, each with its machine; ``to_pandas`` and ``to_polars`` make a data frame of them."""

    def __init__(self, records: Sequence[dict[str, Any]], template: Network, weights: NDArray[np.float64]) -> None:
        self._records = Records(records)
        self._template = template
        self._weights = weights

    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, at: int) -> Candidate: ...
    @overload
    def __getitem__(self, at: slice) -> list[Candidate]: ...
    def __getitem__(self, at: int | slice) -> Candidate | list[Candidate]:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        record = self._records[at]
        return Candidate(record, self._template.with_weights(self._weights[at]))

    def __iter__(self) -> Iterator[Candidate]:
        return (self[at] for at in range(len(self)))

    def column(self, name: str) -> list[Any]:
        """The values of one column."""
        return self._records.column(name)

    def to_pandas(self) -> Any:
        """A data frame of pandas, one row per candidate."""
        return self._records.to_pandas()

    def to_polars(self) -> Any:
        """A data frame of polars, one row per candidate."""
        return self._records.to_polars()

    def __repr__(self) -> str:
        solutions = len(set(self.column("solution")))
        return f"Candidates({len(self)} restarts, {solutions} distinct solutions)"

    def _repr_html_(self) -> str:
        shown = ["index", "log_likelihood", "entropy", "residual", "iterations", "stop", "certificate", "solution"]
        return html_table([{name: row.get(name) for name in shown} for row in self._records])


def html_table(rows: Sequence[dict[str, Any]], most: int = 30) -> str:
    """Rows as a small table of HTML."""
    from html import escape

    if not rows:
        return "<p>no rows</p>"

    def cell(value: Any) -> str:
        if isinstance(value, float):
            return f"{value:.5g}"
        return "" if value is None else escape(str(value))

    names = list(rows[0])
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{cell(row.get(name))}</td>" for name in names) + "</tr>" for row in rows[:most]
    )
    more = f"<p>… {len(rows) - most} more</p>" if len(rows) > most else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
