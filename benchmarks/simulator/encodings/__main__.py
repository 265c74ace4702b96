"""Whether the tables of instruction forms read machine code as the disassembler does; and the tables, made again.

python -m benchmarks.simulator.encodings derive [ARCHITECTURE ...]    # about a minute and a half each
python -m benchmarks.simulator.encodings extend [ARCHITECTURE ...] --space NAME    # seconds
python -m benchmarks.simulator.encodings check [ARCHITECTURE ...] [--words 1000000]
"""

import random
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.simulator.encodings.corpus import architectures, words_of
from benchmarks.simulator.encodings.derive import derive, plain, uncovered, valid_words, wrong
from search_spaces import Space, catalog_names, load_space
from simcore.machine_code.encoding import load_table
from simcore.machine_code.encoding.table import TABLES

SILICON = Path(__file__).parents[2] / "silicon"
BATCH = 100_000

app = typer.Typer(no_args_is_help=True, add_completion=False)
Architectures = Annotated[list[str] | None, typer.Argument(help="as in sm_90; all when left out")]
Spaces = Annotated[list[str] | None, typer.Option(help="a name or a folder; all when left out")]
Points = Annotated[int, typer.Option(help="points compiled of each space")]


@app.command("derive")
def make(names: Architectures = None, points: Points = 6, space: Spaces = None) -> None:
    """Find the forms of all words of the repository's kernels, and write the tables."""
    for name in names or sorted(architectures()):
        derive(name, sorted(words_of(_spaces(space), name, points))).save(TABLES / f"{name}.jsonl")


@app.command()
def extend(names: Architectures = None, points: Points = 6, space: Spaces = None) -> None:
    """Add the forms of words that the tables do not cover yet, such as those of new spaces."""
    for name in names or sorted(architectures()):
        words = sorted(words_of(_spaces(space), name, points))
        derive(name, words, load_table(name)).save(TABLES / f"{name}.jsonl")


@app.command()
def check(
    names: Architectures = None, words: int = 1_000_000, points: Points = 6, space: Spaces = None
) -> None:
    """Compare tables and disassembler on the words of the repository's kernels, and on random others."""
    found = 0
    for name in names or sorted(architectures()):
        table, generator = load_table(name), random.Random(2)
        corpus = [plain(word) for word in sorted(words_of(_spaces(space), name, points))]
        bad = wrong(table, corpus)
        tried = 0
        while tried < words:
            batch = valid_words(table, min(BATCH, words - tried), generator)
            bad += wrong(table, batch)
            tried += len(batch)
        print(
            f"{name}: {len(list(table))} forms; {len(corpus):,} words of kernels, "
            f"{len(uncovered(table, corpus))} not covered; {tried:,} others; {len(bad)} read wrongly"
        )
        for word, ours, theirs in bad[:10]:
            print(f"  {word:#034x}: {ours} is {theirs}")
        found += len(bad)
    raise typer.Exit(1 if found else 0)


def _spaces(names: list[str] | None) -> list[Space]:
    folders = sorted(str(path.parent) for path in SILICON.rglob("space.yaml"))
    return [load_space(name) for name in names or [*catalog_names(), *folders]]


if __name__ == "__main__":
    app()
