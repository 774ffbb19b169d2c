"""Dask: a cluster of this machine's cores, or one that is there already; and work given to it."""

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

#: Tasks that wait at each thread of a worker while it works: enough that none waits for the client.
AHEAD = 3

#: Tasks under way at least, for clusters whose workers come later.
LEAST = 16

#: Seconds between two looks at how many workers there are.
LOOK = 2.0

#: Seconds to wait for a scheduler.
TIMEOUT = 20


def _dask() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise ImportError("residue.distributed needs Dask: pip install 'residue[dask]'") from error
    return distributed


def cores() -> int:
    """CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """While it lasts, signals that end a program wait: a cluster that has half begun cannot be
    closed.
    """
    came: list[int] = []
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            # Those that are ignored, or were set outside Python, stay as they are.
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
    """What a worker process on this machine does first: Ctrl-C at the terminal is for the client,
    which ends its workers.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextlib.contextmanager
def _here(dask: Any, workers: int) -> Iterator[Any]:
    """A cluster on this machine."""
    with contextlib.ExitStack() as stack:
        with _uninterrupted():
            try:
                cluster = dask.LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    processes=True,
                    # Any port: Dask's own may be another cluster's.
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
    """A client of a cluster, for several calls.

    `client` is a `distributed.Client`, which stays open; the address of a scheduler, as
    `"tcp://host:8786"`; a cluster of Dask's (`LocalCluster`, `KubeCluster`, ...); or None for a
    cluster on this machine of `workers` processes, one for each CPU if that is None, which ends
    with the context. In a script, that needs `if __name__ == "__main__":` around it, since the
    processes import the script.
    """
    dask = _dask()
    if isinstance(client, dask.Client):
        if client.asynchronous:
            raise ValueError(
                "an asynchronous client: give a distributed.Client made without asynchronous=True"
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
    """Calls `function` on the workers with each of `arguments`, and `done` here with each result,
    in any order.

    A worker that dies loses nothing: Dask does its task again elsewhere, and the result is the
    same. ClusterError if that happens to one task too often, or if the scheduler is lost. What
    `function` raises is raised here.
    """
    dask = _dask()
    waiting = iter(arguments)
    name = f"residue-{function.__name__}-{uuid.uuid4().hex}"
    # With results: they are fetched side by side. One by one each would cost some milliseconds.
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
                # Not pure: the same range may hold other bytes the next time.
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
            f"every worker that tried {error.task} died, {error.allowed_failures + 1} in "
            "all; the last was "
            f"{error.last_worker.address}. Its log may say why; workers that lack memory "
            "want a smaller part size. "
            "With a journal, what is done is kept"
        ) from error
    except dask.CancelledError as error:
        raise ClusterError(
            "the scheduler was lost, or another client cancelled the work. With a journal, "
            "what is done is kept"
        ) from error
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("residue"):
            raise
        raise ClusterError(
            "the workers lack residue: install the same version of it on all of them (pip "
            "install 'residue[dask]')"
        ) from error
