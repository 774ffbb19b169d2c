"""The check values in captures of network traffic: are they right, and if not, why?

>>> report = residue.pcap.verify("trace.pcapng")       # doctest: +SKIP
>>> report.good
False
>>> pandas.DataFrame(report.checks)                    # the wrong ones, with their causes
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal

from ._residue import _pcap_verify

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
    """How many check values of a protocol have each verdict.

    ``offloaded``: the field holds the pseudo-header's sum, for the network card to complete: the
    packet was captured on its sender. ``absent``: left out, as the protocol allows. ``illegal``:
    left out, and must not be. ``unverifiable``: cut short, or parts were not captured.
    ``length_conflict``: length fields contradict each other.
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
        """Those that a receiver refuses."""
        return self.bad + self.illegal + self.length_conflict

    @property
    def all(self) -> int:
        """All, whatever the verdict."""
        return self.good + self.offloaded + self.absent + self.unverifiable + self.wrong


@dataclass(frozen=True, slots=True)
class Cause:
    """How many values of a protocol are not right for one cause."""

    cause: str
    protocol: str
    values: int


@dataclass(frozen=True, slots=True)
class NotFollowed:
    """How many packets end at a protocol that is not read: a link type, an EtherType, a tunnel or a
    stream.

    ``kind`` says what numbers the protocol, ``value`` is its number, ``name`` its name where it is
    known, ``protocol`` all three as reports show them. The first 256 protocols are counted
    separately; the others together, under None.
    """

    kind: str | None
    value: int | None
    name: str | None
    protocol: str | None
    packets: int


@dataclass(frozen=True, slots=True)
class Rewritten:
    """Packets between two addresses whose checksums lack the same amount: an address or a port was
    changed on the way.
    """

    source: str
    destination: str
    lacking: int
    packets: int
    addresses_only: bool


@dataclass(frozen=True, slots=True)
class Sender:
    """What one sender's check values have that is not right."""

    address: str | None
    wrong: int
    offloaded: int


@dataclass(frozen=True, slots=True)
class Flow:
    """What one flow's check values have that is not right."""

    protocol: str
    source: str | None
    destination: str | None
    source_port: int | None
    destination_port: int | None
    wrong: int
    offloaded: int


@dataclass(frozen=True, slots=True)
class Check:
    """One check value. Packets are counted from 1, ``offset`` is that of its field in the file
    (decompressed).
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
    """What a capture's check values are like. ``error`` says why reading ended early, if it did."""

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
        """Whether nothing is wrong, and all was read. Offloaded values are not wrong."""
        return self.total.wrong == 0 and self.error is None


def verify(
    path: str | os.PathLike[str], *, checks: Literal["wrong", "all"] | None = "wrong"
) -> Report:
    """Judges every check value of a capture (pcap or pcapng, plain or compressed by gzip or zstd).

    ``checks`` says which of them ``Report.checks`` lists: "wrong" (with offloaded ones), "all", or
    None, which reads the file once in place of twice. Raises OSError if the file cannot be opened,
    ValueError if it is no capture. One that cannot be read to its end gives a report of what is
    before, with ``error``.
    """
    path = os.fspath(path)
    found = _pcap_verify(path, checks)
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
