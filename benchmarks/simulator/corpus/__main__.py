"""Run the corpus on every architecture: each kernel right, or refused by its name.

python -m benchmarks.simulator.corpus                       # all themes, sm_80, sm_90, sm_100 and sm_120
python -m benchmarks.simulator.corpus --theme atomics --gpu h200
"""

import argparse
import sys

from benchmarks.simulator.corpus.case import GPUS, cases, problem, themes


def main() -> None:
    """Print what is wrong, and how many kernels there are."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--theme", nargs="+", default=themes(), choices=themes())
    parser.add_argument("--gpu", nargs="+", default=list(GPUS))
    parser.add_argument("--kernel", nargs="+", help="only these")
    parser.add_argument("--untimed", action="store_true", help="only results, no predictions")
    options = parser.parse_args()
    kernels = runs = refused = wrong = 0
    for theme in options.theme:
        for case in cases(theme):
            if options.kernel and case.kernel not in options.kernel:
                continue
            kernels += 1
            for gpu in (gpu for gpu in options.gpu if gpu in case.only):
                found = problem(theme, case, gpu, not options.untimed)
                runs += 1
                refused += gpu in case.refused
                if found:
                    wrong += 1
                    print(f"{theme}: {case.kernel} on {gpu}: {found}", flush=True)
    print(f"{kernels} kernels, {runs} runs, {refused} refused by name, {wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
