"""When instructions issue, and what they wait for.

`schedule` runs one SM; `issue` follows one instruction. What an instruction needs is reserved in `pipes` (execution
units and register reads) or in `memory_pipe`, `lsu`, `l1` and `l2` (the way of a memory instruction); what its warp
waits for afterwards is told by `front_end`, `scoreboard` and `barriers`. `residency` puts blocks on the SM and takes
them off, `ledger` gives each warp-cycle to a stall reason.

Times, `at` and others, are cycles of the SM's clock, whole or not; `now` is the whole one in which a scheduler issues.
"""
