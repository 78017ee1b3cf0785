"""Measures how late somebody presses: clips with a flash at a random moment, before the first clip of the study.

The delay of a press is its second in the clip minus that of the flash; the person's delay is the median over the clips.
It includes the delays of person, keyboard and browser. Somebody who can't press, for example without JavaScript,
continues without a delay. The moments are derived from the person's token with this site's key, so no page reveals
them.
"""

import hmac
import math
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from statistics import median

from django.conf import settings
from django.db import transaction

from humantrials.assignment.leases import locked
from humantrials.models import Participant
from humantrials.participation.screening import FLASH, note_check

CLIPS, SECONDS = 3, 4.0
FIRST, LAST, STEP = 1.0, 3.0, 0.02  # seconds between which a flash comes, in steps
SOONEST, LATEST = 0.08, 1.0  # delay in seconds: a sooner press did not react to the flash, a later one missed it


def flash_at(person: Participant, number: int) -> float:
    """The second of the flash in this clip."""
    digest = hmac.digest(settings.SECRET_KEY.encode(), f"{person.token}/{number}/flash".encode(), "sha256")
    return round(FIRST + STEP * (int.from_bytes(digest[:4]) % round((LAST - FIRST) / STEP)), 2)


def flash_clip(person: Participant, number: int) -> bytes | None:
    """The clip of this number as a video file, or None."""
    return _clip(flash_at(person, number)) if 1 <= number <= CLIPS else None


@lru_cache(maxsize=32)
def _clip(at: float) -> bytes:
    from scenes.rendering.flash import write_flash

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "flash.mp4"
        write_flash(path, seconds=SECONDS, at=at)
        return path.read_bytes()


@transaction.atomic
def check_flashes(*, participant: Participant, posted: Mapping[str, str]) -> bool:
    """Store the delay of each press, None for a clip without one; this step stops nobody."""
    person = locked(participant)
    if person.step != FLASH:
        return False
    delays = [_delay(person, number, posted.get(f"press{number}", "")) for number in range(1, CLIPS + 1)]
    known = [delay for delay in delays if delay is not None]
    note_check(person, flashes=delays, **({"delay": round(median(known), 3)} if known else {}))
    return True


def _delay(person: Participant, number: int, text: str) -> float | None:
    try:
        delay = float(text[:20]) - flash_at(person, number)
    except ValueError:
        return None
    return round(delay, 3) if math.isfinite(delay) and SOONEST <= delay <= LATEST else None
