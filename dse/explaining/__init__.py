"""One trial in full, or two beside each other: simulated again for what the store does not keep."""
