"""One point on one GPU: its identity, its task, and what evaluating it says."""
