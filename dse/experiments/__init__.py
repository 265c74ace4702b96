"""The experiments that everybody quotes: what is claimed, measured and predicted, side by side, with a verdict.

A module for each experiment states the claims with their sources, the kernels that it runs, and the rule of each
verdict. `Lab` predicts points and looks up measured ones; `page` makes a document of the reports.
"""
