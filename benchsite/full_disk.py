"""A disk without room is nobody's mistake either: asked to come again, as when the database is busy."""

import errno

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse

from benchsite.busy import BusyDatabase

NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


class FullDisk(BusyDatabase):
    """Answers 503 where a file could not be written: an upload on its way, a report, a kept page."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, OSError) or exception.errno not in NO_ROOM:
            return None
        return super().process_exception(request, OperationalError("no room on the disk"))
