"""Whether the verdicts of the experiments are those of docs/experiments.md; fails if one changed.

    python -m benchmarks.simulator.verdicts [EXPERIMENT...]

A change that is meant is written down by `dse experiments page docs/experiments.md`.
"""

import re
import sys
from pathlib import Path

from benchmarks.figures import parser
from dse.evaluation.evaluate import evaluate
from dse.experiments.lab import Lab
from dse.experiments.listing import NAMES, run_experiment
from dse.runners.inline import InlineRunner

PAGE = Path(__file__).parents[2] / "docs" / "experiments.md"
_ROW = re.compile(r"^\| \[(\w+)\]\(.*?\) \| (.*) \| (.*) \|$", re.MULTILINE)


def main() -> None:
    """Run the experiments, and name each claim whose verdict is another one than on the page."""
    command = parser(__doc__)
    command.add_argument("experiments", nargs="*", help="their names; default: all")
    names = command.parse_args().experiments or NAMES
    written = {(name, claim): verdict for name, claim, verdict in _ROW.findall(PAGE.read_text())}
    lab = Lab(InlineRunner(evaluate))
    found = {
        (name, claim.text): claim.verdict for name in names for claim in run_experiment(name, lab).claims
    }
    changes = [
        f"{name}: {claim}: {written.get((name, claim), 'not on the page')} -> {verdict}"
        for (name, claim), verdict in found.items()
        if written.get((name, claim)) != verdict
    ]
    print("\n".join([*changes, f"{len(found)} verdicts, {len(changes)} changed"]))
    sys.exit(1 if changes else 0)


if __name__ == "__main__":
    main()
