"""Strength of codes: Hamming distances, numbers and probabilities of undetected errors.

A polynomial is the name of a code ("crc-32c"), or digits with their notation: "normal:1edc6f41",
"koopman:8f6e37a0", "reversed:", "reciprocal:", "explicit:". Lengths are those of the data in bits,
without the check value. ``kind`` is "exact", "bound" (proved; the true figure may be larger) or
"sampled".

``patience`` is the approximate time limit of a call in seconds: a figure that would take longer
stays a bound, or raises an error. ``threads`` defaults to the number of CPUs. The interpreter's
lock is released; after a KeyboardInterrupt a search ends in the background.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from ._residue import (
    _strength_advise,
    _strength_compare,
    _strength_distance,
    _strength_profile,
    _strength_seconds,
    _strength_weights,
    _strength_widths,
)
from ._table import note, table

__all__ = [
    "Advice",
    "Candidate",
    "Chance",
    "Comparison",
    "Distance",
    "Factor",
    "Limit",
    "Profile",
    "Undetected",
    "Weights",
    "advise",
    "compare",
    "distance",
    "profile",
    "profile_seconds",
    "weights",
    "widths",
]

CODES = (
    "crc-32/iscsi",
    "internet",
    "fletcher-16",
    "fletcher-32",
    "adler-32",
    "crc-32/iso-hdlc",
    "koopman:ba0dc66b",
)


@dataclass(frozen=True, slots=True)
class Undetected:
    """An undetected error in data of ``data_bits`` bits, verified with the code.

    ``data`` are the wrong bits of the data; bit 0 is sent first. The first bit of a byte is its
    highest one, or its lowest one for reflected CRCs. Data that is not whole bytes is padded with
    zero bits in front. ``check`` is the change of the check value (exclusive or). For a polynomial
    without a name, the highest bit is first.
    """

    data_bits: int
    data: tuple[int, ...]
    check: int


@dataclass(frozen=True, slots=True)
class Limit:
    """The longest data with a Hamming distance.

    ``witness`` is an undetected error of fewer bits than the distance in data one bit longer.
    """

    distance: int
    data_bits: int
    kind: str
    witness: Undetected | None


@dataclass(frozen=True, slots=True)
class Factor:
    """An irreducible factor of a generator, with its top term.

    ``order`` is the least e with x^e = 1 modulo the factor.
    """

    poly: int
    times: int
    order: int
    primitive: bool


@dataclass(frozen=True, slots=True)
class Profile:
    """A generator polynomial in all notations, with the length up to which each distance holds.

    ``code`` is the code with which the witnesses were verified, as ``residue.Code`` takes it.
    """

    code: str
    width: int
    names: list[str]
    normal: int
    reversed: int
    reciprocal: int
    koopman: int
    explicit: int
    factors: list[Factor]
    order: int
    limits: list[Limit]
    note: str | None

    def distance(self, data_bits: int) -> tuple[int, str]:
        """Returns the Hamming distance for data of this length, and its kind."""
        held = max(
            (limit.distance for limit in self.limits if limit.data_bits >= data_bits), default=2
        )
        above = next((limit for limit in self.limits if limit.distance == held + 1), None)
        return held, above.kind if above else "exact"

    def _repr_html_(self) -> str:
        """Returns the lengths by distance, as notebooks show them."""
        rows = [[limit.distance, limit.data_bits, limit.kind] for limit in self.limits]
        title = f"{self.code}: {self.width} bits, order {self.order:,}"
        shown = table(title, ["distance", "bits of data, at most", "kind"], rows)
        return shown if self.note is None else shown + note(self.note)


@dataclass(frozen=True, slots=True)
class Distance:
    """The Hamming distance for data of one length.

    ``witness`` is an undetected error with ``distance`` wrong bits, if the distance is exact.
    """

    distance: int
    kind: str
    witness: Undetected | None


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight distribution: exact numbers of undetected errors of 0, 1, 2, ... bits.

    ``counts`` are numbers of errors in data and check value. ``probabilities`` has the probability
    of an undetected error at each requested bit error rate, to 17 digits. ``worst`` is the largest
    probability at rates up to 1/2, at ``worst_rate``; ``good`` is whether that is at 1/2, and
    ``proper`` whether the probability never falls (all sampled). If not all weights are counted,
    ``probabilities`` is empty and the others are None.
    """

    width: int
    data_bits: int
    counts: list[int]
    probabilities: dict[str, float]
    worst_rate: float | None
    worst: float | None
    good: bool | None
    proper: bool | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The undetected errors of a code in data of one length.

    ``shares[w]`` is the share of errors of w bits that is undetected. ``undetected`` is the
    probability of an undetected error in a frame, and ``per_year`` the number of such frames in 365
    days, by bit error rate; ``kinds`` has their kinds. ``random`` is the share of random data that
    is accepted, and ``burst`` the length in bits up to which every burst is detected.
    """

    code: str
    width: int
    crc: bool
    distance: int
    distance_kind: str
    holds_to: int | None
    shares: dict[int, float]
    undetected: dict[str, float | None]
    per_year: dict[str, float | None]
    kinds: dict[str, str | None]
    random: float
    burst: int


@dataclass(frozen=True, slots=True)
class Chance:
    """Undetected errors of a code in messages of ``data_bits`` bits of data.

    ``undetected`` is the probability that a message is wrong and accepted. ``kind`` is "exact",
    "bound", or "estimate" (errors of few bits counted, of more bits taken as undetected in the
    share of random data). ``per_hour`` and ``per_year`` (365 days) are numbers on a full link.
    """

    data_bits: int
    undetected: float
    kind: str
    per_hour: float
    per_year: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A code that was judged by the requirements.

    It has the required distance up to ``holds_to`` bits of data (None: any length), and the
    distance ``then`` one bit beyond, if that is known. ``ns`` and ``cycles_per_byte`` are its speed
    on this CPU; they are None for codes that do not meet the requirements. ``burst`` is the length
    in bits up to which it detects every burst, for sums at most the required one. ``random`` is the
    share of random data that it accepts. ``chances`` has an entry for each length, the longest
    first, if an error rate was given. ``reasons`` say why it meets the requirements, or which of
    them it misses.
    """

    code: str
    also: list[str]
    width: int
    crc: bool
    holds_to: int | None
    kind: str | None
    kernel: str | None
    ns: float | None
    cycles_per_byte: float | None
    then: int | None
    burst: int
    random: float
    chances: list[Chance]
    reasons: list[str]


@dataclass(frozen=True, slots=True)
class Advice:
    """The codes that meet all requirements, best first, and the others.

    ``codes`` are ranked for packets by width, then by speed; for files by speed, and about equal
    ones by strength. ``rejected`` are the others, narrow ones first, and ``nearest`` those among
    them that keep the distance longest, at most one of a width. No code with the distance has fewer
    check bits than ``least_width``; some CRC of ``enough_width`` bits has it.
    """

    codes: list[Candidate]
    rejected: list[Candidate]
    nearest: list[Candidate]
    least_width: int
    enough_width: int

    def _repr_html_(self) -> str:
        """Returns the codes that meet the requirements, as notebooks show them."""
        rows = [
            [code.code, code.width, code.holds_to, code.kind, code.kernel, code.ns]
            for code in self.codes
        ]
        columns = ["code", "bits", "distance holds to, bits of data", "kind", "kernel", "ns"]
        judged = len(self.codes) + len(self.rejected)
        title = (
            f"{len(self.codes)} of {judged} codes meet the requirements; "
            f"{self.least_width} bits or more are needed"
        )
        return table(title, columns, rows)


def _undetected(witness: tuple[int, list[int], int] | None) -> Undetected | None:
    if witness is None:
        return None
    data_bits, data, check = witness
    return Undetected(data_bits, tuple(data), check)


def _length(data_bits: int) -> int:
    if not 1 <= data_bits <= 1 << 62:
        raise ValueError(f"data_bits={data_bits}: give the length of the data in bits, 1 to 2^62")
    return data_bits


def profile(
    polynomial: str,
    *,
    width: int | None = None,
    most: int | None = None,
    patience: int = 60,
    threads: int | None = None,
) -> Profile:
    """Computes the length of data up to which each Hamming distance holds.

    ``most`` is the largest distance to consider; a small one takes less time.
    """
    most = (1 << 32) - 1 if most is None else most
    found = _strength_profile(polynomial, width, most, patience, threads)
    found["factors"] = [Factor(*factor) for factor in found["factors"]]
    limits = found["limits"]
    found["limits"] = [
        Limit(distance, bits, kind, _undetected(error)) for distance, bits, kind, error in limits
    ]
    return Profile(**found)


def profile_seconds(
    polynomial: str,
    *,
    width: int | None = None,
    most: int | None = None,
    patience: int = 60,
    threads: int | None = None,
) -> float:
    """Estimates the seconds that ``profile`` takes with equal arguments."""
    return _strength_seconds(
        polynomial, width, (1 << 32) - 1 if most is None else most, patience, threads
    )


def distance(
    polynomial: str,
    data_bits: int,
    *,
    width: int | None = None,
    patience: int = 60,
    threads: int | None = None,
) -> Distance:
    """Computes the Hamming distance for data of one length."""
    found, kind, witness = _strength_distance(
        polynomial, width, _length(data_bits), patience, threads
    )
    return Distance(found, kind, _undetected(witness))


def weights(
    polynomial: str,
    data_bits: int,
    *,
    most: int | None = None,
    rates: Iterable[float | str] = (),
    width: int | None = None,
    patience: int = 60,
    threads: int | None = None,
) -> Weights:
    """Counts the undetected errors of each number of bits, up to ``most``.

    Also computes the probability of an undetected error at the bit error rates ``rates``. Raises
    ValueError if that would take too long, or if ``rates`` are given and ``most`` excludes some
    weights.
    """
    texts = [str(rate) for rate in rates]
    found = _strength_weights(polynomial, width, _length(data_bits), most, texts, patience, threads)
    degree, counts, probabilities, shape = found
    worst_rate, worst, _, good, proper = shape or (None,) * 5
    return Weights(
        width=degree,
        data_bits=data_bits,
        counts=[int.from_bytes(count, "little") for count in counts],
        probabilities={
            text: float(value) for text, value in zip(texts, probabilities, strict=True)
        },
        worst_rate=worst_rate,
        worst=worst,
        good=good,
        proper=proper,
    )


def compare(
    codes: Iterable[str] = CODES,
    data_bits: int = 12_000,
    *,
    rates: Iterable[float | str] = ("1e-8", "1e-6", "1e-5", "1e-4"),
    frames_per_second: float | None = None,
    link: float | None = None,
    exact: bool = False,
    patience: int = 60,
    threads: int | None = None,
) -> list[Comparison]:
    """Compares the undetected errors of codes: CRCs of up to 64 bits, and sums of up to 32.

    Figures of sums are means over uniform data. ``per_year`` assumes ``frames_per_second``, or
    otherwise a full Ethernet link of ``link`` bits per second (1e10 if None), on which a frame
    takes 38 bytes beside its data. With ``exact``, all weights of CRCs are counted, which takes
    some 15 seconds for a CRC of 32 bits.
    """
    if isinstance(codes, str):
        codes = [codes]
    if frames_per_second is not None and link is not None:
        raise ValueError(
            "give link or frames_per_second, not both: a full link determines the number of frames"
        )
    for name, value in (("frames_per_second", frames_per_second), ("link", link)):
        if value is not None and not 0 < value < float("inf"):
            raise ValueError(f"{name}={value}: give a number above 0")
    link = 1e10 if link is None else link
    texts = [str(rate) for rate in rates]
    found = json.loads(
        _strength_compare(
            list(codes),
            _length(data_bits),
            texts,
            frames_per_second,
            link,
            exact,
            patience,
            threads,
        )
    )
    return [_compared(row) for row in found["codes"]]


def _compared(row: dict[str, Any]) -> Comparison:
    def each(key: str, part: str) -> dict[str, Any]:
        return {
            at["rate"]: None if at[key] is None else at[key][part] for at in row["probabilities"]
        }

    holds_to = row["holds_to"]
    return Comparison(
        code=row["code"],
        width=row["width"],
        crc=row["crc"],
        distance=row["distance"]["value"],
        distance_kind=row["distance"]["kind"],
        holds_to=None if holds_to is None else holds_to["value"],
        shares={few["weight"]: few["share"] for few in row["few"]},
        undetected=each("undetected", "value"),
        per_year=each("per_year", "value"),
        kinds=each("undetected", "kind"),
        random=row["random"],
        burst=row["burst"],
    )


def advise(
    data_bits: int | Iterable[int],
    hd: int | None = None,
    *,
    width: int = 32,
    burst: int | None = None,
    ber: float | str | None = None,
    damaged: float | str | None = None,
    target: float | str | None = None,
    link: float = 1e10,
    files: bool = False,
    cpu: Literal["this", "crc", "none"] = "this",
    patience: int = 60,
    threads: int | None = None,
) -> Advice:
    """Ranks the known codes that meet all requirements, as ``residue strength advise`` does.

    ``data_bits`` is the length of the data in bits, or several. ``hd`` is the Hamming distance:
    every error of fewer bits is detected. ``width`` is the widest check value, and ``burst`` the
    length of bursts in bits, all of which are detected.

    ``ber`` is the bit error rate, and ``damaged`` the share of messages with other damage (lost,
    swapped or foreign blocks), all of which counts as undetected by a sum; each above 0 and up to
    0.5. ``target`` limits undetected errors: a
    probability for a message (1e-15), or a number as "1e-9/h" or "0.01/year" on a link of ``link``
    bits per second that is always full.

    ``files`` judges for files: no frames around them, and speed before width. Codes are timed on
    this CPU; with ``cpu="crc"`` by the kernels for CPUs with an instruction for CRC-32C but no
    carry-less multiplication, and with ``cpu="none"`` for those without either and without vectors.
    """
    lengths = list(data_bits) if isinstance(data_bits, Iterable) else [data_bits]
    if not lengths:
        raise ValueError("data_bits: give one length or more")
    lengths = sorted({_length(bits) for bits in lengths}, reverse=True)
    if hd is None and burst is None and ber is None and damaged is None:
        raise ValueError("say what to detect: hd, burst, ber or damaged")
    if target is not None and ber is None and damaged is None:
        raise ValueError("target: say how often errors happen, by ber or damaged")
    if not 0 < link < float("inf"):
        raise ValueError(f"link={link}: give bits per second, a number above 0")
    found = json.loads(
        _strength_advise(
            lengths,
            2 if hd is None else hd,
            width,
            0 if burst is None else burst,
            _text(ber),
            _text(damaged),
            _text(target),
            link,
            files,
            cpu,
            patience,
            threads,
        )
    )
    return Advice(
        codes=[_candidate(row) for row in found["codes"]],
        rejected=[_candidate(row) for row in found["rejected"]],
        nearest=[_candidate(row) for row in found["nearest"]],
        least_width=found["least_width"],
        enough_width=found["enough_width"],
    )


def _text(number: float | str | None) -> str | None:
    return None if number is None else str(number)


def _candidate(row: dict[str, Any]) -> Candidate:
    speed, holds_to = row["speed"] or {}, row["holds_to"] or {}
    return Candidate(
        code=row["code"],
        also=row["also"],
        width=row["width"],
        crc=row["crc"],
        holds_to=holds_to.get("value"),
        kind=holds_to.get("kind"),
        kernel=speed.get("kernel"),
        ns=speed.get("ns"),
        cycles_per_byte=speed.get("cycles_per_byte"),
        then=row["then"],
        burst=row["burst"],
        random=row["random"],
        chances=[_chance(at) for at in row["chances"]],
        reasons=row["reasons"],
    )


def _chance(at: dict[str, Any]) -> Chance:
    return Chance(
        data_bits=at["data_bits"],
        undetected=at["undetected"]["value"],
        kind=at["undetected"]["kind"],
        per_hour=at["per_hour"],
        per_year=at["per_year"],
    )


def widths(data_bits: int, hd: int) -> tuple[int, int]:
    """Returns two bounds on the check bits needed for a Hamming distance.

    No code with fewer check bits than the first bound has the distance; some CRC with as many check
    bits as the second bound has it.
    """
    if hd < 2:
        raise ValueError(f"hd={hd}: every code detects one wrong bit; give 2 or more")
    return _strength_widths(_length(data_bits), hd)
