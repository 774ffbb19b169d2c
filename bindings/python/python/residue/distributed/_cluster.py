"""Dask: a cluster on this machine or an existing one, and its tasks."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ._errors import ClusterError

#: Tasks per thread of a worker, running and queued: enough that no thread waits for the client.
AHEAD = 3

#: Smallest number of submitted tasks, for clusters whose workers start later.
LEAST = 16

#: Seconds between two counts of the workers.
LOOK = 2.0

#: Seconds to wait for a scheduler.
TIMEOUT = 20


def _dask() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise ImportError(
            "residue.distributed needs Dask: pip install 'residue-codes[dask]'"
        ) from error
    return distributed


def cores() -> int:
    """Returns the number of CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Defers SIGINT and SIGTERM in the context: a half-started cluster cannot be closed."""
    came: list[int] = []
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            # Handlers that ignore the signal, or were set outside Python, stay.
            if callable(signal.getsignal(number)):
                before[number] = signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for first in came:
            signal.raise_signal(first)


def dask_setup(_: Any) -> None:
    """Sets up a worker process on this machine. It ignores Ctrl-C: the client ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextlib.contextmanager
def _here(dask: Any, workers: int) -> Iterator[Any]:
    """Starts a cluster on this machine, and closes it with the context."""
    with contextlib.ExitStack() as stack:
        with _uninterrupted():
            try:
                cluster = dask.LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    processes=True,
                    # Any port: another cluster may use Dask's default port.
                    dashboard_address="127.0.0.1:0",
                    silence_logs="CRITICAL",
                    preload=[__name__],
                )
            except RuntimeError as error:
                raise ClusterError(
                    f"cannot start {workers} worker processes here: {error}"
                ) from error
            stack.enter_context(cluster)
        yield cluster


@contextlib.contextmanager
def connect(client: Any = None, workers: int | None = None) -> Iterator[Any]:
    """Connects to a cluster, for several calls.

    `client` is a `distributed.Client`, which stays open; the address of a scheduler, as
    `"tcp://host:8786"`; a cluster of Dask's (`LocalCluster`, `KubeCluster`, ...); or None for a
    cluster on this machine, which ends with the context. That has `workers` processes, by default
    one per CPU; they import the calling script, which therefore needs
    `if __name__ == "__main__":` around the call.
    """
    dask = _dask()
    if isinstance(client, dask.Client):
        if client.asynchronous:
            raise ValueError(
                "the client is asynchronous: give a distributed.Client without asynchronous=True"
            )
        yield client
        return
    with contextlib.ExitStack() as stack:
        if client is None:
            if workers is not None and workers < 1:
                raise ValueError(f"{workers} worker processes: give at least one")
            client = stack.enter_context(_here(dask, workers or cores()))
        try:
            connected = dask.Client(client, timeout=TIMEOUT, set_as_default=False)
        except (OSError, ValueError) as error:  # TimeoutError is an OSError.
            raise ClusterError(f"cannot reach the scheduler at {client}: {error}") from error
        yield stack.enter_context(connected)


def each(
    client: Any,
    function: Callable[..., Any],
    arguments: Iterable[tuple[Any, ...]],
    done: Callable[[Any], None],
) -> None:
    """Calls `function` on the workers with each of `arguments`; passes each result to `done` here.

    Results arrive in any order. If a worker dies, Dask repeats its task on another; the result is
    the same. Raises ClusterError if one task kills too many workers or the scheduler is lost, and
    any exception that `function` raises.
    """
    dask = _dask()
    waiting = iter(arguments)
    name = f"residue-{function.__name__}-{uuid.uuid4().hex}"
    # With results, which are then fetched concurrently; one by one, each would take milliseconds.
    finished = dask.as_completed(loop=client.loop, with_results=True, raise_errors=False)
    running: dict[Any, None] = {}
    room, look = 0, 0.0
    number = 0
    try:
        while True:
            if time.monotonic() >= look:
                room = max(LEAST, AHEAD * sum(client.nthreads().values()))
                look = time.monotonic() + LOOK
            while len(running) < room and (task := next(waiting, None)) is not None:
                # Not pure: a range may hold other bytes the next time.
                future = client.submit(function, *task, key=f"{name}-{number}", pure=False)
                number += 1
                running[future] = None
                finished.add(future)
            if not running:
                return
            future, result = next(finished)
            del running[future]
            done(result if future.status == "finished" else _result(dask, future))
    finally:
        if running:
            client.cancel(list(running), force=True)


def _result(dask: Any, future: Any) -> Any:
    try:
        return future.result()
    except dask.KilledWorker as error:
        raise ClusterError(
            f"every worker that ran {error.task} died, {error.allowed_failures + 1} in all; the "
            f"last was {error.last_worker.address}. See its log; if it ran out of memory, give a "
            "smaller part size. A journal keeps the finished parts"
        ) from error
    except dask.CancelledError as error:
        raise ClusterError(
            "the scheduler was lost, or another client cancelled the work. A journal keeps the "
            "finished parts"
        ) from error
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("residue"):
            raise
        raise ClusterError(
            "residue is not installed on the workers: install this version on all of them "
            "(pip install 'residue-codes[dask]')"
        ) from error
