"""Find the forms of all instruction words of a corpus.

Of the words that no form covers yet, one of each shape becomes a seed. Its form follows from flips of single bits; it
is then tested against the disassembler on words with other operands, random and special. A form that fails is tested
again in its strict version, and dropped if that fails too. The next round takes its seeds from the words left over.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from benchmarks.simulator.encodings.changes import OPERAND_BITS, Shape, form_of, taken_apart
from simcore.machine_code.disassembler import disassemble
from simcore.machine_code.encoding.form import (
    CONTROL_LOW,
    ENCODED,
    GUARD,
    GUARD_LOW,
    OPCODE,
    TRUE,
    Form,
    Line,
)
from simcore.machine_code.encoding.table import EncodingTable, urz

SCHEDULING = 0x7F5 << CONTROL_LOW
"""Scheduling bits that every instruction may have."""
MAX_ROUNDS = 60
TRIALS = 24
"""Words that a form is tried on, beside those with one special operand."""
SMALL_FIELD = 4
"""Bits of a field up to which all its values are tried."""
MAX_DISTANCE = 1 << 22
"""Steps of a branch that is tried; code of so many instructions exists nowhere."""

Report = Callable[[str], None]


@dataclass
class _Search:
    architecture: str
    lines: dict[int, Line]
    table: EncodingTable
    generator: random.Random = field(default_factory=lambda: random.Random(1))
    strict: set[int] = field(default_factory=set)
    given_up: set[int] = field(default_factory=set)
    by_opcode: dict[int, list[int]] = field(init=False)

    def __post_init__(self) -> None:
        self.by_opcode = {}
        for word in self.lines:
            self.by_opcode.setdefault(word & OPCODE, []).append(word)


def plain(word: int) -> int:
    """A word without its guard, scheduled as any may be."""
    return word & ENCODED & ~GUARD | TRUE << GUARD_LOW | SCHEDULING


def derive(
    architecture: str, words: Iterable[int], known: Iterable[Form] = (), report: Report = print
) -> EncodingTable:
    """A table that covers the words, as far as forms for them can be found, beside the forms that are known."""
    corpus = list(dict.fromkeys(map(plain, words)))
    said = zip(corpus, disassemble(corpus, architecture), strict=True)
    search = _Search(
        architecture, {word: line for word, line in said if line}, EncodingTable(architecture, known)
    )
    for _ in range(MAX_ROUNDS):
        seeds = _seeds(search)
        report(
            f"{architecture}: {len(search.lines):,} words, {len(list(search.table)):,} forms, {len(seeds)} seeds"
        )
        if not seeds:
            break
        for seed, form in _tried(search, _forms(search, seeds)):
            if form is not None and search.table.find(seed) is None:
                search.table.add(form)
    return search.table


def _seeds(search: _Search) -> list[int]:
    """One word of each shape that no form covers."""
    seeds: dict[tuple[int, Shape], int] = {}
    for word, line in search.lines.items():
        if word not in search.given_up and search.table.find(word) is None:
            seeds.setdefault((word & OPCODE, taken_apart(line, search.architecture)[0]), word)
    return list(seeds.values())


def _forms(search: _Search, seeds: Sequence[int]) -> list[tuple[int, Form]]:
    """What flips of single bits say of each seed."""
    asked = [[seed, *(seed ^ 1 << bit for bit in OPERAND_BITS), seed & ~GUARD] for seed in seeds]
    answers = iter(disassemble([word for words in asked for word in words], search.architecture))
    forms = []
    for seed, words in zip(seeds, asked, strict=True):
        line, *flipped, guarded = [next(answers) for _ in words]
        if line is None:
            search.given_up.add(seed)
            continue
        flips = dict(zip(OPERAND_BITS, flipped, strict=True))
        forms.append((seed, form_of(seed, line, flips, guarded, search.architecture, seed in search.strict)))
    return forms


def _tried(search: _Search, forms: Sequence[tuple[int, Form]]) -> list[tuple[int, Form | None]]:
    """Each form less the values for which it fails; None where it fails for others too."""
    singles = _failures(search, [(form, _with_special_values(seed, form)) for seed, form in forms])
    narrowed = []
    for (seed, form), failed in zip(forms, singles, strict=True):
        excluded = {(mask, word & mask) for mask, word in failed}
        if seed in search.strict:
            excluded |= _special_values(form)
        narrowed.append((seed, replace(form, excluded=tuple(sorted(excluded)))))
    joint = _failures(search, [(form, _drawn(search.generator, seed, form)) for seed, form in narrowed])
    results: list[tuple[int, Form | None]] = []
    for (seed, form), failed in zip(narrowed, joint, strict=True):
        is_sound = not failed and form.covers(seed) and _agrees(search, form)
        if not is_sound:
            (search.given_up if seed in search.strict else search.strict).add(seed)
        results.append((seed, form if is_sound else None))
    return results


def _agrees(search: _Search, form: Form) -> bool:
    """Whether the words of the corpus that a form covers say what it says."""
    zero = urz(search.architecture)
    alike = search.by_opcode[form.value & OPCODE]
    return all(form.line(word, zero) == search.lines[word] for word in alike if form.covers(word))


def _failures(
    search: _Search, trials: Sequence[tuple[Form, list[tuple[int, int]]]]
) -> list[list[tuple[int, int]]]:
    """The (mask, word) of each form's trials that the disassembler reads otherwise than the form."""
    words = [word for _, pairs in trials for _, word in pairs]
    answers = iter(disassemble(words, search.architecture))
    zero = urz(search.architecture)
    failures = []
    for form, pairs in trials:
        said = [(pair, next(answers)) for pair in pairs]
        failures.append([pair for pair, line in said if line and form.line(pair[1], zero) != line])
    return failures


def _with_special_values(seed: int, form: Form) -> list[tuple[int, int]]:
    """The seed with each field in turn at its ends and near them; a small field at all its values."""
    words = []
    for each in form.fields:
        bits = each.mask.bit_count()
        last = (1 << bits) - 1
        values = range(last + 1) if bits <= SMALL_FIELD else {0, 1, last, last - 1, 1 << bits - 1}
        words += [(each.mask, seed & ~each.mask | _spread(each.mask, value)) for value in values]
    return words


def _special_values(form: Form) -> set[tuple[int, int]]:
    """RZ, PT and zero, in each field that could be so."""
    names = {(each.mask, each.mask) for each in form.fields if each.kind in ("R", "UR", "P", "UP")}
    return names | {(each.mask, 0) for each in form.fields if each.kind == "X"}


def _drawn(generator: random.Random, seed: int, form: Form) -> list[tuple[int, int]]:
    """Words of the form: half with all fields at random, half with some at their ends; some under a guard."""
    words = []
    for trial in range(TRIALS):
        word = seed
        for each in form.fields:
            choice = 1.0 if trial < TRIALS // 2 else generator.random()
            value = generator.getrandbits(128)
            if choice < 0.3:
                value = -1
            elif choice < 0.5:
                value = 0
            elif choice < 0.7:
                value = 1 << generator.randrange(each.mask.bit_count())
            elif choice < 0.8:
                continue
            word = word & ~each.mask | _spread(each.mask, value)
        word = _branching_near(generator, form, word)
        if not form.mask & GUARD and generator.random() < 0.3:
            word = word & ~GUARD | generator.getrandbits(4) << GUARD_LOW
        if form.covers(word):
            words.append((form.mask, word))
    return words


def _branching_near(generator: random.Random, form: Form, word: int) -> int:
    """The word with a target drawn from those that code can have."""
    if form.target is None:
        return word
    distance = generator.randrange(-MAX_DISTANCE, MAX_DISTANCE)
    return word & ~form.target.mask | _spread(form.target.mask, distance)


def _spread(mask: int, value: int) -> int:
    """The low bits of a value, laid into the bits of a mask."""
    word = 0
    while mask:
        lowest = mask & -mask
        word |= lowest if value & 1 else 0
        mask ^= lowest
        value >>= 1
    return word


def uncovered(table: EncodingTable, words: Iterable[int]) -> list[int]:
    """The words that no form covers."""
    return [word for word in words if table.find(plain(word)) is None]


def wrong(table: EncodingTable, words: Sequence[int]) -> list[tuple[int, Line, Line]]:
    """The words that a form reads otherwise than the disassembler, with both readings.

    Among others nvdisasm writes some words otherwise than alone (the `PR` of R2P): what it says of a word alone counts.
    """
    readings = zip(words, map(table.line, words), disassemble(words, table.architecture), strict=True)
    suspects = [(word, ours) for word, ours, theirs in readings if ours and theirs and ours != theirs]
    alone = [(word, ours, disassemble([word], table.architecture)[0]) for word, ours in suspects]
    return [(word, ours, theirs) for word, ours, theirs in alone if theirs and ours != theirs]


def valid_words(table: EncodingTable, count: int, generator: random.Random) -> list[int]:
    """Words with operands at random, evenly over the forms."""
    forms = sorted(table, key=lambda form: (form.mask, form.value))
    words = []
    for index in range(count):
        form = forms[index % len(forms)]
        word = form.value | SCHEDULING | (0 if form.mask & GUARD else generator.getrandbits(4) << GUARD_LOW)
        for each in form.fields:
            word |= _spread(each.mask, generator.getrandbits(128))
        word = _branching_near(generator, form, word)
        if form.covers(word):
            words.append(word)
    return words


__all__ = ["derive", "plain", "uncovered", "valid_words", "wrong"]
