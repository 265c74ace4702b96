"""What kind of limit a kernel runs into."""

from typing import Literal

Regime = Literal["latency", "bandwidth", "compute", "synchronization"]
