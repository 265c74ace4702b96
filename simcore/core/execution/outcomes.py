"""What executing one instruction came to."""

(GO_ON, ARRIVE, ARRIVE_AND_GO_ON, ENDED, STOPPED, TAKEN) = range(6)
"""Next instruction; wait at the block's barrier; announce at it; warp ended; see the report; next instruction
after a jump."""
