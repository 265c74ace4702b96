"""A task's machine code and launch, in the simulator's form."""

from typing import TYPE_CHECKING, Any

from dse.evaluation.contents import described, device_arguments, device_variables
from dse.evaluation.tasks import Task
from simcore import (
    Gpu,
    LaunchError,
    check_arguments,
    check_launch,
    compile_kernel,
    load_gpu,
    read_kernel,
    read_variables,
)
from simcore.machine_code.binaries import machine_code
from simcore.model.occupancy import check_architecture
from simcore.model.variables import with_contents

if TYPE_CHECKING:
    from search_spaces import Launch


def launch_keywords(task: Task) -> dict[str, Any]:
    """The compiled task, as keywords of `simcore.execute`; with `cold`, of `simcore.simulate`.

    Raises:
        SimcoreError: the task cannot be compiled or launched.
    """
    gpu, launch = load_gpu(task.gpu), task.launch
    check_task_launch(launch, gpu)
    cubin, kernel = compile_task(task)
    return {
        "cubin": cubin,
        "kernel": kernel,
        "grid": launch.grid,
        "block": launch.block,
        "arguments": device_arguments(task.arguments, task.files),
        "gpu": gpu,
        "dynamic_shared_bytes": launch.dynamic_shared_bytes,
        "variables": device_variables(task.variables, task.files),
        "bounds": task.bounds,
        "argument_names": [argument.name for argument in task.arguments],
    }


def check_machine_code(task: Task) -> None:
    """Compile a task and check what it passes to the kernel.

    Raises:
        CompileError: the source does not compile.
        CubinError: there is no such kernel, or no machine code for the GPU.
        LaunchError: the arguments or the variables are not the kernel's, or it is for another architecture.
    """
    cubin, name = compile_task(task)
    kernel = read_kernel(cubin, name)
    check_architecture(kernel, load_gpu(task.gpu))
    arguments = device_arguments(task.arguments, task.files)
    try:
        check_arguments(kernel, arguments, [described(argument) for argument in task.arguments])
    except LaunchError as error:
        raise LaunchError(f"arguments: {error}") from None
    if task.variables:
        with_contents(kernel, read_variables(cubin), device_variables(task.variables, task.files))


def check_task_launch(launch: "Launch", gpu: Gpu) -> None:
    """Raise LaunchError if the launch alone, before compilation, exceeds a limit of the GPU."""
    check_launch(gpu, launch.block, launch.grid, dynamic_shared_bytes=launch.dynamic_shared_bytes)


def compile_task(task: Task) -> tuple[bytes, str]:
    """The task's machine code, from the compiler, its cache or a file, and the kernel's name in it."""
    if task.file_name in task.files:
        return machine_code(task.files[task.file_name], task.gpu, task.register_cap), task.kernel
    return compile_kernel(
        task.source,
        task.kernel,
        task.gpu,
        task.defines,
        task.register_cap,
        task.options,
        file_name=task.file_name,
        headers=task.headers,
    )
