"""See the package."""

from pathlib import Path

from benchmarks.simulator.few_lanes import __doc__ as description
from benchmarks.simulator.steps import steps_parser


def main() -> None:
    """Do what is asked; GPU machines lack most packages, so each command imports its own."""
    asked = steps_parser(description, "clocks").parse_args()
    match asked.command:
        case "bundle":
            _write_bundle(asked.folder)
        case "run":
            from benchmarks.simulator.few_lanes.silicon import run

            run(asked.folder, asked.out)
        case "compare":
            from benchmarks.simulator.few_lanes.comparison import compare

            compare(asked.folder)
        case "clocks":
            from benchmarks.simulator.few_lanes.comparison import clocks

            clocks(asked.folder)


def _write_bundle(folder: Path) -> None:
    import json

    import numpy as np

    from benchmarks.simulator.few_lanes.kernels import BODIES, NOTES, WARPS, cubin, inputs
    from simcore.machine_code.compiler import compiler_version

    folder.mkdir(parents=True, exist_ok=True)
    for name in BODIES:
        for lanes in WARPS:
            (folder / f"{name}_{lanes}.cubin").write_bytes(cubin(name))
            np.savez_compressed(folder / f"{name}_{lanes}.npz", inputs=inputs(lanes), notes=NOTES)
    plan = {"compiler": f"nvrtc {compiler_version()}, YIELDs rewritten", "gpu": "h100-sxm"}
    (folder / "plan.json").write_text(json.dumps(plan))
    print(f"{folder}: {len(BODIES)} kernels")


if __name__ == "__main__":
    main()
