"""What can go wrong beyond Python's own exceptions."""


class ClusterError(RuntimeError):
    """The cluster cannot be reached, or cannot do the work."""


class ChangedError(OSError):
    """An object changed while it was read."""


class JournalError(ValueError):
    """A journal is damaged, or belongs to other work."""


class ManifestError(ValueError):
    """A manifest is damaged, or no manifest."""
