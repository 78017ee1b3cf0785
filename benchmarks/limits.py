"""Limits that a process lays upon itself before it opens what a stranger sent."""

import os
import resource
import signal

NICE = 10  # behind whoever answers pages
MEGABYTE = 1024 * 1024


def limit_memory(megabytes: int) -> None:
    """Ask for no more address space than this, and let the others go first."""
    os.setpriority(os.PRIO_PROCESS, 0, max(NICE, os.getpriority(os.PRIO_PROCESS, 0)))
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    wanted = megabytes * MEGABYTE
    resource.setrlimit(resource.RLIMIT_AS, (wanted if most < 0 else min(wanted, most), most))


def limit_time(seconds: int) -> None:
    """From now on so many seconds of the processor, and three times as many by the clock; then the system ends us.

    No handler of ours is asked: whoever hangs in a library's code would not come to it.
    """
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds, most))
    signal.alarm(3 * seconds)
