"""The number of processes for a machine, derived from its available cores and memory; settings override each number."""

import os
from pathlib import Path

from benchmarks.policy import MEGABYTE

CGROUP = Path("/sys/fs/cgroup")  # a container's limits (version 2)
WEB_MB = 200  # for one web process: 136 MB measured after 100,000 questions, plus room for uploads
WEB_SHARE = 0.25  # share of the memory; the rest is for the database, models, imports and the system's file cache
MOST_WEB = 8  # they share one queue of connections, and beyond this the database is the limit
CORES_A_CPU_WORKER = 8


def cores(cgroup: Path = CGROUP) -> int:
    """Cores that this process may use, at least 1."""
    own = len(os.sched_getaffinity(0))
    quota, _, period = _limit(cgroup / "cpu.max").partition(" ")
    return max(1, min(own, int(quota) // int(period))) if quota.isdigit() and period.isdigit() else own


def memory_mb(cgroup: Path = CGROUP) -> int:
    """Megabytes of memory that this process may use."""
    own = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limit = _limit(cgroup / "memory.max")
    return (min(own, int(limit)) if limit.isdigit() else own) // MEGABYTE


def _limit(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def web_processes(cores: int, memory_mb: int) -> int:
    """One per core, as far as memory allows, but at least two, so that the death of one leaves no gap."""
    return max(2, min(cores, MOST_WEB, int(memory_mb * WEB_SHARE) // WEB_MB))


def cpu_workers(cores: int) -> int:
    """Workers for imports, upload checks and standings, which mostly wait for the database."""
    return max(1, cores // CORES_A_CPU_WORKER)


def decode_threads(cores: int) -> int:
    """The cores, at most 8: decoding is then faster than most models, and each thread holds a clip's frames."""
    return min(8, cores)
