"""How many chains hide a latency, and where chains do not help."""

from collections.abc import Sequence
from math import ceil

from dse.experiments.lab import MEASURED, Lab, Predicted, key, measured, own_space
from dse.experiments.report import NOTHING, Claim, Curves, Report, Table, percent
from search_spaces import load_space
from simcore import gpu_names, load_gpu
from simcore.gpu import Gpu
from simcore.gpu_rates import fp32_tflops

TITLE = "Accumulators: instruction-level parallelism against the latency of an FMA"
SOURCE = "articles on instruction-level parallelism of the H100"
CHAINS = (1, 2, 3, 4, 5, 6, 8)
#: The latency of an FMA in the compiler's stall counts, on all of these architectures.
LATENCY = 4
#: A share of the best rate that counts as reached.
KNEE = 0.9
SHOWN = "h100-sxm"
PUBLISHED = (0.31, 0.78)
#: Of a launch of `fma_chain`, whatever the point.
FMAS = 196608 * 4096


def run(lab: Lab) -> Report:
    """One warp on each scheduler with 1 to 8 chains, on all GPUs; and `dot`, which waits for DRAM."""
    shares = {
        gpu: {chains: share for (chains, _), share in shares_of_peak(lab, gpu, CHAINS, (4,)).items()}
        for gpu in gpu_names()
    }
    rows = [
        {
            "gpu": gpu,
            **{f"{chains} chains": percent(share) for chains, share in of_gpu.items()},
            "knee": knee(of_gpu),
            "formula": ceil(LATENCY / issue_interval(load_gpu(gpu))),
        }
        for gpu, of_gpu in shares.items()
    ]
    alike = [row for row in rows if row["knee"] == row["formula"]]
    grid = _full_grid(lab)
    dots, spread = _dot(lab)
    claims = [
        Claim(
            "31 % of the FP32 peak with one dependent chain, 78 % with four",
            SOURCE,
            "31 %, 78 %",
            "; ".join(f"{gpu}: {_pair(of_gpu)}" for gpu, of_gpu in grid["predicted"].items()),
            "agrees" if all(_is_published(of_gpu) for of_gpu in grid["measured"].values()) else "differs",
            "with one chain an FMA reads the chain and two constants through two register ports and takes two cycles, "
            "however many warps there are; with four the constants are reused. The published kernel is not known",
            "; ".join(f"{gpu}: {_pair(of_gpu)}" for gpu, of_gpu in grid["measured"].items()) or NOTHING,
        ),
        Claim(
            "accumulators needed = ceil(latency / issue interval)",
            SOURCE,
            ", ".join(
                sorted(
                    {
                        f"{row['formula']} on {row['gpu']}"
                        for row in rows
                        if row["gpu"] in ("a100-80gb", SHOWN)
                    }
                )
            ),
            ", ".join(f"{row['knee']} on {row['gpu']}" for row in rows if row["gpu"] in ("a100-80gb", SHOWN)),
            "agrees" if len(alike) == len(rows) else "differs",
            f"the knee is where the formula says on {len(alike)} of {len(rows)} GPUs",
        ),
        Claim(
            "85 to 95 % of peak for a dot product with four accumulators",
            SOURCE,
            "85 to 95 %",
            "; ".join(
                f"{gpu}: times differ by {percent(value)}" for gpu, value in spread["predicted"].items()
            ),
            "not so here",
            "dot reads 8 bytes for each FMA: DRAM binds, whatever the accumulators, once there are warps enough",
            "; ".join(f"{gpu}: {percent(value)}" for gpu, value in spread["measured"].items()) or NOTHING,
        ),
    ]
    lines = {
        gpu: {float(chains): share for chains, share in of_gpu.items()} for gpu, of_gpu in shares.items()
    }
    picture = Curves(
        "chains per warp", "share of the FP32 peak", {g: lines[g] for g in ("a100-80gb", SHOWN, "rtx3090")}
    )
    tables = [
        Table("share of the FP32 peak, one warp a scheduler", rows),
        Table("dot, 2^24 elements, time in µs", dots),
    ]
    return Report("accumulators", TITLE, claims, tables, picture=picture)


def issue_interval(gpu: Gpu) -> float:
    """Cycles between the FMAs that a sub-partition's pipes accept."""
    pipes = [interval for interval in (gpu.fma_heavy_interval, gpu.fma_lite_interval) if interval]
    return max(1.0, 1 / sum(1 / interval for interval in pipes))


def knee(shares: dict[int, float]) -> int:
    """The fewest chains that come close to the best share."""
    best = max(shares.values())
    return min(chains for chains, share in shares.items() if share >= KNEE * best)


def shares_of_peak(
    lab: Lab, gpu: str, chains: Sequence[int], warps: Sequence[int]
) -> dict[tuple[int, int], float]:
    """The share of the FP32 peak by chains of a thread and warps of an SM."""
    space = own_space("ilp").override(
        {"chains": list(chains), "warps": list(warps), "sms": [load_gpu(gpu).sms]}
    )
    return {
        (int(str(each.point["chains"])), int(str(each.point["warps"]))): _share(each, load_gpu(gpu))
        for each in lab.predict(space, list(space.points()), [gpu])
    }


def _share(found: Predicted, gpu: Gpu) -> float:
    point = found.point
    fma = 32 * int(str(point["warps"])) * int(str(point["chains"])) * int(str(point["steps"])) * gpu.sms
    seconds = float(found.metrics["cycles"]) / gpu.clock_mhz * 1e-6
    return 2e-12 * fma / seconds / fp32_tflops(gpu)


def _full_grid(lab: Lab) -> dict[str, dict[str, tuple[float, float]]]:
    """The best shares of peak of the catalog's `fma_chain` with one chain and with four, predicted and measured."""
    space = load_space("fma_chain").override({"chains": [1, 4], "unroll": [16], "register_cap": [None]})
    found: dict[str, dict[str, tuple[float, float]]] = {"predicted": {}, "measured": {}}
    for gpu in MEASURED:
        points = lab.predict(space, list(space.points()), [gpu])
        known = measured(gpu, "fma_chain")
        least = 2e-6 * FMAS / fp32_tflops(load_gpu(gpu))
        for kind, times in (
            ("predicted", {key(each.point): each.time_us for each in points}),
            ("measured", known),
        ):
            by_chains = [
                [
                    times[key(each.point)]
                    for each in points
                    if each.point["chains"] == chains and key(each.point) in times
                ]
                for chains in (1, 4)
            ]
            if all(by_chains):
                found[kind][gpu] = least / min(by_chains[0]), least / min(by_chains[1])
    return found


def _pair(shares: tuple[float, float]) -> str:
    return f"{percent(shares[0])}, {percent(shares[1])}"


def _is_published(shares: tuple[float, float]) -> bool:
    return all(abs(share - said) < 0.05 for share, said in zip(shares, PUBLISHED, strict=True))


def _dot(lab: Lab) -> tuple[list[dict[str, object]], dict[str, dict[str, float]]]:
    """The catalog's `dot` at full occupancy, by accumulators; and by how much its times differ."""
    space = load_space("dot").override({"blocks": [1056], "block_size": [256], "register_cap": [None]})
    rows: list[dict[str, object]] = []
    spread: dict[str, dict[str, float]] = {"predicted": {}, "measured": {}}
    for gpu in MEASURED:
        found = lab.predict(space, list(space.points()), [gpu])
        known = measured(gpu, "dot")
        times = {"predicted": [each.time_us for each in found]}
        times["measured"] = [known[key(each.point)] for each in found if key(each.point) in known]
        for kind, of_kind in times.items():
            if of_kind:
                spread[kind][gpu] = max(of_kind) / min(of_kind) - 1
        for each in found:
            rows.append(
                {
                    "gpu": gpu,
                    "accumulators": each.point["accumulators"],
                    "predicted": each.time_us,
                    "measured": known.get(key(each.point)),
                }
            )
    return rows, spread
