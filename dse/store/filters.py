"""The filter language: `params.unroll >= 4 and metrics.time_us < 10 and gpu = 'h200'`.

Similar to MLflow's. It is parsed by recursive descent into a SQLAlchemy expression over the
columns of `trials` and `results`; nothing in it is ever evaluated as code.

    filter     = all { "or" all }
    all        = condition { "and" condition }
    condition  = "not" condition | "(" filter ")" | name test
    test       = ("=" | "!=" | "<" | "<=" | ">" | ">=") literal | ["not"] ("like" | "ilike") string
               | ["not"] "in" "(" literal { "," literal } ")" | "is" ["not"] "null"
    literal    = number | 'string' | "string" | none
    name       = ["params."] parameter | ["metrics."] metric | gpu | state | reason | source | number | ...

Parameters are compared by type, as numbers or strings (MLflow stores strings; here it is
`params.unroll = 4`); `none` is a parameter's value `none`, as in `params.register_cap = none`. A missing value
or `none` differs from every literal (`!=`) and fails every other comparison. Keywords are case-insensitive.
"""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from sqlalchemy import ColumnElement, SQLColumnExpression, UnaryExpression, and_, not_, or_

from dse.store.errors import FilterError, OrderError
from dse.store.names import Column, column_of
from dse.store.records import SweepSpec
from dse.store.schema.models import Trial
from search_spaces import Value

#: Maximum nesting of conditions.
DEEPEST = 50

_COMPARISONS: Mapping[str, Callable[[Any, Any], ColumnElement[bool]]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_TOKEN = re.compile(
    r"""\s*(?: (?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)
             | (?P<string>'(?:[^']|'')*'|"[^"]*")
             | (?P<word>[A-Za-z_][\w.]*)
             | (?P<symbol><=|>=|!=|[=<>(),])
             | (?P<end>$) )""",
    re.VERBOSE,
)


def parse_filter(text: str, spec: SweepSpec) -> ColumnElement[bool]:
    """Parse a filter into a condition.

    Args:
        text: the filter.
        spec: the sweep, with the parameters and metrics that it refers to.

    Raises:
        FilterError: it cannot be parsed; the message shows where.
    """
    return _Parser(text, spec).filter()


@dataclass(frozen=True)
class Term:
    """One term of an ordering; `name` is what was asked for, or `score` for the first objective."""

    name: str
    column: SQLColumnExpression[Any]
    ascending: bool

    @property
    def present(self) -> UnaryExpression[Any]:
        """The ordering of the rows that have a value."""
        return self.column.asc() if self.ascending else self.column.desc()

    @property
    def missing_last(self) -> UnaryExpression[Any]:
        """The ordering of all rows."""
        return self.present.nulls_last()


def parse_order(order: str | None, spec: SweepSpec) -> list[Term]:
    """Parse a list of order terms, such as `metrics.time_us desc, gpu`.

    Args:
        order: the terms.
        spec: the sweep; there is an index for its first objective.

    Raises:
        OrderError: it cannot be parsed.
    """
    terms = order.split(",") if order is not None else ()
    return [_term(term.strip(), spec) for term in terms]


def _term(text: str, spec: SweepSpec) -> Term:
    name, _, direction = text.partition(" ")
    direction = direction.strip().lower() or "asc"
    if direction not in ("asc", "desc"):
        raise OrderError(f"order {text!r}: unknown direction {direction!r}; use asc or desc")
    try:
        column = column_of(name, spec)
    except FilterError as error:
        raise OrderError(f"order {text!r}: {error}") from None
    best_first, metric = spec.objectives[0]
    if column.name == f"metrics.{metric}":
        return Term("score", Trial.score, (direction == "asc") == (best_first == "minimize"))
    return Term(column.name, column.any, direction == "asc")


def equalities(parameters: Mapping[str, Value]) -> str:
    """The filter for parameters with these values; empty, which matches everything, if there are none."""
    return " and ".join(f"params.{name} = {_literal(value)}" for name, value in parameters.items())


def _literal(value: Value) -> str:
    if isinstance(value, str):
        quoted = value.replace("'", "''")
        return f"'{quoted}'"
    return "none" if value is None else repr(value)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int

    @property
    def lower(self) -> str:
        return self.text.lower() if self.kind == "word" else self.text


class _Parser:
    """One token of lookahead over the grammar at the top of this file."""

    def __init__(self, text: str, spec: SweepSpec) -> None:
        self._text = text
        self._spec = spec
        self._tokens = self._tokenize()
        self._next = 0
        self._depth = 0

    def filter(self) -> ColumnElement[bool]:
        condition = self._any_of()
        if self._token.kind != "end":
            self._fail("expected 'and', 'or' or the end")
        return condition

    def _any_of(self) -> ColumnElement[bool]:
        conditions = [self._all_of()]
        while self._accept("or"):
            conditions.append(self._all_of())
        return or_(*conditions)

    def _all_of(self) -> ColumnElement[bool]:
        conditions = [self._condition()]
        while self._accept("and"):
            conditions.append(self._condition())
        return and_(*conditions)

    def _condition(self) -> ColumnElement[bool]:
        self._depth += 1
        if self._depth > DEEPEST:
            self._fail(f"more than {DEEPEST} nested conditions")
        condition = self._one_condition()
        self._depth -= 1
        return condition

    def _one_condition(self) -> ColumnElement[bool]:
        if self._accept("not"):
            return not_(self._condition())
        if self._accept("("):
            condition = self._any_of()
            self._expect(")")
            return condition
        if self._token.kind != "word":
            self._fail("expected a name, such as params.unroll, metrics.time_us or gpu")
        name = self._take()
        try:
            column = column_of(name.text, self._spec)
        except FilterError as error:
            self._fail(str(error), name)
        return self._test(column)

    def _test(self, column: Column) -> ColumnElement[bool]:
        if self._token.text in _COMPARISONS:
            return self._comparison(column, self._take().text)
        if self._accept("is"):
            negated = self._accept("not")
            self._expect("null")
            return column.any.is_not(None) if negated else column.any.is_(None)
        negated = self._accept("not")
        if self._accept("in"):
            condition = self._membership(column)
        elif self._token.lower in ("like", "ilike"):
            word, pattern = self._take().lower, self._literal()
            if not isinstance(pattern, str):
                self._fail(f"{word} takes text in quotes, such as 'h%'")
            place = self._comparable(column, pattern)
            condition = place.like(pattern) if word == "like" else place.ilike(pattern)
        else:
            self._fail(f"expected one of {' '.join(_COMPARISONS)} like ilike in is after {column.name}")
        return not_(condition) if negated else condition

    def _comparison(self, column: Column, symbol: str) -> ColumnElement[bool]:
        literal = self._literal()
        if literal is None:
            if symbol not in ("=", "!="):
                self._fail("none can only be compared with = and !=")
            return column.any.is_(None) if symbol == "=" else column.any.is_not(None)
        place = self._comparable(column, literal)
        if (
            isinstance(literal, int) and abs(literal) >= 2**31
        ):  # too large for an integer column of PostgreSQL
            literal = float(literal)
        if symbol == "!=":
            return place.is_distinct_from(literal)
        return _COMPARISONS[symbol](place, literal)

    def _membership(self, column: Column) -> ColumnElement[bool]:
        self._expect("(")
        equalities = [self._comparison(column, "=")]
        while self._accept(","):
            equalities.append(self._comparison(column, "="))
        self._expect(")")
        return or_(*equalities)

    def _comparable(self, column: Column, literal: Value) -> SQLColumnExpression[Any]:
        """The column's expression for a comparison with the literal just parsed."""
        expression = column.text if isinstance(literal, str) else column.number
        if expression is None:
            holds = "numbers: write one without quotes" if column.text is None else "text: write it in quotes"
            word = ", and none without quotes, too" if literal == "none" else ""
            self._fail(f"{column.name} contains {holds}{word}", self._tokens[self._next - 1])
        return expression

    def _literal(self) -> Value:
        token = self._take()
        if token.kind == "number":
            number = float(token.text)
            return int(number) if number.is_integer() and abs(number) < 2**53 else number
        if token.kind == "string":
            quote = token.text[0]
            return token.text[1:-1].replace(quote * 2, quote)
        if token.lower in ("none", "null"):
            return None
        if token.text == "=":
            self._fail("equality is a single =", token)
        self._fail("expected a number, text in quotes such as 'h200', or none", token)

    # Tokens

    def _tokenize(self) -> list[_Token]:
        tokens: list[_Token] = []
        position = 0
        while not tokens or tokens[-1].kind != "end":
            match = _TOKEN.match(self._text, position)
            if match is None or match.lastgroup is None:
                start = len(self._text) - len(self._text[position:].lstrip())
                self._fail("this character is only allowed in quotes", _Token("unknown", "", start))
            tokens.append(_Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)))
            position = match.end()
        return tokens

    @property
    def _token(self) -> _Token:
        return self._tokens[self._next]

    def _take(self) -> _Token:
        token = self._token
        self._next = min(self._next + 1, len(self._tokens) - 1)
        return token

    def _accept(self, text: str) -> bool:
        if self._token.kind in ("word", "symbol") and self._token.lower == text:
            self._take()
            return True
        return False

    def _expect(self, text: str) -> None:
        if not self._accept(text):
            self._fail(f"expected {text!r}")

    def _fail(self, problem: str, token: _Token | None = None) -> NoReturn:
        """Raise an error with the filter and a caret under the position."""
        raise FilterError(problem, self._text, (token or self._token).start)
