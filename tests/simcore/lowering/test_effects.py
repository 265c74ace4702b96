"""What the opcode table says that an instruction reads and writes is what executing it reads and writes.

Each real instruction is executed on random registers, predicates and memory, then again with some of them changed,
without the jit.
"""

from collections.abc import Iterator

import numpy as np
import pytest

from simcore.core import isa
from testing.one_instruction import Form, State, Words, bits_of
from testing.plain_python import run_core_as_python
from testing.real_instructions import real_instructions


@pytest.fixture(autouse=True)
def _without_jit(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the core's functions be Python functions, which start at once."""
    run_core_as_python(monkeypatch)
    with np.errstate(all="ignore"):
        yield


@pytest.mark.parametrize("opcode", sorted(real_instructions()))
def test_instruction_writes_what_its_entry_says(opcode: str) -> None:
    stated, seen = set(), set()
    for instruction in real_instructions()[opcode]:
        form = Form(instruction)
        stated |= set(form.writes().values())
        for trial in form.trials():
            state = form.state(trial)
            after, _ = form.execute(state)
            assert not unstated_writes(form, state, after), instruction
            seen |= {name for bit, name in form.writes().items() if (after[bit] != state.words[bit]).any()}
    assert seen == stated


@pytest.mark.parametrize("opcode", sorted(real_instructions()))
def test_result_depends_on_what_its_entry_says(opcode: str) -> None:
    stated, seen = set(), set()
    for instruction in real_instructions()[opcode]:
        form = Form(instruction)
        stated |= set(form.reads().values())
        for trial in form.trials():
            state = form.state(trial)
            assert not differs(form, state, form.without(state, trial), form.effects.writes), instruction
            for bit, name in form.reads().items():
                if name not in seen:
                    other = form.with_changed(state, bit, trial)
                    everywhere = (1 << form.trash) - 1 | ((1 << isa.PREDICATES) - 1) << form.own
                    if differs(form, state, other, everywhere & ~(1 << bit) | form.effects.writes):
                        seen.add(name)
    assert seen == stated


def unstated_writes(form: Form, state: State, after: Words) -> list[int]:
    """The words that have changed though they are not written, or in lanes where they are not."""
    changed = after != state.words
    changed[form.trash : form.own] = False
    changed[form.own + isa.PREDICATE_TRASH] = False
    for bit in form.writes():
        changed[bit, form.written_lanes(state)] = False
    return [int(bit) for bit in np.flatnonzero(changed.any(axis=1))]


def differs(form: Form, state: State, other: State, words: int) -> bool:
    """Whether two states come to different things, looking at some words: where results are stored, or unchanged."""
    after, happened = form.execute(state)
    other_after, other_happened = form.execute(other)
    if happened != other_happened:
        return True
    for bit in bits_of(words):
        lanes = form.written_lanes(state) if form.effects.writes >> bit & 1 else slice(None)
        if (after[bit, lanes] != other_after[bit, lanes]).any():
            return True
    return False
