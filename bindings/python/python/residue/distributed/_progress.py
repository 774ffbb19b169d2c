"""The progress of long work: a line on a terminal, nothing elsewhere."""

from __future__ import annotations

import shutil
import sys
import time

#: Seconds between two updates of the line, and before the first: short work shows none.
INTERVAL = 0.2
DELAY = 0.7


class Progress:
    """A progress bar on standard error; with `wanted` None, only on a terminal."""

    def __init__(self, wanted: bool | None = None, unit: str = "B") -> None:
        self._on = sys.stderr.isatty() if wanted is None else wanted
        self._unit = unit
        self._shown = False
        self.start(0)

    def start(self, total: int) -> None:
        """Starts with a total amount of work."""
        self._total, self._done, self._before = total, 0, 0
        self._began = time.monotonic()
        self._next = self._began + DELAY

    def skip(self, amount: int) -> None:
        """Adds work that was done before, which does not count for the speed."""
        self._before += amount
        self.add(amount)

    def add(self, amount: int) -> None:
        """Adds finished work."""
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
        """Removes the line."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._shown = False


def amount(number: float, unit: str) -> str:
    """Formats a number of bytes with a prefix, or a number of another unit."""
    if unit != "B":
        return f"{number:,.0f} {unit}"
    for prefix in ("", "Ki", "Mi", "Gi"):
        if number < 1024:
            break
        number /= 1024
    else:
        prefix = "Ti"
    return f"{number:.0f} B" if not prefix else f"{number:.1f} {prefix}B"
