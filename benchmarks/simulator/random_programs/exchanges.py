"""Statements by which threads exchange values: across a warp, through shared memory, with atomics, on tensor cores."""

from collections.abc import Callable
from random import Random

from benchmarks.simulator.random_programs.data import ATOMICS, CELLS, THREADS, WIDE_ATOMICS

ALL = "0xffffffffu"


class Exchanges:
    """Writes such statements.

    Args:
        random: what they are drawn by.
        names: the variables by type.
        expression: writes an expression of a type, of a depth.
    """

    def __init__(
        self, random: Random, names: dict[str, list[str]], expression: Callable[[str, int], str]
    ) -> None:
        self._random, self._names, self._expression = random, names, expression

    def statement(self) -> str:
        """One at which all threads of a block arrive."""
        kinds = [self._collective] * 4 + [self._of_a_part, self._of_some]
        kinds += [self._through_shared, self._through_shared, self._matrix]
        return self._random.choice(kinds)()

    def atomic(self) -> str:
        """An atomic whose result nobody reads, on words that no other kind acts on; the order does not matter."""
        index, value = self._expression("u", 1), self._expression("u", 2)
        kind = self._random.random()
        if kind < 0.6:
            number = self._random.randrange(len(ATOMICS))
            limit = "1000003u" if ATOMICS[number] in ("Inc", "Dec") else value
            return f"atomic{ATOMICS[number]}(cells + {number * CELLS} + ({index} & {CELLS - 1}), {limit});"
        if kind < 0.9:
            number = self._random.randrange(len(WIDE_ATOMICS))
            first = (len(ATOMICS) + number) * CELLS
            wide = self._expression("U", 2)
            return f"atomic{WIDE_ATOMICS[number]}((u64*)(cells + {first}) + ({index} & {CELLS // 2 - 1}), {wide});"
        first = (len(ATOMICS) + len(WIDE_ATOMICS)) * CELLS
        return f"atomicAdd((float*)(cells + {first}) + ({index} & {CELLS - 1}), (float)({value} & 63));"

    def _variable(self, kind: str) -> str:
        return self._random.choice(self._names[kind])

    # --- Of a warp ----------------------------------------------------------------------------------------

    def _collective(self) -> str:
        to, value = self._variable("u"), self._expression("u", 2)
        wide, long = self._variable("U"), self._expression("U", 2)
        lane, width = self._expression("u", 1), self._random.choice((4, 8, 16, 32))
        return self._random.choice(
            [
                f"{to} = __shfl_xor_sync({ALL}, {value}, {self._random.randint(1, 31)}, {width});",
                f"{to} = __shfl_sync({ALL}, {value}, {lane} & 31, {width});",
                f"{to} = __shfl_up_sync({ALL}, {value}, {self._random.randint(1, 20)});",
                f"{wide} = __shfl_down_sync({ALL}, {long}, {self._random.randint(1, 20)});",
                f"{self._variable('d')} = "
                f"__shfl_xor_sync({ALL}, {self._variable('d')}, {self._random.randint(1, 31)});",
                f"{to} = shuffled_down_or_none({value}, {lane});",
                f"{to} = __ballot_sync({ALL}, {self._expression('b', 2)});",
                f"{to} += __any_sync({ALL}, {self._expression('b', 2)});",
                f"{to} += __all_sync({ALL}, {self._expression('b', 2)});",
                f"{to} += vote_uniform({value} & 1);",
                f"{to} = __match_any_sync({ALL}, {value} & 3);",
                f"{to} = __match_any_sync({ALL}, {long} & 1);",
                f"{{ int all; {to} = __match_all_sync({ALL}, {value} & {self._random.choice((0, 1))}, &all) + all; }}",
                *(
                    f"{to} = __reduce_{how}_sync({ALL}, {value});"
                    for how in ("add", "min", "max", "and", "or", "xor")
                ),
                f"{to} = (unsigned)__reduce_min_sync({ALL}, (int){value});",
                f"{to} = (unsigned)__reduce_max_sync({ALL}, {self._expression('i', 2)});",
            ]
        )

    def _of_a_part(self) -> str:
        """A collective operation of each 4, 8 or 16 neighbours, or of even and of odd lanes."""
        size = self._random.choice((4, 8, 16))
        mask = self._random.choice(
            [f"({(1 << size) - 1}u << (lane & {32 - size}))", "(lane & 1 ? 0xaaaaaaaau : 0x55555555u)"]
        )
        to, value = self._variable("u"), self._expression("u", 2)
        return self._random.choice(
            [
                f"{to} = __ballot_sync({mask}, {self._expression('b', 2)});",
                f"{to} += __any_sync({mask}, {self._expression('b', 2)});",
                f"{to} += __all_sync({mask}, {self._expression('b', 1)});",
                f"{to} = __reduce_{self._random.choice(('add', 'max', 'xor'))}_sync({mask}, {value});",
                f"{to} = __match_any_sync({mask}, {value} & 3);",
                f"{to} = __shfl_xor_sync({mask}, {value}, 2);",
                f"__syncwarp({mask});",
            ]
        )

    def _of_some(self) -> str:
        """A collective operation of the lanes for which a condition holds."""
        to, value = self._variable("u"), self._expression("u", 2)
        how = self._random.choice(("add", "min", "or"))
        return (
            f"{{ bool some = {self._expression('b', 2)}; unsigned those = __ballot_sync({ALL}, some); "
            f"if (some) {to} = __reduce_{how}_sync(those, {value}) + __popc(those & ((1u << lane) - 1)); }}"
        )

    # --- Of a block ---------------------------------------------------------------------------------------

    def _through_shared(self) -> str:
        to, value, index = self._variable("u"), self._expression("u", 2), self._expression("u", 1)
        kind, wide = self._variable("i"), self._expression("U", 1)
        own = self._random.choice(
            [
                f"atomicAdd(shared + t, {value})",
                f"atomicExch(shared + t, {value})",
                f"atomicCAS(shared + t, {value} & 1, {value})",
                f"atomicInc(shared + t, {value})",
                f"atomicMax((int*)shared + t, (int){value})",
            ]
        )
        how = self._random.choice(("Add", "Min", "Max", "And", "Or", "Xor"))
        zero = f"if (t < {CELLS}) shared[t] = t * 77u; __syncthreads();"
        return "__syncthreads(); " + self._random.choice(
            [
                f"shared[t] = {value}; __syncthreads(); {to} ^= shared[{index} & {THREADS - 1}];",
                f"quads[t] = make_uint4(u0, {value}, i0, (unsigned){wide}); __syncthreads(); "
                f"{self._variable('U')} += ((u64*)shared)[{index} & {2 * THREADS - 1}];",
                f"((u64*)shared)[t] = {wide}; __syncthreads(); "
                f"{to} += ((unsigned char*)shared)[{index} & {8 * THREADS - 1}];",
                f"((u64*)shared)[t] = {wide}; __syncthreads(); "
                f"{kind} ^= ((short*)shared)[{index} & {4 * THREADS - 1}];",
                f"((unsigned char*)shared)[t ^ 5] = {value}; __syncthreads(); "
                f"{kind} ^= ((signed char*)shared)[{index} & {THREADS - 1}];",
                f"((unsigned short*)shared)[{THREADS - 1} - t] = {value}; __syncthreads(); "
                f"{to} ^= shared[{index} & {THREADS // 2 - 1}];",
                f"quads[t ^ 9] = make_uint4({value}, i1, u1, {to}); __syncthreads(); "
                f"{{ uint4 q = quads[{index} & {THREADS - 1}]; {to} += q.x ^ q.y; {kind} ^= q.z + q.w; }}",
                f"shared[t] = {value}; {to} += {own}; {kind} ^= shared[t];",
                f"{zero} atomic{how}(shared + ({index} & {CELLS - 1}), {value}); __syncthreads(); "
                f"{to} ^= shared[{to} & {CELLS - 1}];",
                f"{to} += __syncthreads_count({value} & 1);",
                f"{to} += __syncthreads_or({self._expression('b', 1)});",
                f"{to} += __syncthreads_and({self._expression('b', 1)});",
            ]
        )

    def _matrix(self) -> str:
        """On tensor cores, with operands that are exact."""
        a, b = self._expression("u", 1), self._expression("u", 1)
        to, kind = self._variable("u"), self._variable("i")
        return self._random.choice(
            [
                f"{to} ^= halves_multiplied({a}, {b}, {kind});",
                f"{to} ^= bfloats_multiplied({a}, {b}, {kind});",
                f"{kind} = bytes_multiplied({a}, {b}, {kind});",
                f"{self._variable('d')} += doubles_multiplied({a}, {b});",
                f"__syncthreads(); quads[t] = make_uint4({a}, {b}, u0, u1); __syncthreads(); "
                f"{to} += matrices_loaded(quads + (t & ~31) + (({a} ^ lane) & 31));",
                f"{to} = matrix_transposed({a});",
            ]
        )
