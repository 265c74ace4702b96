"""The parts of the store, one per concern."""
