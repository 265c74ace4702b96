"""Enumeration of the valid points of a space in index order, without storing them all.

A point's index is its position in the Cartesian product of the parameter lists, in mixed radix: parameters in file
order, the last one fastest. The walk binds one parameter after another. As soon as all but one of a constraint's
parameters are bound, values of the last one that violate it are removed, and a parameter without remaining values
prunes the branch (forward checking: Haralick & Elliott, Artificial Intelligence 14, 1980). A walk that finds no valid
point for long gives up: constraints can hide valid points from any search.
"""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, product

from search_spaces.errors import Problem, SpaceError
from search_spaces.expression import Expression, Value
from search_spaces.launch import evaluate
from search_spaces.limits import MAX_BARREN_STEPS, MAX_COUNTED

#: A variant: a value for each parameter.
Point = Mapping[str, Value]
Domains = dict[str, tuple[Value, ...]]

MAX_REMEMBERED = 2**14  # values for which a constraint remembers whether it holds
LISTED_SIZE = 2**16  # raw points; spaces up to this size are enumerated for sampling
DRAWS_PER_SAMPLE = 256  # attempts to draw one valid point of a larger space, before it is walked completely


@dataclass(frozen=True)
class Constraint:
    """A condition on a point.

    Attributes:
        path: its location in the file, such as `constraints[0]`.
        expression: must be true.
        values: the named values that it uses, directly or indirectly, in file order.
        scope: the parameters that it depends on, in file order.
    """

    path: str
    expression: Expression
    values: tuple[tuple[str, Expression], ...]
    scope: tuple[str, ...]
    _known: dict[tuple[Value, ...], bool] = field(default_factory=dict, repr=False, compare=False)

    def holds(self, point: Mapping[str, Value]) -> bool:
        """Whether the point, in which at least the scope is bound, satisfies the condition."""
        key = tuple(map(point.__getitem__, self.scope))
        if key not in self._known:
            if len(self._known) >= MAX_REMEMBERED:
                self._known.clear()
            self._known[key] = self._holds(dict(zip(self.scope, key, strict=True)))
        return self._known[key]

    def _holds(self, names: dict[str, Value]) -> bool:
        for name, expression in self.values:
            names[name] = evaluate(expression, names, f"values.{name}")
        return bool(evaluate(self.expression, names, self.path))


def constraint(
    path: str, expression: Expression, values: Mapping[str, Expression], parameters: Sequence[str]
) -> Constraint:
    """The constraint with its scope, found through the values that it uses."""
    used, needed = set(expression.names), []
    for name, value in reversed(list(values.items())):
        if name in used:
            needed.append((name, value))
            used |= value.names
    scope = tuple(parameter for parameter in parameters if parameter in used)
    return Constraint(path, expression, tuple(reversed(needed)), scope)


class _Patience:
    """Remaining steps of a walk without a valid point."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        self._left = MAX_BARREN_STEPS

    def spend(self, steps: int, constraint: Constraint) -> None:
        self._left -= steps
        if self._left < 0:
            raise SpaceError(
                [
                    Problem(
                        f"no valid point after looking at {MAX_BARREN_STEPS}; "
                        "relax it, or declare the parameters that it uses next to each other",
                        constraint.path,
                    )
                ]
            )


@dataclass(frozen=True)
class Lattice:
    """The product of the parameter lists, and the constraints that reduce it."""

    parameters: Domains
    constraints: tuple[Constraint, ...]

    @property
    def size(self) -> int:
        """Number of points before constraints."""
        return math.prod(len(values) for values in self.parameters.values())

    def is_valid(self, point: Mapping[str, Value]) -> bool:
        return all(constraint.holds(point) for constraint in self.constraints)

    def point(self, index: int) -> Point:
        """The point at an index below `size`, valid or not."""
        digits: dict[str, Value] = {}
        for name, values in reversed(self.parameters.items()):
            index, digit = divmod(index, len(values))
            digits[name] = values[digit]
        return dict(reversed(digits.items()))

    def index(self, point: Mapping[str, Value]) -> int:
        """The inverse of `point`."""
        index = 0
        for name, values in self.parameters.items():
            index = index * len(values) + values.index(point[name])
        return index

    def points(self) -> Iterator[Point]:
        """Every valid point in index order; SpaceError if none is found for very long."""
        patience = _Patience()
        domains = self._strike({}, self.parameters, self._decided_after[0], patience)
        return iter(()) if domains is None else self._walk({}, domains, patience)

    def count(self) -> int:
        """The number of valid points: the product over independent groups of parameters.

        Raises:
            SpaceError: a group has too many points to count.
        """
        return math.prod(group._count_each() for group in self._independent_groups())

    def _count_each(self) -> int:
        if not self.constraints:
            return self.size
        count = sum(1 for _ in islice(self.points(), MAX_COUNTED + 1))
        if count > MAX_COUNTED:
            raise SpaceError(
                [
                    Problem(
                        f"they leave more than {MAX_COUNTED} points; give a number of trials", "constraints"
                    )
                ]
            )
        return count

    def neighbours(self, point: Point, reach: int | None) -> Iterator[Point]:
        """The valid points that differ in one parameter, by at most `reach` positions in its list."""
        for name, values in self.parameters.items():
            here = values.index(point[name])
            for there, value in enumerate(values):
                if there != here and (reach is None or abs(there - here) <= reach):
                    neighbour = {**point, name: value}
                    if self.is_valid(neighbour):
                        yield neighbour

    def sample(self, n: int, seed: int) -> list[Point]:
        """Up to n distinct valid points, each equally likely; the same for the same seed."""
        chance = random.Random(seed)
        if self.size > LISTED_SIZE:
            drawn = self._draw(n, chance)
            if drawn is not None:
                return drawn
        return self._reservoir(n, chance)

    def _draw(self, n: int, chance: random.Random) -> list[Point] | None:
        """n distinct valid points by rejection sampling; None if valid ones are too rare for that."""
        drawn: dict[int, Point] = {}
        for _ in range(n * DRAWS_PER_SAMPLE):
            if len(drawn) == n:
                break
            index = chance.randrange(self.size)
            point = self.point(index)
            if index not in drawn and self.is_valid(point):
                drawn[index] = point
        return list(drawn.values()) if len(drawn) == n else None

    def _reservoir(self, n: int, chance: random.Random) -> list[Point]:
        """n valid points from one walk by reservoir sampling (Vitter's algorithm R, 1985), shuffled."""
        points = self.points()
        kept = list(islice(points, n))
        for seen, point in enumerate(points, start=n + 1):
            place = chance.randrange(seen)
            if place < n:
                kept[place] = point
        chance.shuffle(kept)
        return kept

    @cached_property
    def _order(self) -> tuple[str, ...]:
        return tuple(self.parameters)

    @cached_property
    def _decided_after(self) -> tuple[tuple[Constraint, ...], ...]:
        """For each number of bound parameters, the constraints with at most one unbound parameter."""
        place = {name: position + 1 for position, name in enumerate(self.parameters)}
        stages: list[list[Constraint]] = [[] for _ in range(len(place) + 1)]
        for constraint in self.constraints:
            stages[place[constraint.scope[-2]] if len(constraint.scope) > 1 else 0].append(constraint)
        return tuple(map(tuple, stages))

    @cached_property
    def _unconstrained_from(self) -> int:
        """How many parameters are bound when no constraint is left to decide."""
        return max((place for place, stage in enumerate(self._decided_after) if stage), default=0)

    def _walk(self, bound: dict[str, Value], domains: Domains, patience: "_Patience") -> Iterator[Point]:
        if len(bound) >= self._unconstrained_from:
            patience.renew()
            names = self._order[len(bound) :]
            for values in product(*(domains[name] for name in names)):
                yield {**bound, **dict(zip(names, values, strict=True))}
            return
        name = self._order[len(bound)]
        for value in domains[name]:
            longer = {**bound, name: value}
            narrowed = self._strike(longer, domains, self._decided_after[len(longer)], patience)
            if narrowed is not None:
                yield from self._walk(longer, narrowed, patience)

    @staticmethod
    def _strike(
        bound: dict[str, Value], domains: Domains, constraints: Sequence[Constraint], patience: "_Patience"
    ) -> Domains | None:
        """The domains without values that violate a constraint; None if one becomes empty."""
        for constraint in constraints:
            patience.spend(len(domains[constraint.scope[-1]]) if constraint.scope else 1, constraint)
            if not constraint.scope:
                if not constraint.holds(bound):
                    return None
                continue
            last = constraint.scope[-1]
            left = tuple(value for value in domains[last] if constraint.holds({**bound, last: value}))
            if not left:
                return None
            domains = {**domains, last: left}
        return domains

    def _independent_groups(self) -> list["Lattice"]:
        """Lattices over disjoint parameters, one for each group connected by constraints."""
        groups: list[tuple[set[str], list[Constraint]]] = [({name}, []) for name in self.parameters]
        for constraint in self.constraints:
            tied = [group for group in groups if group[0].intersection(constraint.scope)]
            apart = [group for group in groups if group not in tied]
            names = set().union(*(group[0] for group in tied))
            rules = [rule for group in tied for rule in group[1]]
            groups = [*apart, (names, [*rules, constraint])]
        return [
            Lattice({name: values for name, values in self.parameters.items() if name in names}, tuple(rules))
            for names, rules in groups
        ]
