"""Check values of data that is too large for one machine, on Dask.

Many workers read the parts of an object, and the partial results are concatenated: the value always
equals that of reading the object from start to end. Searches for polynomials and trials on real
data also give the results of one machine.

    from residue.distributed import manifest, value, verify

    if __name__ == "__main__":       # the workers are processes that import this script
        print(hex(value("disk.img", "crc-64/nvme")))             # on all CPUs of this machine
        manifest("s3://bucket/data", client="tcp://scheduler:8786").write("data.manifest")
        for finding in verify("data.manifest"):
            if finding.verdict != "good":
                print(finding.name, finding.verdict, finding.ranges)

`python -m residue.distributed --help` describes the command-line program. The package needs Dask:
pip install 'residue-codes[dask]'.
"""

from ._cluster import connect
from ._errors import ChangedError, ClusterError, JournalError, ManifestError
from ._manifest import Entry, Manifest
from ._parts import Problem
from ._strength import data, search
from ._value import manifest, partials, value
from ._verify import Finding, Report, verify

__all__ = [
    "ChangedError",
    "ClusterError",
    "Entry",
    "Finding",
    "JournalError",
    "Manifest",
    "ManifestError",
    "Problem",
    "Report",
    "connect",
    "data",
    "manifest",
    "partials",
    "search",
    "value",
    "verify",
]
