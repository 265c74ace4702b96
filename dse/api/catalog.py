"""Routes for spaces and GPUs."""

from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Depends, Path, status

from dse.api.access import TheCaller, TheService
from dse.api.problems import RESPONSES
from dse.errors import GpuNotFound, SpaceNotFound
from dse.requests.gpus import GpuFile
from dse.requests.spaces import SpaceFiles
from dse.service.records import GpuSummary, SpaceSummary

router = APIRouter(tags=["catalog"], responses=RESPONSES)

SpaceName = Annotated[str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$", examples=["rsqrt_chain"])]


def _own(name: SpaceName, service: TheService, caller: TheCaller) -> str:
    caller.check("submit")
    with suppress(SpaceNotFound):  # an unused name is free for all
        caller.check_owns(f"space {name}", service.uploaded(name).owner)
    return name


OwnSpace = Annotated[str, Depends(_own)]
GpuName = Annotated[str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$", examples=["h100-of-ours"])]


def _own_gpu(name: GpuName, service: TheService, caller: TheCaller) -> str:
    caller.check("submit")
    with suppress(GpuNotFound):
        caller.check_owns(f"GPU {name}", service.uploaded_gpu(name).owner)
    return name


OwnGpu = Annotated[str, Depends(_own_gpu)]


@router.get("/spaces")
def list_spaces(service: TheService) -> list[SpaceSummary]:
    """All spaces: those of the catalog and uploaded ones."""
    return service.spaces()


@router.get("/spaces/{name}")
def get_space(name: SpaceName, service: TheService) -> SpaceFiles:
    """The files of a space."""
    return service.space(name)


@router.put("/spaces/{name}")
def save_space(name: OwnSpace, files: SpaceFiles, service: TheService) -> SpaceSummary:
    """Upload a space: the text of its `space.yaml`, its source and its headers."""
    return service.save_space(name, files)


@router.delete("/spaces/{name}", status_code=status.HTTP_204_NO_CONTENT)
def delete_space(name: OwnSpace, service: TheService) -> None:
    """Delete an uploaded space; sweeps that use it keep their copy."""
    service.delete_space(name)


@router.get("/gpus")
def list_gpus(service: TheService) -> list[GpuSummary]:
    """The available GPU profiles: those of the installation and uploaded ones."""
    return service.gpus()


@router.get("/gpus/{name}")
def get_gpu(name: GpuName, service: TheService) -> GpuFile:
    """The text of an uploaded profile."""
    return service.gpu(name)


@router.put("/gpus/{name}")
def save_gpu(name: OwnGpu, profile: GpuFile, service: TheService) -> GpuSummary:
    """Upload a profile: a YAML with `base`, one of the installation's GPUs, and the numbers that differ."""
    return service.save_gpu(name, profile)


@router.delete("/gpus/{name}", status_code=status.HTTP_204_NO_CONTENT)
def delete_gpu(name: OwnGpu, service: TheService) -> None:
    """Delete an uploaded profile; sweeps that use it keep its numbers."""
    service.delete_gpu(name)
