"""What Prometheus reads at /metrics: times of pages, counted by the processes of one machine, and the site's state.

Times are kept where `PROMETHEUS_MULTIPROC_DIR` says, a file a process, and put together at every reading: it does not
matter which web process is asked. State is read from the database, so that every machine tells the same.
"""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, multiprocess, values
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from benchsite.observing.state import Figure, figures

# Seconds; the limits that boards (0.15) and answers (0.08) are held to stand among them.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.08, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

own = CollectorRegistry()  # of this process alone, where no folder is shared
SECONDS = Histogram(
    "benchsite_request_seconds", "From the request to the first byte of its answer", ["page", "method"],
    buckets=BUCKETS, registry=own,
)  # fmt: skip
REQUESTS = Counter("benchsite_requests", "Answered requests", ["page", "method", "status"], registry=own)


def note_request(*, page: str, method: str, status: int, seconds: float) -> None:
    """`page` is the name that the urls give; what a stranger sends makes no new series."""
    method = method if method in METHODS else "other"
    SECONDS.labels(page, method).observe(seconds)
    REQUESTS.labels(page, method, str(status)).inc()


class State(Collector):
    """The database's figures, read when they are asked for."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        for figure in figures():
            yield _family(figure)


def _family(figure: Figure) -> GaugeMetricFamily:
    family = GaugeMetricFamily(figure.name, figure.about, labels=[figure.label] if figure.label else [])
    for label, value in figure.values.items():
        family.add_metric([label] if figure.label else [], value)
    return family


def page_of_figures() -> bytes:
    """All of it in Prometheus' text format."""
    registry = CollectorRegistry()
    if is_shared():
        multiprocess.MultiProcessCollector(registry)
    registry.register(State())
    return (b"" if is_shared() else generate_latest(own)) + generate_latest(registry)


def is_shared() -> bool:
    """Whether the times of several processes are put together; decided when the library was loaded."""
    return values.ValueClass is not values.MutexValue
