"""The service: one interface to sweeps in a local store or on a remote server."""

from dse.service.contract import Service
from dse.service.local import LocalService
from dse.service.records import Page, SweepStatus

__all__ = ["LocalService", "Page", "Service", "SweepStatus"]
