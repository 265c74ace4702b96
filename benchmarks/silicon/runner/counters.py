"""Read Nsight Compute's counters of every point of a bundle.

One profiler process covers many points: it starts this program, which warms each kernel and brackets one
launch with the driver's profiler switch. The profiler's raw page is parsed into one JSON record a point.
"""

import csv
import io
import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from cuda.bindings import driver

from benchmarks.silicon.runner import MEASURE
from benchmarks.silicon.runner.device import Device, DeviceError, call

CHUNK = 60  # points a profiler process
POINT_SECONDS = 6.0  # time allowed a point, before the chunk is ended

#: Launches as they are timed, as a table; what is profiled of them comes behind.
PROFILER = (
    *("ncu", "--profile-from-start", "off", "--clock-control", "none", "--cache-control", "none"),
    "--csv",
)

# fmt: off
STALLS = (
    "barrier", "branch_resolving", "dispatch_stall", "drain", "gmma", "imc_miss", "lg_throttle",
    "long_scoreboard", "math_pipe_throttle", "membar", "mio_throttle", "misc", "no_instruction",
    "not_selected", "selected", "short_scoreboard", "sleeping", "tex_throttle", "wait",
)
PIPES = (
    "adu", "alu", "cbu", "fma", "fmaheavy", "fmalite", "fp16", "fp64", "lsu", "tensor",
    "tensor_op_hmma", "tex", "uniform", "xu",
)
# fmt: on
METRICS = [
    "gpu__time_duration.sum",
    "sm__cycles_elapsed.max",
    "gpc__cycles_elapsed.max",
    "sm__cycles_active.avg",
    "sm__cycles_active.max",
    "sm__inst_pending_pipe_lsu_mem_lg_cmd_read.sum",
    "smsp__inst_executed.sum",
    "smsp__thread_inst_executed.sum",
    "smsp__issue_active.avg.per_cycle_active",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    *(f"smsp__average_warps_issue_stalled_{stall}_per_issue_active.ratio" for stall in STALLS),
    *(f"sm__inst_executed_pipe_{pipe}.sum" for pipe in PIPES),
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "lts__t_bytes.sum",
    "lts__t_sectors_op_read.sum",
    "lts__t_sectors_op_write.sum",
    "lts__t_sector_hit_rate.pct",
    "lts__t_sector_op_read_hit_rate.pct",
    "l1tex__t_sector_hit_rate.pct",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu.sum",
    "l1tex__data_pipe_lsu_wavefronts.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "launch__registers_per_thread",
    "launch__occupancy_limit_blocks",
    "launch__occupancy_limit_registers",
    "launch__occupancy_limit_shared_mem",
    "launch__occupancy_limit_warps",
    "launch__shared_mem_config_size",
    "launch__waves_per_multiprocessor",
]


#: So few that one pass reads them: no other launch and no copy comes between, so L2 has what the launch before left.
TRAFFIC = [
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "lts__t_sectors_op_read.sum",
    "lts__t_sectors_op_write.sum",
    "sm__cycles_active.avg",
    "sm__cycles_active.max",
    "sm__cycles_elapsed.max",
]


def count_bundle(bundle: Path, out: Path, wanted: list[str] = METRICS, name: str = "counters") -> None:
    """Profile all points of a bundle, a chunk a process, into `out/counters.jsonl`, or another name."""
    out.mkdir(parents=True, exist_ok=True)
    plan = json.loads((bundle / "plan.json").read_text())
    todo = [
        (space["space"], position) for space in plan["spaces"] for position in range(len(space["points"]))
    ]
    metrics = _available(wanted)
    (out / f"{name}.jsonl").write_text("")
    print(f"{len(todo)} points, {len(metrics)} of {len(wanted)} metrics")
    for first in range(0, len(todo), CHUNK):
        begin = time.monotonic()
        chunk = todo[first : first + CHUNK]
        records = _profile(bundle, out, plan, chunk, metrics)
        with (out / f"{name}.jsonl").open("a") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)
        seconds = time.monotonic() - begin
        print(f"{chunk[0][0]} ... {chunk[-1][0]}: {len(records)} of {len(chunk)}, {seconds:.1f} s")


def launch_points(bundle: Path, launches: Path) -> None:
    """Under the profiler: warm each listed point and launch it once with the profiler switched on."""
    plan = json.loads((bundle / "plan.json").read_text())
    spaces = {space["space"]: space["points"] for space in plan["spaces"]}
    done = launches.with_suffix(".done")
    done.write_text("")
    device = Device(bundle)
    for space, position in json.loads(launches.read_text()):
        kernel = device.prepare(space, spaces[space][position])
        for buffer in kernel.buffers:
            buffer.refresh()
        for _ in range(2):
            kernel.launch()
        call(driver.cuCtxSynchronize)
        call(driver.cuProfilerStart)
        try:
            kernel.launch()
            call(driver.cuCtxSynchronize)
        except DeviceError as error:
            if error.sticky:
                sys.exit(f"{space} {position}: {error}")
            continue
        finally:
            driver.cuProfilerStop()
        with done.open("a") as file:
            file.write(json.dumps([space, position]) + "\n")


def _profile(
    bundle: Path, out: Path, plan: dict[str, Any], chunk: list[tuple[str, int]], metrics: list[str]
) -> list[dict[str, Any]]:
    """Run one profiler process over some points and match its rows, in order, to the points launched."""
    launches = out / "chunk.json"
    launches.write_text(json.dumps(chunk))
    command = [*PROFILER, "--page", "raw", "--print-units", "base", "--metrics", ",".join(metrics)]
    command += [*MEASURE, "counters", str(bundle), str(out), "--launches", str(launches)]
    with (out / "ncu.csv").open("w") as log:
        try:
            subprocess.run(
                command, stdout=log, stderr=subprocess.STDOUT, timeout=POINT_SECONDS * len(chunk), check=False
            )
        except subprocess.TimeoutExpired:
            print(f"{chunk[0][0]} ... {chunk[-1][0]}: the profiler took too long and was ended")
    rows = parse_raw_page((out / "ncu.csv").read_text())
    done = [json.loads(line) for line in launches.with_suffix(".done").read_text().splitlines()]
    if len(rows) < len(chunk):
        print((out / "ncu.csv").read_text()[-600:])
    indices = {space["space"]: [point["index"] for point in space["points"]] for space in plan["spaces"]}
    return [
        {"space": space, "index": indices[space][position], "counters": row}
        for (space, position), row in zip(done, rows, strict=False)
    ]


def parse_raw_page(text: str) -> list[dict[str, float]]:
    """The metrics of each profiled launch from `ncu --csv --page raw --print-units base`."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        return []
    table = csv.DictReader(io.StringIO("\n".join(line for line in lines[start:] if line.startswith('"'))))
    rows = []
    for row in table:
        if not row["ID"].strip():
            continue  # the line of units
        rows.append({name: value for name in row if (value := _number(name, row[name])) is not None})
    return rows


def _number(name: str, text: str | None) -> float | None:
    if name not in METRICS or not text or not re.fullmatch(r"-?[\d,]*\.?\d+(e[+-]?\d+)?", text):
        return None
    value = float(text.replace(",", ""))
    return int(value) if value.is_integer() else value


def _available(metrics: list[str]) -> list[str]:
    """The metrics that this GPU has, by the profiler's own list."""
    listing = subprocess.run(["ncu", "--query-metrics"], capture_output=True, text=True, check=False).stdout
    known = set(re.findall(r"^(\w+__\w+)", listing, re.MULTILINE))
    return [
        name for name in metrics if name.startswith("launch__") or not known or name.split(".")[0] in known
    ]
