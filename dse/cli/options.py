"""Options and the exit code that several commands share, and the client that they configure."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.models import OptionInfo

from dse.cli.terminal.output import Output

if TYPE_CHECKING:
    from dse.client import Client
    from dse.runners.fork_server import ForkServer
    from dse.runners.limits import PointLimits
    from dse.store.records import SweepState
    from search_spaces import Value

#: Exit code of a command that was understood and found nothing that works: no complete trial, no point that can be
#: evaluated, a failed check.
FAILED = 1


def _known_sweep(context: typer.Context, sweep: str) -> str:
    """Refuse a sweep that the home folder does not have, before the database is imported.

    Raises:
        SweepNotFound: there is no such sweep.
    """
    if not context.params.get("server"):
        from dse.home import Home
        from dse.store.glance import check_sweep

        check_sweep(Home.from_environment().store_url, sweep)
    return sweep


Filter = Annotated[
    str | None,
    typer.Option("--filter", help="Only some trials, for example: unroll >= 4 and time_us < 10"),
]
SweepId = Annotated[
    str,
    typer.Argument(metavar="SWEEP", help="The sweep's id, as `dse list` shows it.", callback=_known_sweep),
]
Trials = Annotated[
    int | None, typer.Option("--trials", help="Maximum number of trials over all GPUs; default: every point.")
]
Timeout = Annotated[float | None, typer.Option("--timeout", help="Stop after this many seconds.")]
Workers = Annotated[
    int | None, typer.Option("--workers", min=1, help="Number of worker processes; default: one per core.")
]
PointSeconds = Annotated[
    float | None,
    typer.Option(
        "--point-seconds",
        min=0.1,
        help="Seconds that a point may take at most; default: the space's, or 300.",
    ),
]
PointMemory = Annotated[
    float | None,
    typer.Option(
        "--point-memory",
        min=0.1,
        metavar="GIB",
        help="GiB that a point may use at most; default: the space's, or 4.",
    ),
]
Format = Annotated[Output, typer.Option("--output", "-o", help="Output format.")]
Space = Annotated[
    str,
    typer.Argument(help="A name listed by `dse spaces`, a folder (`./dot`) or a space.yaml."),
]


def _gpus_option(default: str) -> OptionInfo:
    """GPUs, with what they are if none is named."""
    words = "GPUs, separated by commas; each may have overrides, and a name: b200,big:h100-sxm,sms=144."
    option: OptionInfo = typer.Option("--gpu", help=f"{words} Default: {default}.")
    return option


Gpus = Annotated[list[str] | None, _gpus_option("the space's")]
AnyGpus = Annotated[list[str] | None, _gpus_option("all")]
ProblemGpus = Annotated[list[str] | None, _gpus_option("the problem's device")]
OneGpu = Annotated[str | None, typer.Option("--gpu", help="Only this GPU of the sweep.")]
Sampler = Annotated[
    str | None,
    typer.Option(
        "--sampler",
        help="Chooses the points if not all are tried: surrogate (default), tpe, random, nsga2, nsga3, qmc, cmaes, gp.",
    ),
]
SamplerOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--sampler-option", metavar="NAME=VALUE", help="A setting of the sampler, such as n_startup_trials=5."
    ),
]
Patience = Annotated[
    int | None,
    typer.Option(
        "--patience", min=1, help="Stop a GPU and workload after this many results without a better one."
    ),
]
First = Annotated[
    list[str] | None,
    typer.Option(
        "--first",
        metavar="N1=V1,N2=V2",
        help="A point to begin with, on every GPU; may be given several times.",
    ),
]
WarmStart = Annotated[
    str | None,
    typer.Option("--warm-start", metavar="SWEEP", help="Learn from an earlier sweep of the same space."),
]
Seed = Annotated[
    int, typer.Option("--seed", help="Seed of the sampler; the same seed gives the same trials.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=V1,V2", help="Replace the values of a parameter."),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        metavar="NAME=EXPRESSION",
        help="Your own metric, such as: gflops=2*n*n*n / time_us / 1e3. May be repeated.",
    ),
]
Objectives = Annotated[
    list[str] | None,
    typer.Option(
        "--objective",
        help="Replaces the space's, such as: maximize gflops. May be repeated, the first ranks.",
    ),
]
Identifier = Annotated[
    str | None, typer.Option("--id", help="Id of the sweep; submitting again with the same id is idempotent.")
]
Priority = Annotated[
    int,
    typer.Option("--priority", min=-10, max=10, help="Each step doubles the sweep's share of the workers."),
]
Server = Annotated[
    str | None,
    typer.Option(
        "--server",
        envvar="DSE_SERVER",
        is_eager=True,  # before the sweep, which is looked for there
        help="URL of a server; default: use the folder DSE_HOME.",
    ),
]
Token = Annotated[
    str | None,
    typer.Option("--token", envvar="DSE_TOKEN", help="Token for the server.", show_envvar=True),
]


def point_limits(seconds: float | None, memory_gib: float | None) -> "PointLimits":
    """The limits of a runner."""
    from dse.runners.limits import PointLimits

    return PointLimits(seconds, None if memory_gib is None else int(memory_gib * 2**30))


def open_client(
    server: str | None = None,
    token: str | None = None,
    workers: int | None = None,
    limits: "PointLimits | None" = None,
    fork_server: "ForkServer | None" = None,
) -> "Client":
    """A client of a server or of the home folder, where `limits` are those of each point.

    Args:
        fork_server: from `load_workers`.

    Raises:
        InputError: `server` is not a URL.
    """
    from dse.client import Client
    from dse.errors import InputError
    from dse.runners.starting import start_workers

    if server and not server.startswith(("http://", "https://")):
        raise InputError(f"--server {server}: write a URL such as http://127.0.0.1:8000")
    start = partial(start_workers, workers, limits, fork_server)
    return Client(server or None, runner=start, token=token if server else None)


def check_names(request: Mapping[str, Any]) -> None:
    """Refuse a request of this home folder whose space, GPU or parameter does not exist, before anything is imported.

    Raises:
        InputError, SpaceError, SimcoreError: see `dse.requests.names`.
    """
    from dse.home import Home
    from dse.requests.names import check_names

    store = Home.from_environment().store_url
    check_names(store, request["space"], request["gpu"], request["parameters"])


def names(lists: list[str] | None) -> list[str]:
    """`["a,b", "c"]` as `["a", "b", "c"]`."""
    return [name.strip() for part in lists or () for name in part.split(",") if name.strip()]


def gpus(lists: list[str] | None) -> list[str]:
    """`["a,sms=144,b", "c"]` as `["a,sms=144", "b", "c"]`; a file is the GPU that it describes, by its name."""
    from simcore.gpu_overrides import split_gpus

    return [_sendable(gpu) for part in lists or () for gpu in split_gpus(part)]


def _sendable(gpu: str) -> str:
    from simcore.gpu_overrides import parse_gpu
    from simcore.gpu_profiles import profile_in_words, with_overrides

    file, comma, overrides = gpu.partition(",")
    if not file.endswith((".yaml", ".yml")):
        return gpu
    words = with_overrides(profile_in_words(Path(file)), parse_gpu(gpu)[1])
    return f"{Path(file).stem}{comma}{overrides}:{words}"


def states(lists: list[str] | None) -> tuple["SweepState", ...]:
    """Parse a list of sweep states.

    Raises:
        InputError: unknown state.
    """
    from typing import get_args

    from dse.errors import InputError
    from dse.store.records import SweepState
    from simcore.errors import did_you_mean

    known = get_args(SweepState)
    for name in (given := names(lists)):
        if name not in known:
            raise InputError(f"--state {name}{did_you_mean(name, known)} (there are {', '.join(known)})")
    return tuple(state for state in known if state in given)


def parse_settings(settings: list[str] | tuple[str, ...]) -> dict[str, list["Value"]]:
    """`unroll=1,2,none` as `{"unroll": [1, 2, None]}`; the space checks the name later.

    Raises:
        InputError: a setting cannot be parsed.
    """
    from dse.errors import InputError

    parameters: dict[str, list[Value]] = {}
    for setting in settings:
        name, equals, values = setting.partition("=")
        words = [word.strip() for word in values.split(",")]
        if not name.strip() or not equals or not all(words):
            raise InputError(f"--set {setting}: write NAME=V1,V2, for example --set unroll=1,2,4")
        parameters[name.strip()] = [_parse_value(word) for word in words]
    return parameters


def parse_metrics(metrics: list[str] | tuple[str, ...]) -> dict[str, str]:
    """`gflops=2*n / time_us` as `{"gflops": "2*n / time_us"}`; the space checks the expression later.

    Raises:
        InputError: a metric cannot be parsed.
    """
    from dse.errors import InputError

    parsed = {}
    for metric in metrics:
        name, equals, expression = metric.partition("=")
        if not name.strip() or not equals or not expression.strip():
            raise InputError(
                f"--metric {metric}: write NAME=EXPRESSION, such as 'gflops=2*n*n*n / time_us / 1e3'"
            )
        parsed[name.strip()] = expression.strip()
    return parsed


def parse_point(text: str) -> dict[str, "Value"]:
    """`unroll=4,register_cap=none` as `{"unroll": 4, "register_cap": None}`; the space checks it later.

    Raises:
        InputError: it cannot be parsed.
    """
    from dse.errors import InputError

    pairs = [part.partition("=") for part in text.split(",")]
    if not all(name.strip() and equals and value.strip() for name, equals, value in pairs):
        raise InputError(f"--first {text}: write N1=V1,N2=V2, for example --first unroll=4,block_size=128")
    return {name.strip(): _parse_value(value.strip()) for name, _, value in pairs}


def parse_options(options: list[str] | None) -> dict[str, bool | int | float | str]:
    """`["n_startup_trials=5"]` as `{"n_startup_trials": 5}`; the sampler checks it later.

    Raises:
        InputError: an option cannot be parsed.
    """
    from dse.errors import InputError

    parsed: dict[str, bool | int | float | str] = {}
    for option in options or ():
        name, equals, word = option.partition("=")
        value = {"true": True, "false": False}.get(word.strip().lower(), _parse_value(word.strip()))
        if not name.strip() or not equals or not word.strip() or value is None:
            raise InputError(f"--sampler-option {option}: write NAME=VALUE, for example n_startup_trials=5")
        parsed[name.strip()] = value
    return parsed


def _parse_value(word: str) -> "Value":
    if word == "none":
        return None
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word
