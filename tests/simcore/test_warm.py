"""What `warm_up` leaves behind."""

import gc

from simcore import warm_up


def test_what_is_loaded_is_not_looked_at_again() -> None:
    """Python's collector would look at the compiler and the core each time: hundreds of thousands of objects."""
    warm_up()
    assert len(gc.get_objects()) < gc.get_freeze_count()
