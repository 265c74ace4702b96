"""References of `control.cu`."""

import numpy as np

from benchmarks.simulator.corpus.case import Array, Case

N = 64
PROGRAM = [1, 5, 2, 4, 3, 1, 3, 7, 1, 7, 2, 7, 5, 4, 6, 7, 7, 0]


def cases(random: np.random.Generator) -> list[Case]:
    """The kernels."""
    x = random.integers(0, 100, N).astype(np.int32)
    small = random.integers(0, 12, N).astype(np.int32)
    lists = random.integers(0, 1000, 16 * N).astype(np.int32)
    tiles = random.integers(0, 50, 20 * N).astype(np.int32)
    out, t = np.zeros(20 * N, np.int32), np.arange(N)
    nodes = np.array(
        [
            (v, 2 * k + 1 if 2 * k + 1 < 15 else -1, 2 * k + 2 if 2 * k + 2 < 15 else -1)
            for k, v in enumerate([8, 4, 12, 2, 6, 10, 14, 1, 3, 5, 7, 9, 11, 13, 15])
        ],
        np.int16,
    )
    keys = random.integers(0, 17, N).astype(np.int32)
    code = np.array(PROGRAM, np.uint8)
    return [
        Case("recursion", [out], {0: np.array([_ackermann(k % 3, k % 5) for k in range(32)])}),
        Case("recursive_quicksort", [lists], {0: np.sort(lists.reshape(N, 16), 1)}, block=N),
        Case(
            "function_pointers",
            [x, out],
            {1: np.array([_called(k, int(v)) for k, v in enumerate(x)])},
            block=N,
        ),
        Case("virtual_functions", [out], {0: np.where(t & 1, 3 * t, t * t)}, block=N),
        Case("interpreter", [code, out], {1: np.array([_interpreted(k) for k in range(N)])}, block=N),
        Case("nested_breaks", [small, out], {1: np.array([_nested(small, k) for k in range(N)])}, block=N),
        Case("irreducible", [x + 1, out], {1: np.array([_irreducible(int(v) + 1) for v in x])}, block=N),
        Case("lambdas_and_packs", [x, out], {1: np.array([_folded(x, k) for k in range(N)])}, block=N),
        Case("local_array", [x, out], {1: np.array([_local(x, k) for k in range(N)])}, block=N),
        Case(
            "tree_walk_with_stack",
            [nodes, keys, out],
            {2: keys.clip(0, 15) * (keys.clip(0, 15) + 1) // 2},
            block=N,
        ),
        Case(
            "persistent_blocks",
            [tiles, out[:1], out, np.int32(20)],
            {1: np.array([23]), 2: _tiled(tiles)},
            3,
            N,
        ),
        Case("look_back_scan", [tiles, out, np.zeros(20, np.int64), out[:1]], {1: tiles.cumsum()}, 20, N),
        Case(
            "early_exits",
            [x, out],
            {1: np.where((x >= 10) & (x <= 90), x + (5 if x[63] >= 10 else 0) + 1, 0)},
            block=N,
        ),
        Case("uneven_loops", [x + 1, out], {1: _uneven(x + 1)}, block=N),
        Case("many_cases", [x, out], {1: np.array([_selected(int(v)) for v in x])}, block=N),
        Case("untaken_checks", [x, out], {1: x + 1}, block=N),
    ]


def _word(value: int) -> int:
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)


def _ackermann(m: int, n: int) -> int:
    if m == 0:
        return n + 1
    return _ackermann(m - 1, 1 if n == 0 else _ackermann(m, n - 1))


def _called(t: int, v: int) -> int:
    for k in range(3):
        v = _word([2 * v, v * v, -v, v + 1][(t + v + k) & 3])
    return v


def _interpreted(t: int) -> int:
    stack, pc = [t], 0
    while True:
        operation = PROGRAM[pc]
        pc += 1
        if operation == 0:
            return _word(stack[-1])
        if operation == 1:
            stack.append(PROGRAM[pc])
            pc += 1
        elif operation in (2, 3):
            right, left = stack.pop(), stack.pop()
            stack.append(_word(left + right if operation == 2 else left * right))
        elif operation == 4:
            stack.append(stack[-1])
        elif operation == 5:
            stack[-1] -= 1
        elif operation == 6:
            pc = PROGRAM[pc] if stack.pop() > 0 else pc + 1
        else:
            stack[-1], stack[-2] = stack[-2], stack[-1]


def _nested(x: Array, t: int) -> int:
    count = 0
    for i in range(8):
        for j in range(8):
            v = int(x[(t + i * 8 + j) & 63])
            if v == 3:
                continue
            if v == 7:
                break
            if v == 9:
                return -count
            count += v
    return count


def _irreducible(v: int) -> int:
    steps, odd = 0, bool(v & 1)
    while True:
        if not odd:
            v //= 2
            steps += 1
            if steps > 40 or v <= 1:
                break
            if not v & 1:
                continue
        odd = False
        v = 3 * v + 1
        steps += 1
        if steps > 40:
            break
    return steps * 1000 + (v & 255)


def _folded(x: Array, t: int) -> int:
    v = int(x[0])
    for k in range(1, 7):
        v = _word(v * 31 + int(x[k])) ^ t
    return _word(v + t + int(x[t]) + 4)


def _local(x: Array, t: int) -> int:
    local = [int(x[(t + k) & 63]) for k in range(24)]
    for k in range(48):
        a, b = (int(x[k]) + t) % 24, (int(x[63 - k]) * 5 + t) % 24
        moved = local[a]
        local[a] = local[b]
        local[b] = moved + 1
    v = 0
    for word in local:
        v = _word(v * 3 + word)
    return v


def _tiled(x: Array) -> Array:
    rows = x.reshape(20, N).astype(np.int64)
    for tile, row in enumerate(rows):
        for k in range(tile % 3):
            row[:] = row * 7 + k
    return rows


def _uneven(x: Array) -> Array:
    steps = np.zeros(N, np.int32)
    for t, start in enumerate(x):
        v, count = int(start), 0
        while v > 1:
            v = 3 * v + 1 if v & 1 else v // 2
            count += 1
            if count > 200:
                break
        steps[t] = count
    results: Array = steps + np.repeat((steps.reshape(2, 32) > 20).sum(1) * 1000, 32)
    return results


def _selected(v: int) -> int:
    case = v % 12
    if case in (1, 2):
        return (v * 5 if case == 1 else v) ^ 77
    if case in (7, 8):
        return (v | 512 if case == 7 else v) - 3
    return {0: v + 11, 3: -v, 5: v << 3, 6: v * v, 10: v % 7 * 13}.get(case, 1)
