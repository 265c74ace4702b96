"""The simulator is compiled before the first test, once for all processes of the run."""

import pytest

from simcore import warm_up


@pytest.fixture(scope="session", autouse=True)
def _compiled_core() -> None:
    warm_up()
