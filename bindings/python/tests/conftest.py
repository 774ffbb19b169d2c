"""Dask clusters, for the tests of `residue.distributed`."""

import pytest


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes."""
    from residue.distributed import connect

    with connect(workers=2) as client:
        yield client


@pytest.fixture(scope="module")
def threads():
    """Workers in this process, which share its memory and patched modules."""
    import distributed

    with (
        distributed.LocalCluster(
            processes=False, n_workers=1, threads_per_worker=2, dashboard_address="127.0.0.1:0"
        ) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def memory():
    import fsspec

    files = fsspec.filesystem("memory")
    yield files
    files.store.clear()
    files.pseudo_dirs[:] = [""]
