"""A kernel as one LLVM function: enter at any basic block, go on until an instruction that is the interpreter's."""

from dataclasses import dataclass

import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from simcore.core import isa
from simcore.core.execution import control, flow, native
from simcore.lowering.program import Program
from simcore.native import coverage, memory, operations, special
from simcore.native.special import Shape
from simcore.native.state import SPARE_ROWS, Instruction, State, instructions_of
from simcore.native.vectors import LONG, WORD, WORDS

NAME = "stretch"


def module_of(
    program: Program, action: NDArray[np.uint8], block: Shape, buffers: int, full: bool, sample: int | None
) -> ir.Module:
    """A module with the function.

    Args:
        full: for warps whose lanes are all active, else for others.
        sample: the mask of the lines whose accesses the interpreter notes; None if it notes none.
    """
    module = ir.Module(NAME)
    function = ir.Function(module, ir.FunctionType(LONG, [LONG.as_pointer(), LONG]), NAME)
    instructions = instructions_of(program)
    _Emitter(function, instructions, action, block, buffers, full, sample, program.rows.trash).emit()
    return module


@dataclass
class _Emitter:
    """Emits one function."""

    function: ir.Function
    instructions: list[Instruction]
    action: NDArray[np.uint8]
    block: Shape
    buffers: int
    full: bool
    sample: int | None
    trash: int

    def emit(self) -> None:
        """Emit all blocks, and the way in."""
        context, pc = self.function.args
        entry = self.function.append_basic_block("entry")
        self._runs = list(coverage.runs(self.instructions, self.action))
        self._at = {first: self.function.append_basic_block(f"at{first}") for first, _ in self._runs}
        builder = ir.IRBuilder(entry)
        self._executed = builder.alloca(LONG, name="executed")
        builder.store(LONG(0), self._executed)
        self._spare = builder.bitcast(builder.alloca(WORDS, size=SPARE_ROWS, name="spare"), WORD.as_pointer())
        nowhere = self.function.append_basic_block("nowhere")
        switch = builder.switch(pc, nowhere)
        for first, target in self._at.items():
            switch.add_case(LONG(first), target)
        ir.IRBuilder(nowhere).ret(pc)
        for first, end in self._runs:
            self._emit_block(context, first, end)

    # --- Code ---------------------------------------------------------------------------------------------

    def _emit_block(self, context: ir.Value, first: int, end: int) -> None:
        builder = ir.IRBuilder(self._at[first])
        state = State(builder, context, None, self.trash, self._spare)
        if not self.full:
            state.active = builder.trunc(state.known(native.ACTIVE), WORD)
        for ins in self.instructions[first:end]:
            if ins.operation >> isa.FAMILY_BITS == isa.CONTROL:
                if self._emit_control(state, ins, ins.index - first):
                    return
            elif self.action[ins.index] != isa.SKIP:
                self._emit_plain(state, ins, ins.index - first)
        state.save(builder)
        self._count(builder, end - first)
        self._go_to(builder, end)

    def _emit_plain(self, state: State, ins: Instruction, before: int) -> None:
        if ins.operation >> isa.FAMILY_BITS == isa.MEMORY:
            leave = self._leaving(ins.index, before, state)
            memory.emit(state, ins, int(self.action[ins.index]), self.buffers, self.sample, leave)
        elif special.is_known(ins):
            special.emit(state, ins, self.block)
        else:
            operations.EMITTERS[ins.operation](state, ins)

    def _emit_control(self, state: State, ins: Instruction, before: int) -> bool:
        """Emit what steers the warp; returns whether the basic block ends with it."""
        if ins.operation in coverage.WAITS_ALONE:
            return False
        if ins.operation == control.BSSY:
            place = self._barrier(state, ins.value)
            active = self._lanes(state.guarded(ins))
            state.builder.store(state.builder.or_(state.builder.load(place, typ=WORD), active), place)
            restored = self._barrier(state, flow.RESTORED)
            others = state.builder.and_(
                state.builder.load(restored, typ=WORD), WORD(~(1 << ins.value) & isa.FULL_MASK)
            )
            state.builder.store(others, restored)
            return False
        state.save(state.builder)
        if ins.operation in coverage.MEETINGS:
            self._emit_meeting(state, ins, before)
        else:
            self._emit_jump(state, ins, before)
        return True

    def _emit_meeting(self, state: State, ins: Instruction, before: int) -> None:
        """BSYNC and WARPSYNC: go on if nobody else is waited for, and nobody else waits."""
        builder = state.builder
        warp_wide = ins.operation == control.WARPSYNC
        place = self._barrier(state, flow.WARPSYNC_BARRIER if warp_wide else ins.value)
        active = self._lanes(state.active)
        if warp_wide:
            lane = memory.first_lane(state, state.active)
            participants = builder.extract_element(state.source(ins, "a"), lane)
        else:
            participants = builder.load(place, typ=WORD)
        live = builder.trunc(state.known(native.LIVE), WORD)
        others = builder.and_(builder.and_(participants, live), builder.not_(active))
        alone = builder.and_(
            builder.icmp_unsigned("==", others, WORD(0)),
            builder.icmp_signed("==", state.known(native.SPLITS), LONG(0)),
        )
        on = self.function.append_basic_block(f"met{ins.index}")
        builder.cbranch(alone, on, self._leaving(ins.index, before))
        builder.position_at_end(on)
        builder.store(WORD(0), place)
        self._count(builder, before + 1)
        self._go_to(builder, ins.index + 1)

    def _emit_jump(self, state: State, ins: Instruction, before: int) -> None:
        """BRA, CALL and EXIT: where all lanes agree; an EXIT that some take is the interpreter's."""
        builder = state.builder
        jumps = self.function.append_basic_block(f"taken{ins.index}")
        if ins.operation == control.CALL or coverage.is_unconditional(ins):
            builder.branch(jumps)
        else:
            active = self._lanes(state.active)
            taken = builder.and_(self._lanes(state.guarded(ins)), state.predicate_in(ins, 0))
            falls = self.function.append_basic_block(f"falls{ins.index}")
            perhaps = self.function.append_basic_block(f"perhaps{ins.index}")
            leave = self._leaving(ins.index, before)
            builder.cbranch(builder.icmp_unsigned("==", taken, WORD(0)), falls, perhaps)
            builder.position_at_end(perhaps)
            builder.cbranch(builder.icmp_unsigned("==", taken, active), jumps, leave)
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

    def _lanes(self, lanes: ir.Value | None) -> ir.Value:
        return WORD(isa.FULL_MASK) if lanes is None else lanes

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
        within = builder.icmp_signed("<=", executed, state.known(native.BUDGET))
        builder.cbranch(within, on, self._leaving(target, 0))
        builder.position_at_end(on)

    def _go_to(self, builder: ir.IRBuilder, index: int) -> None:
        builder.branch(self._at.get(index) or self._leaving(index, 0))

    def _leaving(self, index: int, before: int, unsaved: State | None = None) -> ir.Block:
        """A block that leaves at an instruction, `before` of the basic block having been executed."""
        leave = self.function.append_basic_block(f"leave{index}")
        builder = ir.IRBuilder(leave)
        if unsaved:
            unsaved.save(builder)
        self._count(builder, before)
        executed = builder.load(self._executed, typ=LONG)
        builder.store(executed, builder.gep(self.function.args[0], [LONG(native.EXECUTED)]))
        builder.ret(LONG(index))
        return leave
