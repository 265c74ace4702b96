"""What one may ask about sweeps, of the store in this process or of a server far away: the same verbs."""

from dse.service.contract import Service
from dse.service.local import LocalService
from dse.service.records import Page, SweepStatus

__all__ = ["LocalService", "Page", "Service", "SweepStatus"]
