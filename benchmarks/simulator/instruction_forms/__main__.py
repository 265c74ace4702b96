"""See the package."""

import argparse
import json
import sys
from pathlib import Path

from benchmarks.simulator.instruction_forms import __doc__ as description


def main() -> None:
    """Do what is asked; GPU machines lack most packages, so each command imports its own."""
    asked = _parser().parse_args()
    match asked.command:
        case "bundle":
            from benchmarks.simulator.instruction_forms.kernels import FORMS, cuda
            from benchmarks.simulator.random_programs.bundle import write_bundle

            write_bundle(asked.bundle, 0, min(asked.forms, len(FORMS)), asked.gpu, cuda)
            (asked.bundle / "operands.json").write_text(json.dumps([form.operands for form in FORMS]))
        case "run":
            from benchmarks.simulator.instruction_forms.silicon import run_bundle

            run_bundle(asked.bundle, asked.out)
        case "record":
            from benchmarks.simulator.instruction_forms.recorded import write
            from benchmarks.simulator.instruction_forms.silicon import read

            write(read(asked.out), asked.file)
        case "compare":
            sys.exit(_compare(asked.out, asked.gpu.split(",")))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    bundle = commands.add_parser("bundle", help="compile the forms for a GPU machine")
    bundle.add_argument("--gpu", default="h200", help="of sm_90 or later")
    bundle.add_argument("--forms", type=int, default=sys.maxsize, help="only the first")
    running = commands.add_parser("run", help="on the GPU: run all forms of a bundle")
    compare = commands.add_parser(
        "compare", help="execute the forms in the simulator, and compare with a GPU"
    )
    compare.add_argument("--gpu", default="a100-80gb,rtx3090,h200,b200,rtx5090")
    record = commands.add_parser("record", help="keep what a GPU left in a small file")
    for command in (bundle, running):
        command.add_argument("bundle", type=Path)
    for command in (running, record, compare):
        command.add_argument("out", type=Path)
    record.add_argument("file", type=Path)
    return parser


def _compare(out: Path, gpus: list[str]) -> int:
    from benchmarks.simulator.instruction_forms.comparison import difference, executed, existing
    from benchmarks.simulator.instruction_forms.kernels import FORMS
    from benchmarks.simulator.instruction_forms.silicon import read

    theirs, wrong = read(out), 0
    for gpu in gpus:
        places = [place for place in existing(gpu) if place in theirs]
        refused = differ = 0
        for place, ours in executed(gpu, places):
            form = FORMS[place]
            line = ours if isinstance(ours, str) else difference(form, ours, theirs[place])
            refused += isinstance(ours, str)
            differ += line is not None and not isinstance(ours, str)
            if line:
                print(f"{gpu}, form {place}: {form.text}: {line}", flush=True)
        print(f"{gpu}: {len(places)} forms, {differ} differ, {refused} are refused", flush=True)
        wrong += differ
    return int(wrong > 0)


if __name__ == "__main__":
    main()
