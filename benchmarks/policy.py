"""How long things are kept and how large they may be: each period and size stands here once, with its words.

Modules take the values, pages print them by `{% keep %}` and `{% limit %}`, and a table of `docs/deploying.md` lists
them.
"""

from dataclasses import dataclass
from datetime import timedelta

KILOBYTE, MEGABYTE, GIGABYTE = 1024, 1024**2, 1024**3
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
UNITS = ((DAY, "day"), (HOUR, "hour"), (timedelta(minutes=1), "minute"))


@dataclass(frozen=True)
class Period:
    """A period, and what is kept for it."""

    period: timedelta
    what: str

    @property
    def words(self) -> str:
        """The period in its largest whole unit: "7 days", "1 hour"."""
        unit, name = next(one for one in UNITS if not self.period % one[0])
        count = self.period // unit
        return f"{count} {name}{'' if count == 1 else 's'}"


@dataclass(frozen=True)
class Limit:
    """The most that is accepted, in bytes or in the named unit, and of what."""

    most: int
    what: str
    unit: str = ""  # "" = bytes

    @property
    def words(self) -> str:
        """The size in words: "64 MB", "5,000 files"."""
        if self.unit:
            return f"{self.most:,} {self.unit}"
        size, name = (MEGABYTE, "MB") if self.most >= MEGABYTE else (KILOBYTE, "kB")
        return f"{self.most // size:,} {name}"


KEEP = {
    "refused uploads": Period(7 * DAY, "refused uploads and their reports, large uploads"),
    "half-stored uploads": Period(timedelta(minutes=2), "an upload that was half stored when its process died"),
    "participants' ids": Period(
        180 * DAY, "participants' external ids after the study closed, unless its author says else"
    ),
    "signed addresses": Period(DAY, "a signed address of a clip"),
    "frames in browsers": Period(HOUR, "frames of replies in browsers' caches"),
    "staging": Period(DAY, "files of an import that was killed"),
    "errors": Period(7 * DAY, "errors on the operations page"),
    "messages": Period(4 * HOUR, "a message past its time, for hosts whose clock is ahead"),
    "hosts": Period(DAY, "a removed host in the list of processes"),
}
LIMITS = {
    "upload": Limit(64 * MEGABYTE, "a file of answers"),
    "upload unpacked": Limit(512 * MEGABYTE, "a file of answers, unpacked"),
    "upload document": Limit(16 * MEGABYTE, "one JSON document of answers"),
    "upload files": Limit(20_000, "an archive of answers", "files"),
    "upload list of files": Limit(4 * MEGABYTE, "an archive's own list of files"),
    "upload lines": Limit(3_000_000, "a file of answers, with empty ones", "lines"),
    "upload rows": Limit(2_000_000, "a file of answers", "answers"),
    "cell": Limit(2 * MEGABYTE, "a line of answers, a cell of a table"),
    "benchmark": Limit(500 * MEGABYTE, "a benchmark's ZIP through the site; the command accepts more"),
    "benchmark unpacked": Limit(2_000 * MEGABYTE, "the same, unpacked"),
    "benchmark files": Limit(2_000, "the same", "files"),
    "prompts": Limit(16 * MEGABYTE, "a table of prompts"),
    "clip set": Limit(20_000 * MEGABYTE, "an archive of generated clips, in parts"),
    "clip set part": Limit(8 * MEGABYTE, "a part of it"),
    "clip set unpacked": Limit(20_000 * MEGABYTE, "the same archive, unpacked"),
    "clip set files": Limit(10_000, "the same archive", "files"),
    "material": Limit(2_000 * MEGABYTE, "a video to annotate through the site; the command accepts more"),
    "picture": Limit(64 * MEGABYTE, "a picture file"),
    "request": Limit(80 * MEGABYTE, "a request"),
    "form": Limit(20 * MEGABYTE, "a form's fields"),
    "websocket message": Limit(64 * KILOBYTE, "a websocket's message"),
    "server reply": Limit(8 * MEGABYTE, "a model server's reply"),
    "program line": Limit(MEGABYTE, "a line of a model's program"),
    "training log": Limit(10 * MEGABYTE, "a training's log or curve"),
}
