"""The progress of long work: a line on a terminal, nothing elsewhere."""

from __future__ import annotations

import shutil
import sys
import time

#: Seconds between two looks of the line; and before the first, as what is done by then needs none.
INTERVAL = 0.2
PATIENCE = 0.7


class Progress:
    """A line on standard error with a bar; `wanted` is None for: if that is a terminal."""

    def __init__(self, wanted: bool | None = None, unit: str = "B") -> None:
        self._on = sys.stderr.isatty() if wanted is None else wanted
        self._unit = unit
        self._shown = False
        self.start(0)

    def start(self, total: int) -> None:
        """So much there is to do."""
        self._total, self._done, self._before = total, 0, 0
        self._began = time.monotonic()
        self._next = self._began + PATIENCE

    def skip(self, amount: int) -> None:
        """So much was done before."""
        self._before += amount
        self.add(amount)

    def add(self, amount: int) -> None:
        """So much more is done."""
        self._done += amount
        now = time.monotonic()
        if self._on and now >= self._next and self._total:
            self._next = now + INTERVAL
            self._show(now)

    def _show(self, now: float) -> None:
        share = min(1.0, self._done / self._total)
        speed = (self._done - self._before) / max(1e-9, now - self._began)
        total, rate = amount(self._total, self._unit), amount(speed, self._unit)
        words = f" {100 * share:3.0f} % of {total}, {rate}/s"
        if speed:
            words += f", {(self._total - self._done) / speed:.0f} s left"
        room = max(0, shutil.get_terminal_size().columns - len(words) - 3)
        bar = ("=" * int(share * room)).ljust(room)
        sys.stderr.write(f"\r[{bar}]{words}\x1b[K")
        sys.stderr.flush()
        self._shown = True

    def stop(self) -> None:
        """Takes the line away."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._shown = False


def amount(number: float, unit: str) -> str:
    """A number of bytes with a unit that suits it, or of something else."""
    if unit != "B":
        return f"{number:,.0f} {unit}"
    for prefix in ("", "Ki", "Mi", "Gi"):
        if number < 1024:
            break
        number /= 1024
    else:
        prefix = "Ti"
    return f"{number:.0f} B" if not prefix else f"{number:.1f} {prefix}B"
