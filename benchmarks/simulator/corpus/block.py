"""References of `block.cu`."""

import numpy as np

from benchmarks.simulator.corpus.case import Case


def cases(random: np.random.Generator) -> list[Case]:
    """The kernels."""
    x = random.integers(0, 1000, 1024).astype(np.int32)
    row = x[:256]
    f = random.integers(0, 64, 1024).astype(np.float32)
    keys = random.integers(0, 1 << 32, 256, np.uint64).astype(np.uint32)
    few = random.integers(0, 10, 256).astype(np.int32)
    octets = random.integers(0, 256, 3000).astype(np.uint8)
    runs = np.sort(random.integers(0, 40, 256)).astype(np.int32)
    values, lengths = np.unique(runs, return_counts=True)
    out = np.zeros(1024, np.int32)
    exclusive = row.cumsum() - row
    four = x.reshape(256, 4).astype(np.int64)
    kept = row[row % 3 == 0]
    return [
        Case("reduce_tree", [f, np.zeros(4, np.float32)], {1: f.reshape(4, 256).sum(1)}, 4, 256),
        Case("reduce_warps", [row, out], {1: np.array([row.sum(), (row * row).sum()])}, block=256),
        Case("reduce_raking", [row, out], {1: row.sum(keepdims=True)}, block=256),
        Case("scan_hillis_steele", [row, out], {1: row.cumsum()}, block=256),
        Case("scan_blelloch", [x[:512], out], {1: x[:512].cumsum() - x[:512]}, block=256),
        Case("scan_warps", [row, out], {1: np.append(exclusive, row.sum())}, block=256),
        Case("radix_sort", [keys, np.zeros(256, np.uint32)], {1: np.sort(keys)}, block=256),
        Case(
            "radix_rank_4_bits", [keys, out], {1: np.argsort(np.argsort(keys & 15, kind="stable"))}, block=256
        ),
        Case("odd_even_merge_sort", [row, out], {1: np.sort(row)}, block=256),
        Case(
            "bitonic_sort_pairs",
            [few, out, out],
            {1: np.sort(few), 2: np.argsort(few, kind="stable")},
            block=256,
        ),
        Case("histogram", [octets, out, np.int32(3000)], {1: np.bincount(octets & 63, minlength=64)}, 3, 256),
        Case("exchange_striped_to_blocked", [x, out], {1: four @ np.array([1, -1, 2, -3])}, block=256),
        Case(
            "run_length_encode",
            [runs, out, out, out[:1]],
            {1: values, 2: lengths, 3: np.array([len(values)])},
            block=256,
        ),
        Case("adjacent_difference", [row, out], {1: np.diff(row, prepend=0)}, block=256),
        Case("select_if", [row, out, out[:1]], {1: kept, 2: np.array([len(kept)])}, block=256),
        Case("top_four", [x, out], {1: np.sort(x)[::-1][:4]}, block=256),
    ]
