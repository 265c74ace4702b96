"""Time every point of a bundle: many launches back to back, warm, between two events.

Launches are queued behind a kernel that occupies the stream (`pacer.cu`), so that the GPU never waits for
this program; the same kernel tells the SM clock just before each batch. Every space runs in a process of its
own and its records are written one by one: an error costs one point.
"""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from cuda.bindings import driver

from benchmarks.silicon.runner import MEASURE
from benchmarks.silicon.runner.device import Device, DeviceError, Kernel, call

BATCHES = 7
BATCH_US = 2000.0  # aim for this much kernel time a batch
MAX_BATCH_US = 50_000.0
LAUNCHES = (20, 500)  # fewest and most launches a batch; a stream queues about a thousand
QUEUE_US = 12.0  # time allowed to queue one launch from Python
POINT_SECONDS = 4.0  # cap on the batches of one point
SPACE_SECONDS = 300.0  # a process that takes longer is ended, its point recorded as failed
SAMPLED_BYTES = 256 << 20  # larger buffers are not read back
TRACE = "trace"  # a buffer whose name begins so is kept whole


def time_bundle(bundle: Path, out: Path) -> None:
    """Time all spaces of a bundle, one process each, into `out/times.jsonl`."""
    out.mkdir(parents=True, exist_ok=True)
    plan = json.loads((bundle / "plan.json").read_text())
    records = out / "times.jsonl"
    header = {key: plan[key] for key in ("compiler", "architecture")}
    header |= {"date": time.strftime("%Y-%m-%d"), "nvidia_smi": _nvidia_smi(), **_describe(bundle)}
    records.write_text(json.dumps({"header": header}) + "\n")
    for space in plan["spaces"]:
        begin = time.monotonic()
        failed = _time_in_processes(bundle, out, space, records)
        seconds = time.monotonic() - begin
        print(f"{space['space']}: {len(space['points'])} points, {failed} failed, {seconds:.1f} s")


def _time_in_processes(bundle: Path, out: Path, space: dict[str, Any], records: Path) -> int:
    """Run a space's points; after an error that ended the process, go on behind the point that caused it."""
    done = failed = 0
    while done < len(space["points"]):
        before = _count(records)
        command = [*MEASURE, "run", str(bundle), str(out)]
        command += ["--space", space["space"], "--first", str(done)]
        try:
            subprocess.run(command, timeout=SPACE_SECONDS, check=True)
            return failed
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            new = _count(records) - before
            if not new:
                _append(records, {**_identity(space, space["points"][done]), "error": str(error)})
            done += max(new, 1)
            failed += 1
    return failed


def time_space(bundle: Path, out: Path, name: str, first: int) -> None:
    """Time the points of one space from `first` on, in this process; stop at an error that spoils the GPU."""
    plan = json.loads((bundle / "plan.json").read_text())
    space = next(space for space in plan["spaces"] if space["space"] == name)
    device = Device(bundle)
    pacer = Pacer(device, plan["pacer"])
    pacer.occupy(300_000)
    for point in space["points"][first:]:
        record = _identity(space, point)
        try:
            record |= time_point(device.prepare(name, point), pacer)
        except (DeviceError, ValueError, MemoryError) as error:
            record["error"] = str(error)
            if isinstance(error, DeviceError) and error.sticky:
                _append(out / "times.jsonl", record)
                sys.exit(1)
        _append(out / "times.jsonl", record)


def time_point(kernel: Kernel, pacer: "Pacer") -> dict[str, Any]:
    """One point's outputs after a single launch, its resources, and its time in microseconds a launch."""
    record: dict[str, Any] = kernel.resources()
    record["outputs"] = _outputs(kernel)
    begin = time.monotonic()
    estimate = _batch(kernel, pacer, 3)[0]
    launches = int(min(max(BATCH_US / estimate, LAUNCHES[0]), LAUNCHES[1], max(MAX_BATCH_US / estimate, 3)))
    batches, clocks = [], []
    for _ in range(BATCHES):
        microseconds, clock = _batch(kernel, pacer, launches)
        batches.append(round(microseconds, 4))
        clocks.append(clock)
        if time.monotonic() - begin > POINT_SECONDS:
            break
    return record | {
        "time_us": statistics.median(batches),
        "batches_us": batches,
        "launches": launches,
        "graph_time_us": round(_graph_batch(kernel, launches), 4),
        "clock_mhz": round(statistics.median(clocks), 1),
    }


class Pacer:
    """Occupies the stream while launches are queued behind, and measures the SM clock."""

    def __init__(self, device: Device, cubin: str) -> None:
        self.elapsed = call(driver.cuMemAlloc, 16)
        self._duration = {"kind": "value", "dtype": "uint64", "value": 0}
        self._module = device.module(cubin)

    def occupy(self, microseconds: float) -> None:
        """Queue a kernel that runs this long on one SM."""
        elapsed = {"kind": "value", "dtype": "uint64", "value": int(self.elapsed)}
        duration = {"kind": "value", "dtype": "uint64", "value": int(microseconds * 1000)}
        point = {
            "grid": (1, 1, 1),
            "block": (1, 1, 1),
            "dynamic_shared_bytes": 0,
            "arguments": [elapsed, duration],
        }
        self.kernel = Kernel(self._module, point, [None, None], "pacer")
        self.kernel.launch()

    def clock_mhz(self) -> float:
        """The SM clock while the last `occupy` ran; waits for it."""
        content = np.empty(2, np.uint64)
        call(driver.cuMemcpyDtoH, content.ctypes.data, self.elapsed, content.nbytes)
        return float(content[1]) / float(content[0]) * 1000.0


def _batch(kernel: Kernel, pacer: Pacer, launches: int) -> tuple[float, float]:
    """Microseconds a launch and the SM clock in MHz."""
    begin, end = (call(driver.cuEventCreate, 0) for _ in range(2))
    kernel.launch()
    pacer.occupy(50.0 + QUEUE_US * launches)
    kernel.launch()
    call(driver.cuEventRecord, begin, 0)
    for _ in range(launches):
        kernel.launch()
    call(driver.cuEventRecord, end, 0)
    call(driver.cuEventSynchronize, end)
    milliseconds = call(driver.cuEventElapsedTime, begin, end)
    return float(milliseconds) * 1000.0 / launches, pacer.clock_mhz()


def _graph_batch(kernel: Kernel, launches: int) -> float:
    """Microseconds a launch when the launches are nodes of a replayed graph: the median of three."""
    stream = call(driver.cuStreamCreate, driver.CUstream_flags.CU_STREAM_NON_BLOCKING.value)
    call(driver.cuStreamBeginCapture, stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED)
    for _ in range(launches):
        kernel.launch(stream)
    graph = call(driver.cuStreamEndCapture, stream)
    executable = call(driver.cuGraphInstantiate, graph, 0)
    begin, end = (call(driver.cuEventCreate, 0) for _ in range(2))
    times: list[float] = []
    for _ in range(4):
        call(driver.cuEventRecord, begin, stream)
        call(driver.cuGraphLaunch, executable, stream)
        call(driver.cuEventRecord, end, stream)
        call(driver.cuEventSynchronize, end)
        times.append(call(driver.cuEventElapsedTime, begin, end) * 1000.0 / launches)
    call(driver.cuGraphExecDestroy, executable)
    call(driver.cuGraphDestroy, graph)
    call(driver.cuStreamDestroy, stream)
    return statistics.median(times[1:])


def _outputs(kernel: Kernel) -> list[dict[str, Any]]:
    """The buffers that one launch from fresh inputs changed: position, float64 sum, first values."""
    for buffer in kernel.buffers:
        buffer.refresh()
    kernel.launch()
    call(driver.cuCtxSynchronize)
    changed = []
    for position, buffer in enumerate(kernel.buffers):
        if buffer.host.nbytes > SAMPLED_BYTES:
            continue
        content = buffer.read()
        if not np.array_equal(content.view(np.uint8), buffer.host.view(np.uint8)):
            total = float(content.sum(dtype=np.float64))
            kept = None if buffer.spec["name"].startswith(TRACE) else 4
            changed.append({"buffer": position, "sum": total, "first": content[:kept].tolist()})
    return changed


def _identity(space: dict[str, Any], point: dict[str, Any]) -> dict[str, Any]:
    return {"space": space["space"], "index": point["index"], "parameters": point["parameters"]}


def _append(records: Path, record: dict[str, Any]) -> None:
    with records.open("a") as file:
        file.write(json.dumps(record) + "\n")


def _count(records: Path) -> int:
    with records.open() as file:
        return sum(1 for _ in file)


def _describe(bundle: Path) -> dict[str, Any]:
    return Device(bundle).description()


def _nvidia_smi() -> str:
    query = "name,driver_version,clocks.sm,clocks.max.sm,clocks.mem,power.limit"
    command = ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
