"""One question as a page shows it: its clips or stills, its sentence, its answers. Nothing in it reveals the item.

Stills of a clip are the same frames, at the same size, as models get.
"""

import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from operator import attrgetter

from benchmarks.encoding.even_frames import evenly_spaced
from benchmarks.models import Clip, Item, ItemMedia
from benchmarks.storage.access import decodable
from humantrials.judging.attention_checks import SheetQuestion
from humantrials.models import Participant, Trial
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Option, Protocol
from humantrials.protocols.settings import stills_per_clip, stills_wanted


@dataclass(frozen=True)
class DisplayedClip:
    """One clip of a question: its place, its name, and its box in the units of `view`."""

    place: int = 0
    name: str = ""
    box: tuple[int, int, int, int] | None = None  # left, top, width, height
    view: tuple[int, int] = (0, 0)
    choice: str = ""  # the answer, if this picture is one


@dataclass(frozen=True)
class DisplayedQuestion:
    """One question on a page; nothing in it reveals the item."""

    position: int  # its number on the person's pages
    sentence: str
    options: tuple[Option, ...]
    clips: tuple[DisplayedClip, ...] = (DisplayedClip(),)
    note: str = ""  # a note about the condition, such as that there is no sound
    confidence_steps: int = 0  # of the scale that is asked after the answer; 0 = none
    asks_why: bool = False  # after the answer


def options_for(person: Participant, item: Item) -> tuple[Option, ...]:
    """The answer buttons in this person's order, drawn once; the keyboard keys keep their places."""
    protocol = find_protocol(person.trial.protocol)
    options = protocol.player.options_for(item)
    if not (protocol.player.swaps and person.answers_swapped):
        return options
    keys = [option.key for option in options]
    return tuple(replace(option, key=key) for option, key in zip(reversed(options), keys, strict=True))


def trial_question(person: Participant, item: Item, on_sheet: SheetQuestion) -> DisplayedQuestion:
    """The question about this item; reads its prefetched media."""
    protocol = find_protocol(person.trial.protocol)
    clips = displayed_clips(protocol, item)
    if protocol.player.shows_frames:
        stills = stills_per_clip(person.trial.settings, item.clip.frames if item.clip else 0)
        clips = tuple(DisplayedClip(place, str(place + 1)) for place in range(stills))
    note = str(protocol.player.words.get(on_sheet.condition, ""))
    return DisplayedQuestion(
        on_sheet.number, protocol.player.page_sentence(item.text), options_for(person, item), clips, note
    )


def displayed_clips(protocol: Protocol, item: Item) -> tuple[DisplayedClip, ...]:
    """The clips or pictures of the item; reads its prefetched media."""
    if protocol.player.has_pictures:
        return tuple(_pictures(item))
    if protocol.player.has_twin:
        return tuple(DisplayedClip(place, str(option.label)) for place, option in enumerate(protocol.player.options))
    if protocol.player.clips > 1:
        return tuple(_displayed_clip(protocol, media) for media in item.media.all())
    return (DisplayedClip(),)


def _pictures(item: Item) -> Iterator[DisplayedClip]:
    """The image sequence with its numbers, then the possible answers with their letters."""
    uses = sorted(item.media.all(), key=attrgetter("position"))
    for number, use in enumerate((use for use in uses if use.role == "image"), start=1):
        yield DisplayedClip(use.position, str(number))
    for value, use in zip(item.options, (use for use in uses if use.role == "choice"), strict=True):
        yield DisplayedClip(use.position, value.upper(), choice=value)


def _displayed_clip(protocol: Protocol, media: ItemMedia) -> DisplayedClip:
    """The clip with its name and the box that the release gives on its middle frame."""
    name = str(protocol.player.options[media.position].label)
    if "box" not in media.clip.facts:
        return DisplayedClip(media.position, name)
    left, top, right, bottom = media.clip.facts["box"]
    width, height = media.clip.facts["box_in"]
    return DisplayedClip(media.position, name, (left, top, right - left, bottom - top), (width, height))


def practice_of(trial: Trial) -> Item | None:
    """The practice item: an item of the pack, or an unsaved one for the protocol's own clip."""
    own = find_protocol(trial.protocol).screening.own_practice
    if not (trial.has_own_practice and own):
        return trial.practice
    return Item(pack=trial.pack, kind=own.kind, text=own.text)


def practice_sentence(protocol: Protocol, item: Item) -> str:
    """The item's own question, or the one that its practice source asks instead."""
    sources = (source for source in protocol.screening.practice if source.kind == item.kind)
    own = next((source.sentence for source in sources if source.sentence), None)
    return str(own) if own else protocol.player.page_sentence(item.text)


CLIPS = 64  # whose stills each process keeps


def still_of(trial: Trial, item: Item, place: int) -> bytes | None:
    """One still as PNG; None if there is no such still or its clip can't be read."""
    clip = item.clip
    if clip is None or clip.withdrawn_at or not clip.frames:
        return None
    try:
        found = _stills(clip.pk, clip.sha256, stills_wanted(trial.settings))
    except (OSError, ValueError):
        return None
    return found[place] if place < len(found) else None


@lru_cache(maxsize=CLIPS)
def _stills(clip: int, sha256: str, count: int) -> tuple[bytes, ...]:
    """So many stills of the clip; `sha256` distinguishes clips of different databases that share a number."""
    from PIL import Image

    from benchmarks.encoding.frames import frames

    files = []
    for frame in frames(decodable(Clip.objects.get(pk=clip)), partial(evenly_spaced, count)):
        file = io.BytesIO()
        Image.fromarray(frame.picture).save(file, "PNG", compress_level=3)
        files.append(file.getvalue())
    return tuple(files)
