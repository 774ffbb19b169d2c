"""Verification of the check values in captures of network traffic, with causes of wrong ones.

>>> report = residue.pcap.verify("trace.pcapng")       # doctest: +SKIP
>>> report.good
False
>>> pandas.DataFrame(report.checks)                    # the wrong values and their causes
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Literal

from ._residue import _pcap_verify
from ._table import note, table

__all__ = [
    "Cause",
    "Check",
    "Counts",
    "Flow",
    "NotFollowed",
    "Report",
    "Rewritten",
    "Sender",
    "verify",
]


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of check values of a protocol, by verdict.

    ``offloaded``: the field holds the sum of the pseudo-header, for the network card to complete;
    the packet was captured on its sender. ``absent``: left out, as the protocol allows.
    ``illegal``: left out, although the protocol requires it. ``unverifiable``: the packet is cut
    short, or parts were not captured. ``length_conflict``: length fields contradict each other.
    """

    protocol: str
    title: str
    source: str
    good: int
    bad: int
    offloaded: int
    absent: int
    illegal: int
    unverifiable: int
    length_conflict: int

    @property
    def wrong(self) -> int:
        """Number of check values that a receiver rejects."""
        return self.bad + self.illegal + self.length_conflict

    @property
    def all(self) -> int:
        """Number of check values with any verdict."""
        return self.good + self.offloaded + self.absent + self.unverifiable + self.wrong


@dataclass(frozen=True, slots=True)
class Cause:
    """Number of check values of a protocol that are wrong or offloaded for one cause.

    ``chance`` is the probability that the cause fits so often by chance; None if the cause is
    unknown.
    """

    cause: str
    protocol: str
    values: int
    chance: float | None


@dataclass(frozen=True, slots=True)
class NotFollowed:
    """Number of packets whose content is a protocol that is not parsed.

    Such a protocol is a link type, an EtherType, a tunnel or a stream. ``kind`` names the registry
    of ``value``, the protocol's number; ``name`` is its name if known, ``protocol`` all three as
    reports show them. The first 256 protocols are counted separately; the others together, under
    None.
    """

    kind: str | None
    value: int | None
    name: str | None
    protocol: str | None
    packets: int


@dataclass(frozen=True, slots=True)
class Rewritten:
    """Packets between two addresses whose checksums are wrong by an equal amount, ``lacking``.

    An address or a port was changed on the way, and the checksum was not. ``chance`` is the
    probability that so many packets lack this amount by chance.
    """

    source: str
    destination: str
    lacking: int
    packets: int
    addresses_only: bool
    chance: float


@dataclass(frozen=True, slots=True)
class Sender:
    """Numbers of wrong and offloaded check values of a sender."""

    address: str | None
    wrong: int
    offloaded: int


@dataclass(frozen=True, slots=True)
class Flow:
    """Numbers of wrong and offloaded check values of a flow."""

    protocol: str
    source: str | None
    destination: str | None
    source_port: int | None
    destination_port: int | None
    wrong: int
    offloaded: int


@dataclass(frozen=True, slots=True)
class Check:
    """A check value and its verdict.

    Packets are counted from 1; ``offset`` is the offset of the field in the (decompressed) file.
    """

    packet: int
    protocol: str
    verdict: str
    reason: str | None
    cause: str | None
    detail: str | None
    stored: int | None
    computed: int | None
    source: str | None
    destination: str | None
    source_port: int | None
    destination_port: int | None
    offset: int | None


@dataclass(frozen=True, slots=True)
class Report:
    """A report on the check values of a capture; ``error`` is why reading ended early, if so."""

    path: str
    format: str
    compression: str | None
    packets: int
    cut_packets: int
    error: str | None
    total: Counts
    protocols: list[Counts]
    causes: list[Cause]
    not_followed: list[NotFollowed]
    rewritten: list[Rewritten]
    senders: list[Sender]
    flows: list[Flow]
    checks: list[Check]

    @property
    def good(self) -> bool:
        """Whether all packets were read and no value is wrong. Offloaded values are not wrong."""
        return self.total.wrong == 0 and self.error is None

    def _repr_html_(self) -> str:
        """Returns the numbers by protocol, and the causes, as notebooks show them."""
        names = [field.name for field in fields(Counts)[3:]]
        verdicts = [name for name in names if getattr(self.total, name)]
        rows = [
            [row.protocol, row.all, *(getattr(row, verdict) for verdict in verdicts)]
            for row in self.protocols
        ]
        wrong = f"{self.total.wrong:,} of {self.total.all:,} check values wrong"
        shown = table(
            f"{self.path}: {self.packets:,} packets, {wrong}",
            ["protocol", "all", *(verdict.replace("_", " ") for verdict in verdicts)],
            rows,
        )
        if self.causes:
            causes = [[row.protocol, row.cause, row.values, row.chance] for row in self.causes]
            shown += table("Causes", ["protocol", "cause", "values", "chance"], causes)
        if self.error is not None:
            shown += note(f"Reading ended early: {self.error}")
        return shown


def verify(
    path: str | os.PathLike[str],
    *,
    checks: Literal["wrong", "all"] | None = "wrong",
    progress: Callable[[int, int | None], object] | None = None,
) -> Report:
    """Verifies every check value of a capture (pcap or pcapng, also compressed by gzip or zstd).

    ``checks`` selects the values that ``Report.checks`` lists: "wrong" (including offloaded ones),
    "all", or None, with which the file is read once instead of twice. ``progress`` is called some
    20 times a second, and at the end, with the bytes that have been read and those to read in all
    (None for what is not a regular file); what it raises ends the call. Raises OSError if the file
    cannot be opened, and ValueError if it is not a capture. If reading fails later, the report
    covers the packets before and has an ``error``.
    """
    path = os.fspath(path)
    found = _pcap_verify(path, checks, progress)
    return Report(
        path=path,
        format=found["format"],
        compression=found["compression"],
        packets=found["packets"],
        cut_packets=found["cut_packets"],
        error=found["error"],
        total=Counts(**found["total"]),
        protocols=[Counts(**row) for row in found["protocols"]],
        causes=[Cause(*row) for row in found["causes"]],
        not_followed=[NotFollowed(*row) for row in found["not_followed"]],
        rewritten=[Rewritten(*row) for row in found["rewritten"]],
        senders=[Sender(*row) for row in found["senders"]],
        flows=[Flow(*row) for row in found["flows"]],
        checks=[Check(**row) for row in found["checks"]],
    )
