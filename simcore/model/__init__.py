"""What is timed: a launch on a GPU, its occupancy, its placement, and what SMs share."""
