"""The way of a launch: requested, prepared, counted, timed; and what stopped it."""
