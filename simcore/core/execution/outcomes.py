"""What executing one instruction came to."""

(
    GO_ON, ARRIVE, ARRIVE_AND_GO_ON, ENDED, STOPPED, TAKEN, GIVE_WAY, SUSPENDED, ARRIVE_WITH_COPIES, AGAIN,
) = range(10)  # fmt: skip
"""Next instruction; wait at the block's barrier; announce at it; warp ended; see the report; next instruction after
a jump; next instruction, but other warps first; the same one again once a phase is over; next instruction, and arrive
at an asynchronous barrier when the warp's copies are there; the same one again, by lanes that waited at it."""
