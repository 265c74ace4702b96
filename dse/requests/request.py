"""What a person asks for: a sweep, or more of one."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dse.errors import InputError, SpaceNotFound
from dse.requests.spaces import SpaceFiles
from search_spaces import Space, Value, catalog_names, load_space

#: A sweep of priority p gets 2^p times the share of one of priority 0.
MAX_PRIORITY = 10

Model = TypeVar("Model", bound=BaseModel)
Values = Annotated[list[Value], Field(min_length=1)]


class Request(BaseModel):
    """What a person asks for.

    Attributes:
        space: a catalog name, the name of an uploaded space, or the texts of one.
        gpus: where; empty means the space's own list.
        trials: the most trials, over all GPUs; None means every valid point.
        timeout_s: seconds of wall clock; None means no limit.
        sampler: who chooses when not all points are explored; None means `tpe`.
        seed: the sampler's.
        parameters: values that replace the space's, by parameter.
        id: the sweep's name of the asker's choice; asking the same again under the same id is one sweep.
        priority: -10 to 10; each step doubles the sweep's share of the workers.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    space: str | SpaceFiles = Field(examples=["rsqrt_chain"])
    gpus: tuple[str, ...] = Field((), examples=[["h100-sxm", "b200"]])
    trials: int | None = Field(None, examples=[100], le=2**31 - 1)
    timeout_s: float | None = Field(None, allow_inf_nan=False)
    sampler: str | None = Field(None, examples=["tpe"])
    seed: int = Field(0, ge=0, lt=2**31)
    parameters: dict[str, Values] = Field({}, examples=[{"unroll": [1, 2, 4]}])
    id: str | None = Field(None, min_length=1, examples=["rsqrt-on-hopper"])
    priority: int = Field(0, ge=-MAX_PRIORITY, le=MAX_PRIORITY)

    def read_space(self) -> Space:
        """The space as the catalog or the texts have it; SpaceError when there is none or it is wrong."""
        if isinstance(self.space, SpaceFiles):
            return self.space.parse()
        if self.space in catalog_names():
            return load_space(self.space)
        raise SpaceNotFound(self.space, catalog_names())


class Extension(BaseModel):
    """What is asked of a sweep beyond what it holds.

    Attributes:
        trials: the new budget, over all GPUs; None keeps what each GPU had, or all points of a sweep without.
        gpus: further GPUs.
        parameters: further values, by parameter.
        timeout_s: seconds of wall clock from now; None means no limit.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    trials: int | None = Field(None, examples=[200], le=2**31 - 1)
    gpus: tuple[str, ...] = Field((), examples=[["a100-80gb"]])
    parameters: dict[str, Values] = Field({}, examples=[{"unroll": [32]}])
    timeout_s: float | None = Field(None, allow_inf_nan=False)

    @property
    def asks_nothing(self) -> bool:
        """Whether it is no extension, but for time."""
        return self.trials is None and not self.gpus and not self.parameters


def checked(model: type[Model], **fields: Any) -> Model:
    """A request of that kind; InputError, with the names of the fields, when they cannot be one."""
    try:
        return model(**fields)
    except ValidationError as error:
        wrong = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise InputError("; ".join(wrong)) from None
