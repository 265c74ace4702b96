"""The parts of a T1 document that a space has, by their names there."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_pascal

#: Number types there and here.
TYPES = {"float": "float32", "double": "float64", "half": "float16"}
#: Of grids and blocks.
AXES = "XYZ"
#: Parameters that are a block's extents, as Kernel Tuner calls them.
BLOCK_SIZES = ("block_size_x", "block_size_y", "block_size_z")


def capitals(parameter: str) -> str:
    """The line that gives a parameter's macro the name that it has in a space."""
    return f"#define {parameter.upper()} {parameter}\n"


class _Part(BaseModel):
    model_config = ConfigDict(alias_generator=to_pascal, frozen=True)


class TuningParameter(_Part):
    """`values` is a Python list, or a range of integers."""

    name: str
    type: Literal["int", "uint", "float", "bool", "string"]
    values: str


class Condition(_Part):
    """A restriction over parameters, in Python's syntax."""

    expression: str


class ConfigurationSpace(_Part):
    """What is tuned."""

    tuning_parameters: list[TuningParameter] = Field(min_length=1)
    conditions: list[Condition] = []


class KernelArgument(_Part):
    """One argument; `mem_type` is Kernel Tuner's word for a `__constant__` variable of the argument's name."""

    name: str = ""
    type: str
    memory_type: Literal["Scalar", "Vector", "Local", "Symbol"]
    mem_type: str | None = None
    size: int | str = 1
    fill_type: str = "Constant"
    fill_value: float = 0.0
    data_source: str = ""


class Device(_Part):
    """The GPU."""

    name: str = ""


class KernelSpecification(_Part):
    """The kernel and its launch: blocks (CUDA) or threads (OpenCL), or Kernel Tuner's problem size and its divisors."""

    language: str
    kernel_name: str
    kernel_file: str
    compiler_options: list[str] = []
    global_size_type: Literal["CUDA", "OpenCL", "Vulkan"] = "CUDA"
    global_size: dict[str, str | int] = {}
    local_size: dict[str, str | int] = {}
    problem_size: int | list[int | str] | None = None
    grid_div_x: list[str | int] | None = None
    grid_div_y: list[str | int] | None = None
    grid_div_z: list[str | int] | None = None
    shared_memory: int = 0
    arguments: list[KernelArgument] = []
    device: Device = Device()


class Document(_Part):
    """A tuning problem."""

    configuration_space: ConfigurationSpace
    kernel_specification: KernelSpecification
