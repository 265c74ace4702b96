"""Choice of the points of a sweep: all of them, or those chosen by a sampler."""

from dse.search.base import Search, Suggestion
from dse.search.exhaustive import ExhaustiveSearch
from dse.search.plan import EXHAUSTIVE, Plan, caution, plan_search, start_search
from dse.search.settings import EarlierResult, KeptTrial, SearchSettings, Stage

__all__ = [
    "EXHAUSTIVE",
    "EarlierResult",
    "ExhaustiveSearch",
    "KeptTrial",
    "Plan",
    "Search",
    "SearchSettings",
    "Stage",
    "Suggestion",
    "caution",
    "plan_search",
    "start_search",
]
