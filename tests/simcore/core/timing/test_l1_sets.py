"""Sets of L1, what they give up, and what the carve-out leaves, as measured (benchmarks/silicon/micro/l1/sets.py)."""

import csv
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from simcore import load_gpu
from simcore.core.geometry import L1_SETS
from simcore.core.jit import entry
from simcore.core.timing import l1_sets

SILICON = Path(__file__).parents[3] / "silicon"
GPUS = ("h200", "h100-sxm")
LINES = 1792  # beside a carve-out of 32 KiB

Ints = NDArray[np.int64]


class Places(NamedTuple):
    l1_tag: Ints
    l1_used: Ints
    l1_in_use: Ints
    l1_hand: Ints


@entry()
def place_of(sm, t, line, now):
    return l1_sets.place_of(sm, t, line, now)


class Shape(NamedTuple):
    l1_ways: int
    l1_protected_ways: int
    l1_lines: int


def shape(gpu: str, lines: int) -> Shape:
    profile = load_gpu(gpu)
    return Shape(profile.l1_ways, profile.l1_protected_ways, lines)


def empty(of: Shape) -> Places:
    places = L1_SETS * of.l1_ways
    ways = np.arange(places, dtype=np.int64) % of.l1_ways
    return Places(
        np.full(places, -1, np.int64),
        ways,
        np.zeros(l1_sets.BANKS, np.int64),
        np.zeros(l1_sets.BANKS, np.int64),
    )


@cache
def columns(gpu: str) -> list[int]:
    with (SILICON / gpu / "l1_sets" / "columns.csv").open() as file:
        return [int(row["column"], 16) for row in csv.DictReader(file)][:22]


def set_of(line: int, gpu: str) -> int:
    found = 0
    for bit, column in enumerate(columns(gpu)):
        found ^= column if line >> bit & 1 else 0
    return found


@pytest.mark.parametrize("gpu", GPUS)
def test_lines_lie_in_the_sets_in_which_they_were_found(gpu: str) -> None:
    of = shape(gpu, LINES)
    for bit in range(22):
        line = 1 << bit
        place, _ = place_of(empty(of), of, line, 1)
        assert place // of.l1_ways == set_of(line, gpu)


@pytest.mark.parametrize("gpu", GPUS)
def test_a_set_gives_up_what_it_was_seen_to_give_up(gpu: str) -> None:
    """50 orders of reads, of which every line was there afterwards in nearly all sets, or in nearly none."""
    orders: dict[str, dict[str, bool]] = defaultdict(dict)
    with (SILICON / gpu / "l1_sets" / "orders.csv").open() as file:
        for row in csv.DictReader(file):
            orders[row["order"]][row["line"]] = float(row["there"]) > 0.5
    assert len(orders) > 45
    of = shape(gpu, LINES)
    mates = [line for line in range(1 << 14) if set_of(line, gpu) == 77]
    for order, there in orders.items():
        sm = empty(of)
        for now, letter in enumerate(filter(str.isalpha, order), 1):
            place_of(sm, of, mates[ord(letter.lower()) - 97], now)
        found = {letter: mates[ord(letter) - 97] in sm.l1_tag for letter in there}
        assert found == there, order


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize(("kib", "lines"), [(0, 1792), (132, 992)])
def test_lines_live_as_long_as_measured_where_the_carve_out_leaves_less(
    gpu: str, kib: int, lines: int
) -> None:
    """Lines drawn at random, each read once: those that have been there for a while, and are not the last."""
    with np.load(SILICON / gpu / "l1_sets" / "lifetimes.npz") as measured:
        drawn = measured[f"random_{kib}"] + measured["first_line"]
        survived = measured[f"random_survives_{kib}"]
    of = shape(gpu, lines)
    sm = empty(of)
    lives = len(drawn) - 1 - np.arange(len(drawn))
    at = {}
    for now, line in enumerate(drawn.tolist()):
        before = sm.l1_tag.copy()
        place_of(sm, of, line, now + 1)
        at[line] = now
        for lost in before[(before != sm.l1_tag) & (before >= 0)].tolist():
            lives[at[lost]] = now - at[lost] - 1
    middle = slice(len(drawn) // 6, len(drawn) // 2)
    shares = [0.25, 0.5, 0.75, 0.9]
    assert np.quantile(lives[middle], shares) == pytest.approx(
        np.quantile(survived[middle], shares), rel=0.15
    )


@entry()
def bank(line):
    return l1_sets.bank(line)


@pytest.mark.parametrize("gpu", GPUS)
@given(line=st.integers(0, (1 << 22) - 1))
def test_a_lines_bank_is_that_of_its_set(gpu: str, line: int) -> None:
    assert bank(line) == l1_sets.bank_of_set(set_of(line, gpu))


@pytest.mark.parametrize("gpu", GPUS)
def test_lines_that_lie_in_one_bank_by_their_sets_wait_for_each_other(gpu: str) -> None:
    """Also where they are drawn from so many that the lowest 18 bits of their numbers do not say it."""
    with (SILICON / gpu / "bank_misses.csv").open() as file:
        cycles = {
            int(row["lines"]): float(row["cycles"])
            for row in csv.DictReader(file)
            if (row["bank_by"], row["hits"], row["banks"]) == ("set", "0", "1")
        }
    assert sorted(cycles) == list(range(17, 23))
    assert all(63 < waited < 66 for waited in cycles.values())


@pytest.mark.parametrize("gpu", GPUS)
def test_a_bank_gives_up_lines_of_its_own_quarter_of_the_data(gpu: str) -> None:
    """As measured: while 640 lines of one set are on their way, all others of their bank go, and none of another's."""
    with (SILICON / gpu / "bank_places.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["warps"] == "20" and row["kept"] == "1024"]
    assert len(rows) > 10
    assert {row["elsewhere"] for row in rows} == {"0"}
    assert {row["in_bank"] for row in rows} == {"256"}
    of = shape(gpu, LINES)
    sm = empty(of)
    lines = range(1 << 14)
    others = [line for line in lines if bank(line) == 1][: LINES // 4]
    for now, line in enumerate([*others, *(line for line in lines if bank(line) == 0)], 1):
        place_of(sm, of, line, now)
    there = sm.l1_tag[sm.l1_tag >= 0].tolist()
    assert set(others) <= set(there)
    assert sum(bank(line) == 0 for line in there) == LINES // 4
