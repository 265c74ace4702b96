"""The jitted core: arrays and arithmetic alone. `execution` says what instructions do, `timing` when they issue.

Short names, the same in all of the core:

=======  ===========================================================================================
``m``    the machine that executes: registers, predicates, memory, program counters (`machine.Machine`)
``sm``   the state of the SM that is timed (`timing.state.Sm`)
``t``    the GPU's latencies and rates (`timing.parameters.Timing`)
``ins``  the instruction's record (`layout.INSTRUCTION`)
``w``    a warp slot
``s``    in `timing` a scheduler
``x``    a lane, 0 to 31; ``y`` a second one
``k``    a word of an operand of several words, or the inner index of a matrix product
``u``    scratch, eight rows of 32 words: u[A + x] is lane x of the first source, u[D + x] of the result
``f``    the same memory as singles
``r``    the registers, rows of 32 words
``at``   where a row or a word begins in an array; of a result ``to``
``lanes``  a mask of lanes, bit x for lane x
=======  ===========================================================================================
"""
