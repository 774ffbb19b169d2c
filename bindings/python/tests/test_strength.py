"""Tests of undetected errors against published figures."""

import dataclasses
import signal
from xml.etree import ElementTree

import pytest
import residue
from residue import strength


def test_profile():
    found = strength.profile("crc-32c")
    assert (found.width, found.normal, found.koopman) == (32, 0x1EDC6F41, 0x8F6E37A0)
    assert "crc-32/iscsi" in found.names and found.order == 2**31 - 1
    limits = {limit.distance: limit.data_bits for limit in found.limits}
    assert (limits[4], limits[6], limits[8]) == (2_147_483_615, 5243, 177)
    assert all(limit.kind == "exact" for limit in found.limits)
    six = next(limit for limit in found.limits if limit.distance == 6)
    assert six.witness.data_bits == 5244 and six.witness.data[0] == 0
    assert len(six.witness.data) + six.witness.check.bit_count() < 6
    assert found.code == "crc-32/iscsi"
    assert (found.distance(12_000), found.distance(5243)) == ((4, "exact"), (6, "exact"))
    assert sum((factor.poly.bit_length() - 1) * factor.times for factor in found.factors) == 32
    assert [limit.distance for limit in strength.profile("crc-16/arc", most=3).limits] == [3]
    assert strength.profile("koopman:8f6e37a0", most=4).names == found.names
    assert strength.profile_seconds("crc-16/arc") < strength.profile_seconds("crc-64/nvme")


def test_profile_and_advice_in_a_notebook():
    found = strength.profile("crc-16/arc")
    table = ElementTree.fromstring(found._repr_html_())
    cells = [[cell.text for cell in row] for row in table.findall("tr")]
    assert cells[0] == ["distance", "bits of data, at most", "kind"]
    assert cells[1:] == [["3", "32,751", "exact"], ["4", "32,751", "exact"]]
    advice = strength.advise(512, 4, width=16, cpu="none")
    table = ElementTree.fromstring(advice._repr_html_())
    names = [row[0].text for row in table.findall("tr")[1:]]
    assert names == [code.code for code in advice.codes]
    judged = len(advice.codes) + len(advice.rejected)
    assert table.findtext("caption").startswith(f"{len(names)} of {judged} codes meet")


@pytest.mark.parametrize(
    "name", ["crc-16/xmodem", "crc-32", "crc-8/maxim-dow", "width=16,poly=8005,refin=true"]
)
def test_undetected_errors_can_be_checked_by_hand(name):
    code = residue.Code(name)
    # Bit 0 is sent first: in reflected codes, the lowest bit of a byte.
    reflected = name != "crc-16/xmodem"
    sent = bytes(range(64))
    found = strength.distance(name, 8 * len(sent))
    wrong = bytearray(sent)
    for bit in found.witness.data:
        wrong[bit // 8] ^= 1 << bit % 8 if reflected else 0x80 >> bit % 8
    assert wrong != sent and code.value(sent) ^ code.value(bytes(wrong)) == found.witness.check
    assert len(found.witness.data) + found.witness.check.bit_count() == found.distance


def test_weights():
    found = strength.weights("crc-16/xmodem", 64, rates=["1e-6", 0.01])
    assert (
        sum(found.counts) == 2**64 and found.counts[:4] == [1, 0, 0, 0] and len(found.counts) == 81
    )
    assert found.probabilities["1e-6"] == pytest.approx(1.619876884715e-22, rel=1e-12)
    assert found.probabilities["0.01"] == pytest.approx(7.594415426260e-7, rel=1e-12)
    assert found.worst > 0 and found.good in (True, False)
    first = strength.weights("crc-32", 12_112, most=4)
    assert first.counts[4] == 223_059 and first.worst is None and first.probabilities == {}


def test_compare():
    rows = strength.compare(["crc-32c", "internet"], 12_000, rates=[1e-6])
    crc, internet = rows
    assert (crc.code, crc.distance, crc.distance_kind, crc.burst) == (
        "crc-32/iscsi",
        4,
        "exact",
        32,
    )
    assert (internet.distance, internet.crc, internet.holds_to) == (2, False, None)
    assert internet.shares[2] == pytest.approx(0.031208, abs=1e-5)
    assert crc.undetected["1e-06"] < internet.undetected["1e-06"]
    assert internet.per_year["1e-06"] == pytest.approx(
        internet.undetected["1e-06"] * 10e9 / 8 / 1538 * 365 * 86_400
    )
    fast, given = (
        strength.compare("internet", 72_000, rates=[1e-6], **rate)[0].per_year["1e-06"]
        for rate in ({"link": 4e10}, {"frames_per_second": 4e10 / 8 / 9038})
    )
    assert fast == pytest.approx(given)
    assert set(dataclasses.asdict(crc)) >= {"code", "width", "random"}


def test_advise():
    advice = strength.advise(12_000, 6)
    assert "crc-32/mef" in [code.code for code in advice.codes]
    assert all(
        code.width >= 29 and code.ns > 0 and code.holds_to >= 12_000 for code in advice.codes
    )
    assert (advice.least_width, advice.enough_width) == strength.widths(12_000, 6) == (28, 29)


def test_advice_for_error_rates_and_targets():
    advice = strength.advise(
        [2000, 12_000], ber="1e-8", target="1e-3/year", link=1e11, burst=16
    )
    assert advice.codes and [code.width for code in advice.codes] == sorted(
        code.width for code in advice.codes
    )
    for code in advice.codes:
        assert code.ns > 0 and code.reasons and code.burst >= 16
        assert [at.data_bits for at in code.chances] == [12_000, 2000]
        assert all(at.per_year <= 1e-3 for at in code.chances)
        assert all(
            at.per_year == pytest.approx(at.per_hour * 24 * 365) and at.kind in KINDS
            for at in code.chances
        )
    rejected = {code.code: code for code in advice.rejected}
    internet = rejected["internet"]
    assert internet.ns is None and internet.reasons and internet.reasons[0]
    names = {code.code for code in advice.codes}
    assert "crc-32/iscsi" in names and not names & set(rejected)


KINDS = {"exact", "bound", "estimate"}


def test_advice_is_exact_about_rates():
    # The same probabilities as from the weights, at one length.
    [arc] = [
        code
        for code in strength.advise(512, 4, ber=1e-4, width=16).codes
        if code.code == "crc-16/arc"
    ]
    counted = strength.weights("crc-16/arc", 512, rates=["1e-4"]).probabilities["1e-4"]
    assert arc.chances[0].undetected == pytest.approx(counted, rel=0.01)
    assert arc.holds_to == 32_751 and arc.then == 2 and arc.kind == "exact"


def test_advice_for_files_and_other_cpus():
    advice = strength.advise(8 << 20, width=64, damaged=1e-6, target=1e-15, files=True)
    assert {code.width for code in advice.codes} <= set(range(30, 65))
    assert "crc-64/nvme" in {code.code for code in advice.codes}
    shares = [code.random * 1e-6 for code in advice.codes]
    assert [code.chances[0].undetected for code in advice.codes] == pytest.approx(shares)
    portable = strength.advise(256, 4, width=16, cpu="none")
    assert {code.kernel for code in portable.codes}.isdisjoint(
        kernel.name
        for code in portable.codes
        if code.code in residue.codes()
        for kernel in residue.Code(code.code).kernels
        if kernel.needs
    )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: strength.profile("crc-99"), "crc-99"),
        (lambda: strength.profile("internet"), "internet"),
        (lambda: strength.profile("x^101+1"), "3 to 100"),
        (lambda: strength.distance("crc-32", 0), "data_bits=0"),
        (lambda: strength.weights("crc-32", 1 << 50), "weights"),
        (lambda: strength.weights("crc-16/arc", 64, rates=["2"]), "2"),
        (lambda: strength.weights("crc-16/arc", 64, most=4, rates=["0.1"]), "weights"),
        (lambda: strength.compare(["nope"]), "nope"),
        (lambda: strength.compare(["crc-32"], rates=["0"]), "0.5"),
        (lambda: strength.compare(["crc-32"], frames_per_second=0), "frames"),
        (lambda: strength.compare(["crc-32"], link=0), "link"),
        (lambda: strength.compare(["crc-32"], link=1e9, frames_per_second=1), "not both"),
        (lambda: strength.advise(100, 60), "hd=60"),
        (lambda: strength.advise(100), "hd, burst, ber or damaged"),
        (lambda: strength.advise([], 4), "one length"),
        (lambda: strength.advise([64, 0], 4), "data_bits=0"),
        (lambda: strength.advise(100, 4, target=1e-9), "ber or damaged"),
        (lambda: strength.advise(100, ber=1e-9, target="1e-9/week"), "week"),
        (lambda: strength.advise(100, ber=0.6), "0.6"),
        (lambda: strength.advise(100, damaged="no"), "no"),
        (lambda: strength.advise(100, burst=33), "burst=33"),
        (lambda: strength.advise(100, 4, link=0), "link=0"),
        (lambda: strength.advise(100, 4, cpu="fast"), "fast"),
        (lambda: strength.widths(100, 1), "hd=1"),
    ],
)
def test_errors(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
def test_a_signal_ends_the_wait():
    class Interrupted(Exception):
        pass

    def handler(*_):
        raise Interrupted

    before = signal.signal(signal.SIGALRM, handler)
    try:
        with pytest.raises(Interrupted):
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            # Several seconds of work.
            strength.profile("crc-64/ecma-182", patience=3)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
