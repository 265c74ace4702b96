"""A sweep to look at: figures, and a page that holds them all."""
