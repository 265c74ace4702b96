"""What instructions do to registers, predicates and memory; knows no time."""
