"""Spaces from and as tuning problems of other autotuners: the T1 format of https://github.com/odgaard/TuningSchema."""

from search_spaces.tuning_problem.reading import TuningProblem, read_problem
from search_spaces.tuning_problem.writing import problem_size, write_problem

__all__ = ["TuningProblem", "problem_size", "read_problem", "write_problem"]
