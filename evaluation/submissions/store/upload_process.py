"""`python -m evaluation.submissions.store.upload_process`: check waiting uploads, with limits on time and memory."""

import os

import django
from django.conf import settings

from benchmarks.encoding.limits import limit_memory, limit_time


def check_waiting() -> int:
    """Check the waiting files one by one; returns their number."""
    from evaluation.submissions.lint.spool import Spool
    from evaluation.submissions.store.upload_queue import check, heartbeat, take  # models: after Django's set-up

    checked = 0
    limit_memory(settings.UPLOAD_MEMORY_MB)
    while upload := take():
        limit_time(settings.UPLOAD_SECONDS)
        spool = Spool()
        with heartbeat(upload, spool):
            check(upload, spool)
        checked += 1
    return checked


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    django.setup()
    check_waiting()
