"""One question as a page shows it: its clips, its sentence, its answers. Nothing in it tells the item."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from operator import attrgetter

from benchmarks.models import Item, ItemMedia
from humantrials.models import Participant
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Option, Protocol


@dataclass(frozen=True)
class Shown:
    """One clip of a question: its place, what it is called, and where the box lies, in the units of `view`."""

    place: int = 0
    name: str = ""
    box: tuple[int, int, int, int] | None = None  # left, top, width, height
    view: tuple[int, int] = (0, 0)
    choice: str = ""  # of a picture that is an answer: the answer


@dataclass(frozen=True)
class Question:
    """One question as a page shows it: its clips, its sentence, its answers. Nothing in it tells the item."""

    position: int
    sentence: str
    options: tuple[Option, ...]
    clips: tuple[Shown, ...] = (Shown(),)
    note: str = ""  # what is said of the condition, such as that there is no sound


def options_for(person: Participant, item: Item) -> tuple[Option, ...]:
    """The buttons in this person's order, drawn once; the keys stay where they are."""
    protocol = find_protocol(person.trial.protocol)
    options = protocol.options_for(item)
    if not (protocol.swaps and person.answers_swapped):
        return options
    keys = [option.key for option in options]
    return tuple(replace(option, key=key) for option, key in zip(reversed(options), keys, strict=True))


def trial_question(person: Participant, item: Item, *, condition: str, position: int = 0) -> Question:
    """The question about this item; reads its prefetched media."""
    protocol = find_protocol(person.trial.protocol)
    clips = shown_of(protocol, item)
    note = str(protocol.words.get(condition, ""))
    return Question(position, protocol.shown(item.text), options_for(person, item), clips, note)


def shown_of(protocol: Protocol, item: Item) -> tuple[Shown, ...]:
    """What the page shows of the item; reads its prefetched media."""
    if protocol.has_pictures:
        return tuple(_pictures(item))
    return tuple(_shown(protocol, media) for media in item.media.all()) if protocol.clips > 1 else (Shown(),)


def _pictures(item: Item) -> Iterator[Shown]:
    """The row under its numbers, then what may come next under its letters."""
    uses = sorted(item.media.all(), key=attrgetter("position"))
    for number, use in enumerate((use for use in uses if use.role == "image"), start=1):
        yield Shown(use.position, str(number))
    for value, use in zip(item.options, (use for use in uses if use.role == "choice"), strict=True):
        yield Shown(use.position, value.upper(), choice=value)


def _shown(protocol: Protocol, media: ItemMedia) -> Shown:
    """The clip at its place, with the box that the release gives on its middle frame."""
    name = str(protocol.options[media.position].label)
    if "box" not in media.clip.facts:
        return Shown(media.position, name)
    left, top, right, bottom = media.clip.facts["box"]
    width, height = media.clip.facts["box_in"]
    return Shown(media.position, name, (left, top, right - left, bottom - top), (width, height))


def practice_sentence(protocol: Protocol, item: Item) -> str:
    """The item's own question, or the one that its source asks instead."""
    sources = (source for source in protocol.practice if source.kind == item.kind)
    own = next((source.sentence for source in sources if source.sentence), None)
    return str(own) if own else protocol.shown(item.text)
