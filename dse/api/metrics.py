"""Prometheus metrics: sweeps and trials of the store, and HTTP requests of this process."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

from fastapi import Request
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from dse.store import Store

#: HTTP methods counted under their own label; all others share one.
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
#: Upper bounds of request times in seconds.
BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)


@dataclass
class Measurement:
    """One request; without a response it counts as status 500."""

    status: int = 500


class Metrics:
    """The metrics of one application."""

    def __init__(self, store: Store) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_StoreCollector(store))
        labels = ("method", "route", "status")
        self._requests = Counter(
            "dse_http_requests", "HTTP requests answered.", labels, registry=self._registry
        )
        self._seconds = Histogram(
            "dse_http_request_seconds",
            "Seconds until the start of the response.",
            ("method", "route"),
            buckets=BUCKETS_S,
            registry=self._registry,
        )

    @contextmanager
    def measured(self, request: Request) -> Iterator[Measurement]:
        """Count and time a request under the pattern of its route, which bounds the number of labels."""
        measurement, began = Measurement(), perf_counter()
        try:
            yield measurement
        finally:
            route = getattr(request.scope.get("route"), "path", "none")
            method = request.method if request.method in METHODS else "other"
            self._requests.labels(method, route, measurement.status).inc()
            self._seconds.labels(method, route).observe(perf_counter() - began)

    def text(self) -> bytes:
        """All metrics in the Prometheus text format."""
        return generate_latest(self._registry)


class _StoreCollector(Collector):
    """Reads the store on each scrape, so that all processes report the same values."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def describe(self) -> Iterator[Metric]:
        return iter(())

    def collect(self) -> Iterator[Metric]:
        sweeps = GaugeMetricFamily("dse_sweeps", "Sweeps in the store.", labels=["state"])
        for where, count in self._store.sweeps_by_state().items():
            sweeps.add_metric([where], count)
        yield sweeps
        trials = GaugeMetricFamily("dse_trials", "Trials in the store.", labels=["state", "source"])
        for (state, source), count in self._store.trials_by_state().items():
            trials.add_metric([state, source], count)
        yield trials
