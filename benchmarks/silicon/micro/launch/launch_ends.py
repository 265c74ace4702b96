"""When the SMs of a launch begin and end. Runs on the GPU, with CuPy.

    python launch_ends.py OUTPUT.csv

Blocks of 256 threads read and write arrays of 1 to 128 MiB, in one wave of which each thread has many words, or in as
many blocks as there are words. Each block notes its SM and the SM's clock when it begins and ends. What that clock says
is told from readings of it when the global timer changes, before and after; each SM's runs at its own rate.

Columns, times in microseconds, each the median of ten launches, since the first block began:

- `time_us`: a launch in a stream, without the notes; below some 9 us it waits for the host.
- `first_mean`, `first_max`: when the SMs begin. Readings of the clocks are wrong where that is more than a microsecond.
- `end_mean`, `end_p90`, `end_max`: when the SMs end.
- `active_mean`: how long they have blocks.
- `between`: from the last end to the next launch's first block.
"""

import csv
import sys
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import cupy
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SMS, THREADS, ONE_WAVE = 132, 256, 132 * 8
LAUNCHES, NOTED = 60, 10
WRAP = 1 << 32

SOURCE = r"""
#if WIDTH == 4
typedef float Word;
#else
typedef float4 Word;
#endif

__device__ unsigned cycles() {
    unsigned cycles;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles) :: "memory");
    return cycles;
}

__device__ unsigned nanoseconds() {
    unsigned time;
    asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(time) :: "memory");
    return time;
}

__device__ unsigned this_sm() {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

// Readings of both clocks of each SM at the time when the global timer changes.
extern "C" __global__ void clocks(uint2* readings) {
    if (threadIdx.x) return;
    for (int i = 0; i < 8; ++i) {
        const unsigned before = nanoseconds();
        unsigned time, at;
        do {
            at = cycles();
            time = nanoseconds();
        } while (time == before);
        readings[this_sm() * 8 + i] = make_uint2(time, at);
    }
}

__device__ float first(const Word& word) { return *reinterpret_cast<const float*>(&word); }

extern "C" __global__ void stream(const Word* input, Word* output, int words, uint3* notes) {
    const unsigned began = cycles();
    const int threads = gridDim.x * blockDim.x;
    float sum = 0;
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += threads) {
        Word word = {};
#pragma unroll
        for (int k = 0; k < READS; ++k) {
            const Word read = __ldcg(input + k * words + i);
            if (WRITES) word = read;
            sum += first(read);
        }
#pragma unroll
        for (int k = 0; k < WRITES; ++k) output[k * words + i] = word;
    }
    if (sum == 12345.0f) *reinterpret_cast<float*>(output) = sum;
    if (!notes) return;
    __syncthreads();
    if (threadIdx.x == 0) notes[blockIdx.x] = make_uint3(this_sm(), began, cycles());
}
"""


class Point(NamedTuple):
    mib: int
    reads: int
    writes: int
    width: int
    blocks: int


def points() -> Iterator[Point]:
    mixes = ((1, 0), (0, 1), (1, 1), (2, 1), (0, 2))
    for mib, (reads, writes), width in product((1, 2, 4, 8, 16, 32, 128), mixes, (4, 16)):
        yield Point(mib, reads, writes, width, ONE_WAVE)
        many = (mib << 20) // width // THREADS
        if many > ONE_WAVE:
            yield Point(mib, reads, writes, width, many)


class Stream:
    """The kernel of a point, with its buffers."""

    def __init__(self, point: Point, input: Any, output: Any) -> None:
        options = (f"-DREADS={point.reads}", f"-DWRITES={point.writes}", f"-DWIDTH={point.width}")
        self._module = cupy.RawModule(code=SOURCE, options=options)
        self._kernel = self._module.get_function("stream")
        self._point = point
        self._arguments = (input, output, np.int32((point.mib << 20) // point.width))

    def launch(self, notes: Any = None) -> None:
        to = np.uint64(0) if notes is None else notes
        self._kernel((self._point.blocks,), (THREADS,), (*self._arguments, to))

    def time_us(self) -> float:
        """The least of three batches."""
        return min(self._batch() for _ in range(3))

    def _batch(self) -> float:
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        self.launch()
        begin.record()
        for _ in range(LAUNCHES):
            self.launch()
        end.record()
        end.synchronize()
        return float(cupy.cuda.get_elapsed_time(begin, end)) / LAUNCHES * 1e3

    def read_clocks(self) -> Floats:
        """[SM, reading, 2] nanoseconds and cycles."""
        readings = cupy.zeros((SMS, 8, 2), cupy.uint32)
        self._module.get_function("clocks")((SMS,), (1024,), (readings,))
        return readings.get().astype(np.float64)  # type: ignore[no-any-return]

    def notes(self) -> tuple[Floats, Floats, Floats]:
        """[launch, block, 3] SM and cycles; readings of the clocks before and after."""
        notes = cupy.zeros((NOTED + 1, self._point.blocks, 3), cupy.uint32)
        before = self.read_clocks()
        for launch in range(NOTED + 1):
            self.launch(notes[launch])
        cupy.cuda.Device().synchronize()
        return notes.get()[1:].astype(np.float64), before, self.read_clocks()


def times(stream: Stream) -> dict[str, float]:
    """The columns that follow from the notes."""
    notes, before, after = stream.notes()
    passed = (after - before) % WRAP
    cycles_each = np.median(passed[..., 1] / passed[..., 0], axis=1)
    offsets = np.median(after[..., 0] - after[..., 1] / cycles_each[:, None], axis=1)
    rows, last_end = [], np.nan
    for sms, begins, ends in notes.transpose(0, 2, 1):
        sm = sms.astype(np.int64)
        began, ended = (
            _nanoseconds(at, offsets[sm], cycles_each[sm], after[0, 0, 0]) for at in (begins, ends)
        )
        start = began.min()
        first, last = np.full(SMS, np.inf), np.full(SMS, -np.inf)
        np.minimum.at(first, sm, began - start)
        np.maximum.at(last, sm, ended - start)
        late, active = np.percentile(last, 90), (last - first).mean()
        rows.append([first.mean(), first.max(), last.mean(), late, last.max(), active, start - last_end])
        last_end = ended.max()
    names = ("first_mean", "first_max", "end_mean", "end_p90", "end_max", "active_mean", "between")
    return dict(zip(names, np.nanmedian(rows, axis=0) / 1e3, strict=True))


def _nanoseconds(cycles: Floats, offsets: Floats, cycles_each: Floats, near: float) -> Floats:
    """Times of the global timer, whose lowest 32 bits wrap around; all are near one time."""
    at = cycles / cycles_each + offsets
    wrap = WRAP / cycles_each
    return at - np.round((at - near) / wrap) * wrap


def main() -> None:
    size = 128 << 20
    input, output = cupy.zeros(2 * size, cupy.uint8), cupy.zeros(2 * size, cupy.uint8)
    with open(sys.argv[1], "w", newline="") as file:
        writer = None
        for point in points():
            stream = Stream(point, input, output)
            row = point._asdict() | {"time_us": stream.time_us()} | times(stream)
            writer = writer or csv.DictWriter(file, list(row))
            if file.tell() == 0:
                writer.writeheader()
            writer.writerow({name: round(value, 3) for name, value in row.items()})


if __name__ == "__main__":
    main()
