"""The evaluation of one point on one GPU: identity, task, outcome."""
