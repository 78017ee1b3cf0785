"""The folder in which the machine's web processes share metrics; prometheus_client reads its name on import."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from django.conf import settings

NAME = "PROMETHEUS_MULTIPROC_DIR"
# In memory: the files are memory-mapped, and writing to one on a full disk would kill the process (SIGBUS).
SHARED = Path("/dev/shm")  # noqa: S108  # nosec B108  # a folder of its own below, which nobody else may read
OURS = f"benchsite-metrics-{os.getuid()}"


def begin(env: Mapping[str, str]) -> Path:
    """Create an empty folder for this `serve`: Prometheus expects counters to start at zero."""
    ours = (SHARED if os.access(SHARED, os.W_OK) else settings.VAR_DIR) / OURS
    for old in ours.glob("*"):
        if not Path("/proc", old.name).is_dir():
            shutil.rmtree(old, ignore_errors=True)
    chosen = Path(env.get(NAME) or ours / str(os.getpid()))
    chosen.mkdir(parents=True, mode=0o700, exist_ok=True)
    for old in chosen.glob("*.db"):
        old.unlink(missing_ok=True)
    return chosen
