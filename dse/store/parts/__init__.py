"""The store, a part for each concern."""
