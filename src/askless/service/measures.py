"""What is measured while a service runs, as Prometheus reads it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

__all__ = ["SHARED", "Measures"]

SHARED = "PROMETHEUS_MULTIPROC_DIR"  # where several workers put their numbers together
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)


class Measures:
    """Counts and times of one worker."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        own: dict[str, Any] = {"registry": self._registry}
        self._requests = Counter(
            "askless_requests", "Requests by route and status.", ["study", "route", "status"], **own
        )
        self._seconds = Histogram(
            "askless_request_seconds", "Time to answer.", ["study", "route"], buckets=SECONDS, **own
        )
        self._transactions = Histogram(
            "askless_transaction_seconds",
            "Time of a transaction, with learning.",
            ["study"],
            buckets=SECONDS,
            **own,
        )
        self._operations = Counter(
            "askless_operations", "Operations in transactions.", ["study"], **own
        )
        self._policy = Counter(
            "askless_policy_seconds", "Time spent in the policy.", ["study"], **own
        )

    def request(self, study: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(study, route, str(status)).inc()
        self._seconds.labels(study, route).observe(seconds)

    @contextmanager
    def transaction(self, study: str, operations: int) -> Iterator[None]:
        """Time a transaction."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self._transactions.labels(study).observe(time.perf_counter() - begun)
            self._operations.labels(study).inc(operations)

    def policy(self, study: str, seconds: float) -> None:
        """Note how long a policy took."""
        self._policy.labels(study).inc(seconds)

    def text(self, study: str, counts: Mapping[str, float]) -> bytes:
        """Return what concerns a study, and its counts, in Prometheus's own words."""
        registry = self._registry
        if os.environ.get(SHARED):
            registry = CollectorRegistry()
            registry.register(_Workers(None))  # type: ignore[no-untyped-call]
        shown = CollectorRegistry()
        shown.register(_OfStudy(registry, study, counts))
        return generate_latest(shown)


class _Workers(MultiProcessCollector, Collector):
    """What all workers have measured, but of those that have only just begun."""

    def collect(self) -> Iterable[Metric]:
        """Return it; the file of a worker that begins is empty for a moment, and has no numbers."""
        files = [str(file) for file in Path(self._path).glob("*.db") if file.stat().st_size]
        found: Iterable[Metric] = self.merge(files)  # type: ignore[no-untyped-call]
        return found


class _OfStudy(Collector):
    """What a registry has about one study."""

    def __init__(
        self, registry: CollectorRegistry, study: str, counts: Mapping[str, float]
    ) -> None:
        self._registry, self._study, self._counts = registry, study, counts

    def collect(self) -> Iterable[Metric]:
        """Return it."""
        for family in self._registry.collect():
            samples = [s for s in family.samples if s.labels.get("study") == self._study]
            if samples:
                family.samples = samples
                yield family
        for what, count in self._counts.items():
            gauge = GaugeMetricFamily(f"askless_{what}", f"{what} of the study.", labels=["study"])
            gauge.add_metric([self._study], count)
            yield gauge
