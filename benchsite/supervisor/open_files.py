"""The number of connections that a process can hold within its limit of open files."""

import resource

OTHER_FILES = 200  # for the database, the log and media


def room_for(connections: int, *, files_each: int) -> int:
    """Raise the process's file limit as far as possible; return how many of the wanted connections fit."""
    wanted = files_each * connections + OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return connections
    reached = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (reached, hard))
    return max(1, (reached - OTHER_FILES) // files_each)
