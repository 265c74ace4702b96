"""See the package."""

from benchmarks.simulator.lane_states import __doc__ as description
from benchmarks.simulator.steps import steps_parser


def main() -> None:
    """Do what is asked; GPU machines lack most packages, so each command imports its own."""
    parser = steps_parser(description)
    parser.add_argument("--barriers", action="store_true")
    parser.add_argument("--seeds", type=int, nargs="*", default=[], help="of random control flow, too")
    asked = parser.parse_args()
    match asked.command:
        case "bundle":
            from benchmarks.simulator.lane_states.kernels import write_bundle

            write_bundle(asked.folder, asked.barriers, asked.seeds)
        case "run":
            from benchmarks.simulator.lane_states.silicon import run

            run(asked.folder, asked.out)
        case "compare":
            from benchmarks.simulator.lane_states.comparison import compare

            compare(asked.folder / "few_lanes.npz")


if __name__ == "__main__":
    main()
