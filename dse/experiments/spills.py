"""Register caps: occupancy bought with spills."""

from dse.experiments.lab import Lab
from dse.experiments.report import Claim, Curves, Report, Table
from dse.tables.text import microseconds
from search_spaces import Point, Space, load_space

TITLE = "Register caps of a register-blocked product and of a stencil"
SOURCE = "tutorials on maxrregcount and __launch_bounds__"
GPU = "h100-sxm"
CAPS = (24, 32, 40, 48, 64, 80, 96, 128, 255)
KERNELS = {
    "sgemm": {"tile": 64, "thread_tile": 8, "vector": 4, "buffers": 1},
    "stencil_2d": {"radius": 4, "tiled": 0, "rows": 8, "block_size": 256},
}


def run(lab: Lab) -> Report:
    """Registers, spills, occupancy and time of both kernels by cap."""
    rows, lines, best = [], {}, {}
    for name, point in KERNELS.items():
        times = {}
        space = load_space(name).override({"register_cap": list(CAPS)})
        for each in lab.predict(space, _points(space, point), [GPU]):
            cap = int(str(each.point["register_cap"]))
            times[cap] = each.time_us
            shown = (
                "registers_per_thread",
                "local_bytes_per_thread",
                "blocks_per_sm",
                "theoretical_occupancy",
            )
            rows.append(
                {"kernel": name, "cap": cap, **{m: each.metrics[m] for m in shown}, "time_us": each.time_us}
            )
        best[name] = min(times, key=times.__getitem__)
        lines[name] = {float(cap): time / times[best[name]] for cap, time in times.items()}
    spilled = {row["kernel"]: row for row in reversed(rows) if row["local_bytes_per_thread"]}
    slowest = {name: max(of.values()) for name, of in lines.items()}
    claims = [
        Claim(
            "there is a sweet spot between spilling and low occupancy",
            SOURCE,
            "a cap in the middle is the fastest",
            "; ".join(f"{name}: {best[name]}" for name in KERNELS),
            "agrees" if all(CAPS[0] < cap < CAPS[-1] for cap in best.values()) else "not so here",
            "the product hides latency by parallelism within a thread, and every register that it loses is a spill",
        ),
        Claim(
            "spills are what makes a low cap slow",
            SOURCE,
            "much slower",
            "; ".join(
                f"{name}: {slowest[name]:.1f} times at {CAPS[0]}, "
                f"{spilled[name]['local_bytes_per_thread'] if name in spilled else 0} bytes spilled"
                for name in KERNELS
            ),
            "agrees" if slowest["sgemm"] > 1.5 else "differs",
            "spilled words go through L1, to which sums in registers never went; the fastest takes "
            + ", ".join(
                f"{microseconds(min(r['time_us'] for r in rows if r['kernel'] == name))} ({name})"
                for name in KERNELS
            ),
        ),
    ]
    picture = Curves("register cap", "time over the fastest", lines)
    return Report("spills", TITLE, claims, [Table(f"by register cap, on {GPU}", rows)], picture=picture)


def _points(space: Space, fixed: Point) -> list[Point]:
    return list(space.override({name: [value] for name, value in fixed.items()}).points())
