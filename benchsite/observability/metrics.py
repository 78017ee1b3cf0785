"""The metrics at /metrics for Prometheus: response times of all web processes on the machine, and the site's state.

Times are stored in PROMETHEUS_MULTIPROC_DIR, one file per process, and merged at every scrape, so any web process can
answer. The state is read from the database, so every machine reports the same state.
"""

from collections.abc import Iterator
from functools import cache

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, multiprocess, values
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from benchsite.observability.figures import MetricFamily, figures

# Seconds; they include the targets for boards (0.15) and participants' answers (0.08).
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.08, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

own = CollectorRegistry()  # of this process alone, if no folder is shared
SECONDS = Histogram(
    "benchsite_request_seconds",
    "From the request to the first byte of its answer",
    ["page", "method"],
    buckets=BUCKETS,
    registry=own,
)
REQUESTS = Counter("benchsite_requests", "Answered requests", ["page", "method", "status"], registry=own)


def note_request(*, page: str, method: str, status: int, seconds: float) -> None:
    """Count a request. `page` is a URL name, so that strangers can't create new series."""
    method = method if method in METHODS else "other"
    _seconds_of(page, method).observe(seconds)
    _requests_of(page, method, status).inc()


@cache
def _seconds_of(page: str, method: str) -> Histogram:
    return SECONDS.labels(page, method)


@cache
def _requests_of(page: str, method: str, status: int) -> Counter:
    return REQUESTS.labels(page, method, str(status))


class DatabaseCollector(Collector):
    """Collects the database's figures at each scrape."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        for figure in figures():
            yield _family(figure)


def _family(figure: MetricFamily) -> GaugeMetricFamily:
    labels = _several(figure.label)
    family = GaugeMetricFamily(figure.name, figure.about, labels=labels)
    for at, value in figure.values.items():
        family.add_metric(_several(at) if labels else [], value)
    return family


def _several(names: str | tuple[str, ...]) -> list[str]:
    return list(names) if isinstance(names, tuple) else [names] if names else []


def page_of_figures() -> bytes:
    """All metrics in Prometheus' text format."""
    registry = CollectorRegistry()
    if is_shared():
        multiprocess.MultiProcessCollector(registry)
    registry.register(DatabaseCollector())
    return (b"" if is_shared() else generate_latest(own)) + generate_latest(registry)


def is_shared() -> bool:
    """Whether several processes share a folder; decided when prometheus_client was imported."""
    return values.ValueClass is not values.MutexValue
