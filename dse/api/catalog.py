"""Routes of what a request can name: spaces and GPUs."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path

from dse.api.access import TheService, require
from dse.api.problems import RESPONSES
from dse.service.base import GpuSummary, SpaceSummary
from dse.specs import SpaceFiles

router = APIRouter(tags=["catalog"], responses=RESPONSES)


@router.get("/spaces")
def list_spaces(service: TheService) -> list[SpaceSummary]:
    """The spaces of the catalog and the uploaded ones."""
    return service.spaces()


@router.put("/spaces/{name}", dependencies=[Depends(require("submit"))])
def save_space(
    name: Annotated[str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")],
    files: SpaceFiles,
    service: TheService,
) -> SpaceSummary:
    """Upload a space: the texts of its `space.yaml`, of its source and of the headers beside it."""
    return service.save_space(name, files)


@router.get("/gpus")
def list_gpus(service: TheService) -> list[GpuSummary]:
    """The GPUs there are profiles of."""
    return service.gpus()
