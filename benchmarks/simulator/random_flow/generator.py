"""A program of nothing but control flow from its seed."""

from collections.abc import Iterable
from random import Random

from benchmarks.simulator.random_flow.data import LANES, NOTES

DEPTH = 3
MOST = 8
"""Passes, at the most, of a loop that a break ends."""

_BEFORE = f"""
__shared__ unsigned noted;
__device__ __forceinline__ void note(uint2* notes, unsigned place) {{
    asm volatile("{{.reg .u32 n, m; .reg .u64 a; ld.volatile.shared.u32 n, [%2]; activemask.b32 m;"
                 "mad.wide.u32 a, n, 8, %0; st.volatile.global.v2.u32 [a], {{%1, m}};"
                 "add.u32 n, n, 1; min.u32 n, n, {NOTES - 1}; st.volatile.shared.u32 [%2], n;}}"
                 :: "l"(notes), "r"(place), "r"((unsigned)__cvta_generic_to_shared(&noted)) : "memory");
}}
__device__ __forceinline__ unsigned next(unsigned s) {{ return s * 1664525u + 1013904223u; }}
"""


def cuda(seeds: Iterable[int]) -> str:
    """One source that holds the programs of some seeds."""
    return _BEFORE + "".join(Writer(seed).source() for seed in seeds)


def cuda_of_parts(seeds: Iterable[int]) -> str:
    """The same of programs whose warps are asked to meet in parts."""
    return _BEFORE + "".join(InParts(seed).source() for seed in seeds)


class Writer:
    """Writes one program: at each place a note, and at most turns a new word `s` in each lane."""

    def __init__(self, seed: int) -> None:
        self.random, self.seed = Random(seed), seed
        self.places = self.loops = self.labels = 0
        self.in_loop = self.in_kernel = False

    def source(self) -> str:
        """The kernel and the functions that it calls."""
        called, recursive = self._called(), self._recursive()
        self.in_kernel = True
        body = " ".join(self._whole() for _ in range(self.random.randint(1, 3)))
        return f"""{called}{recursive}
extern "C" __global__ void k{self.seed}(const unsigned* in, uint2* notes) {{
    noted = 0;
    notes += blockIdx.x * {NOTES};
    const unsigned lane = threadIdx.x;
    unsigned s = in[blockIdx.x * {LANES} + lane];
    {body}
}}"""

    def _called(self) -> str:
        return f"""
__device__ __noinline__ unsigned f{self.seed}(unsigned s, unsigned lane, uint2* notes) {{
    {self._block(2)} return s;
}}"""

    def _recursive(self) -> str:
        name = f"r{self.seed}"
        deeper = f"{name}((n & 3) - 1, next(s), lane, notes)"
        note, inner = self._note(), f"{self._note()} s ^= {name}(k - 1, next(s), lane, notes);"
        form = self.random.choice(
            [
                f"if (n & 3) s ^= {deeper}; {note}",
                f"if (n & 3) {{ {note} s ^= {deeper}; {self._note()} }} else {{ {self._block(1)} }}",
                f"for (unsigned k = n & 3; k; --k) {{ {inner} }} {note}",
                f"if (n & 3) {{ {self._block(1)} s += {deeper}; if ({self._condition()}) s += {deeper}; {note} }}",
            ]
        )
        return f"""
__device__ __noinline__ unsigned {name}(unsigned n, unsigned s, unsigned lane, uint2* notes) {{
    {self._note()} {form} return next(s);
}}"""

    def _whole(self) -> str:
        """A statement after which the warp may be asked to meet; what jumps out of its loops lands before that."""
        self.labels += 1
        text = self._statement(DEPTH)
        meet = self.random.choice(["", "", "__syncwarp();", "s += __shfl_xor_sync(0xffffffffu, s, 1);"])
        label = f"out{self.labels}:" if f"goto out{self.labels};" in text else ""
        return f"{{ {text} }} {label} {self._note()} {meet} {self._note() if meet else ''}"

    def _block(self, depth: int) -> str:
        statements = " ".join(self._statement(depth - 1) for _ in range(self.random.randint(1, 2)))
        return f"{self._note()} {statements}"

    def _note(self) -> str:
        self.places += 1
        return f"note(notes, {self.places}); s = next(s);"

    def _condition(self) -> str:
        """True for some lanes."""
        shift, limit = self.random.randint(8, 28), self.random.choice((1, 3, 4, 5, 7))
        drawn = f"(s >> {shift} & 7) < {limit}"
        first = self.random.choice((1, 4, 8, 16, 17, 31))
        return self.random.choice([drawn, drawn, drawn, f"lane < {first}", f"(lane & {first}) && {drawn}"])

    def _statement(self, depth: int) -> str:
        kinds = [self._place, self._leave]
        if depth:
            kinds += [self._branch] * 3 + [self._loop] * 3 + [self._endless] * 2 + [self._choice]
            if self.in_kernel:
                kinds += [self._call, self._recursion]
        return self.random.choice(kinds)(depth)

    def _place(self, depth: int) -> str:
        return self._note()

    def _leave(self, depth: int) -> str:
        ways = ["s ^= lane * 77;"]
        if self.in_loop:
            ways += ["break;", "break;", "continue;"]
            if self.in_kernel:
                ways.append(f"goto out{self.labels};")
        if self.in_kernel and self.random.random() < 0.1:
            ways.append("return;")
        return f"if ({self._condition()}) {{ {self._note()} {self.random.choice(ways)} }}"

    def _branch(self, depth: int) -> str:
        other = f" else {{ {self._block(depth)} }}" if self.random.random() < 0.5 else ""
        return f"if ({self._condition()}) {{ {self._block(depth)} }}{other} {self._note()}"

    def _loop(self, depth: int) -> str:
        self.loops += 1
        n, most = f"n{self.loops}", self.random.choice((1, 3, 7))
        return f"for (unsigned {n} = s >> 13 & {most}; {n}; --{n}) {{ {self._body(depth)} }} {self._note()}"

    def _endless(self, depth: int) -> str:
        """A loop that a break ends, or MOST passes do."""
        self.loops += 1
        n = f"n{self.loops}"
        leave = f"if ({self._condition_that_changes()}) {{ {self._note()} break; }}"
        first, second = self.random.choice([(leave, ""), ("", leave)])
        body = f"{first} {self._body(depth)} {second} {self._note()}"
        return f'_Pragma("unroll 1") for (unsigned {n} = 0; {n} < {MOST}; ++{n}) {{ {body} }} {self._note()}'

    def _condition_that_changes(self) -> str:
        return f"(s >> {self.random.randint(16, 28)} & 7) < {self.random.choice((2, 3, 5))}"

    def _body(self, depth: int) -> str:
        outer, self.in_loop = self.in_loop, True
        text = self._block(depth)
        self.in_loop = outer
        return text

    def _choice(self, depth: int) -> str:
        outer, self.in_loop = self.in_loop, False
        ends = ["break;", "break;", "", "break;", "break;"]
        cases = " ".join(f"case {n}: {self._block(depth - 1 or 1)} {end}" for n, end in enumerate(ends))
        self.in_loop = outer
        return f"switch (s >> 20 & 7) {{ {cases} default: {self._note()} }} {self._note()}"

    def _call(self, depth: int) -> str:
        return f"s += f{self.seed}(s, lane, notes); {self._note()}"

    def _recursion(self, depth: int) -> str:
        return f"s += r{self.seed}(s >> 11, s, lane, notes); {self._note()}"


class InParts(Writer):
    """Writes a program after whose statements parts of a warp meet: neighbours, or even and odd lanes."""

    def source(self) -> str:
        """The kernel and the functions that it calls."""
        self.random.randint(1, 3)
        return super().source()

    def _whole(self) -> str:
        self.labels += 1
        text, meet = self._statement(DEPTH), self._meet()
        label = f"out{self.labels}:" if f"goto out{self.labels};" in text else ""
        return f"{{ {text} }} {label} {self._note()} {meet} {self._note()}"

    def _meet(self) -> str:
        size = self.random.choice((4, 8, 16))
        neighbours = f"({(1 << size) - 1}u << (lane & {32 - size}))"
        mask = self.random.choice([neighbours, "(lane & 1 ? 0xaaaaaaaau : 0x55555555u)"])
        return self.random.choice(
            [
                "__syncwarp();",
                *[f"__syncwarp({mask});"] * 2,
                *[f"s += __shfl_xor_sync({mask}, s, 2);"] * 2,
                *[f"s += __reduce_{self.random.choice(('add', 'max', 'xor'))}_sync({mask}, s);"] * 5,
                *[f"s += __match_any_sync({mask}, s & 3);"] * 3,
                "s += __match_any_sync(0xffffffffu, s & 3);",
                "s += __reduce_add_sync(0xffffffffu, s);",
                "s += __shfl_xor_sync(0xffffffffu, s, 1);",
            ]
        )
