"""A program from its seed: variables of all types, statements that mix them, and what threads exchange."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from benchmarks.simulator.random_programs.data import OUTPUTS, SPECIAL, THREADS, TYPES, VARIABLES
from benchmarks.simulator.random_programs.exchanges import Exchanges
from benchmarks.simulator.random_programs.operations import Expressions
from benchmarks.simulator.random_programs.prelude import ON_GPUS
from benchmarks.simulator.random_programs.special import FUNCTIONS

DEPTH = 3


@dataclass
class Program:
    """A program.

    Attributes:
        seed: what it comes from.
        exchanges: whether its threads exchange values; if not, a host can run it.
        body: the statements.
        special: the special function that its first threads call, by its place in `FUNCTIONS`.
    """

    seed: int
    exchanges: bool
    body: str
    special: int

    @property
    def name(self) -> str:
        """Its kernel's."""
        return f"k{self.seed}"

    @property
    def kernel(self) -> str:
        """CUDA C++, without what stands before it."""
        return f"""
extern "C" __global__ void {self.name}(const unsigned* in, u64* out, unsigned* cells, float* special) {{
    __shared__ uint4 quads[{THREADS}];
    unsigned* shared = (unsigned*)quads;
    const unsigned t = threadIdx.x, lane = t & 31, at = blockIdx.x * {THREADS} + t;
    {self.body}
    if (at < {SPECIAL}) special[at] = {FUNCTIONS[self.special].name}(u0);
}}"""


def cuda(programs: Iterable[Program]) -> str:
    """One source that holds some programs."""
    return ON_GPUS + "".join(program.kernel for program in programs)


def program(seed: int) -> Program:
    """The program of a seed; every second one can run on a host."""
    exchanges = bool(seed % 2)
    random = Random(seed)
    body = _Writer(random, exchanges).body()
    return Program(seed, exchanges, body, random.randrange(len(FUNCTIONS)))


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
        self.names = {kind: [f"{kind}{n}" for n in range(VARIABLES)] for kind in TYPES}
        self.between = Exchanges(self.random, self.names, self._expression)
        lines = [self._loads(), "unsigned local[4] = {1, 2, 3, 4};"]
        for _ in range(self.random.randint(2, 7)):
            lines.append(self._statement(2, converged=True))
        return "\n    ".join([*lines, self._stores()])

    def _loads(self) -> str:
        lines = []
        for n in range(VARIABLES):
            a, b, c, d = (f"in[at * {4 * VARIABLES} + {4 * n + place}]" for place in range(4))
            lines += [
                f"unsigned u{n} = {a};",
                f"int i{n} = (int){b};",
                f"u64 U{n} = (u64){c} << 32 | {d};",
                f"long long I{n} = (long long)((u64){d} << 32 | {a}) >> {self.random.choice((0, 0, 31, 40))};",
                f"float f{n} = (float)(int){c} * {self.random.choice(('1.0f', '1e-9f', '1e-40f', '1e20f'))};",
                f"double d{n} = (double)(int){b} * {self.random.choice(('1.0', '1e-9', '1e-200', '1e100'))};",
            ]
        return "\n    ".join(lines)

    def _stores(self) -> str:
        lines = []
        for place, (kind, n) in enumerate((kind, n) for kind in TYPES for n in range(VARIABLES)):
            value = f"bits_of({kind}{n})" if kind in "fd" else f"(u64){kind}{n}"
            lines.append(f"out[at * {OUTPUTS} + {place}] = {value};")
        lines.append(f"out[at * {OUTPUTS}] ^= local[u1 & 3] * 7ull;")
        return "\n    ".join(lines)

    def _expression(self, kind: str, depth: int = DEPTH) -> str:
        return self.expressions.make(kind, depth, self.random, self.names)

    def _statement(self, depth: int, converged: bool) -> str:
        kinds = [self._assignment] * 6 + [self._local]
        if depth:
            kinds += [self._branch, self._branch, self._loop, self._choice]
        if converged and self.exchanges:
            kinds += [self._exchange] * 8
        if self.exchanges:
            kinds += [self._atomic]
        return self.random.choice(kinds)(depth)

    def _block(self, depth: int) -> str:
        lines = (self._statement(depth - 1, converged=False) for _ in range(self.random.randint(1, 3)))
        return "{ " + " ".join(lines) + " }"

    def _assignment(self, depth: int) -> str:
        kind = self.random.choice(TYPES)
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

    def _exchange(self, depth: int) -> str:
        return self.between.statement()

    def _atomic(self, depth: int) -> str:
        return self.between.atomic()
