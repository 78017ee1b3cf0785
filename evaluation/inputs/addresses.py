"""Signed addresses of clips without sound, for servers that fetch and sample videos themselves."""

import time
from functools import lru_cache

from django.conf import settings

from benchmarks.definitions.registry import find_benchmark
from benchmarks.disclosure.doors import policy_of, signed_address
from benchmarks.models import Clip, Pack, Rendition
from benchmarks.storage.access import muted
from evaluation.errors import ClipUnreadable, RunMisused
from evaluation.inputs.frames import is_single

ADDRESS = "address"  # value of the option frames_as
HOUR = 3600  # seconds
WHOLE = ("video", "no-audio")  # conditions under which the clip's file is shown unchanged


def address_of(clip: Clip) -> str:
    """The clip's address on this site, valid for 23 hours or more; the file has no sound."""
    rendition = muted(clip) if find_benchmark(clip.pack.benchmark).has_sound else clip.displayed_file
    if rendition is None:
        raise ClipUnreadable(clip.problem or "the clip was withdrawn")
    return _signed(rendition, int(time.time() // HOUR))


@lru_cache(maxsize=4096)
def _signed(rendition: Rendition, _hour: int) -> str:
    """The signed address, the same for an hour: servers cache questions about a clip by their common beginning."""
    return settings.SITE_URL.rstrip("/") + signed_address(rendition)


def check_addresses(pack: Pack, condition: str, sampler: str, *, is_of_one_clip: bool) -> None:
    """Raise RunMisused if the clips' files would differ from what the run says is shown, or may not be given away."""
    why = ""
    if policy_of(pack) != "public":
        why = f"the clips of {pack} are not public"
    elif condition not in WHOLE or is_single(sampler):
        why = f"their files are sent unchanged, not under {condition} with {sampler or 'no frames'}"
    elif not is_of_one_clip:
        why = "this strategy marks its clips or shows pictures"
    if why:
        raise RunMisused(f"frames_as {ADDRESS} gives a server the addresses of clips: {why}")
