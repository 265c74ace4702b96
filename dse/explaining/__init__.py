"""One trial in full, or two beside each other: with what the store does not keep of them."""
