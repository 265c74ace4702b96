"""A few variants to measure on a real GPU: which ones, and a folder that measures them."""
