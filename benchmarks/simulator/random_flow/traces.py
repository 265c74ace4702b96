"""Random loops on a GPU in which each lane notes the places that it comes to, and the clock there.

Lanes that note a place at the same cycle are there together, so a warp's whole order is known, which the notes of
`benchmarks.simulator.random_flow` tell only where no two parts of the warp note at once.

    python -m benchmarks.simulator.random_flow.traces bundle BUNDLE --form nested   # no GPU needed
    python -m benchmarks.simulator.random_flow.traces run BUNDLE OUT                # on the GPU: numpy, cuda-bindings

Forms: `loop`, one loop; `nested`, loops in loops; `flow`, everything but calls; `calls`; and `two_loops`, the same two
nested loops with other trip counts in each program. OUT/traces.npz has `seeds` and `notes` [program, warp, lane, note,
(place, clock)]; a lane's notes end at place 0. A program's seed is its number plus the thousands of its form.
"""

import argparse
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from benchmarks.simulator.random_flow.data import LANES, WARPS, inputs
from benchmarks.simulator.random_flow.generator import Writer

FORMS = {"loop": 0, "nested": 1, "flow": 2, "calls": 3, "two_loops": 5}
"""How many thousands the seeds of a form begin at: those under which programs ran."""
NOTES = 192
"""That a lane can leave; the last is written again when there are more."""

Event = tuple[int, int, int]
"""A place, the lanes that were there together, and the clock."""

_BEFORE = f"""
__shared__ unsigned noted[{LANES}];
__device__ __forceinline__ void note(uint2* notes, unsigned place) {{
    asm volatile("{{.reg .u32 n, c, l, b; .reg .u64 a; mov.u32 l, %tid.x; mad.lo.u32 b, l, 4, %2;"
                 "ld.volatile.shared.u32 n, [b]; mov.u32 c, %clock; mad.wide.u32 a, l, {NOTES * 8}, %0;"
                 "mad.wide.u32 a, n, 8, a; st.volatile.global.v2.u32 [a], {{%1, c}};"
                 "add.u32 n, n, 1; min.u32 n, n, {NOTES - 1}; st.volatile.shared.u32 [b], n;}}"
                 :: "l"(notes), "r"(place), "r"((unsigned)__cvta_generic_to_shared(&noted[0])) : "memory");
}}
__device__ __forceinline__ unsigned next(unsigned s) {{ return s * 1664525u + 1013904223u; }}
"""
_TWO_LOOPS = """
    note(notes, 1);
    #pragma unroll 1
    for (int i = 0; i < 3; ++i) {
        note(notes, 2);
        int t = s & 3; s >>= 4;
        if (t) {
            #pragma unroll 1
            for (;;) { note(notes, 3); if (--t == 0) break; note(notes, 4); }
        }
        note(notes, 5);
        if (s & 16) { note(notes, 6); break; }
    }
    note(notes, 7);"""


def cuda(seeds: Iterable[int]) -> str:
    """One source that holds the programs of some seeds."""
    return _BEFORE + "".join(map(kernel, seeds))


def kernel(seed: int) -> str:
    """The program of a seed, without what all programs begin with."""
    form = next(form for form, thousands in FORMS.items() if thousands == seed // 1000)
    writer = _Traced(seed, form)
    called, body = ("", _TWO_LOOPS) if form == "two_loops" else (writer.called(), writer.body())
    return f"""{called}
extern "C" __global__ void k{seed}(const unsigned* in, uint2* notes) {{
    noted[threadIdx.x] = 0;
    notes += blockIdx.x * {NOTES * LANES};
    const unsigned lane = threadIdx.x;
    unsigned s = in[blockIdx.x * {LANES} + lane];
    {body}
}}"""


class _Traced(Writer):
    """Writes a program of one form."""

    def __init__(self, seed: int, form: str) -> None:
        super().__init__(seed)
        self.form, self.in_kernel = form, True

    def called(self) -> str:
        if self.form != "calls":
            return ""
        self.in_kernel = False
        called = self._called()
        self.in_kernel = True
        return called

    def body(self) -> str:
        if self.form in ("flow", "calls"):
            return " ".join(self._whole() for _ in range(self.random.randint(1, 3)))
        loop = self._note(), self.random.choice([self._loop, self._endless])(FORMS[self.form] + 1)
        return f"{' '.join(loop)} {self._note()}"

    def _statement(self, depth: int) -> str:
        kinds = [self._place, self._leave]
        if depth and self.form == "nested":
            kinds += [self._loop] * 3 + [self._endless] * 3 + [self._branch]
        elif depth and self.form != "loop":
            kinds += [self._branch] * 3 + [self._loop] * 3 + [self._endless] * 2 + [self._choice]
            kinds += [self._call] if self.in_kernel and self.form == "calls" else []
        return self.random.choice(kinds)(depth)

    def _leave(self, depth: int) -> str:
        if self.form in ("flow", "calls"):
            return super()._leave(depth)
        ways = ["s ^= lane * 77;"] + (["break;", "break;", "continue;"] if self.in_loop else [])
        return f"if ({self._condition()}) {{ {self._note()} {self.random.choice(ways)} }}"


def events(notes: np.ndarray) -> list[Event]:
    """What a warp did, in its order, from its notes [lane, note, (place, clock)]."""
    together: dict[tuple[int, int], int] = {}
    for lane, of_lane in enumerate(notes.tolist()):
        for place, clock in of_lane[: next((n for n, (place, _) in enumerate(of_lane) if not place), NOTES)]:
            together[clock, place] = together.get((clock, place), 0) | 1 << lane
    return [(place, lanes, clock) for (clock, place), lanes in sorted(together.items())]


def _run(bundle: Path, out: Path) -> None:
    from benchmarks.silicon.runner.device import Device
    from benchmarks.simulator.random_programs.silicon import launches

    out.mkdir(parents=True, exist_ok=True)
    device = Device(bundle)

    def arrays(seed: int) -> list[np.ndarray]:
        return [inputs(seed), np.zeros((WARPS, LANES, NOTES, 2), np.uint32)]

    left = {seed: notes for seed, (_, notes) in launches(bundle, WARPS, LANES, arrays)}
    np.savez_compressed(out / "traces.npz", seeds=np.array(list(left)), notes=np.array(list(left.values())))
    print(f"{len(left)} programs on {device.description()}")


def main() -> None:
    """Do what is asked; GPU machines lack most packages, so each command imports its own."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=["bundle", "run"])
    parser.add_argument("bundle", type=Path)
    parser.add_argument("out", type=Path, nargs="?", default=Path())
    parser.add_argument("--form", choices=list(FORMS), default="nested")
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--gpu", default="h100-sxm")
    asked = parser.parse_args()
    if asked.command == "run":
        _run(asked.bundle, asked.out)
        return
    from benchmarks.simulator.random_programs.bundle import write_bundle

    write_bundle(asked.bundle, FORMS[asked.form] * 1000 + 1, asked.programs, asked.gpu, cuda)


if __name__ == "__main__":
    main()
