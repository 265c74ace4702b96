"""The machine model: a launch on a GPU, its occupancy and placement, and what the SMs share."""
