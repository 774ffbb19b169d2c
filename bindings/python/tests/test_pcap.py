"""Tests that captures have the verdicts and causes of captures/cases.csv."""

import contextlib
import csv
import dataclasses
import gzip
import os
import signal
import struct
import threading
import time
from xml.etree import ElementTree

import pytest
import residue
from vectors import FOLDER

CAPTURES = FOLDER.parent / "captures"


def cases():
    with open(CAPTURES / "cases.csv", newline="") as file:
        return [row for row in csv.DictReader(file) if row["verdict"]]


@pytest.mark.parametrize("row", cases(), ids=lambda row: row["case"])
def test_the_fixtures(row):
    paths = [CAPTURES / f"{row['case']}.{kind}.{row['format']}" for kind in ("good", "bad")]
    good, bad = (residue.pcap.verify(path, checks="all") for path in paths)
    assert good.good and bad.packets == good.packets > 0
    found = [
        check
        for check in bad.checks
        if (check.protocol, check.verdict) == (row["protocol"], row["verdict"])
    ]
    assert found
    if row["cause"]:
        assert {check.cause for check in found} == {row["cause"]}
    if row["verdict"] in ("bad", "illegal", "length conflict"):
        assert not bad.good and bad.total.wrong > 0


@pytest.mark.parametrize("checks", [None, "wrong"])
def test_progress(checks):
    path = CAPTURES / "nat-tcp.bad.pcap"
    calls = []
    residue.pcap.verify(path, checks=checks, progress=lambda *call: calls.append(call))
    size = path.stat().st_size * (1 if checks is None else 2)
    assert calls == sorted(calls) and calls[-1] == (size, size)


def slowly(path, content):
    """Writes to a pipe in pieces, with longer pauses than those between two reports of progress."""
    with contextlib.suppress(BrokenPipeError), open(path, "wb", buffering=0) as pipe:
        for start in range(0, len(content), 200):
            pipe.write(content[start : start + 200])
            time.sleep(0.1)


@pytest.mark.parametrize("given_up", [False, True])
def test_progress_of_a_stream(tmp_path, given_up):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    content = (CAPTURES / "nat-tcp.bad.pcap").read_bytes()
    writer = threading.Thread(target=slowly, args=(fifo, content))
    writer.start()
    calls = []

    def progress(done, total):
        calls.append((done, total))
        if given_up and len(calls) == 2:
            raise LookupError("enough")

    if given_up:
        with pytest.raises(LookupError, match="enough"):
            residue.pcap.verify(fifo, checks=None, progress=progress)
    else:
        residue.pcap.verify(fifo, checks=None, progress=progress)
        assert len(calls) > 2 and calls[-1] == (len(content), None)
    writer.join()
    done = [call[0] for call in calls]
    assert done == sorted(done) and done[0] < done[1] <= len(content)
    assert len(calls) == 2 or not given_up


def parts(report):
    return list(ElementTree.fromstring(f"<div>{report._repr_html_()}</div>"))


def cells(table):
    return [[cell.text for cell in row] for row in table.findall("tr")]


def test_report_in_a_notebook(tmp_path):
    report = residue.pcap.verify(CAPTURES / "nat-tcp.bad.pcap")
    shown, causes = parts(report)
    caption = "nat-tcp.bad.pcap: 8 packets, 8 of 16 check values wrong"
    assert shown.findtext("caption").endswith(caption)
    assert cells(shown) == [
        ["protocol", "all", "good", "bad"],
        ["ip", "8", "8", "0"],
        ["tcp", "8", "0", "8"],
    ]
    assert cells(causes)[1:] == [["tcp", "rewritten", "8", "1.9e-34"]]
    # A name that is markup, with a byte that is no text; and a capture that is cut short.
    content = (CAPTURES / "nat-tcp.bad.pcap").read_bytes()
    path = os.fsencode(tmp_path) + b"/<b>&\xff.pcap"
    with open(path, "wb") as file:
        file.write(content[:-3])
    shown, *_, note = parts(residue.pcap.verify(os.fsdecode(path)))
    assert "/<b>&?.pcap: " in shown.findtext("caption")
    assert note.text.startswith("Reading ended early: ")


def test_report():
    report = residue.pcap.verify(CAPTURES / "nat-tcp.bad.pcap")
    assert (report.format, report.compression, report.packets, report.error) == (
        "pcap",
        None,
        8,
        None,
    )
    assert not report.good and report.total.wrong == report.total.bad == 8
    assert [(row.protocol, row.good, row.bad) for row in report.protocols] == [
        ("ip", 8, 0),
        ("tcp", 0, 8),
    ]
    assert report.total.all == sum(row.all for row in report.protocols) == 16
    assert report.causes == [residue.pcap.Cause("rewritten", "tcp", 8, 1.9e-34)]
    rewritten = residue.pcap.Rewritten("192.0.2.1", "192.0.2.2", 0x4805, 8, False, 1.9e-34)
    assert report.rewritten == [rewritten]
    assert report.senders == [residue.pcap.Sender("192.0.2.1", 8, 0)]
    assert report.flows == [residue.pcap.Flow("tcp", "192.0.2.1", "192.0.2.2", 1234, 80, 8, 0)]
    assert len(report.checks) == 8 and all(
        check.stored != check.computed for check in report.checks
    )
    every = residue.pcap.verify(CAPTURES / "nat-tcp.bad.pcap", checks="all")
    assert len(every.checks) == 16 and every.total == report.total
    assert residue.pcap.verify(CAPTURES / "nat-tcp.bad.pcap", checks=None).checks == []
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.packets = 1
    # Rows for pandas.DataFrame.
    assert set(dataclasses.asdict(report.checks[0])) == {
        field.name for field in dataclasses.fields(residue.pcap.Check)
    }


def test_packets_that_are_not_followed_are_reported(tmp_path):
    def ipv4(protocol, payload):
        header = bytearray.fromhex(
            "4500 0000 0000 0000 4000 0000 c0000201 c0000202".replace(" ", "")
        )
        header[2:4] = (20 + len(payload)).to_bytes(2, "big")
        header[9] = protocol
        header[10:12] = residue.internet_checksum(bytes(header)).to_bytes(2, "big")
        return bytes(header) + payload

    packets = [ipv4(47, bytes.fromhex("00009000") + bytes(40))] * 2 + [ipv4(50, bytes(40))]
    record = struct.Struct("<IIII")
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
    path = tmp_path / "tunnels.pcap"
    path.write_bytes(head + b"".join(record.pack(0, 0, len(it), len(it)) + it for it in packets))
    report = residue.pcap.verify(path)
    assert report.good
    assert report.not_followed == [
        residue.pcap.NotFollowed("GRE protocol", 0x9000, "Aruba", "GRE protocol 9000 (Aruba)", 2),
        residue.pcap.NotFollowed(
            "IP protocol", 50, "ESP: encrypted", "IP protocol 50 (ESP: encrypted)", 1
        ),
    ]
    assert residue.pcap.verify(CAPTURES / "nat-tcp.good.pcap").not_followed == []


def test_offsets_are_those_of_the_file():
    path = CAPTURES / "nat-tcp.bad.pcap"
    data = path.read_bytes()
    for check in residue.pcap.verify(path).checks:
        assert int.from_bytes(data[check.offset : check.offset + 2], "big") == check.stored


def test_errors(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        residue.pcap.verify(tmp_path / "none.pcap")
    assert caught.value.filename == str(tmp_path / "none.pcap")
    with pytest.raises(IsADirectoryError):
        residue.pcap.verify(tmp_path)
    other = tmp_path / "other"
    other.write_bytes(b"something else")
    with pytest.raises(ValueError, match="other"):
        residue.pcap.verify(other)
    with pytest.raises(ValueError, match="wrong"):
        residue.pcap.verify(other, checks="some")
    data = (CAPTURES / "nat-tcp.bad.pcap").read_bytes()
    other.write_bytes(data[:-3])
    cut = residue.pcap.verify(other)
    assert cut.packets == 7 and cut.error and not cut.good
    other.write_bytes(gzip.compress(data))
    assert residue.pcap.verify(other).compression == "gzip"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_signal_ends_reading(tmp_path):
    class Interrupted(Exception):
        pass

    def handler(*_):
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise Interrupted

    # A capture that never ends.
    pipe, over = tmp_path / "pipe", threading.Event()
    os.mkfifo(pipe)

    def write():
        with open(pipe, "wb", buffering=0) as file:
            file.write((CAPTURES / "nat-tcp.bad.pcap").read_bytes())
            over.wait()

    writer = threading.Thread(target=write)
    writer.start()
    before = signal.signal(signal.SIGALRM, handler)
    try:
        with pytest.raises(Interrupted):
            signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)
            residue.pcap.verify(pipe, checks=None)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        over.set()
        writer.join()
