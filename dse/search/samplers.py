"""The samplers by name, set up for a small, finite, deterministic space, with the settings that each takes.

Optuna is imported when a sampler is created, not when its name is checked.
"""

import hashlib
import inspect
import pickle
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from dse.errors import InputError
from dse.search.chooser import Chooser, Study
from simcore.errors import did_you_mean

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler

#: Population of the genetic samplers; small, since a sweep's budget is hundreds of points, not tens of thousands.
POPULATION = 20
DEFAULT_SAMPLER = "surrogate"


@dataclass(frozen=True)
class Sampler:
    """A sampler of Optuna.

    Attributes:
        kind: its class in `optuna.samplers`.
        settings: those that differ from Optuna's.
        package: what it needs in addition to Optuna.
        install: how that is installed.
        start_up: the setting that is the number of random trials of a study before it learns; None if it never does.
        objectives: how many it supports; None for any number.
    """

    kind: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    package: str | None = None
    install: str = ""
    start_up: str | None = None
    objectives: int | None = None


SAMPLERS: Mapping[str, Sampler | None] = {
    "surrogate": None,
    # Points in flight count as bad, so that parallel suggestions spread out.
    "tpe": Sampler("TPESampler", {"multivariate": True, "constant_liar": True}, start_up="n_startup_trials"),
    "random": Sampler("RandomSampler"),
    "nsga2": Sampler("NSGAIISampler", {"population_size": POPULATION}, start_up="population_size"),
    "nsga3": Sampler("NSGAIIISampler", {"population_size": POPULATION}, start_up="population_size"),
    "qmc": Sampler("QMCSampler", {"scramble": True, "warn_independent_sampling": False}),
    "cmaes": Sampler(
        "CmaEsSampler",
        {"warn_independent_sampling": False},
        package="cmaes",
        install="'cuda-dse[samplers]'",
        start_up="n_startup_trials",
        objectives=1,
    ),
    # The default build of torch would replace our NVRTC.
    "gp": Sampler(
        "GPSampler",
        {"deterministic_objective": True},
        package="torch",
        install="torch --index-url https://download.pytorch.org/whl/cpu",
        start_up="n_startup_trials",
    ),
}

#: Sampler objects that somebody gave this process, pickled, by the names of their sweeps' samplers.
_GIVEN: dict[str, bytes] = {}
_OBJECT = re.compile(r"\w+-[0-9a-f]{8}")


def give_sampler(sampler: "BaseSampler") -> str:
    """The name of a sampler object for the sweeps of this process; equal objects have the same one.

    Raises:
        InputError: it is not a sampler of Optuna, or it cannot be copied for each study.
    """
    import cloudpickle
    from optuna.samplers import BaseSampler

    kind = type(sampler).__name__
    if not isinstance(sampler, BaseSampler):
        raise InputError(
            f"a sampler is a name ({', '.join(SAMPLERS)}) or an object of optuna.samplers, not a {kind}",
            "/sampler",
        )
    try:
        content: bytes = cloudpickle.dumps(sampler)
    except Exception as error:  # whatever its class says
        raise InputError(
            f"the {kind} cannot be copied, but each GPU and workload needs one: {error}", "/sampler"
        ) from error
    name = f"{kind[:24]}-{hashlib.sha256(content).hexdigest()[:8]}"
    _GIVEN[name] = content
    return name


def check_sampler(name: str, objectives: int, options: Mapping[str, Any] | None = None) -> None:
    """Check that a sampler exists, is installed, and supports the number of objectives and the settings.

    Raises:
        InputError: it does not; the message has the fix.
    """
    if name in _GIVEN:
        if options:
            raise InputError(f"{name} is an object: give it its options where it is made", "/sampler_options")
        return
    sampler = _known(name)
    if sampler and sampler.package and find_spec(sampler.package) is None:
        raise InputError(
            f"the sampler {name!r} needs a package on the machine that runs sweeps: pip install {sampler.install}",
            "/sampler",
        )
    if sampler and sampler.objectives and objectives > sampler.objectives:
        raise InputError(
            f"the sampler {name!r} supports one objective, but the space has {objectives}; "
            f"use {DEFAULT_SAMPLER} or nsga2",
            "/sampler",
        )
    if options:
        _check_options(name, options)


def random_trials(name: str, options: Mapping[str, Any]) -> int:
    """Trials of a study before the sampler learns from results; 0 if it learns at once, or never."""
    sampler = SAMPLERS.get(name)
    if sampler is None or sampler.start_up is None:
        return 0
    known = {**_defaults(sampler), **sampler.settings, **options}
    return int(known[sampler.start_up])


def start_chooser(
    name: str, options: Mapping[str, Any], directions: Sequence[str], seed: int, earlier: Sequence[Any]
) -> Callable[[Sequence[Study]], Chooser]:
    """What creates the chooser of studies, by a name and options that `check_sampler` accepts.

    Raises:
        InputError: the sampler is an object that another process was given.
    """
    if name == DEFAULT_SAMPLER:
        from dse.search.surrogate import Surrogate

        return partial(Surrogate, directions=directions, seed=seed, earlier=earlier)
    from dse.search.optuna_sampler import OptunaChooser

    return partial(OptunaChooser, directions=directions, make=_maker(name, options, seed))


def _maker(name: str, options: Mapping[str, Any], seed: int) -> "Callable[[], BaseSampler]":
    """What makes a sampler, as new, for each study."""
    if name in _GIVEN:
        return partial(pickle.loads, _GIVEN[name])
    sampler = _known(name)
    assert sampler
    return partial(_make, sampler, options, seed)


def _known(name: str) -> Sampler | None:
    """The sampler of a name; None if it is not one of Optuna's."""
    if name in SAMPLERS:
        return SAMPLERS[name]
    if _OBJECT.fullmatch(name):
        raise InputError(
            f"the sampler {name} is an object of the process that submitted the sweep; "
            "submit the sweep again with it: results that are known are not evaluated again",
            "/sampler",
        )
    raise InputError(
        f"unknown sampler {name!r}{did_you_mean(name, SAMPLERS)} (there are {', '.join(SAMPLERS)})",
        "/sampler",
    )


def _make(sampler: Sampler, options: Mapping[str, Any], seed: int) -> "BaseSampler":
    from optuna.exceptions import ExperimentalWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        made: BaseSampler = _class(sampler)(**{"seed": seed, **sampler.settings, **options})
        return made


def _check_options(name: str, options: Mapping[str, Any]) -> None:
    sampler = SAMPLERS[name]
    if sampler is None:
        raise InputError(f"the sampler {name!r} has no options", "/sampler_options")
    known = {**_defaults(sampler), **sampler.settings}
    for option in options:
        if option not in known:
            raise InputError(
                f"the sampler {name!r} has no option {option!r}{did_you_mean(option, known)} "
                f"(it has {', '.join(known)})",
                "/sampler_options",
            )
    try:
        _make(sampler, options, 0)
    except Exception as error:  # whatever the sampler says of a value
        raise InputError(f"the sampler {name!r} refuses its options: {error}", "/sampler_options") from error


def _defaults(sampler: Sampler) -> dict[str, Any]:
    """The options of a sampler that are plain values, with Optuna's defaults."""
    parameters = inspect.signature(_class(sampler)).parameters.values()
    plain = (int, float, str, bool)
    return {
        each.name: each.default
        for each in parameters
        if each.name != "seed"
        and each.default is not inspect.Parameter.empty
        and isinstance(each.default, plain)
    }


def _class(sampler: Sampler) -> Any:
    from optuna import samplers

    return getattr(samplers, sampler.kind)
