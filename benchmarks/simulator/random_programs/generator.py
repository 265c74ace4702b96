"""A program from its seed: variables of all types, statements that mix them, and what threads exchange."""

from dataclasses import dataclass, field
from random import Random

from benchmarks.simulator.random_programs.operations import Expressions
from benchmarks.simulator.random_programs.prelude import BOTH, GPU, ptx_functions

THREADS, BLOCKS = 64, 2
INPUTS = 16
"""Words that each thread reads."""
VARIABLES = 4
"""Of each type; what a thread puts out."""
OUTPUTS = VARIABLES * 6
CELLS = 8
"""Words of global memory that each kind of atomic acts on."""
ATOMICS = ("Add", "Min", "Max", "And", "Or", "Xor")
DEPTH = 3


@dataclass
class Program:
    """A program.

    Attributes:
        seed: what it comes from.
        exchanges: whether its threads exchange values; if not, a host can run it.
        body: the statements.
    """

    seed: int
    exchanges: bool
    body: str

    @property
    def cuda(self) -> str:
        """CUDA C++."""
        return f"""{GPU}{BOTH}{ptx_functions() if self.exchanges else ""}
extern "C" __global__ void k(const unsigned* in, unsigned long long* out, unsigned* cells) {{
    __shared__ unsigned shared[{THREADS}];
    const unsigned t = threadIdx.x, lane = t & 31, at = blockIdx.x * {THREADS} + t;
    {self.body}
}}"""


def program(seed: int) -> Program:
    """The program of a seed; every second one can run on a host."""
    exchanges = bool(seed % 2)
    writer = _Writer(Random(seed), exchanges)
    return Program(seed, exchanges, writer.body())


@dataclass
class _Writer:
    """Writes one program."""

    random: Random
    exchanges: bool
    names: dict[str, list[str]] = field(default_factory=dict)
    loops: int = 0

    def body(self) -> str:
        """The whole body."""
        self.expressions = Expressions.of(self.exchanges)
        self.names = {kind: [f"{kind}{n}" for n in range(VARIABLES)] for kind in "uiUIfd"}
        lines = [self._loads(), "unsigned local[4] = {1, 2, 3, 4};"]
        for _ in range(self.random.randint(8, 24)):
            lines.append(self._statement(2, converged=True))
        return "\n    ".join([*lines, self._stores()])

    def _loads(self) -> str:
        word = "in[at * 16 + {}]"
        lines = []
        for n in range(VARIABLES):
            a, b = word.format(4 * n), word.format(4 * n + 1)
            c, d = word.format(4 * n + 2), word.format(4 * n + 3)
            lines += [
                f"unsigned u{n} = {a};",
                f"int i{n} = (int){b};",
                f"unsigned long long U{n} = (u64){c} << 32 | {d};",
            ]
            lines += [
                f"long long I{n} = (long long)((u64){d} << 32 | {a}) >> {self.random.choice((0, 0, 31, 40))};"
            ]
            lines += [
                f"float f{n} = (float)(int){c} * {self.random.choice(('1.0f', '1e-9f', '1e-40f', '1e20f'))};"
            ]
            lines += [
                f"double d{n} = (double)(int){b} * {self.random.choice(('1.0', '1e-9', '1e-200', '1e100'))};"
            ]
        return "\n    ".join(lines)

    def _stores(self) -> str:
        lines = []
        for place, (kind, n) in enumerate((kind, n) for kind in "uiUIfd" for n in range(VARIABLES)):
            value = f"bits_of({kind}{n})" if kind in "fd" else f"(u64){kind}{n}"
            lines.append(f"out[at * {OUTPUTS} + {place}] = {value};")
        lines.append(f"out[at * {OUTPUTS}] ^= local[u1 & 3] * 7ull;")
        return "\n    ".join(lines)

    # --- Statements ---------------------------------------------------------------------------------------

    def _expression(self, kind: str, depth: int = DEPTH) -> str:
        return self.expressions.make(kind, depth, self.random, self.names)

    def _statement(self, depth: int, converged: bool) -> str:
        kinds = [self._assignment] * 6 + [self._local]
        if depth:
            kinds += [self._branch, self._branch, self._loop, self._choice]
        if converged and self.exchanges:
            kinds += [self._collective] * 4 + [self._of_a_part, self._of_some, self._through_shared]
        if self.exchanges:
            kinds += [self._atomic]
        return self.random.choice(kinds)(depth)

    def _block(self, depth: int) -> str:
        lines = (self._statement(depth - 1, converged=False) for _ in range(self.random.randint(1, 3)))
        return "{ " + " ".join(lines) + " }"

    def _assignment(self, depth: int) -> str:
        kind = self.random.choice("uiUIfd")
        return f"{self.random.choice(self.names[kind])} = {self._expression(kind)};"

    def _local(self, depth: int) -> str:
        return f"local[{self._expression('u', 1)} & 3] += {self._expression('u', 1)};"

    def _branch(self, depth: int) -> str:
        other = f" else {self._block(depth)}" if self.random.random() < 0.6 else ""
        return f"if ({self._expression('b', 2)}) {self._block(depth)}{other}"

    def _loop(self, depth: int) -> str:
        self.loops += 1
        n = f"n{self.loops}"
        leave = f" if ({self._expression('b', 1)}) break;" if self.random.random() < 0.3 else ""
        count = f"({self._expression('u', 1)} & 7)"
        return f"for (unsigned {n} = 0; {n} < {count}; ++{n}) {{ {self._block(depth)}{leave} }}"

    def _choice(self, depth: int) -> str:
        cases = " ".join(f"case {n}: {self._block(depth)} {'break;' if n != 1 else ''}" for n in range(3))
        return f"switch ({self._expression('u', 1)} & 3) {{ {cases} default: {self._block(depth)} }}"

    # --- What threads exchange ----------------------------------------------------------------------------

    def _collective(self, depth: int) -> str:
        to, value = self.random.choice(self.names["u"]), self._expression("u", 2)
        wide, long = self.random.choice(self.names["U"]), self._expression("U", 2)
        mask, lane, width = "0xffffffffu", self._expression("u", 1), self.random.choice((4, 8, 16, 32))
        return self.random.choice(
            [
                f"{to} = __shfl_xor_sync({mask}, {value}, {self.random.randint(1, 31)});",
                f"{to} = __shfl_sync({mask}, {value}, {lane} & 31, {width});",
                f"{to} = __shfl_up_sync({mask}, {value}, {self.random.randint(1, 20)});",
                f"{wide} = __shfl_down_sync({mask}, {long}, {self.random.randint(1, 20)});",
                f"{to} = __ballot_sync({mask}, {self._expression('b', 2)});",
                f"{to} += __any_sync({mask}, {self._expression('b', 2)});",
                f"{to} += __all_sync({mask}, {self._expression('b', 2)});",
                f"{to} = __match_any_sync({mask}, {value} & 3);",
                f"{to} = __match_any_sync({mask}, {long} & 1);",
                f"{{ int all; {to} = __match_all_sync({mask}, {value} & 0, &all) + all; }}",
                *(
                    f"{to} = __reduce_{how}_sync({mask}, {value});"
                    for how in ("add", "min", "max", "and", "or", "xor")
                ),
                f"{to} = (unsigned)__reduce_min_sync({mask}, (int){value});",
            ]
        )

    def _of_a_part(self, depth: int) -> str:
        """A collective operation of each 4, 8 or 16 neighbours, or of even and of odd lanes."""
        size = self.random.choice((4, 8, 16))
        mask = self.random.choice(
            [f"({(1 << size) - 1}u << (lane & {32 - size}))", "(lane & 1 ? 0xaaaaaaaau : 0x55555555u)"]
        )
        to, value = self.random.choice(self.names["u"]), self._expression("u", 2)
        return self.random.choice(
            [
                f"{to} = __ballot_sync({mask}, {self._expression('b', 2)});",
                f"{to} += __any_sync({mask}, {self._expression('b', 2)});",
                f"{to} += __all_sync({mask}, {self._expression('b', 1)});",
                f"{to} = __reduce_{self.random.choice(('add', 'max', 'xor'))}_sync({mask}, {value});",
                f"{to} = __match_any_sync({mask}, {value} & 3);",
                f"{to} = __shfl_xor_sync({mask}, {value}, 2);",
                f"__syncwarp({mask});",
            ]
        )

    def _of_some(self, depth: int) -> str:
        """A collective operation of the lanes for which a condition holds."""
        to, value = self.random.choice(self.names["u"]), self._expression("u", 2)
        how = self.random.choice(("add", "min", "or"))
        return (
            f"{{ bool some = {self._expression('b', 2)}; unsigned those = __ballot_sync(0xffffffffu, some); "
            f"if (some) {to} = __reduce_{how}_sync(those, {value}) + __popc(those & ((1u << lane) - 1)); }}"
        )

    def _through_shared(self, depth: int) -> str:
        to = self.random.choice(self.names["u"])
        return (
            f"__syncthreads(); shared[t] = {self._expression('u', 2)}; __syncthreads(); "
            f"{to} ^= shared[{self._expression('u', 1)} & {THREADS - 1}];"
        )

    def _atomic(self, depth: int) -> str:
        """An atomic whose result nobody reads, on words that no other kind acts on."""
        number = self.random.randrange(len(ATOMICS))
        cell = f"cells + {number * CELLS} + ({self._expression('u', 1)} & {CELLS - 1})"
        return f"atomic{ATOMICS[number]}({cell}, {self._expression('u', 2)});"
