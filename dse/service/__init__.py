"""What one may ask about sweeps, of the store in this process or of a server far away: the same verbs."""

from dse.service.base import Page, Service, SweepStatus
from dse.service.local import LocalService

__all__ = ["LocalService", "Page", "Service", "SweepStatus"]
