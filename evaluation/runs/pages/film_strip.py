"""The film strip of a reply: thumbnails of the frames that the model saw, for users who may see run and clip."""

import io
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from benchmarks.disclosure import PUBLIC, Reader, reader_of
from benchmarks.disclosure.doors import is_open_to
from benchmarks.models import Item
from benchmarks.policy import KEEP
from evaluation.errors import ClipUnreadable
from evaluation.inputs.frames import frames_of, sampler_of
from evaluation.models import Listing, ModelResponse, Run

THUMBNAIL = (160, 120)
# In browser caches: a sealed or withdrawn clip can still be seen for this long at most.
CACHED_SECONDS = int(KEEP["frames in browsers"].period.total_seconds())


@dataclass(frozen=True)
class StripFrame:
    """One thumbnail: its position in the strip, its frame number in the clip, and its time there."""

    position: int
    index: int
    seconds: float | None


def strip_of(response: ModelResponse) -> list[StripFrame]:
    """The thumbnails in the order in which the model got the frames; none for a text-only reply."""
    times = [*response.frame_times, *[None] * len(response.frame_indices)]
    return [StripFrame(position, index, times[position]) for position, index in enumerate(response.frame_indices)]


def may_be_seen(item: Item, *, to: Reader) -> bool:
    """Whether media policy, withdrawal and seals allow showing the item's clip."""
    rendition = item.clip.displayed_file if item.clip else None
    return rendition is not None and is_open_to(rendition, to=to)


@require_safe
def picture(request: HttpRequest, pk: int, response: int, position: int) -> HttpResponse:
    """One thumbnail as JPEG; 404 unless the user may see both run and clip."""
    run = get_object_or_404(Run.objects.visible_to(request.user), pk=pk)
    reply = get_object_or_404(ModelResponse.objects.select_related("cell__item"), pk=response, cell__run=run)
    if not position < len(reply.frame_indices) or not may_be_seen(reply.cell.item, to=reader_of(request)):
        raise Http404("no such picture")
    answer = HttpResponse(_jpeg(run, reply, position), content_type="image/jpeg")
    is_public = run.listing == Listing.LISTED and may_be_seen(reply.cell.item, to=PUBLIC)
    answer["Cache-Control"] = f"{'public' if is_public else 'private'}, max-age={CACHED_SECONDS}"
    return answer


def _jpeg(run: Run, reply: ModelResponse, position: int) -> bytes:
    from PIL import Image

    clip = reply.cell.item.clip
    if clip is None:
        raise Http404("no such picture")
    try:
        frames = frames_of(clip, sampler_of(run.condition, run.sampler))
    except ClipUnreadable as error:
        raise Http404(str(error)) from error
    index = reply.frame_indices[position]  # correct for shuffled frames, too: the same pictures in another order
    if index not in frames.indices:
        raise Http404("no such picture")
    small = Image.fromarray(frames.pixels[frames.indices.index(index)])
    small.thumbnail(THUMBNAIL)
    file = io.BytesIO()
    small.save(file, "JPEG", quality=80)
    return file.getvalue()
