"""The Python interface for asyncio: `await AsyncClient("http://host:port").submit("rsqrt_chain")`.

Every verb is the one of `Client` and `Sweep`, with its arguments, carried out in a thread; waiting takes none.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from copy import copy
from functools import wraps
from time import monotonic
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from dse.client import Client
from dse.handles import Sweep
from dse.service import SweepStatus
from dse.service.contract import FOLLOW_S

Sync = TypeVar("Sync")
Answer = TypeVar("Answer")
Arguments = ParamSpec("Arguments")


class _Threaded(Generic[Sync]):
    """What does the verbs of a synchronous object in threads."""

    def __init__(self, sync: Sync) -> None:
        self._sync = sync

    def __repr__(self) -> str:
        return f"Async{self._sync!r}"


def _answering(
    verb: Callable[Concatenate[Sync, Arguments], Answer],
) -> Callable[Concatenate[_Threaded[Sync], Arguments], Coroutine[Any, Any, Answer]]:
    """The verb, with its answer."""

    @wraps(verb)
    async def do(self: _Threaded[Sync], /, *args: Arguments.args, **keywords: Arguments.kwargs) -> Answer:
        return await asyncio.to_thread(verb, self._sync, *args, **keywords)

    return do


def _opening(
    verb: Callable[Concatenate[Sync, Arguments], Sweep],
) -> Callable[Concatenate[_Threaded[Sync], Arguments], Coroutine[Any, Any, "AsyncSweep"]]:
    """The verb, whose answer is a sweep."""

    @wraps(verb)
    async def do(
        self: _Threaded[Sync], /, *args: Arguments.args, **keywords: Arguments.kwargs
    ) -> "AsyncSweep":
        return AsyncSweep(await asyncio.to_thread(verb, self._sync, *args, **keywords))

    return do


class AsyncSweep(_Threaded[Sweep]):
    """A `Sweep` for asyncio.

    Attributes:
        id: its id.
    """

    def __init__(self, sweep: Sweep) -> None:
        super().__init__(sweep)
        self.id = sweep.id

    def __repr__(self) -> str:
        return f"AsyncSweep({self.id!r})"

    @property
    def sync(self) -> Sweep:
        """The `Sweep` itself, for what is no verb, such as `plot` and `mlflow_url`; asking it blocks."""
        return self._sync

    status = _answering(Sweep.status)
    stop = _answering(Sweep.stop)
    delete = _answering(Sweep.delete)
    prioritize = _answering(Sweep.prioritize)
    sync_mlflow = _answering(Sweep.sync_mlflow)
    best = _answering(Sweep.best)
    winners = _answering(Sweep.winners)
    failed_values = _answering(Sweep.failed_values)
    between_gpus = _answering(Sweep.between_gpus)
    front = _answering(Sweep.front)
    portable = _answering(Sweep.portable)
    explain = _answering(Sweep.explain)
    diff = _answering(Sweep.diff)
    sass = _answering(Sweep.sass)
    sensitivity = _answering(Sweep.sensitivity)
    to_measure = _answering(Sweep.to_measure)
    write_bundles = _answering(Sweep.write_bundles)
    calibrate = _answering(Sweep.calibrate)
    baseline = _answering(Sweep.baseline)
    speedup = _answering(Sweep.speedup)
    trials = _answering(Sweep.trials)
    rows = _answering(Sweep.rows)
    to_dataframe = _answering(Sweep.to_dataframe)
    report = _answering(Sweep.report)
    export = _answering(Sweep.export)
    resume = _opening(Sweep.resume)
    extend = _opening(Sweep.extend)

    async def follow(self) -> AsyncIterator[SweepStatus]:
        """Yield the sweep's status after each change, until it has ended."""
        latest: SweepStatus | None = None
        while latest is None or latest.is_active:
            status = await self.status()
            if status != latest:
                yield status
            latest = status
            if latest.is_active:
                await asyncio.sleep(FOLLOW_S)

    async def wait(self, timeout: float | None = None) -> Self:
        """Wait until the sweep has ended, or for `timeout` seconds; returns the sweep.

        Raises:
            Exception: the error that ended a sweep of this process, if any.
        """
        deadline = None if timeout is None else monotonic() + timeout
        while (await self.status()).is_active:
            if deadline is not None and monotonic() >= deadline:
                return self
            await asyncio.sleep(FOLLOW_S)
        await asyncio.to_thread(self._sync.wait)  # for MLflow, and the error
        return self


class AsyncClient(_Threaded[Client]):
    """A `Client` for asyncio, with the same arguments."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        super().__init__(Client(*args, **keywords))
        _ = self._sync.service  # opened once, before threads ask for it

    def queue(self) -> "AsyncClient":
        """A client whose sweeps are run by the server of this home folder, as `Client.queue`."""
        queue = copy(self)
        queue._sync = self._sync.queue()
        return queue

    submit = _opening(Client.submit)
    sweep = _opening(Client.sweep)
    spaces = _answering(Client.spaces)
    upload_space = _answering(Client.upload_space)
    download_space = _answering(Client.download_space)
    delete_space = _answering(Client.delete_space)
    gpus = _answering(Client.gpus)
    upload_gpu = _answering(Client.upload_gpu)
    download_gpu = _answering(Client.download_gpu)
    delete_gpu = _answering(Client.delete_gpu)

    async def sweeps(self, *args: Any, **keywords: Any) -> list[AsyncSweep]:
        """The sweeps that meet all given conditions, as of `Client.sweeps`."""
        return [AsyncSweep(each) for each in await asyncio.to_thread(self._sync.sweeps, *args, **keywords)]
