"""Choice of the points of a sweep: all of them, or those chosen by an Optuna sampler."""

from dse.search.base import Search, Suggestion
from dse.search.exhaustive import ExhaustiveSearch
from dse.search.plan import EXHAUSTIVE, Plan, plan_search, start_search

__all__ = [
    "EXHAUSTIVE",
    "ExhaustiveSearch",
    "Plan",
    "Search",
    "Suggestion",
    "plan_search",
    "start_search",
]
