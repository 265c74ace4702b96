"""One instruction alone in a machine of one warp, executed in random states."""

import numpy as np
from numpy.typing import NDArray

from simcore.core import isa
from simcore.core.execution import blocks, control, flow, memory, step
from simcore.core.machine import REPORT_GIVES_UP
from simcore.lowering import lower
from simcore.lowering.table import find
from simcore.machine_code.cubin import Kernel, Parameter
from simcore.machine_code.sass import Instruction
from simcore.model.arguments import Buffer
from simcore.model.launch import Launch
from simcore.session.machine import build_machine, constants_of

REGISTERS = 256
GLOBAL_BYTES, SHARED_BYTES, LOCAL_BYTES, CONSTANT_BYTES = 1 << 16, 1 << 18, 1 << 14, 1 << 16
TRIALS = range(8)
MATRIX_TRIALS = range(2, 4)  # a product of matrices takes long
KINDS = ((isa.FULL_MASK, 0), (0x7, 0), (0x80FF_FFFF, 0x3F00_0000), (0x83FF_83FF, 0x3C00_3C00))
"""Kinds of random words: the bits that are random, and those that are set."""

Words = NDArray[np.uint32]


class State:
    """What an instruction may read: the rows of its warp, then the warp's predicates, each of 32 lanes."""

    def __init__(self, words: Words, predicates: int, active: int, memory: int) -> None:
        self.words = words
        self.predicates = predicates  # the first of them
        self.active = active
        self.memory = memory  # the bits that words of memory may have

    def changed(self, words: Words) -> "State":
        """The same state but for the words."""
        return State(words, self.predicates, self.active, self.memory)

    def lanes(self, guard: tuple[int, bool]) -> NDArray[np.bool_]:
        """Whether each lane is active under a guard."""
        predicate, negated = guard
        active = np.unpackbits(np.array([self.active], "<u4").view(np.uint8), bitorder="little").astype(bool)
        holds: NDArray[np.bool_] = (self.words[self.predicates + predicate] != 0) ^ negated
        return active & holds


class Form:
    """One instruction, alone in a machine of one warp."""

    def __init__(self, instruction: Instruction) -> None:
        self.instruction = instruction
        program = self.program = lower((instruction,), REGISTERS, "k")
        self.record, self.effects = program.code[0], program.effects[0]
        self.own, self.trash = program.rows.own, program.rows.trash
        entry = find(instruction.opcode)
        assert entry
        self.across_lanes = entry.across_lanes
        self.random = np.random.default_rng(instruction.word & isa.FULL_MASK)
        banks = {bank: self.random.bytes(CONSTANT_BYTES) for bank in range(5)}
        kernel = Kernel(
            "k", "sm_90", b"", REGISTERS, LOCAL_BYTES, SHARED_BYTES, (Parameter(0, 0, 8),), 0x210, banks
        )
        buffers = (Buffer("uint32", GLOBAL_BYTES // 4),)
        launch = Launch(kernel, (1, 1, 1), (32, 1, 1), buffers, SHARED_BYTES, LOCAL_BYTES)
        self.machine = build_machine(
            launch, program, constants_of(launch, program), np.array([isa.EXECUTE], np.uint8), {0}, 1, 1
        )
        self.memory = self.bits(self.machine.memory.shape)
        self.barriers = self.bits(self.machine.barriers.shape)
        self.barriers[:, flow.TURN] %= isa.LANES

    def reads(self) -> dict[int, str]:
        """The words that are read, by their bit, with their names."""
        record, effects = self.record, self.effects
        bits = effects.sources | effects.sources_everywhere | effects.address | effects.address_everywhere
        names = {}
        for word in reversed(range(4)):
            for name in ("address_base", "address_uniform", "a", "b", "c"):
                if record[name] >= 0:
                    names[record[name] + word] = f"{name}[{word}]"
        for name in ("predicate_in_0", "predicate_in_1", "guard"):
            names[self.own + record[name]] = name
        return {bit: names.get(bit, "predicate") for bit in bits_of(bits | effects.guard_bits)}

    def writes(self) -> dict[int, str]:
        """The words that are written, by their bit, with their names."""
        record = self.record
        names = {record["destination"] + word: f"destination[{word}]" for word in range(4)}
        for name in ("predicate_out_0", "predicate_out_1"):
            names[self.own + record[name]] = name
        return {bit: names.get(bit, "predicate") for bit in bits_of(self.effects.writes)}

    def trials(self) -> range:
        """The numbers of the states to try."""
        is_product = self.record["operation"] >> isa.FAMILY_BITS == isa.MATRIX
        return MATRIX_TRIALS if is_product else TRIALS

    # --- States -------------------------------------------------------------------------------------------

    def bits(self, shape: tuple[int, ...]) -> Words:
        """Random words."""
        return self.random.integers(0, 1 << 32, shape, np.uint32)

    def state(self, trial: int) -> State:
        """A random state, with addresses that may be accessed, and with some lanes inactive."""
        words = np.concatenate([self.numbers(trial, self.own), self.lane_bits(isa.PREDICATES)])
        words[self.own + isa.PREDICATE_TRUE] = words[self.own + isa.UNIFORM_PREDICATE_TRUE] = 1
        some_lanes = self.effects.is_control and trial % 2
        active = int(self.bits(())) | 1 if some_lanes else isa.FULL_MASK
        state = State(words, self.own, active, KINDS[trial % len(KINDS)][0])
        predicate, negated = self.effects.guard
        if self.across_lanes and predicate != isa.PREDICATE_TRUE:
            words[self.own + predicate] = not negated
        self.restrict(state)
        return state

    def numbers(self, trial: int, rows: int) -> Words:
        """Random bits, small numbers, singles (which are upper words of doubles too), or pairs of halves."""
        bits = self.bits((rows, isa.LANES))
        keep, add = KINDS[trial % len(KINDS)]
        return bits & np.uint32(keep) | np.uint32(add)

    def lane_bits(self, rows: int) -> Words:
        """Random predicates."""
        return self.bits((rows, isa.LANES)) & np.uint32(1)

    def restrict(self, state: State) -> None:
        """Let registers that name places name such as exist."""
        record, words = self.record, state.words
        if record["operation"] in (control.BAR_SYNC, control.BAR_ARRIVE, control.BAR_REDUCE):
            words[max(record["a"], 0)] &= 15
        if record["operation"] == memory.LOAD_CONSTANT:
            words[max(record["a"], 0)] &= 0x3F0
        if record["operation"] == memory.COPY_TO_SHARED:
            for name in "ab":
                words[max(record[name], 0)] = 16 * np.arange(isa.LANES)
        if self.effects.is_addressed:
            self.place_address(words)

    def place_address(self, words: Words) -> None:
        """Let the addresses be multiples of 16 in the middle of their space."""
        record, mode = self.record, self.record["address_mode"]
        wide = record["space"] in (isa.SPACE_GLOBAL, isa.SPACE_GENERIC)
        start = int(self.machine.buffer_start[0]) if wide else 2048
        wanted = start + 1024 + 16 * self.random.permutation(isa.LANES) - int(record["value"])
        base, uniform = record["address_base"], record["address_uniform"]
        if mode & isa.ADDRESS_HAS_UNIFORM and uniform >= 0:
            offset = wanted[0] if not mode & isa.ADDRESS_BASE_64 or base < 0 else 4096
            put(words, uniform, np.full(isa.LANES, offset), 2 if mode & isa.ADDRESS_UNIFORM_64 else 1)
            wanted = wanted - offset
        if mode & isa.ADDRESS_HAS_BASE and base >= 0:
            scaled = wanted >> int(mode >> isa.ADDRESS_SCALE_SHIFT)
            put(words, base, scaled, 2 if mode & isa.ADDRESS_BASE_64 else 1)

    def without(self, state: State, trial: int) -> State:
        """The state with everything changed that the instruction does not read."""
        changed = self.state(trial)
        effects = self.effects
        under_guard = effects.sources | effects.address
        kept = effects.sources_everywhere | effects.address_everywhere | effects.guard_bits
        kept |= 0 if effects.overwrites else effects.writes
        for bit in bits_of(kept | under_guard):
            lanes = slice(None) if kept >> bit & 1 else state.lanes(effects.guard)
            changed.words[bit, lanes] = state.words[bit, lanes]
        return state.changed(changed.words)

    def with_changed(self, state: State, bit: int, trial: int) -> State:
        """The state with one word changed that the instruction reads."""
        changed = state.changed(state.words.copy())
        if bit >= self.own:
            changed.words[bit] = (1 - state.words[bit], self.lane_bits(1)[0], trial // 3)[trial % 3]
        elif self.record["operation"] == memory.COPY_TO_SHARED and bit in (
            self.record["a"],
            self.record["b"],
        ):
            changed.words[bit] += np.uint32(64)
        elif self.effects.is_control and trial % 2:
            changed.words[bit] = 0
        else:
            changed.words[bit] = self.numbers(trial, 1)[0]
            if self.record["operation"] in (control.BAR_SYNC, control.BAR_ARRIVE, control.BAR_REDUCE):
                changed.words[bit] &= 15
        return changed

    # --- Execution ----------------------------------------------------------------------------------------

    def execute(self, state: State) -> tuple[Words, list[bytes | int]]:
        """Execute in a state. Returns the words afterwards, and all else that has happened."""
        self.enter(state)
        m = self.machine
        outcome = step.step(m, 0)
        happened: list[bytes | int] = [
            outcome,
            int(m.pc[0]),
            int(m.active[0]),
            int(m.live[0]),
        ]
        happened += [a.tobytes() for a in (m.barriers, m.tallies, m.reductions, m.report, m.memory)]
        happened += [a[0].tobytes() for a in (m.lane_pc, m.lane_wait, m.lane_mates)]
        if self.effects.is_addressed:
            happened.append(m.address[state.lanes(self.effects.guard)].tobytes())
        return self.words(), happened

    def enter(self, state: State) -> None:
        """Let the machine be in a state."""
        m = self.machine
        blocks.set_block(m, 0, 0)
        blocks.set_warp(m, 0, 0, 0)
        m.active[0] = state.active
        m.registers.reshape(-1, isa.LANES)[m.first_own_row :] = state.words[: self.own]
        m.predicates[:] = np.packbits(state.words[self.own :].astype(bool), axis=1, bitorder="little").view(
            "<u4"
        )[:, 0]
        m.memory[:] = self.memory & np.uint32(state.memory)
        m.barriers[:] = self.barriers
        m.lane_pc[:] = m.lane_mates[:] = 0
        m.lane_wait[:] = flow.RUNNABLE
        m.scratch[:] = self.bits(m.scratch.shape)
        m.report[:] = 0
        m.report[REPORT_GIVES_UP] = 1  # no check of an asynchronous barrier is left for later
        m.reductions[:] = 0

    def words(self) -> Words:
        """The rows of the warp, then its predicates, each of 32 lanes."""
        m = self.machine
        predicates = np.unpackbits(m.predicates.view(np.uint8).reshape(-1, 4), axis=1, bitorder="little")
        own = m.registers.reshape(-1, isa.LANES)[m.first_own_row :]
        return np.concatenate([own, predicates]).astype(np.uint32)

    def written_lanes(self, state: State) -> NDArray[np.bool_]:
        """The lanes in which results are stored."""
        return np.ones(isa.LANES, bool) if self.across_lanes else state.lanes(self.effects.guard)


def put(words: Words, row: int, values: NDArray[np.int64], count: int) -> None:
    """Put integers into one row, or two."""
    for word in range(count):
        words[row + word] = (values >> 32 * word & isa.FULL_MASK).astype(np.uint32)


def bits_of(bits: int) -> list[int]:
    """The positions of the ones."""
    return [bit for bit in range(bits.bit_length()) if bits >> bit & 1]
