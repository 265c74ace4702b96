"""Which instructions must be executed for what was asked: a backward slice over the machine code.

To predict time, only what can reach a branch, a guard, an address or a barrier needs values; the rest (in a
floating-point kernel nearly all) is timed without being executed. The cycles are the same either way.

The slice is flow-sensitive in registers and predicates and treats each memory space as one variable.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simcore.core import isa
from simcore.program import Program

_FLOW = {isa.BRA, isa.BRA_DIV, isa.BRX, isa.CALL, isa.RET, isa.EXIT, isa.BREAK, isa.BSSY, isa.BSYNC}
_INDIRECT = {isa.BRX, isa.RET}
_MEMORY = {isa.LOAD, isa.STORE, isa.ATOMIC, isa.COPY_TO_SHARED, isa.LOAD_MATRIX}
_READS_MEMORY = {isa.LOAD, isa.ATOMIC, isa.LOAD_MATRIX}
_WRITES_MEMORY = {isa.STORE, isa.ATOMIC, isa.COPY_TO_SHARED}


@dataclass(frozen=True)
class _Effects:
    """What one instruction reads and writes, as bit sets over rows and predicates.

    Attributes:
        always: read whenever the instruction is reached: guards, branch conditions, barrier numbers.
        address: read to form an address.
        value: read to form the result.
        writes: overwritten if the guard lets all lanes through.
    """

    always: int
    address: int
    value: int
    writes: int
    certain: bool


def everything(program: Program) -> NDArray[np.uint8]:
    """Execute all instructions, for results that are exact."""
    return np.full(len(program.code), isa.EXECUTE, np.uint8)


def for_timing(program: Program) -> NDArray[np.uint8]:
    """Execute what reaches control flow or an address; only form the addresses of other memory accesses."""
    return _slice(program, addresses=True)


def for_counting(program: Program) -> NDArray[np.uint8]:
    """Execute what reaches control flow alone, to count instructions."""
    return _slice(program, addresses=False)


def _slice(program: Program, addresses: bool) -> NDArray[np.uint8]:
    code = program.code
    effects = [_effects(record, program) for record in code]
    successors = list(_successors(program))
    spaces: set[int] = set()
    while True:
        needed = _live_slice(code, effects, successors, spaces, addresses)
        found = {int(code[i]["space"]) for i in np.flatnonzero(needed) if code[i]["operation"] in _READS_MEMORY}
        if found <= spaces:
            break
        spaces |= found
    action = np.where(needed, isa.EXECUTE, isa.SKIP).astype(np.uint8)
    for index, record in enumerate(code):
        operation = int(record["operation"])
        if operation < isa.LAST_CONTROL:
            action[index] = isa.EXECUTE
        elif addresses and operation in _MEMORY and not needed[index]:
            action[index] = isa.ADDRESS_ONLY
    return action


def _live_slice(
    code: NDArray[np.void],
    effects: list[_Effects],
    successors: list[tuple[int, ...]],
    spaces: set[int],
    addresses: bool,
) -> NDArray[np.bool_]:
    """Iterate backward liveness of what matters until nothing changes."""
    count = len(code)
    needed = np.zeros(count, bool)
    live_in = [0] * count
    predecessors: list[list[int]] = [[] for _ in range(count)]
    for index, following in enumerate(successors):
        for successor in following:
            predecessors[successor].append(index)
    operations = [int(o) for o in code["operation"]]
    space_of = [int(s) for s in code["space"]]
    pending = list(range(count))
    queued = [True] * count
    while pending:
        index = pending.pop()
        queued[index] = False
        effect = effects[index]
        live_out = 0
        for successor in successors[index]:
            live_out |= live_in[successor]
        operation = operations[index]
        relevant = bool(effect.writes & live_out)
        if operation in _WRITES_MEMORY and space_of[index] in spaces:
            relevant = True
        if operation == isa.COPY_TO_SHARED and isa.SPACE_SHARED in spaces:
            relevant = True
        live = live_out & ~effect.writes if relevant and effect.certain else live_out
        if relevant:
            needed[index] = True
            live |= effect.value | effect.address
        if operation < isa.LAST_CONTROL:
            live |= effect.value
        if operation < isa.LAST_CONTROL or relevant or (addresses and operation in _MEMORY):
            live |= effect.always
        if addresses and operation in _MEMORY:
            live |= effect.address
        if live != live_in[index]:
            live_in[index] = live
            for predecessor in predecessors[index]:
                if not queued[predecessor]:
                    queued[predecessor] = True
                    pending.append(predecessor)
    return needed


def _successors(program: Program) -> Iterator[tuple[int, ...]]:
    code = program.code
    last = len(code) - 1
    indirect = tuple(_return_points(program))
    for index, record in enumerate(code):
        operation = int(record["operation"])
        always = record["guard"] == isa.PREDICATE_TRUE and not record["guard_flip"]
        unconditional = always and record["predicate_in_0"] == isa.PREDICATE_TRUE
        following: tuple[int, ...] = (min(index + 1, last),)
        if operation in _INDIRECT:
            yield indirect if unconditional else indirect + following
        elif operation == isa.CALL or (operation == isa.BRA and unconditional):
            yield (int(record["target"]),)
        elif operation == isa.BRA or operation == isa.BRA_DIV:
            yield (int(record["target"]), *following)
        elif operation == isa.EXIT and unconditional:
            yield ()
        else:
            yield following


def _return_points(program: Program) -> Iterator[int]:
    """Where an indirect jump may land: after each call, or, with jump tables, anywhere."""
    operations = program.code["operation"]
    if (operations == isa.BRX).any():
        yield from range(len(operations))
        return
    yield from (int(i) + 1 for i in np.flatnonzero(operations == isa.CALL))


def _effects(record: np.void, program: Program) -> _Effects:
    predicate_shift = program.rows.own
    operation = int(record["operation"])

    def predicate(index: int) -> int:
        constant = index in (isa.PREDICATE_TRUE, isa.UNIFORM_PREDICATE_TRUE, isa.PREDICATE_TRASH)
        return 0 if constant else 1 << (predicate_shift + index)

    def row(source: int, words: int = 1) -> int:
        return ((1 << words) - 1) << source if source >= 0 else 0

    guard = predicate(int(record["guard"]))
    value = predicate(int(record["predicate_in_0"])) | predicate(int(record["predicate_in_1"]))
    words = _source_words(record)
    if operation == isa.PLOP3:
        for slot in "abc":
            value |= predicate(int(record[slot]))
    else:
        for slot in "abc":
            value |= row(int(record[slot]), words)
    if operation == isa.P2R:
        for index in range(7):
            value |= predicate(index)
    address = 0
    if operation in _MEMORY:
        mode = int(record["address_mode"])
        if mode & isa.ADDRESS_HAS_BASE:
            address |= row(int(record["address_base"]), 2 if mode & isa.ADDRESS_BASE_64 else 1)
        if mode & isa.ADDRESS_HAS_UNIFORM:
            address |= row(int(record["address_uniform"]), 2 if mode & isa.ADDRESS_UNIFORM_64 else 1)
    writes = row(int(record["destination"]), max(int(record["destination_words"]), 1))
    if record["destination"] >= program.rows.trash or operation in (isa.STORE, isa.COPY_TO_SHARED):
        writes = 0
    writes |= predicate(int(record["predicate_out_0"])) | predicate(int(record["predicate_out_1"]))
    if operation == isa.R2P:
        for index in range(7):
            writes |= predicate(index)
    certain = not guard and operation != isa.R2P
    return _Effects(guard, address, value | guard, writes, certain)


def _source_words(record: np.void) -> int:
    operation = int(record["operation"])
    if operation in (isa.STORE, isa.ATOMIC):
        return max(int(record["width"]) // 4, 1)
    if operation == isa.HMMA:
        return 4
    return 2 if record["pairs"] else 1
