"""How L1 deals lines to sets, and which it gives up. Runs on the GPU, with CuPy.

    python sets.py OUTPUT_FOLDER

One lane of each SM reads lines, one after the other, and notes which reads took longer than `SLOW` cycles.

- `lifetimes.npz`: how many further reads a line survives, in a row of lines and in lines drawn at random (these twice),
  each of which is read once, for the carve-outs of `CARVEOUTS`. Lines are relative to the buffer, whose first line is
  there, too.
- `columns.csv`: what each bit of a line's number adds (XOR) to its set, if the lowest nine bits are the set of lines
  without others; and the share of all lines that were given up for a line of the same set. From the lifetimes: a line
  and the one whose read it did not survive are in one set in most cases, so masks of which their XOR has an even number
  of bits stand out (a Walsh-Hadamard transform finds all of them). The last row is of bit 22 and those above it that a
  carry out of the buffer's 22 bits flips with it: the first line tells which.
- `orders.csv`: sequences of reads of one set, a letter a line, and the share of sets in which each letter is there
  afterwards. A capital letter reads another sector; `!` stands before two reads that are issued together, `=` before a
  store.
"""

import csv
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

SOURCE = r"""
// The clock, when an address is there.
__device__ unsigned now(const char* at) {
    unsigned cycles;
    asm volatile("{.reg .pred p; setp.eq.u64 p, %1, 0; @p trap; mov.u32 %0, %%clock;}"
                 : "=r"(cycles) : "l"(at) : "memory");
    return cycles;
}

__device__ unsigned load(const char* at) {
    unsigned word;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
    return word;
}

// Cycles until a word is there, which is zero.
__device__ unsigned since(unsigned before, unsigned word) {
    unsigned after;
    asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; @p trap; mov.u32 %0, %%clock;}"
                 : "=r"(after) : "r"(word) : "memory");
    return min(after - before, 255u);
}

// Reads the first lines of a sequence, which all SMs share, and then one more. How long does that take?
extern "C" __global__ void probe(char* data, const int* lines, const int* steps, const int* probes,
                                 unsigned char* out) {
    unsigned sum = 0, cycles = 0;
    const int count = steps[blockIdx.x];
    for (int i = 0; i <= count; ++i) {
        const int line = i < count ? __ldcg(lines + i) : probes[blockIdx.x];
        const char* at = data + (size_t)(line + sum) * 128;
        const unsigned before = now(at);
        sum += load(at);
        cycles = since(before, sum);
    }
    out[blockIdx.x] = cycles;
}

// Each SM reads lines of its own. How: 1: another sector; 2: together with the next; 4: a store.
extern "C" __global__ void sequence(char* data, const int* lines, const int* how, unsigned char* out, int count) {
    const int* mine = lines + (size_t)blockIdx.x * count;
    unsigned char* to = out + (size_t)blockIdx.x * count;
    unsigned sum = 0;
    for (int i = 0; i < count; ++i) {
        const int as = __ldcg(how + i), next = min(i + 1, count - 1);
        char* at = data + (size_t)(__ldcg(mine + i) + sum) * 128 + (as & 1) * 32;
        const char* second = data + (size_t)(__ldcg(mine + next) + sum) * 128 + (__ldcg(how + next) & 1) * 32;
        const unsigned before = now(at + (size_t)second % 2);
        if (as & 4) {
            asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(sum) : "memory");
            while (now(at) - before < 3000);
        } else if (as & 2) {
            unsigned a, b;
            asm volatile("ld.global.ca.u32 %0, [%2];\n\tld.global.ca.u32 %1, [%3];"
                         : "=&r"(a), "=&r"(b) : "l"(at), "l"(second) : "memory");
            sum += a + b;
            ++i;
        } else
            sum += load(at);
        __stcg(to + i, (unsigned char)since(before, sum));
    }
}
"""

SMS = 132
SLOW = 100
BUFFER_LINES = 1 << 22
CARVEOUTS = {0: 5000, 132: 2400, 228: 1200}
"""KiB of shared memory that a block asks for, and how many lines it reads."""

SET_BITS, MASK_BITS = 9, 23
CERTAIN = 0.85

TOGETHER = 30
"""Orders that one launch reads, each in a set of its own."""

ORDERS = (
    "abcde",
    "abcdabcde",
    "abcddcbae",
    "abcdabcdef",
    "abcdabcdefg",
    "abcdabcdefgh",
    "abcdabce",
    "abcdabcef",
    "abcdabcefg",
    "abcdabcefgh",
    "abcdaefghij",
    "abcdaeeffgghh",
    "abcdaeeffgghhiijjkk",
    "abcdaabbeeff",
    "abcdabefgh",
    "abcdabcdefghijkl",
    "abcdaaaabbbccde",
    "abcdabcdeeffgghh",
    "abcdaefgaefga",
    "abcdbe",
    "abcdbef",
    "abcdbefg",
    "abcdbefgh",
    "abcdcefgh",
    "abcddefgh",
    "abcdacefgh",
    "abcdaeaf",
    "abcdaeafagah",
    "abcdaebfcg",
    "abcdabcdeabcdf",
    "abcdabcdeabcdfabcdg",
    "abcdabcdeaf",
    "abcdabcdebf",
    "abcdabcdeeaabbf",
    "abcdee",
    "abcdeef",
    "abcdeeff",
    "abcdeeffg",
    "aAbcde",
    "!aabcde",
    "!aAbcde",
    "aAAbcde",
    "=abcde",
    "a=abcde",
    "=aabcde",
    "=a=abcde",
    "=ab",
    "!ab",
    "aABcde",
    "AabBcdef",
)

module = cupy.RawModule(code=SOURCE, options=("-std=c++17",))


def launch(name: str, blocks: int, kib: int, *arguments: Any) -> None:
    """Run a kernel of one lane a block that asks for so many KiB of shared memory."""
    function = module.get_function(name)
    shared = (kib - 1) * 1024 if kib else 0
    function.max_dynamic_shared_size_bytes = shared
    function.preferred_shared_memory_carveout = kib * 100 // 228
    function((blocks,), (1,), arguments, shared_mem=shared)


def lifetimes(data: Any, lines: Ints, kib: int) -> Ints:
    """How many further reads each line of a sequence survives, by bisection; all that there are if it stays."""
    sequence, number = cupy.asarray(lines, cupy.int32), np.arange(len(lines))
    there, gone = number + 1, np.full(len(lines), len(lines) + 1)
    while (left := np.nonzero(gone - there > 1)[0]).size:
        middle = (there + gone) // 2
        for part in np.array_split(left, -(-left.size // SMS)):
            steps, probes = cupy.asarray(middle[part], cupy.int32), cupy.asarray(lines[part], cupy.int32)
            out = cupy.zeros(len(part), cupy.uint8)
            launch("probe", len(part), kib, data, sequence, steps, probes, out)
            hit = cupy.asnumpy(out) < SLOW
            there[part[hit]], gone[part[~hit]] = middle[part[hit]], middle[part[~hit]]
    return there - number - 1


def rivals(lines: Ints, once: Ints, again: Ints) -> Ints:
    """XOR of each line and the one whose read it did not survive, where two measurements agree and name no other."""
    victims: dict[int, list[int]] = defaultdict(list)
    for number, (first, second) in enumerate(zip(once, again, strict=True)):
        if first == second and number + 1 + first < len(lines):
            victims[number + 1 + first].append(number)
    return np.array([lines[at] ^ lines[those[0]] for at, those in victims.items() if len(those) == 1])


def walsh_hadamard(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each mask: how many more of the counted numbers have an even number of its bits than an odd one."""
    half = 1
    while half < len(counts):
        pairs = counts.reshape(-1, 2, half)
        counts = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).reshape(-1)
        half *= 2
    return counts


def columns(xors: Ints) -> list[int]:
    """What each bit of a line's number adds to its set."""
    low = xors & ((1 << MASK_BITS) - 1)
    even = walsh_hadamard(np.bincount(low, minlength=1 << MASK_BITS).astype(float)) / len(low)
    masks = np.nonzero(even > CERTAIN)[0]
    rows = [int(masks[masks % (1 << SET_BITS) == 1 << row][0]) for row in range(SET_BITS)]
    return [sum((mask >> bit & 1) << row for row, mask in enumerate(rows)) for bit in range(MASK_BITS)]


def sets_of(lines: Ints, found: list[int]) -> Ints:
    """The set of each line."""
    sets = np.zeros(lines.shape, np.int64)
    for bit, column in enumerate(found):
        sets ^= np.where(lines >> bit & 1, column, 0)
    return sets


def parsed(order: str) -> Iterator[tuple[str, int]]:
    """An order's reads: the letter, and how it is read."""
    how = 0
    for letter in order:
        how |= {"!": 2, "=": 4}.get(letter, 0)
        if letter.isalpha():
            yield letter.lower(), how | letter.isupper()
            how = 0


def survivors(
    data: Any, first: int, found: list[int], random: np.random.Generator
) -> Iterator[tuple[str, str, float]]:
    """The share of sets in which each letter of each order is there afterwards."""
    lines = np.arange(BUFFER_LINES // 4)
    sets = sets_of(lines + first, found)
    by_set = np.argsort(sets, kind="stable").reshape(1 << SET_BITS, -1)
    jobs = [(order, letter) for order in ORDERS for letter in sorted({letter for letter, _ in parsed(order)})]
    for begin in range(0, len(jobs), TOGETHER):
        part = jobs[begin : begin + TOGETHER]
        reads = [[*parsed(order), (letter, 0)] for order, letter in part]
        rows = []
        for _ in range(SMS):
            mates = [
                random.choice(by_set[number], 16, replace=False)
                for number in random.permutation(512)[: len(part)]
            ]
            rows.append(
                [mine[ord(letter) - 97] for mine, own in zip(mates, reads, strict=True) for letter, _ in own]
            )
        how = cupy.asarray([as_ for own in reads for _, as_ in own], cupy.int32)
        out = cupy.zeros((SMS, len(how)), cupy.uint8)
        launch("sequence", SMS, 0, data, cupy.asarray(rows, cupy.int32), how, out, np.int32(len(how)))
        hits = cupy.asnumpy(out) < SLOW
        ends = np.cumsum([len(own) for own in reads]) - 1
        for (order, letter), end in zip(part, ends, strict=True):
            yield order, letter, round(float(hits[:, end].mean()), 3)


def write_table(path: Path, header: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def main(folder: Path) -> None:
    random = np.random.default_rng(5)
    data = cupy.zeros(BUFFER_LINES * 128, cupy.uint8)
    first = data.data.ptr >> 7
    results: dict[str, Any] = {"first_line": np.int64(first)}
    for kib, count in CARVEOUTS.items():
        row, drawn = 4096 * 37 + np.arange(count), random.choice(BUFFER_LINES, count, replace=False)
        results |= {
            f"row_{kib}": row,
            f"random_{kib}": drawn,
            f"row_survives_{kib}": lifetimes(data, row, kib),
        }
        results |= {
            f"random_survives_{kib}": lifetimes(data, drawn, kib),
            f"random_again_{kib}": lifetimes(data, drawn, kib),
        }
    np.savez_compressed(folder / "lifetimes.npz", **results)
    xors = rivals(results["random_0"] + first, results["random_survives_0"], results["random_again_0"])
    found = columns(xors)
    same = float((sets_of(xors, found) == 0).mean())
    write_table(
        folder / "columns.csv",
        ("bit", "column", "same_set"),
        [(bit, hex(c), round(same, 3)) for bit, c in enumerate(found)],
    )
    write_table(folder / "orders.csv", ("order", "line", "there"), survivors(data, first, found, random))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
