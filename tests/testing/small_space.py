"""A small space, and what makes an evaluation slow."""

from collections.abc import Callable
from time import sleep

from dse.evaluation.tasks import Outcome, Task

SOURCE = """
extern "C" __global__ void scale(float* data, float factor, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int step = 0; step < UNROLL; ++step) data[i] *= factor + WIDTH;
    }
}
"""

SPACE = """
kernel: scale
source: kernel.cu
parameters:
  unroll: [1, 2, 4, 8, 16]
  width: [1, 2, 4]
  block_size: [64, 128, 256, 512]
  register_cap: [none, 32]
gpu: [a100-80gb, h100-sxm]
constraints: ["unroll >= width"]
launch: {grid: "ceil_div(n, block_size)", block: block_size}
values: {n: 4096}
arguments:
  - {name: data, type: float32, elements: n, fill: uniform}
  - {name: factor, type: float32, value: 0.5}
  - {name: n, type: int32, value: n}
objectives: [minimize time_us]
"""

Evaluate = Callable[[Task], Outcome]


def slowed(evaluate: Evaluate, seconds: float) -> Evaluate:
    """The evaluation, as long as that at least."""

    def slow(task: Task) -> Outcome:
        sleep(seconds)
        return evaluate(task)

    return slow
