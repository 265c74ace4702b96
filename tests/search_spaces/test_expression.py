"""Expressions have Python's values, refuse all but arithmetic, and stay bounded."""

import math
import pickle
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search_spaces.expression import Expression, ExpressionError, Value
from search_spaces.limits import MAX_MAGNITUDE

NAMES: dict[str, Value] = {"a": 7, "b": 3, "c": 0, "x": 0.5}
PYTHONS_OWN = {"min": min, "max": max, "abs": abs}


def _joined(pieces: tuple[str, str, str]) -> str:
    left, operator, right = pieces
    return f"({left} {operator} {right})"


leaves = st.one_of(st.integers(0, 20).map(str), st.sampled_from(list(NAMES)))
operators = ["+", "-", "*", "//", "%", "/", "<", "<=", "==", "!=", ">", ">=", "and", "or"]
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(operators), inner).map(_joined),
        st.tuples(inner, st.integers(0, 3)).map(lambda power: f"({power[0]} ** {power[1]})"),
        inner.map(lambda text: f"(-{text})"),
        inner.map(lambda text: f"(not {text})"),
        inner.map(lambda text: f"abs({text})"),
        st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(
            lambda call: f"{call[0]}({call[1]}, {call[2]})"
        ),
        st.tuples(inner, inner, inner).map(lambda parts: f"({parts[0]} if {parts[1]} else {parts[2]})"),
    ),
    max_leaves=8,
)


def _value_or_error(evaluate: Callable[[], object]) -> object:
    try:
        return evaluate()
    except (ZeroDivisionError, OverflowError, ExpressionError) as error:
        return error


@given(expressions)
def test_a_value_is_pythons(text: str) -> None:
    expected = _value_or_error(lambda: eval(text, {"__builtins__": {}}, {**PYTHONS_OWN, **NAMES}))
    value = _value_or_error(lambda: Expression(text).evaluate(NAMES))
    if isinstance(value, ExpressionError):
        assert isinstance(expected, Exception | complex) or "beyond 2**64" in str(value)
    else:
        assert value == expected
        assert type(value) is type(expected)


@given(st.integers(0, 10**6), st.integers(1, 10**4))
def test_ceil_div_and_round_up_agree_with_their_meaning(number: int, unit: int) -> None:
    names = {"number": number, "unit": unit}
    assert Expression("ceil_div(number, unit)").evaluate(names) == math.ceil(number / unit)
    rounded = Expression("round_up(number, unit)").evaluate(names)
    assert isinstance(rounded, int)
    assert rounded % unit == 0
    assert number <= rounded < number + unit


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("log2(1024)", 10),
        ("sqrt(2.25)", 1.5),
        ("floor(2.7) + ceil(2.1)", 5),
        ("1 < a < 9", True),
        ("1 < a < 5", False),
        ("cap == none or cap * 256 <= 65536", True),
        ("layout == 'row'", True),
        (512, 512),
        (0.25, 0.25),
    ],
)
def test_functions_chains_none_and_text(text: str, value: object) -> None:
    assert Expression(text).evaluate({"a": 7, "cap": None, "layout": "row"}) == value


def test_log2_of_a_power_of_two_is_whole() -> None:
    assert isinstance(Expression("log2(8)").evaluate({}), int)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "a.real",
        "a[0]",
        "[1, 2]",
        "lambda: 1",
        "(a := 3)",
        "f'{a}'",
        "a & b",
        "{1}",
        "max(*a)",
        "min(a, b, key=c)",
        "True",
        "1j",
        "a if",
        "",
        "a; b",
        "a\0b",
    ],
)
def test_all_but_arithmetic_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        Expression(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ceildiv(a, b)", "did you mean ceil_div"),
        ("ceil_div(a)", "takes 2 arguments, not 1"),
        ("1" * 2000, "write at most 1000"),
        ("-" * 200 + "1", "nested deeper"),
        ("(" * 400 + "1" + ")" * 400, "nested"),
        (str(2**64), "beyond 2\\*\\*64"),
    ],
)
def test_a_refusal_says_what_to_do(text: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        Expression(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a % c", "divides by zero"),
        ("9 ** 9 ** 9", "exponent"),
        ("9 ** 64", "beyond 2\\*\\*64"),
        ("(0 - 1) ** 0.5", "not a real number"),
        ("log2(0)", "no value"),
        ("none_like + 1", "uses none"),
        ("word < 2", "text can only be compared"),
    ],
)
def test_a_value_that_does_not_exist_is_explained(text: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        Expression(text).evaluate({**NAMES, "none_like": None, "word": "row"})


def test_and_stops_at_the_first_false_operand() -> None:
    assert Expression("c != 0 and a % c == 0").evaluate(NAMES) is False


def test_unknown_names_come_with_the_closest() -> None:
    with pytest.raises(ExpressionError, match="unknown name unrol; did you mean unroll"):
        Expression("unrol + 1").check_names({"unroll", "n"})


def test_an_expression_survives_pickling() -> None:
    copy = pickle.loads(pickle.dumps(Expression("a + b")))
    assert copy == Expression("a + b")
    assert copy.evaluate(NAMES) == 10


@given(st.integers(-(2**70), 2**70))
def test_a_result_is_bounded(number: int) -> None:
    half = number // 2
    expression = Expression("half + half + odd")
    names = {"half": half, "odd": number - 2 * half}
    if abs(number) < MAX_MAGNITUDE:
        assert expression.evaluate(names) == number
    else:
        with pytest.raises(ExpressionError):
            expression.evaluate(names)
