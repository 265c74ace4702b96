"""The stages of a launch: request, preparation, instruction count, timing; and faults."""
