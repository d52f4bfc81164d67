"""Tables of every kind on their way to the library, and back again.

NumPy arrays, lists, SciPy's sparse matrices, and through narwhals pandas, polars and Arrow. What cells mean is decided by
the library, by the rules of the command line.
"""

from __future__ import annotations

from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from . import _core
from ._warnings import warn


def as_frame(X: Any) -> nw.DataFrame[Any] | None:
    """The table as narwhals sees it; None where it is no data frame."""
    if isinstance(X, np.ndarray) or not (hasattr(X, "columns") or hasattr(X, "__arrow_c_stream__")):
        return None
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return frame
    if hasattr(X, "__arrow_c_stream__"):
        import pyarrow

        return nw.from_native(pyarrow.table(X), eager_only=True)
    return None


def read(
    X: Any,
    *,
    estimator: Any,
    purpose: str,
    reset: bool = False,
    binarize: float | None = None,
    recode: str | None = None,
    model: _core.Network | None = None,
    like: _core.Data | None = None,
    masked: list[int] | None = None,
    stacklevel: int = 4,
) -> _core.Data:
    """The rows of a table; what is remarkable about them is warned of.

    Words mean what they mean to ``model`` or in the table ``like``; ``masked`` are places of columns that are taken as missing,
    whatever they hold.
    """
    frame = as_frame(X)
    if frame is None:
        X = _checked(X, estimator, binarize)
    elif 0 in frame.shape:
        X = check_array(np.empty(frame.shape), estimator=estimator)
    validate_data(estimator, X=X, reset=reset, skip_check_array=True)
    names = _names(frame)
    if frame is not None and binarize is not None:
        matrix = _thresholded(frame.to_numpy(), estimator, binarize)
    elif frame is None and X.dtype.kind == "f":
        matrix = X
    else:
        matrix = None
    if matrix is not None:
        if masked:
            matrix = matrix.copy()
            matrix[:, masked] = np.nan
        matrix = np.ascontiguousarray(matrix, dtype=np.float64)
        data = _core.Data.from_matrix(matrix, matrix.shape[1], names, purpose, recode, model, like)
    else:
        columns = _frame_columns(frame) if frame is not None else _array_columns(X)
        for place in masked or []:
            columns[place] = np.full(len(columns[place]), np.nan)
        data = _core.Data.from_columns(columns, names or _made_up(len(columns)), purpose, recode, model, like)
    if not masked:
        warn(data.warnings, stacklevel)
    return data


def array(values: bytearray, width: int | None = None, dtype: Any = np.float64) -> NDArray[Any]:
    """The library's bytes as an array, without a copy."""
    flat: NDArray[Any] = np.frombuffer(values, dtype=dtype)
    return flat if width is None else flat.reshape(-1, width) if width else flat.reshape(0, 0)


def kind_of(X: Any) -> str | None:
    """The name of the library that the table is of; None for arrays."""
    frame = as_frame(X)
    return None if frame is None else str(nw.get_native_namespace(frame).__name__)


def made(columns: dict[str, Any], kind: Any, index: Any = None) -> Any:
    """Columns as a table of this kind; an array where there is none."""
    if kind is None:
        return np.column_stack(list(columns.values())) if columns else np.empty((0, 0))
    if kind == "pandas":
        import pandas

        return pandas.DataFrame(columns, index=index)
    return nw.from_dict(columns, backend=kind).to_native()


def _checked(X: Any, estimator: Any, binarize: float | None) -> NDArray[Any]:
    """A two-dimensional array: of doubles, or of objects where some cell is no number."""
    if binarize is not None:
        return _thresholded(X, estimator, binarize)
    X = check_array(X, accept_sparse="csr", dtype=None, ensure_all_finite="allow-nan", estimator=estimator)
    if not isinstance(X, np.ndarray):
        X = X.toarray()
    if X.dtype.kind in "biuf":
        return np.asarray(X, dtype=np.float64)
    if X.dtype.kind == "O":
        try:
            # Where all are numbers or missing, they are read as such.
            return np.asarray([[_number(cell) for cell in row] for row in X], dtype=np.float64)
        except TypeError:
            return X
    return X.astype(object)


def _thresholded(X: Any, estimator: Any, binarize: float) -> NDArray[np.float64]:
    X = check_array(X, accept_sparse="csr", dtype=np.float64, ensure_all_finite="allow-nan", estimator=estimator)
    if not isinstance(X, np.ndarray):
        X = X.toarray()
    cells: NDArray[np.float64] = np.where(np.isnan(X), np.nan, X > binarize)
    return cells


def _is_missing(cell: Any) -> bool:
    if cell is None or type(cell).__name__ == "NAType":
        return True
    return isinstance(cell, float) and bool(np.isnan(cell))


def _number(cell: Any) -> float:
    """A number as it is; a word is none."""
    if _is_missing(cell):
        return float("nan")
    if isinstance(cell, (bool, int, float, np.generic)) and not isinstance(cell, np.character):
        return float(cell)
    raise TypeError


def _names(frame: nw.DataFrame[Any] | None) -> list[str] | None:
    """The names of the columns, where they are names and not numbers."""
    if frame is None or not all(isinstance(name, str) for name in frame.columns):
        return None
    return list(frame.columns)


def _made_up(width: int) -> list[str]:
    return [f"y{at + 1}" for at in range(width)]


def _words(cells: Any) -> list[str | None]:
    return [None if _is_missing(cell) else str(cell) for cell in cells]


def _array_columns(X: NDArray[Any]) -> list[Any]:
    return [_words(X[:, at].tolist()) for at in range(X.shape[1])]


def _frame_columns(frame: nw.DataFrame[Any]) -> list[Any]:
    return [_column(frame[:, at]) for at in range(frame.shape[1])]


def _column(series: nw.Series[Any]) -> Any:
    """Numbers, or words and None."""
    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        try:
            numbers = series.cast(nw.Float64).to_numpy()
            return np.ascontiguousarray(numbers, dtype=np.float64)
        except (TypeError, ValueError):
            pass
    cells = series.to_list()
    try:
        return np.array([_number(cell) for cell in cells], dtype=np.float64)
    except TypeError:
        return _words(cells)
