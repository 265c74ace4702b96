"""Which blocks share an SM, and which SM ends last: the one with most work, or the one with the longest warp."""

import csv
import gzip
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from simcore import load_gpu
from simcore.model.occupancy import occupancy
from simcore.model.placement import first_wave, last_blocks, sides_of_sms
from simcore.session.session import Session
from testing.families import session_of

MEASURED = Path(__file__).parents[2] / "silicon" / "h200" / "block_placement.csv.gz"
"""Alike on an H100, line by line."""

BLOCKS = 264  # two on each SM of an H200


@pytest.fixture(scope="module")
def session() -> Session:
    return session_of("waves", "h200", grid=BLOCKS)


def last(session: Session, executed: NDArray[np.int64], longest: NDArray[np.int64]) -> list[list[int]]:
    gpu, launch = load_gpu("h200"), session.launch
    room = occupancy(gpu, launch.threads_per_block, launch.kernel.registers, launch.shared_bytes)
    return [blocks.tolist() for blocks in last_blocks(gpu, launch, room, executed, longest)]


def test_blocks_alike_leave_one_sm_to_time(session: Session) -> None:
    assert last(session, np.full(BLOCKS, 1000), np.full(BLOCKS, 100)) == [[0, 132]]


def test_the_sm_with_most_work_ends_last(session: Session) -> None:
    executed = np.full(BLOCKS, 1000)
    executed[140] = 5000
    assert last(session, executed, executed // 8) == [[8, 140]]


def test_a_warp_that_is_longer_than_all_of_that_sm_may_end_last(session: Session) -> None:
    executed, longest = np.full(BLOCKS, 1000), np.full(BLOCKS, 100)
    longest[7] = 700
    assert last(session, executed, longest) == [[0, 132], [7, 139]]
    longest[0] = 600
    assert last(session, executed, longest) == [[0, 132]], "nearly as long as the longest"


def test_of_equal_blocks_the_sm_with_one_that_shares_no_column_may_end_last() -> None:
    wide = session_of("waves", "h200", grid=(4, 500))
    alike, mixed = last(wide, np.full(2000, 1000), np.full(2000, 100))
    assert {block % 4 for block in alike} == {0}
    columns = [block % 4 for block in mixed]
    assert min(columns.count(column) for column in columns) == 1
    assert len(set(columns)) > 1


@pytest.mark.parametrize("grid", [(4, 33), (4, 2000), (2000, 1), (1, 2000)], ids=str)
def test_it_is_not_looked_for_in_several_waves_or_where_an_sm_has_one_block_or_all_share(
    grid: tuple[int, int],
) -> None:
    count = grid[0] * grid[1]
    assert len(last(session_of("waves", "h200", grid=grid), np.full(count, 1000), np.full(count, 100))) == 1


def test_blocks_of_a_first_wave_share_an_sm_as_on_the_gpu() -> None:
    measured = defaultdict(list)
    with gzip.open(MEASURED, "rt") as lines:
        for row in csv.DictReader(lines):
            measured[row["threads"], row["blocks"], row["launch"]].append(int(row["sm"]))
    gpu = load_gpu("h200")
    assert len(measured) > 80
    for launch, sms in measured.items():
        if len(sms) < gpu.sms or launch == ("64", "4224", "0"):
            continue  # not one on each SM; the process's first launch of so many, whose order is another
        on = defaultdict(list)
        for modelled, sm in zip(first_wave(gpu, len(sms)).tolist(), sms, strict=True):
            on[modelled].append(sm)
        alike = sum(max(found.count(sm) for sm in set(found)) for found in on.values())
        assert alike >= 0.95 * len(sms), launch


def test_an_sm_that_is_a_little_faster_does_not_get_all_blocks_of_the_next_wave() -> None:
    """Blocks that begin together end one after the other (`micro/launch/block_ends`), so all SMs get some."""
    gpu, some = load_gpu("h200"), session_of("waves", "h200", grid=BLOCKS)
    launch = some.launch
    slots = occupancy(
        gpu, launch.threads_per_block, launch.kernel.registers, launch.shared_bytes
    ).blocks_per_sm
    resident, more = gpu.sms * slots, gpu.sms
    larger = session_of("waves", "h200", grid=resident + more)
    executed = np.full(resident + more, 1000)
    executed[:resident][first_wave(gpu, resident) == 10] = 990
    executed[-1] = 100
    (blocks,) = last(larger, executed, executed // 8)
    assert slots < len(blocks) <= slots + 4


@pytest.mark.parametrize("gpu", ["h200", "a100-80gb", "b200"])
def test_neighbours_are_on_one_side_of_l2(gpu: str) -> None:
    sides = sides_of_sms(load_gpu(gpu))
    assert sides.mean() == pytest.approx(0.5, abs=0.01)
    assert (sides[1:] == sides[:-1]).mean() > 0.95


def test_a_l2_of_one_part_has_one_side() -> None:
    assert not sides_of_sms(load_gpu("rtx4090")).any()
