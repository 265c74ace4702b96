"""See the package."""

import argparse
from time import perf_counter

from benchmarks.simulator.damage import __doc__ as description
from benchmarks.simulator.damage.cubins import outcomes
from benchmarks.simulator.damage.words import ARCHITECTURES, wrong_words


def main() -> None:
    """Do what is asked, and name everything that is wrong."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    words = commands.add_parser("words", help="each bit of real instructions")
    words.add_argument("--architecture", default=",".join(ARCHITECTURES))
    words.add_argument("--every", type=int, default=1, help="of the instructions, take one in so many")
    cubins = commands.add_parser("cubins", help="bytes of cubins")
    cubins.add_argument("--count", type=int, default=10_000)
    cubins.add_argument("--seed", type=int, default=1, help="of the first; the others follow")
    asked = parser.parse_args()
    if asked.command == "words":
        _words(asked.architecture.split(","), asked.every)
    else:
        _cubins(asked.seed, asked.count)


def _words(architectures: list[str], every: int) -> None:
    for architecture in architectures:
        began = perf_counter()
        tried, wrong = wrong_words(architecture, every)
        for line in wrong:
            print(f"{architecture}: {line}")
        print(
            f"{architecture}: {tried} words, {len(wrong)} wrong; {perf_counter() - began:.0f} s", flush=True
        )


def _cubins(first: int, count: int) -> None:
    began, counted = perf_counter(), dict.fromkeys(("ran", "refused", "wrong"), 0)
    for seed, outcome in outcomes(range(first, first + count)):
        kind = outcome if outcome in counted else "wrong"
        counted[kind] += 1
        if kind == "wrong":
            print(f"cubin {seed}: {outcome}", flush=True)
    said = ", ".join(f"{number} {kind}" for kind, number in counted.items())
    print(f"{count} cubins: {said}; {perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
