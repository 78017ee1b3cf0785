"""Limits that a process sets for itself before it opens untrusted files."""

import os
import resource
import signal

from benchmarks.policy import MEGABYTE

NICE = 10  # lower priority than the web processes


def limit_memory(megabytes: int) -> None:
    """Limit the address space, and lower the priority."""
    os.setpriority(os.PRIO_PROCESS, 0, max(NICE, os.getpriority(os.PRIO_PROCESS, 0)))
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    wanted = megabytes * MEGABYTE
    resource.setrlimit(resource.RLIMIT_AS, (wanted if most < 0 else min(wanted, most), most))


def limit_time(seconds: int) -> None:
    """Limit processor time to `seconds` from now, and real time to three times that; then the system kills this
    process.

    No signal handler is involved: code that hangs inside a library would never run it.
    """
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds, most))
    signal.alarm(3 * seconds)


def lift_time_limit() -> None:
    """Remove the limit of real time, for a process that now waits for its next file."""
    signal.alarm(0)
