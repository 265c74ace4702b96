"""Requests of users: a sweep, or an extension of one."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from dse.errors import InputError, SpaceNotFound
from dse.requests.spaces import SpaceFiles
from dse.search import SearchSettings
from search_spaces import Space, Value, catalog_names, load_space

#: A sweep of priority p gets 2^p times the share of one of priority 0.
MAX_PRIORITY = 10

Model = TypeVar("Model", bound=BaseModel)
Values = Annotated[list[Value], Field(min_length=1)]


def _not_text(value: Any) -> Any:
    if isinstance(value, str | bool):
        raise ValueError(f"{value!r} is not a number")
    return value


#: Text is not one, as it is in a form, since `trials="5"` is a mistake.
Integer = Annotated[int, BeforeValidator(_not_text)]
Seconds = Annotated[float, BeforeValidator(_not_text), Field(allow_inf_nan=False)]


class Request(BaseModel):
    """A request for a sweep.

    Attributes:
        space: a catalog name, the name of an uploaded space, or the files of one.
        gpus: GPU names; empty means the space's own list.
        trials: maximum number of trials over all GPUs; None means every valid point.
        timeout_s: seconds after which the sweep is stopped; None means no limit.
        sampler: what chooses the points if not all are tried; None means `surrogate`.
        sampler_options: settings of the sampler, by name.
        patience: stop a GPU and workload after so many results without a better one.
        first: points to begin with, on every GPU, and at every workload if they name none.
        warm_start: id of an earlier sweep of the same space, from which the sampler learns.
        seed: seed of the sampler.
        parameters: values to try instead of the space's, by parameter.
        metrics: expressions of your own metrics, by name, in addition to the space's.
        objectives: what to optimize, such as `maximize gflops`; the first ranks; empty means the space's.
        id: id of the sweep, of your choice; repeating the request with the same id returns the same sweep.
        priority: -10 to 10; each step doubles the sweep's share of the workers.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    space: str | SpaceFiles = Field(examples=["rsqrt_chain"])
    gpus: tuple[str, ...] = Field((), examples=[["h100-sxm", "b200"]])
    trials: Integer | None = Field(None, examples=[100], le=2**31 - 1)
    timeout_s: Seconds | None = None
    sampler: str | None = Field(None, examples=["tpe"])
    sampler_options: dict[str, bool | int | float | str] = Field({}, examples=[{}])
    patience: Integer | None = Field(None, ge=1, le=2**31 - 1)
    first: tuple[dict[str, Value], ...] = Field((), max_length=1000, examples=[[]])
    warm_start: str | None = None
    seed: Integer = Field(0, ge=0, lt=2**31)
    parameters: dict[str, Values] = Field({}, examples=[{"unroll": [1, 2, 4]}])
    metrics: dict[str, str] = Field({}, examples=[{"gflops": "2*n*n*n / time_us / 1e3"}])
    objectives: tuple[str, ...] = Field((), examples=[["maximize gflops"]])
    id: str | None = Field(None, min_length=1, examples=["rsqrt-on-hopper"])
    priority: Integer = Field(0, ge=-MAX_PRIORITY, le=MAX_PRIORITY)

    @property
    def settings(self) -> SearchSettings:
        """The settings of the search, without what is taken from an earlier sweep."""
        return SearchSettings(self.sampler_options, self.patience, self.first)

    def read_space(self) -> Space:
        """The space of the catalog or the files; SpaceError if it does not exist or is invalid."""
        if isinstance(self.space, SpaceFiles):
            return self.space.parse()
        if self.space in catalog_names():
            return load_space(self.space)
        raise SpaceNotFound(self.space, catalog_names())


class Extension(BaseModel):
    """A request to extend a sweep.

    Attributes:
        trials: the new budget over all GPUs; None keeps the budget per GPU, or all points of a sweep without a budget.
        gpus: additional GPUs.
        parameters: additional values, by parameter.
        timeout_s: seconds of wall clock from now; None means no limit.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    trials: Integer | None = Field(None, examples=[200], le=2**31 - 1)
    gpus: tuple[str, ...] = Field((), examples=[["a100-80gb"]])
    parameters: dict[str, Values] = Field({}, examples=[{"unroll": [32]}])
    timeout_s: Seconds | None = None

    @property
    def asks_nothing(self) -> bool:
        """Whether it adds nothing except time."""
        return self.trials is None and not self.gpus and not self.parameters


def checked(model: type[Model], **fields: Any) -> Model:
    """A request of that kind; InputError, with the names of the fields, if they are invalid."""
    try:
        return model(**fields)
    except ValidationError as error:
        wrong = (
            f"{'.'.join(map(str, each['loc']))}: {each['msg'].removeprefix('Value error, ')}"
            for each in error.errors()
        )
        raise InputError("; ".join(wrong)) from None
