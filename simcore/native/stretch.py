"""A kernel as one LLVM function: enter at any basic block, go on until an instruction that is the interpreter's.

A basic block is a transaction: what it changes is in vector registers until it ends, or has stored to memory. Where an
access cannot be made here, the function returns as it was when the transaction began, and the interpreter executes it
again.
"""

from dataclasses import dataclass

import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from simcore.core import isa
from simcore.core.execution import control, flow, native
from simcore.lowering.program import Program, Rows
from simcore.native import coverage, memory, operations, special
from simcore.native.log import Logged
from simcore.native.special import Shape
from simcore.native.state import SPARE_ROWS, Context, Instruction, State, instructions_of
from simcore.native.vectors import LONG, POINTER, WORD, first_lane, room

NAME = "stretch"


def module_of(
    program: Program,
    action: NDArray[np.uint8],
    runs: coverage.Runs,
    block: Shape,
    logs: bool,
) -> ir.Module:
    """A module with the function; `logs`: whether it logs accesses to the sample (`trail.Trail`)."""
    module = ir.Module(NAME)
    function = ir.Function(module, ir.FunctionType(LONG, [POINTER, LONG]), NAME)
    instructions = instructions_of(program)
    _Emitter(function, instructions, action, runs, block, logs, program.rows).emit()
    return module


@dataclass
class _Emitter:
    """Emits one function."""

    function: ir.Function
    instructions: list[Instruction]
    action: NDArray[np.uint8]
    runs: coverage.Runs
    block: Shape
    logs: bool
    rows: Rows

    def emit(self) -> None:
        """Emit all blocks, and the way in."""
        context, pc = self.function.args
        builder = ir.IRBuilder(self.function.append_basic_block("entry"))
        self._context = Context(builder, context)
        self._at = {first: self.function.append_basic_block(f"at{first}") for first, _ in self.runs}
        self._executed = builder.alloca(LONG, name="executed")
        builder.store(LONG(0), self._executed)
        self._logged = builder.alloca(LONG, name="logged"), builder.alloca(LONG, name="committed")
        for count in self._logged:
            builder.store(LONG(0), count)
        self._spare = room(builder, SPARE_ROWS)
        self._leave = _Leave(self.function, self._context, self._executed, self._logged[1])
        self._active = builder.trunc(self._context.known(native.ACTIVE), WORD)
        for first, end in self.runs:
            self._emit_block(first, end)
        nowhere = self.function.append_basic_block("nowhere")
        switch = builder.switch(pc, nowhere)
        for first, target in self._at.items():
            switch.add_case(LONG(first), target)
        ir.IRBuilder(nowhere).ret(pc)

    # --- Code ---------------------------------------------------------------------------------------------

    def _emit_block(self, first: int, end: int) -> None:
        builder = ir.IRBuilder(self._at[first])
        logged = self._logged if self.logs else None
        leave = self._leaving(first, 0)
        state = State(builder, self._context, self._active, self.rows, self._spare, logged, leave)
        for ins in self.instructions[first:end]:
            if ins.operation >> isa.FAMILY_BITS == isa.CONTROL:
                if self._emit_control(state, ins, ins.index - first):
                    return
            elif self.action[ins.index] != isa.SKIP:
                self._emit_plain(state, ins, ins.index - first)
                if memory.stores(ins, int(self.action[ins.index])):
                    state.commit()
                    state.leave = self._leaving(ins.index + 1, ins.index + 1 - first)
        state.commit()
        self._count(builder, end - first)
        self._go_to(builder, end)

    def _emit_plain(self, state: State, ins: Instruction, before: int) -> None:
        if ins.operation >> isa.FAMILY_BITS == isa.MEMORY:
            logged = self._logged_of(state, ins, before + 1) if self.logs else None
            memory.emit(state, ins, int(self.action[ins.index]), logged)
        elif special.is_known(ins):
            special.emit(state, ins, self.block)
        else:
            operations.EMITTERS[ins.operation](state, ins)

    def _logged_of(self, state: State, ins: Instruction, position: int) -> Logged:
        """What is logged of an instruction at a position of its basic block, from 1."""
        executed = state.builder.load(self._executed, typ=LONG)
        return Logged(self._logged[0], LONG(ins.index), state.builder.add(executed, LONG(position)))

    def _emit_control(self, state: State, ins: Instruction, before: int) -> bool:
        """Emit what steers the warp; returns whether the basic block ends with it."""
        if ins.operation in coverage.WAITS_ALONE:
            return False
        if ins.operation == control.BSSY:
            self._emit_part_taken(state, ins)
            return False
        state.commit()
        if ins.operation in coverage.MEETINGS:
            self._emit_meeting(state, ins, before)
        else:
            self._emit_jump(state, ins, before)
        return True

    def _emit_part_taken(self, state: State, ins: Instruction) -> None:
        """BSSY: as `flow.take_part`; executed again where the transaction is undone, it leaves the same."""
        builder, bit = state.builder, 1 << ins.value
        place, amended = self._barrier(state, ins.value), self._barrier(state, flow.AMENDED)
        active, before = state.guarded(ins), builder.load(place, typ=WORD)
        bits = builder.load(amended, typ=WORD)
        alone = builder.icmp_unsigned("==", before, WORD(0))
        joins = builder.icmp_unsigned("!=", builder.and_(before, builder.not_(active)), WORD(0))
        with_bit, without = builder.or_(bits, WORD(bit)), builder.and_(bits, WORD(~bit & isa.FULL_MASK))
        amended_bits = builder.select(alone, without, builder.select(joins, with_bit, bits))
        builder.store(amended_bits, amended)
        builder.store(builder.or_(before, active), place)

    def _emit_meeting(self, state: State, ins: Instruction, before: int) -> None:
        """BSYNC and WARPSYNC: go on if all live lanes are there, and this is executed once."""
        builder, live = state.builder, self._live(state.builder)
        on = self.function.append_basic_block(f"met{ins.index}")
        together = builder.icmp_unsigned("==", live, state.active)
        if ins.operation == control.WARPSYNC:
            builder.cbranch(together, on, self._leaving(ins.index, before))
            builder.position_at_end(on)
        else:
            place, stack_at = self._barrier(state, ins.value), self._barrier(state, flow.STACK)
            named, stack = builder.load(place, typ=WORD), builder.load(stack_at, typ=WORD)
            is_empty = builder.icmp_unsigned("<", stack, WORD(1 << int(flow.COUNT_SHIFT)))
            all_leave_it = builder.or_(is_empty, builder.icmp_unsigned("==", live, WORD(isa.FULL_MASK)))
            amended = builder.load(self._barrier(state, flow.AMENDED), typ=WORD)
            once = builder.icmp_unsigned("==", builder.and_(amended, WORD(1 << ins.value)), WORD(0))
            together = builder.and_(together, builder.and_(once, all_leave_it))
            builder.cbranch(together, on, self._leaving(ins.index, before))
            builder.position_at_end(on)
            builder.store(WORD(0), place)
            goes_by = builder.icmp_unsigned("==", builder.and_(named, live), WORD(0))
            builder.store(builder.select(builder.or_(goes_by, is_empty), stack, WORD(0)), stack_at)
        self._count(builder, before + 1)
        self._go_to(builder, ins.index + 1)

    def _emit_jump(self, state: State, ins: Instruction, before: int) -> None:
        """BRA, CALL and EXIT: where all lanes agree; an EXIT that some take is the interpreter's."""
        builder = state.builder
        jumps = self.function.append_basic_block(f"taken{ins.index}")
        if ins.operation == control.CALL or coverage.is_unconditional(ins):
            builder.branch(jumps)
        else:
            falls = self.function.append_basic_block(f"falls{ins.index}")
            self._branch(state, ins, before, jumps, falls)
            builder.position_at_end(falls)
            self._count(builder, before + 1)
            self._go_to(builder, ins.index + 1)
        builder.position_at_end(jumps)
        if ins.operation == control.EXIT:
            builder.branch(self._leaving(ins.index, before))
            return
        self._count(builder, before + 1)
        if ins.target <= ins.index:
            self._check_budget(state, ins.target)
        self._go_to(builder, ins.target)

    def _branch(self, state: State, ins: Instruction, before: int, jumps: ir.Block, falls: ir.Block) -> None:
        """Go on where the lanes do; leave where some jump and others fall through."""
        builder, lanes = state.builder, state.guarded(ins)
        if ins.operation == control.BRA_DIV:
            first = first_lane(builder, state.active)
            expected = builder.extract_element(state.source(ins, "a"), first)
            others = builder.and_(expected, builder.and_(self._live(builder), builder.not_(lanes)))
            relation = "==" if ins.mode == control.IF_CONVERGED else "!="
            builder.cbranch(builder.icmp_unsigned(relation, others, WORD(0)), jumps, falls)
            return
        taken = builder.and_(lanes, state.predicate_in(ins, 0))
        is_none = builder.icmp_unsigned("==", taken, WORD(0))
        if coverage.is_taken_by_all(ins):
            builder.cbranch(is_none, falls, jumps)
            return
        perhaps = self.function.append_basic_block(f"perhaps{ins.index}")
        builder.cbranch(is_none, falls, perhaps)
        builder.position_at_end(perhaps)
        all_jump = builder.icmp_unsigned("==", taken, state.active)
        builder.cbranch(all_jump, jumps, self._leaving(ins.index, before))

    def _live(self, builder: ir.IRBuilder) -> ir.Value:
        return builder.trunc(self._context.known(native.LIVE), WORD)

    @staticmethod
    def _barrier(state: State, number: int) -> ir.Value:
        return state.element(native.BARRIERS, LONG(number))

    # --- Counting and leaving -----------------------------------------------------------------------------

    def _count(self, builder: ir.IRBuilder, instructions: int) -> None:
        executed = builder.load(self._executed, typ=LONG)
        builder.store(builder.add(executed, LONG(instructions)), self._executed)

    def _check_budget(self, state: State, target: int) -> None:
        """Leave before a jump back once the budget is spent."""
        builder = state.builder
        on = self.function.append_basic_block("within")
        executed = builder.load(self._executed, typ=LONG)
        within = builder.icmp_signed("<=", executed, self._context.known(native.BUDGET))
        builder.cbranch(within, on, self._leaving(target, 0))
        builder.position_at_end(on)

    def _go_to(self, builder: ir.IRBuilder, index: int) -> None:
        builder.branch(self._at.get(index) or self._leaving(index, 0))

    def _leaving(self, index: int, before: int) -> ir.Block:
        """A block that leaves at an instruction, `before` of the basic block having been executed."""
        leave = self.function.append_basic_block(f"leave{index}")
        self._leave.come_from(leave, index, before)
        return leave


class _Leave:
    """The block in which a stretch ends: it says how far it came, and returns where the warp stands."""

    def __init__(
        self, function: ir.Function, context: Context, executed: ir.Value, committed: ir.Value
    ) -> None:
        self._block = function.append_basic_block("leave")
        builder = ir.IRBuilder(self._block)
        self._index, self._before = builder.phi(LONG), builder.phi(LONG)
        count = builder.add(builder.load(executed, typ=LONG), self._before)
        logged = builder.load(committed, typ=LONG)
        for place, number in ((native.EXECUTED, count), (native.LOGGED, logged)):
            builder.store(number, builder.gep(context.address, [LONG(place)], source_etype=LONG))
        builder.ret(self._index)

    def come_from(self, block: ir.Block, index: int, before: int) -> None:
        """Go there from a block, at an instruction, `before` of the basic block having been executed."""
        ir.IRBuilder(block).branch(self._block)
        self._index.add_incoming(LONG(index), block)
        self._before.add_incoming(LONG(before), block)
