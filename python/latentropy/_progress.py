"""A bar while a fit runs, where tqdm is installed."""

from __future__ import annotations

from typing import Any


class Bar:
    """Told ten times a second how far a fit is."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self._make: Any = None
        else:
            self._make = tqdm
        self._bar: Any = None
        self._stage = ""

    def __call__(self, stage: str, done: int, every: int, residual: float | None, best: float | None) -> None:
        if self._make is None:
            return
        if stage != self._stage or self._bar is None:
            self.close()
            self._stage = stage
            self._bar = self._make(total=every or None, desc=stage, leave=False)
        told = {}
        if residual is not None:
            told["residual"] = f"{residual:.1e}"
        if best is not None:
            told["best"] = f"{best:.4f}"
        self._bar.n = done
        self._bar.set_postfix(told)

    def close(self) -> None:
        """Takes the bar off the screen."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
