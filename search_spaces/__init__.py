"""Search spaces: a kernel's parameters, constraints, launch and valid points; and a catalog of kernels."""

from search_spaces.contents import Argument, Expectation
from search_spaces.enumeration import Point
from search_spaces.errors import Problem, SpaceError
from search_spaces.expression import Value
from search_spaces.fields import Objective
from search_spaces.launch import Launch
from search_spaces.loading import catalog_names, catalog_readme, load_space, parse_space
from search_spaces.space import Space

__all__ = [
    "Argument",
    "Expectation",
    "Launch",
    "Objective",
    "Point",
    "Problem",
    "Space",
    "SpaceError",
    "Value",
    "catalog_names",
    "catalog_readme",
    "load_space",
    "parse_space",
]
