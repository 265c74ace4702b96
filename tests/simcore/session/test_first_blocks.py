"""Blocks that are executed for a replay before the others are counted are those that would be after it."""

import pytest

from dse.evaluation.variants import space_variants
from simcore.model.occupancy import Occupancy, occupancy
from simcore.session.counting import count_instructions
from simcore.session.first_blocks import NOT_TRACED, first_blocks, trace_first_blocks
from simcore.session.request import CYCLE_LIMIT, LaunchRequest
from simcore.session.session import Session, prepare
from testing.families import FAMILIES, session_of

SPARSE = FAMILIES.parent / "validation" / "spmm_rows"


def _sparse() -> Session:
    """A launch whose data say what is touched, of more than L2 holds: 16,384 blocks."""
    variants = space_variants(SPARSE)
    launch = variants.recipe(next(iter(variants.points()))).launch("h200,l2_bytes=20MB")
    return prepare(LaunchRequest(**{k: v for k, v in launch.items() if k in LaunchRequest.__annotations__}))


def _room(session: Session) -> Occupancy:
    launch = session.launch
    return occupancy(session.gpu, launch.threads_per_block, launch.kernel.registers, launch.shared_bytes)


@pytest.mark.parametrize("most", [100_000, 6_000_000, 1 << 60])
def test_they_are_noted_and_counted_alike(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simcore.session.first_blocks.MAX_INSTRUCTIONS", most)
    session = _sparse()
    traced = trace_first_blocks(session, _room(session), CYCLE_LIMIT)
    counts = count_instructions(session)
    known = len(traced.counts)
    assert known
    assert (traced.counts.executed == counts.executed[:known]).all()
    assert (traced.counts.longest == counts.longest[:known]).all()
    rest = count_instructions(session, known=traced.counts)
    assert (rest.executed == counts.executed).all()
    notes = first_blocks(session, _room(session), counts.executed, leaves_out=True)
    if most == 100_000:
        assert traced.notes is None  # of the first wave, only the beginnings are executed then
        return
    assert notes
    assert traced.notes
    assert (traced.notes.entries == notes.entries).all()
    assert (traced.notes.lines.all() == notes.lines.all()).all()
    assert (traced.notes.executed == notes.executed).all()
    assert traced.notes.whole == notes.whole


def test_blocks_that_are_alike_are_not_traced() -> None:
    session = session_of("stencil_3d", "h200")
    assert trace_first_blocks(session, _room(session), CYCLE_LIMIT) == NOT_TRACED
