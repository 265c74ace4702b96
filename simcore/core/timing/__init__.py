"""When instructions issue, and what they wait for.

`schedule` runs one SM; `issue` follows one instruction. What an instruction needs is reserved in `pipes` (execution
units and register reads) or in `memory_pipe`, `lsu`, `l1` and `l2` (the way of a memory instruction); what its warp
waits for afterwards is told by `front_end`, `scoreboard` and `barriers`. `residency` puts blocks on the SM and takes
them off, `ledger` gives each warp-cycle to a stall reason.

Short names, the same everywhere:

    m     `core.machine.Machine`: what executing instructions reads and writes
    sm    `state.Sm`: one SM in time
    t     `parameters.Timing`: the GPU's numbers
    ins   one record of `core.layout.INSTRUCTION`
    w, s  a warp's slot, a scheduler
    x     a lane
    at    a cycle, whole or not; `now` is the cycle in which a scheduler issues
"""
