"""Which instructions determine control flow and addresses and must be executed; the others are only timed."""
