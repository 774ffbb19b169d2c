"""Exceptions of `residue.distributed`."""


class ClusterError(RuntimeError):
    """The cluster cannot be reached, or cannot do the work."""


class ChangedError(OSError):
    """An object changed while it was read."""


class JournalError(ValueError):
    """A journal is damaged, or belongs to other work."""


class ManifestError(ValueError):
    """A manifest is damaged, or a file is not a manifest."""
