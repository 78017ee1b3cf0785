from typing import Any

from django.conf import settings

from benchmarks.commands import SiteCommand
from benchmarks.encoding.limits import limit_memory, limit_time
from evaluation.submissions.lint.spool import Spool
from evaluation.submissions.store.upload_queue import SignsOfLife, check, take


class Command(SiteCommand):
    help = "Check waiting large files one by one, with limits on time and memory. Safe to run again."

    def handle(self, *args: Any, **options: Any) -> None:
        checked = 0
        limit_memory(settings.UPLOAD_MEMORY_MB)
        while upload := take():
            limit_time(settings.UPLOAD_SECONDS)
            spool = Spool()
            signs = SignsOfLife(upload, spool)
            signs.start()
            try:
                check(upload, spool)
            finally:
                signs.over.set()
                signs.join()
            checked += 1
        self.say(options, {"checked": checked}, f"{checked} files checked")
