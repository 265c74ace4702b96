"""Optuna's samplers by name, set up for a small, finite, deterministic space.

Optuna is imported when a sampler is created, not when its name is checked.
"""

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from dse.errors import InputError
from simcore.errors import did_you_mean

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler

#: Population of the genetic samplers; small, since a sweep's budget is hundreds of points, not tens of thousands.
POPULATION = 20


def _tpe(samplers: Any, seed: int) -> "BaseSampler":
    # Points in flight count as bad, so that parallel suggestions spread out.
    return samplers.TPESampler(seed=seed, multivariate=True, constant_liar=True)


def _random(samplers: Any, seed: int) -> "BaseSampler":
    return samplers.RandomSampler(seed=seed)


def _nsga2(samplers: Any, seed: int) -> "BaseSampler":
    return samplers.NSGAIISampler(population_size=POPULATION, seed=seed)


def _nsga3(samplers: Any, seed: int) -> "BaseSampler":
    return samplers.NSGAIIISampler(population_size=POPULATION, seed=seed)


def _qmc(samplers: Any, seed: int) -> "BaseSampler":
    return samplers.QMCSampler(seed=seed, scramble=True, warn_independent_sampling=False)


def _cmaes(samplers: Any, seed: int) -> "BaseSampler":
    return samplers.CmaEsSampler(seed=seed, warn_independent_sampling=False)


def _gp(samplers: Any, seed: int) -> "BaseSampler":
    return samplers.GPSampler(seed=seed, deterministic_objective=True)


_MAKERS: dict[str, Callable[[Any, int], "BaseSampler"]] = {
    "tpe": _tpe,
    "random": _random,
    "nsga2": _nsga2,
    "nsga3": _nsga3,
    "qmc": _qmc,
    "cmaes": _cmaes,
    "gp": _gp,
}
#: Packages that samplers need in addition to Optuna; the default build of torch would replace our NVRTC.
_PACKAGES = {"cmaes": "cmaes", "gp": "torch"}
_INSTALL = {"cmaes": "cmaes", "torch": "torch --index-url https://download.pytorch.org/whl/cpu"}
_SINGLE_OBJECTIVE = {"cmaes"}

SAMPLERS = tuple(_MAKERS)


def check_sampler(name: str, objectives: int) -> None:
    """Check that a sampler exists, is installed, and supports the number of objectives.

    Raises:
        InputError: it does not; the message has the fix.
    """
    if name not in _MAKERS:
        raise InputError(
            f"unknown sampler {name!r}{did_you_mean(name, SAMPLERS)} (there are {', '.join(SAMPLERS)})",
            "/sampler",
        )
    package = _PACKAGES.get(name)
    if package and find_spec(package) is None:
        raise InputError(
            f"the sampler {name!r} needs a package on the machine that runs sweeps: pip install {_INSTALL[package]}",
            "/sampler",
        )
    if objectives > 1 and name in _SINGLE_OBJECTIVE:
        raise InputError(
            f"the sampler {name!r} supports one objective, but the space has {objectives}; use tpe or nsga2",
            "/sampler",
        )


def make_sampler(name: str, seed: int) -> "BaseSampler":
    """Create a sampler by a name that `check_sampler` accepts."""
    from optuna import samplers
    from optuna.exceptions import ExperimentalWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        return _MAKERS[name](samplers, seed)
