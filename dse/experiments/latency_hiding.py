"""Instruction-level and thread-level parallelism, cycle by cycle."""

from dse.experiments.lab import Lab
from dse.experiments.report import Claim, Curves, Report, Table
from simcore import Buffer, compile_cuda, gpu_names, timeline

TITLE = "Four instructions of which two are independent, on one warp and on two"
SOURCE = "the usual picture of latency hiding, for a latency of 4 cycles"
#: The four are looked at when they run for the last time, with their code in the caches. One load brings the operand,
#: and the warps of the other schedulers leave, so that two warps get theirs close together.
KERNEL = """
extern "C" __global__ void four(float* data)
{
    __shared__ float words[256];
    words[threadIdx.x] = data[threadIdx.x];
    if (threadIdx.x / 32 % 4 != 0) return;
    const unsigned place = __cvta_generic_to_shared(&words[threadIdx.x]);
#pragma unroll 1
    for (int time = 0; time < 4; ++time) {
        float x;
        asm volatile("bar.sync 1, %2;\\n ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(place), "n"(32 * WARPS) : "memory");
        const float a = fmaf(x, x, x), b = fmaf(x, x, 1.0f);
        const float c = fmaf(a, a, a), d = fmaf(c, c, b);
        data[threadIdx.x + 256] = d;
    }
}
"""
SHOWN = "h100-sxm"
WARP = 32
SCHEDULERS = 4
PUBLISHED = [0, 1, 4, 8]
PUBLISHED_SECOND = [2, 3, 5]
WINDOW = 4000


def run(lab: Lab) -> Report:
    """When each of the four issues, on every GPU, with one warp on a scheduler and with two."""
    alone = {gpu: issues(gpu, 1)[0] for gpu in gpu_names()}
    rows, pairs = [], {}
    for gpu in gpu_names():
        first, second = issues(gpu, 2)
        pairs[gpu] = second
        rows.append({"gpu": gpu, "one warp": alone[gpu], "of two: first": first, "second": second})
    drawn = [gpu for gpu in alone if alone[gpu] == PUBLISHED]
    claims = [
        Claim(
            "the four issue at cycles 0, 1, 4, 8",
            SOURCE,
            str(PUBLISHED),
            _by_gpu(alone),
            "agrees" if len(drawn) == len(alone) else "differs",
            f"exactly so on {len(drawn)} of {len(alone)}; where the FP32 pipe takes two cycles for a warp, the "
            "second of two independent instructions waits for it",
        ),
        Claim(
            "a second warp fills the gaps at 2, 3 and 5",
            SOURCE,
            str(PUBLISHED_SECOND),
            _by_gpu(pairs),
            "agrees" if all(issues[:3] == PUBLISHED_SECOND for issues in pairs.values()) else "not so here",
            "it fills the gaps, but its third instruction needs the first one's result, which issued at 2: cycle 6",
        ),
    ]
    tables = [Table("cycles of issue, from the first FMA", rows)]
    return Report("latency_hiding", TITLE, claims, tables, _picture(alone[SHOWN], *issues(SHOWN, 2)))


def _picture(alone: list[int], first: list[int], second: list[int]) -> Curves:
    """When each of the four issues on one GPU."""
    warps = {"one warp": alone, "of two: first": first, "second": second}
    return Curves(
        f"cycle on an {SHOWN}",
        "instructions issued",
        {
            name: {float(cycle): number for number, cycle in enumerate(cycles, 1)}
            for name, cycles in warps.items()
        },
    )


def issues(gpu: str, warps: int) -> list[list[int]]:
    """The cycles in which the FMAs of each warp of one scheduler issue, the earlier warp first."""
    block = WARP if warps == 1 else WARP * (SCHEDULERS + 1)
    cubin = compile_cuda(KERNEL, gpu, {"WARPS": warps})
    data = [Buffer("float32", 1024)]
    found = timeline(0, WINDOW, cubin=cubin, grid=1, block=block, arguments=data, gpu=gpu).of_scheduler(0)
    by_warp: dict[int, list[int]] = {}
    for event in found.issues:
        if found.texts[event.address].startswith("FFMA"):
            by_warp.setdefault(event.warp, []).append(event.start)
    start = min(cycles[-4] for cycles in by_warp.values())
    return sorted([cycle - start for cycle in cycles[-4:]] for cycles in by_warp.values())


def _by_gpu(issues: dict[str, list[int]]) -> str:
    """Figures that most GPUs share, said once."""
    groups: dict[str, list[str]] = {}
    for gpu, cycles in issues.items():
        groups.setdefault(str(cycles), []).append(gpu)
    return "; ".join(
        f"{cycles} on {'all' if len(gpus) == len(issues) else ', '.join(gpus)}"
        for cycles, gpus in groups.items()
    )
