"""The kind of bottleneck of a kernel."""

from typing import Literal

Regime = Literal["latency", "bandwidth", "compute", "synchronization"]
