"""Progress of a fit, on a terminal or through a callback."""

from __future__ import annotations

import sys
import time
import warnings
from typing import Any, Callable

from ._params import translate

__all__ = ["Reporter"]

ProgressCallback = Callable[[str, float, float, float], Any]


class _Lines:
    """A line on standard error at every stage, and at most one per second."""

    def __init__(self) -> None:
        self.stage, self.time = "", 0.0

    def show(self, stage: str, done: float, total: float) -> None:
        now = time.monotonic()
        if stage != self.stage or now - self.time >= 1:
            self.stage, self.time = stage, now
            share = f" {100 * done / total:.0f} %" if total > 0 else ""
            print(f"neyman: {stage}{share}", file=sys.stderr)

    def close(self) -> None:
        pass


class _Bar:
    """A bar of tqdm for every stage."""

    def __init__(self, tqdm: Any) -> None:
        self.tqdm, self.stage = tqdm, ""
        self.bar: Any = None

    def show(self, stage: str, done: float, total: float) -> None:
        if self.bar is None or stage != self.stage:
            self.close()
            self.stage = stage
            self.bar = self.tqdm(total=total if total > 0 else None, desc=stage, leave=False)
        self.bar.total = total if total > 0 else None
        self.bar.n = done
        self.bar.refresh()

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None


def _display() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Lines()
    return _Bar(tqdm)


class Reporter:
    """What the library reports during a call: progress for the caller and the terminal, warnings, messages."""

    def __init__(self, verbose: int, callback: ProgressCallback | None):
        self.verbose = int(verbose)
        self.callback = callback
        self.display = _display() if self.verbose > 0 else None

    @property
    def progress(self) -> ProgressCallback | None:
        """The function for the library; None where nobody wants progress."""
        return self._report if self.display or self.callback else None

    def _report(self, stage: str, done: float, total: float, value: float) -> None:
        if self.display:
            self.display.show(stage, done, total)
        if self.callback:
            self.callback(stage, done, total, value)

    def log(self, level: int, message: str) -> None:
        """A message of the library; level 0 is a warning."""
        if level == 0:
            warnings.warn(translate(message), UserWarning, stacklevel=4)
        elif self.verbose > level:
            print(f"neyman: {message}", file=sys.stderr)

    def __enter__(self) -> "Reporter":
        return self

    def __exit__(self, *error: Any) -> None:
        if self.display:
            self.display.close()
