"""Each of Nsight Compute's reasons, a kernel that has it on top, and its fixed twin."""

from collections.abc import Mapping, Sequence

from dse.experiments.lab import MEASURED, Lab, Predicted, key, measured, own_space
from dse.experiments.report import NOTHING, Bars, Claim, Report, Table, bars, percent, ratio

TITLE = "The reasons for which warps stall, and what removes each"
SOURCE = "Nsight Compute, Kernel Profiling Guide: warp stall reasons"
FIXES = {
    "long_scoreboard": "independent loads in place of one after another",
    "short_scoreboard": "four chains through shared memory side by side",
    "wait": "four chains of FMAs in place of one",
    "barrier": "a barrier of the warp in place of the block's",
    "membar": "a fence for the block in place of the GPU",
    "not_selected": "an eighth of the warps with eight times the work each: as fast, and no worse",
    "math_pipe_throttle": "FP32 in place of integer products",
    "mio_throttle": "one reduction in place of five shuffles",
    "lg_throttle": "16 bytes a load in place of one",
    "no_instruction": "a loop in place of 64 KB of code",
    "imc_miss": "256 bytes of constants in place of 16 KB",
    "branch_resolving": "a loop unrolled 16 times",
    "dispatch_stall": "operands from both banks of the register file in place of one",
    "drain": "stores side by side in place of a line each",
    "sleeping": "no sleep",
}
#: The regime that a reason on top stands for.
REGIMES = {
    "latency": ("long_scoreboard", "short_scoreboard", "wait"),
    "bandwidth": ("mio_throttle", "lg_throttle", "drain"),
    "compute": ("not_selected", "math_pipe_throttle", "dispatch_stall"),
    "synchronization": ("barrier", "membar"),
}


def run(lab: Lab) -> Report:
    """All kernels on the measured GPUs."""
    space = own_space("stall_reasons")
    found = {
        (gpu, str(each.point["reason"]), int(str(each.point["fixed"]))): each
        for gpu in MEASURED
        for each in lab.predict(space, list(space.points()), [gpu])
    }
    rows = [row for gpu in MEASURED for row in _rows(found, gpu)]
    on_top = {
        gpu: [reason for reason in FIXES if _is_on_top(found[gpu, reason, 0], reason)] for gpu in MEASURED
    }
    gained = [row for row in rows if row["reason"] != "not_selected" and float(str(row["gain"])) > 1.05]
    count = len(FIXES)
    known = [row["measured gain"] for row in rows if row["measured gain"] and row["reason"] != "not_selected"]
    claims = [
        Claim(
            "each reason has a kernel that has it on top",
            SOURCE,
            f"{count} of {count}",
            "; ".join(f"{gpu}: {len(reasons)} of {count}" for gpu, reasons in on_top.items()),
            "agrees" if all(len(reasons) == count for reasons in on_top.values()) else "differs",
            _not_on_top(found),
        ),
        Claim(
            "and the fix that is told for it makes it faster",
            SOURCE,
            f"{count - 1} of {count - 1}",
            f"{len(gained)} of {len(MEASURED) * (count - 1)} on {' and '.join(MEASURED)}",
            "agrees" if len(gained) == len(MEASURED) * (count - 1) else "differs",
            "not_selected apart, which is no loss: " + FIXES["not_selected"],
            f"{sum(float(str(gain)) > 1.05 for gain in known)} of {len(known)}" if known else NOTHING,
        ),
    ]
    named = [
        found[gpu, reason, 0].metrics["regime"] == regime
        for gpu in MEASURED
        for regime, reasons in REGIMES.items()
        for reason in reasons
    ]
    claims.append(
        Claim(
            "latency, bandwidth, compute and synchronization can be told from the stalls",
            SOURCE,
            f"{len(named)} of {len(named)}",
            f"{sum(named)} of {len(named)} on {' and '.join(MEASURED)}",
            "agrees" if all(named) else "differs",
            "of " + "; ".join(f"{', '.join(reasons)}: {regime}" for regime, reasons in REGIMES.items()),
        )
    )
    return Report("stall_reasons", TITLE, claims, [Table("by reason", rows)], _picture(rows))


def _picture(rows: Sequence[Mapping[str, object]]) -> Bars:
    """What the fixes gain on the first measured GPU."""
    here = [row for row in rows if row["gpu"] == MEASURED[0]]
    columns = {"predicted": "gain", "measured": "measured gain"}
    return bars(f"speedup by the fix on an {MEASURED[0]}", "reason", here, columns)


def _rows(found: dict[tuple[str, str, int], Predicted], gpu: str) -> list[dict[str, object]]:
    times = measured(gpu, "stall_reasons")
    rows: list[dict[str, object]] = []
    for reason, fix in FIXES.items():
        before, after = found[gpu, reason, 0], found[gpu, reason, 1]
        known = [times.get(key(each.point)) for each in (before, after)]
        rows.append(
            {
                "gpu": gpu,
                "reason": reason,
                "share": percent(before.shares.get(reason, 0.0)),
                "regime": before.metrics["regime"],
                "fix": fix,
                "share after": percent(after.shares.get(reason, 0.0)),
                "gain": ratio(before.time_us / after.time_us),
                "measured gain": ratio(known[0] / known[1]) if known[0] and known[1] else None,
            }
        )
    return rows


def _not_on_top(found: dict[tuple[str, str, int], Predicted]) -> str:
    """Which reason stands above the one that was meant."""
    others = {
        reason: next(iter(found[gpu, reason, 0].shares))
        for gpu in MEASURED
        for reason in FIXES
        if not _is_on_top(found[gpu, reason, 0], reason)
    }
    said = "; ".join(f"{other} is above {reason}" for reason, other in others.items())
    return (
        f"of the warps' time apart from issuing{': ' if said else ''}{said}; tex_throttle has no kernel, because "
        "textures are not modelled: an access to one is refused by its name"
    )


def _is_on_top(found: Predicted, reason: str) -> bool:
    return next(iter(found.shares)) == reason
