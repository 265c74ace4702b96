"""The lock of the one coordinator."""

import pytest

from dse.store import Store


def test_one_coordinator_holds_the_lock_until_it_is_released(store: Store) -> None:
    asked = []

    def gives_up() -> bool:
        asked.append(True)
        return True

    with store.coordinator_lock(gives_up) as first:
        assert first
        assert first()
        with store.coordinator_lock(gives_up) as second:
            assert second is None
    assert asked == [True]

    def break_off() -> None:
        with store.coordinator_lock(gives_up) as third:
            assert third
            raise KeyError

    with pytest.raises(KeyError):
        break_off()
    with store.coordinator_lock(gives_up) as fourth:
        assert fourth
