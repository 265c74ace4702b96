"""Which points a sweep evaluates: all of them, or those that an Optuna sampler chooses."""

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
