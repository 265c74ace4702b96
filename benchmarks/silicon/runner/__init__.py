"""What measures kernels on a real GPU; its folder, numpy and cuda-bindings are all that the GPU machine needs."""

import sys

#: The command line of this room, which the runner starts again for each space and under the profiler.
MEASURE = (sys.executable, "-m", "benchmarks.silicon.runner.measure")
