"""The Python interface: `Client().submit("rsqrt_chain", gpu=["h100-sxm"], trials=50)`.

`Client()` works in this process, on a home folder; `Client("http://host:port", token=...)` is the same over
HTTP. A client returns the handles of `dse.handles`.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from dse.errors import InputError
from dse.handles import Sweep
from dse.home import LOOKS_LIKE_A_SERVER, Home
from dse.requests.arguments import lists, names
from dse.requests.gpus import GpuFile
from dse.requests.request import Request, checked
from dse.requests.spaces import SpaceFiles, no_folder_either, space_argument
from dse.runners.starting import start_workers
from dse.search.samplers import give_sampler
from dse.service import LocalService, Service
from dse.service.records import GpuSummary, SpaceSummary
from dse.store import SweepQuery
from dse.store.records import SweepState
from search_spaces import load_space
from simcore.errors import UnknownGpu
from simcore.gpu_profiles import profile_in_words

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler

    from dse.runners.base import Runner
    from search_spaces import Value

StartRunner = Callable[[], "Runner"]


def _is_url(where: str | Path | None) -> bool:
    """Whether that is a server, not a folder."""
    return isinstance(where, str) and where.startswith(("http://", "https://"))


class Client:
    """Submits sweeps and finds them again.

    Args:
        where: a server's URL, as in `http://127.0.0.1:8000`; or the folder of results, with sweeps running in this
            process; None means the folder `DSE_HOME`, or `~/.dse`.
        runner: creates the runner of this process, such as `InlineRunner`; None means `start_workers`: a child process
            per core, or Ray if `RAY_ADDRESS` is set.
        tracking: whether to export to MLflow from this process.
        token: token for the server.

    Raises:
        InputError: `where` is a server's address without `http://`, or there is a token without a server.
    """

    def __init__(
        self,
        where: str | Path | None = None,
        runner: StartRunner | None = None,
        tracking: bool = True,
        token: str | None = None,
    ) -> None:
        if isinstance(where, str) and LOOKS_LIKE_A_SERVER.fullmatch(where):
            raise InputError(f"{where}: write a URL such as http://{where}")
        if token and not _is_url(where):
            raise InputError("a token is for a server: write `Client(URL, token=...)`")
        self.where = where
        self._start_runner = runner
        self._tracking = tracking
        self._token = token

    def __repr__(self) -> str:
        return f"Client({str(self.where) if self.where else ''!r})"

    @cached_property
    def service(self) -> Service:
        """The service: on the local store, or of a server."""
        if _is_url(self.where):
            from dse.service.http import HttpService

            return HttpService(str(self.where), self._token)
        return self._in_process(Home.at(self.where) if self.where else Home.from_environment())

    def _in_process(self, home: Home) -> Service:
        from dse.service.in_process import InProcessService
        from dse.store import Store

        store = Store.open(home.create().store_url)
        tracker = None
        if self._tracking:
            from dse.tracking import MlflowTracker

            tracker = MlflowTracker(home.mlflow_uri, store)
        return InProcessService(store, self._start_runner or start_workers, tracker)

    def queue(self) -> "Client":
        """A client whose sweeps are queued for a coordinator instead of running in this process."""
        queue = copy(self)
        if isinstance(self.service, LocalService):
            queue.service = LocalService(self.service.store)
        return queue

    def submit(
        self,
        space: str | Path,
        gpu: str | Sequence[str] | None = None,
        trials: int | None = None,
        timeout: float | None = None,
        sampler: "str | BaseSampler | None" = None,
        seed: int = 0,
        parameters: Mapping[str, Sequence["Value"]] | None = None,
        id: str | None = None,
        priority: int = 0,
        *,
        metrics: Mapping[str, str] | None = None,
        objectives: str | Sequence[str] = (),
        sampler_options: Mapping[str, bool | int | float | str] | None = None,
        patience: int | None = None,
        first: Sequence[Mapping[str, "Value"]] = (),
        warm_start: str | int | None = None,
    ) -> Sweep:
        """Check a request, store it as a sweep and start running it.

        Args:
            space: the name of a catalog or an uploaded space, a folder or the path of a `space.yaml`.
            gpu: GPU names; None means the space's own list.
            trials: maximum number of trials over all GPUs; None explores every valid point.
            timeout: seconds of wall clock after which the sweep stops.
            sampler: chooses the points if not all are explored: surrogate (the default), tpe, random, ...; or an object
                of `optuna.samplers`, such as `CmaEsSampler(sigma0=0.1, seed=0)`, if this process runs the sweep.
            seed: seed of the sampler; the same seed gives the same trials.
            parameters: values that replace the space's, by parameter.
            id: id of the sweep; repeating the request with the same id returns the same sweep.
            priority: -10 to 10; each step doubles the sweep's share of the workers.
            metrics: metrics of your own, such as `{"gflops": "2*n*n*n / time_us / 1e3"}`.
            objectives: replace the space's, such as `maximize gflops`.
            sampler_options: the sampler's settings, by name.
            patience: stop a GPU and workload after so many results without a better one.
            first: points to begin with, on every GPU, and at every workload if they name none.
            warm_start: id of an earlier sweep of the same space to learn from.

        Raises:
            InputError, SpaceError, SimcoreError: the request cannot be carried out; nothing was stored.
            SweepNotFound: there is no earlier sweep of that id.
            SweepExists: the id belongs to a sweep with a different request.
        """
        request = checked(
            Request,
            space=space_argument(space),
            gpus=names(gpu),
            trials=trials,
            timeout_s=timeout,
            sampler=sampler if sampler is None or isinstance(sampler, str) else self._given(sampler),
            seed=seed,
            parameters=lists(parameters),
            id=id,
            priority=priority,
            metrics=dict(metrics or {}),
            objectives=names(objectives, "objectives", "['maximize gflops']"),
            sampler_options=dict(sampler_options or {}),
            patience=patience,
            first=tuple(dict(point) for point in first),
            warm_start=None if warm_start is None else str(warm_start),
        )
        try:
            return Sweep(self.service, self.service.create(request).id)
        except (InputError, UnknownGpu) as error:
            if isinstance(request.space, str) and self._is_unknown(request.space):
                raise no_folder_either(error, request.space) from None
            if isinstance(request.space, SpaceFiles) and _is_of_the_file(error, request):
                raise InputError(f"{space}: {error}", "/space") from None
            raise

    def _is_unknown(self, space: str) -> bool:
        return space not in (known.name for known in self.spaces())

    def _given(self, sampler: "BaseSampler") -> str:
        """The name of a sampler object."""
        if not self.service.takes_objects:
            raise InputError(
                "a sampler object cannot be sent to a server: name a sampler, with sampler_options, or run the sweep "
                "in this process, with Client()",
                "/sampler",
            )
        return give_sampler(sampler)

    def sweep(self, sweep_id: str | int) -> Sweep:
        """The sweep with an id.

        Raises:
            SweepNotFound: there is no such sweep.
        """
        return Sweep(self.service, self.service.status(str(sweep_id)).id)

    def sweeps(
        self,
        state: SweepState | Sequence[SweepState] = (),
        name: str | None = None,
        owner: str | None = None,
        limit: int | None = None,
        newest_first: bool = True,
    ) -> list[Sweep]:
        """The sweeps that meet all given conditions, newest first.

        Args:
            state: queued, running, stopping, stopped, finished or failed; or several of them.
            name: of this kernel.
            owner: submitted with the token of this name.
            limit: maximum number of sweeps.
            newest_first: False for the oldest first.
        """
        states = (state,) if isinstance(state, str) else tuple(state)
        query = SweepQuery(states, name, owner, limit, newest_first=newest_first)
        return [Sweep(self.service, status.id) for status in self.service.sweeps(query)]

    def spaces(self) -> list[SpaceSummary]:
        """The available spaces."""
        return self.service.spaces()

    def upload_space(self, space: str | Path, name: str | None = None) -> SpaceSummary:
        """Store a space so that all users can submit it by name; replaces an older one of that name.

        Args:
            space: a folder or the path of a `space.yaml`.
            name: name of the stored space; None means the kernel's name.
        """
        loaded = load_space(space)
        return self.service.save_space(name or loaded.name, SpaceFiles.of(loaded))

    def download_space(self, name: str, folder: str | Path) -> Path:
        """Write the files of a catalog or an uploaded space to a folder.

        Args:
            name: name of the space, as listed by `spaces`.
            folder: target folder; created if necessary, must not contain a space yet.

        Returns:
            The path of its `space.yaml`.
        """
        return self.service.space(name).write(Path(folder))

    def delete_space(self, name: str) -> None:
        """Delete an uploaded space; sweeps that use it keep their copy."""
        self.service.delete_space(name)

    def gpus(self) -> list[GpuSummary]:
        """The available GPU profiles: those of the installation and uploaded ones."""
        return self.service.gpus()

    def upload_gpu(self, profile: str | Path) -> GpuSummary:
        """Store the file of a GPU's profile so that all users can name it; replaces an older one of that name."""
        path = Path(profile)
        profile_in_words(path)
        return self.service.save_gpu(path.stem, GpuFile(yaml=path.read_text()))

    def download_gpu(self, name: str) -> str:
        """The text of an uploaded profile."""
        return self.service.gpu(name).yaml

    def delete_gpu(self, name: str) -> None:
        """Delete an uploaded profile; sweeps that use it keep its numbers."""
        self.service.delete_gpu(name)


def _is_of_the_file(error: InputError | UnknownGpu, request: Request) -> bool:
    """Whether what is wrong stands in the space's file, rather than in the rest of the request."""
    if isinstance(error, UnknownGpu):
        return not request.gpus
    return error.place == "/space" and not (request.metrics or request.objectives or request.parameters)
