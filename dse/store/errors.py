"""What the store refuses, each with a message for the person who asked."""


class StoreError(Exception):
    """Anything the store cannot do."""


class SweepNotFound(StoreError):
    """No sweep has that number."""


class FilterError(StoreError, ValueError):
    """A filter or an order that cannot be read; the message shows the place and what is allowed there."""
