"""Arithmetic over declared names in a space.yaml: parsed, never passed to `eval`.

Python's parser creates the tree; nodes that are not in the allow-list are refused. The tree is compiled once to nested
closures, because constraints are evaluated for every point. Results equal Python's, with three limits:
numbers stay below 2**64, exponents within 64, and `none` supports no arithmetic.
"""

import ast
import math
import operator
from collections.abc import Callable, Collection, Mapping

from search_spaces.errors import known_or_closest
from search_spaces.limits import (
    MAX_EXPONENT,
    MAX_EXPRESSION_CHARACTERS,
    MAX_EXPRESSION_DEPTH,
    MAX_MAGNITUDE,
)

Value = int | float | str | None
Environment = Mapping[str, Value]
Evaluator = Callable[[Environment], Value]


def spelled(value: Value) -> str:
    """A parameter's value as a space spells it, with the word for none."""
    return "none" if value is None else str(value)


class ExpressionError(ValueError):
    """An expression cannot be parsed, or has no value for these names."""


class Expression:
    """One parsed expression; equal if the texts are equal.

    Attributes:
        text: the expression as written.
        names: the declared names that it uses.

    Raises:
        ExpressionError: the text is not an expression of this language.
    """

    def __init__(self, text: str | int | float) -> None:
        if not isinstance(text, str) and not abs(text) < MAX_MAGNITUDE:
            raise ExpressionError("a number is beyond 2**64, too large for a kernel argument")
        self.text = str(text)
        tree = _parse(self.text)
        self.names = frozenset(
            node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id not in RESERVED_NAMES
        )
        try:
            self._evaluate = _compile(tree, MAX_EXPRESSION_DEPTH)
        except RecursionError:  # unparsing a deep expression needs more of Python's stack than walking it
            raise ExpressionError(_TOO_DEEP) from None

    def evaluate(self, environment: Environment) -> Value:
        """The value under these names.

        Raises:
            ExpressionError: a division by zero, a number out of range, an operation on `none` or on text.
        """
        return self._evaluate(environment)

    def check_names(self, declared: Collection[str]) -> None:
        """Raise ExpressionError for an undeclared name, with the closest declared one."""
        for name in sorted(self.names.difference(declared)):
            raise ExpressionError(f"unknown name {name}; {known_or_closest(name, declared)}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"

    def __reduce__(self) -> tuple[type["Expression"], tuple[str]]:
        return Expression, (self.text,)


def _ceil_div(dividend: int, divisor: int) -> int:
    return -(-dividend // divisor)


def _round_up(number: int, multiple: int) -> int:
    return _ceil_div(number, multiple) * multiple


def _log2(number: float) -> float:
    """The base-2 logarithm; an exact integer for powers of two, so that it can be used where one is required."""
    if isinstance(number, int) and number > 0 and number & (number - 1) == 0:
        return number.bit_length() - 1
    return math.log2(number)


def _power(base: float, exponent: float) -> float:
    if abs(exponent) > MAX_EXPONENT:
        raise ExpressionError(f"the exponent {exponent} is beyond {MAX_EXPONENT}; use a smaller one")
    power: float | complex = base**exponent
    if isinstance(power, complex):
        raise ExpressionError(f"{base} ** {exponent} is not a real number")
    return power


# Name: the function, and its minimum and maximum number of arguments.
FUNCTIONS: dict[str, tuple[Callable[..., float], int, int]] = {
    "abs": (abs, 1, 1),
    "ceil": (math.ceil, 1, 1),
    "ceil_div": (_ceil_div, 2, 2),
    "floor": (math.floor, 1, 1),
    "log2": (_log2, 1, 1),
    "max": (max, 2, MAX_EXPRESSION_DEPTH),
    "min": (min, 2, MAX_EXPRESSION_DEPTH),
    "round_up": (_round_up, 2, 2),
    "sqrt": (math.sqrt, 1, 1),
}
RESERVED_NAMES = frozenset({"none", *FUNCTIONS})

_BINARY: dict[type[ast.operator], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
}
_UNARY: dict[type[ast.unaryop], Callable[..., float]] = {ast.USub: operator.neg, ast.UAdd: operator.pos}
_COMPARISONS: dict[type[ast.cmpop], Callable[..., bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_TOO_DEEP = f"nested deeper than {MAX_EXPRESSION_DEPTH}; split it into values"
_LANGUAGE = (
    "use + - * / // % **, comparisons, and, or, not, a if b else c, numbers, declared names and "
    + ", ".join(FUNCTIONS)
)


def _parse(text: str) -> ast.expr:
    if len(text) > MAX_EXPRESSION_CHARACTERS:
        raise ExpressionError(f"{len(text)} characters; write at most {MAX_EXPRESSION_CHARACTERS}")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        reason = (
            error.msg if isinstance(error, SyntaxError) else "too deeply nested, or a forbidden character"
        )
        raise ExpressionError(f"`{text}` is not an expression ({reason}); {_LANGUAGE}") from None


def _compile(node: ast.expr, depth: int) -> Evaluator:
    """The closure for one node; `depth` more levels are allowed below it."""
    if depth == 0:
        raise ExpressionError(_TOO_DEEP)
    below = depth - 1
    match node:
        case ast.Constant(value=int() | float() | str() | None as value) if not isinstance(value, bool):
            return _constant(value)
        case ast.Name(id="none"):
            return lambda names: None
        case ast.Name(id=name) if name in FUNCTIONS:
            raise ExpressionError(
                f"{name} is a function; call it, for example {name}(...), or choose another name"
            )
        case ast.Name(id=name):
            return lambda names: names[name]
        case ast.BinOp(op=op) if type(op) in _BINARY:
            return _arithmetic(_BINARY[type(op)], node, [node.left, node.right], below)
        case ast.UnaryOp(op=ast.Not()):
            operand = _compile(node.operand, below)
            return lambda names: not operand(names)
        case ast.UnaryOp(op=unary) if type(unary) in _UNARY:
            return _arithmetic(_UNARY[type(unary)], node, [node.operand], below)
        case ast.BoolOp():
            return _junction(node, below)
        case ast.Compare(ops=ops) if all(type(op) in _COMPARISONS for op in ops):
            return _comparison(node, below)
        case ast.IfExp():
            test, then, otherwise = (_compile(part, below) for part in (node.test, node.body, node.orelse))
            return lambda names: then(names) if test(names) else otherwise(names)
        case ast.Call(func=ast.Name(id=called), keywords=[]) if called in FUNCTIONS:
            return _call(called, node, below)
        case ast.Call(func=ast.Name(id=called)):
            raise ExpressionError(f"unknown function {called}; {known_or_closest(called, FUNCTIONS)}")
    raise ExpressionError(f"`{ast.unparse(node)}` is not allowed here; {_LANGUAGE}")


def _constant(value: Value) -> Evaluator:
    checked = value if value is None or isinstance(value, str) else _bounded(value, str(value)[:40])
    return lambda names: checked


def _call(name: str, node: ast.Call, depth: int) -> Evaluator:
    function, least, most = FUNCTIONS[name]
    if not least <= len(node.args) <= most:
        takes = f"{least}" if least == most else f"at least {least}"
        raise ExpressionError(f"{name} takes {takes} arguments, not {len(node.args)}")
    return _arithmetic(function, node, node.args, depth)


def _arithmetic(
    function: Callable[..., float], node: ast.expr, operands: list[ast.expr], depth: int
) -> Evaluator:
    text = ast.unparse(node)
    evaluators = [_compile(operand, depth) for operand in operands]

    def evaluate(names: Environment) -> Value:
        numbers = [_number(evaluator(names), text) for evaluator in evaluators]
        try:
            return _bounded(function(*numbers), text)
        except ZeroDivisionError:
            raise ExpressionError(
                f"`{text}` divides by zero; test first, as in `b != 0 and a % b == 0` or `a / b if b != 0 else 0`"
            ) from None
        except (ValueError, OverflowError) as error:
            raise ExpressionError(f"`{text}` has no value: {error}") from None

    return evaluate


def _junction(node: ast.BoolOp, depth: int) -> Evaluator:
    """`and`, `or` with short-circuit evaluation, as in Python."""
    operands = [_compile(operand, depth) for operand in node.values]
    decisive = isinstance(node.op, ast.Or)

    def evaluate(names: Environment) -> Value:
        value: Value = None
        for operand in operands:
            value = operand(names)
            if bool(value) is decisive:
                break
        return value

    return evaluate


def _comparison(node: ast.Compare, depth: int) -> Evaluator:
    text = ast.unparse(node)
    operands = [_compile(operand, depth) for operand in [node.left, *node.comparators]]
    steps = [(_COMPARISONS[type(op)], isinstance(op, ast.Eq | ast.NotEq)) for op in node.ops]

    def evaluate(names: Environment) -> Value:
        left = operands[0](names)
        for (compare, any_type), operand in zip(steps, operands[1:], strict=True):
            right = operand(names)
            if not any_type:
                left, right = _number(left, text), _number(right, text)
            if not compare(left, right):
                return False
            left = right
        return True

    return evaluate


def _number(value: Value, text: str) -> int | float:
    if value is None:
        raise ExpressionError(
            f"`{text}` uses none, which is not a number; test first, as in `x == none or ...`"
        )
    if isinstance(value, str):
        raise ExpressionError(f"`{text}` uses the text {value!r}; text can only be compared with == and !=")
    return value


def _bounded(value: int | float, text: str) -> int | float:
    if not abs(value) < MAX_MAGNITUDE:
        raise ExpressionError(f"`{text}` is beyond 2**64, too large for a kernel argument")
    return value
