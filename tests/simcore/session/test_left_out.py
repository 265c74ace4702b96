"""Accesses that are left out change nothing of a replay, unless it says that they might."""

import pytest

from simcore.model.occupancy import occupancy
from simcore.session.counting import count_instructions
from simcore.session.first_blocks import Notes, first_blocks
from simcore.session.replay import fetched_by_all, fetched_of
from simcore.session.session import Session
from testing.families import session_of

SIZES = ["400KB", "2MB", "8MB", "50MB"]
"""Of an L2: from less than the SMs touch at a time to more than they touch."""


def replayed(session: Session, leaves_out: bool) -> tuple[Notes, list[float] | None, bool]:
    """What is noted, what DRAM brings, and whether that is sure."""
    launch = session.launch
    room = occupancy(session.gpu, launch.threads_per_block, launch.kernel.registers, launch.shared_bytes)
    notes = first_blocks(session, room, count_instructions(session).executed, leaves_out)
    assert notes
    fetched, is_sure = fetched_of(session, room, notes, cold=False)
    return notes, fetched.bytes.tolist() if fetched else None, is_sure


@pytest.mark.parametrize("family", ["stencil_2d", "stencil_3d", "layer_norm", "matmul_tiled"])
def test_a_replay_that_is_sure_brings_the_same(family: str) -> None:
    sure = []
    for size in SIZES:
        session = session_of(family, f"h200,l2_bytes={size}")
        notes, fetched, is_sure = replayed(session, leaves_out=True)
        all_notes, all_fetched, is_always_sure = replayed(session, leaves_out=False)
        assert is_always_sure
        assert len(notes.entries) <= len(all_notes.entries)
        assert fetched == all_fetched or not is_sure
        sure.append(is_sure)
    assert True in sure


def test_much_of_what_a_stencil_reads_is_left_out() -> None:
    session = session_of("stencil_2d", "h200")
    notes, _, is_sure = replayed(session, leaves_out=True)
    all_notes, _, _ = replayed(session, leaves_out=False)
    assert is_sure
    assert len(notes.entries) < 0.8 * len(all_notes.entries)


def test_what_is_not_sure_is_replayed_with_all_accesses() -> None:
    session = session_of("stencil_2d", "h200,l2_bytes=400KB")
    launch = session.launch
    room = occupancy(session.gpu, launch.threads_per_block, launch.kernel.registers, launch.shared_bytes)
    fetched = fetched_by_all(session, room, count_instructions(session).executed, cold=False)
    _, all_fetched, _ = replayed(session, leaves_out=False)
    assert not replayed(session, leaves_out=True)[2]
    assert (fetched.bytes.tolist() if fetched else None) == all_fetched
