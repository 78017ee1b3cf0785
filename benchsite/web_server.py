"""How gunicorn runs the pages: its own log lines are like ours, and what its processes count is put together.

Read by gunicorn as `-c python:benchsite.web_server`, before the site is loaded.
"""

import os
import shutil
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
from django.conf import settings

# prometheus_client reads this when it is loaded; each gunicorn has its own folder. In memory: the figures are kept in
# mapped files, and a process that writes into one on a full disk is killed for it (SIGBUS).
SHARED = Path("/dev/shm")  # noqa: S108  # nosec B108  # a folder of its own below, which nobody else may read
ROOT = SHARED if os.access(SHARED, os.W_OK) else settings.VAR_DIR
NAMED = f"benchsite-metrics-{os.getuid()}"
timeout = 120  # seconds; gunicorn's own 30 would kill, again and again, what loads the site on a crowded machine
COUNTED = Path(os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(ROOT / NAMED / str(os.getpid()))))
logconfig_dict = settings.LOGGING | {
    "loggers": settings.LOGGING["loggers"]
    | {name: {"level": "WARNING", "handlers": [], "propagate": True} for name in ("gunicorn.error", "gunicorn.access")}
}


def on_starting(server: object) -> None:
    """Figures begin at nought with every start, as Prometheus expects; those of earlier starts go."""
    for old in COUNTED.parent.glob("*") if COUNTED.parent.name == NAMED else []:
        if not Path("/proc", old.name).is_dir():
            shutil.rmtree(old, ignore_errors=True)
    shutil.rmtree(COUNTED, ignore_errors=True)
    COUNTED.mkdir(parents=True, mode=0o700)


def child_exit(server: object, worker: object) -> None:
    from prometheus_client import multiprocess

    multiprocess.mark_process_dead(worker.pid)  # type: ignore[attr-defined]  # gunicorn has no types
