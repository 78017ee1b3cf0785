"""How many processes a machine carries, from the cores and the memory that it gives to us; each has a setting, too."""

import os
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")  # a container's limits (version 2)
WEB_MB = 200  # of a web process: 136 MB measured after 100,000 questions, and room for uploads
WEB_SHARE = 0.25  # of the memory; the rest is for the database, models, imports and the system's cache of files
MOST_WEB = 8  # one queue of connections feeds them all, and the database is the limit before
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
    return (min(own, int(limit)) if limit.isdigit() else own) // 2**20


def _limit(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def web_processes(cores: int, memory_mb: int) -> int:
    """One a core, as far as the memory goes; two at least, so that one that dies is no gap."""
    return max(2, min(cores, MOST_WEB, int(memory_mb * WEB_SHARE) // WEB_MB))


def cpu_workers(cores: int) -> int:
    """For imports, checks of uploads and standings: they wait for the database more than they compute."""
    return max(1, cores // CORES_A_CPU_WORKER)


def decode_threads(cores: int) -> int:
    """Half the cores, at most 4: decoding is ahead of most models then, and each thread holds a clip's frames."""
    return max(1, min(4, cores // 2))
