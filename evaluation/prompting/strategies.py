"""Prompting strategies: pure functions from an item (and an example) to a conversation."""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from benchmarks.definitions.files.compile import PLACEHOLDER
from benchmarks.definitions.giraffe_prompts import CHOICE, CHOICES
from benchmarks.definitions.grasp_prompts import DOES_IT_BREAK, ONE_SHOT, WHICH_OF_TWO
from benchmarks.definitions.pacs_prompts import OBJECTS
from benchmarks.definitions.registry import BENCHMARKS, find_benchmark
from benchmarks.definitions.wordings import PromptWording
from benchmarks.models import Clip, Item, ItemMedia
from evaluation.adapters.base import REPLY, Marker
from evaluation.errors import RunMisused


@dataclass(frozen=True)
class Say:
    """Text for the model, with the clip of the "item" or the "example" or without one.

    If an item has several clips, `clip` names the place of one: "object 1", "image 0".
    """

    text: str
    clip: str | None = None


Conversation = tuple[Say | Literal[Marker.REPLY], ...]


@dataclass(frozen=True)
class Strategy:
    """A prompting strategy; `needs_example` if it shows another item first, `shows_stills` if pictures of their own.

    `names_clips` if a name stands above each of several clips; `by_likelihood` if the probabilities of the options are
    asked for in place of a reply, `by_surprise` if a number a window of the clip is, `by_moment` if a second of it is;
    `needs_twin` if the twin of the item's clip is shown as well, as the example; `constrained` if the last reply can be
    nothing but one of the options.
    """

    name: str
    converse: Callable[[Item, Item | None], Conversation]
    needs_example: bool = False
    shows_stills: bool = False
    names_clips: bool = False
    by_likelihood: bool = False
    by_surprise: bool = False
    by_moment: bool = False
    needs_twin: bool = False
    constrained: bool = False

    @property
    def is_scored_apart(self) -> bool:
        """Whether its answers get no score of their own: see StrategyName."""
        return self.by_surprise or self.by_moment


def straight(item: Item, example: Item | None = None) -> Conversation:
    """The question with its clip, nothing else."""
    return (Say(item.text, clip="item"), REPLY)


def clip_alone(item: Item, example: Item | None = None) -> Conversation:
    """The clip without a word, for models that predict what comes next."""
    return (Say("", clip="item"), REPLY)


# This site's own words, version 1.
MOMENT = (
    "The video lasts {seconds:.1f} seconds. " + DOES_IT_BREAK + " If so, at which second from its start can one first"
    " know it? If not, the answer is nothing. Write the answer alone on the last line, a number of seconds or the word"
    " nothing, in this form:\nAnswer: ..."
)


def moment(item: Item, example: Item | None = None) -> Conversation:
    """The clip with its length, and when one can first know that something impossible happened."""
    seconds = item.clip.seconds if item.clip else 0.0
    return (Say(MOMENT.format(seconds=seconds), clip="item"), REPLY)


# This site's own words, version 1.
WHICH = WHICH_OF_TWO + " Write the answer alone on the last line, first or second, in this form:\nAnswer: ..."


def which_of_two(item: Item, example: Item | None = None) -> Conversation:
    """The item's clip, then its twin, and which of the two is not possible.

    Both clips of a pair are items, so that every pair is asked in both orders.
    """
    if example is None:
        raise RunMisused(f"item {item.public_id}: its clip has no twin in this pack")
    videos = (("The first video:", "item"), ("The second video:", "example"))
    return (*(part for name, clip in videos for part in (Say(name), Say("", clip=clip))), Say(WHICH), REPLY)


def look_first(item: Item, example: Item | None = None) -> Conversation:
    """Ask what the clip shows, wait for the reply, then ask the question without the clip."""
    return (Say(item.lead_in, clip="item"), REPLY, Say(item.text), REPLY)


def one_example(item: Item, example: Item | None = None) -> Conversation:
    """Show another clip with its question and answer, wait for the reply, then ask the question."""
    if example is None:
        raise RunMisused(f"item {item.public_id}: no other clip of its test can serve as the example")
    text = ONE_SHOT.format(question=example.text, answer=example.expected)
    return (Say(text, clip="example"), REPLY, Say(item.text, clip="item"), REPLY)


def description_only(item: Item, example: Item | None = None) -> Conversation:
    """The description of the scene and the question, without a clip."""
    return (Say(item.text), REPLY)


# This site's own words, version 1, after the question of a chain-of-thought strategy.
REASON = (
    "First describe what you see and reason step by step."
    " Then write your answer alone on the last line, in this form:\nAnswer: ..."
)


def reasoned(item: Item, example: Item | None = None) -> Conversation:
    """The question with its clip, and the request to reason before the answer on the last line."""
    return (Say(f"{item.text}\n{REASON}", clip="item"), REPLY)


def two_objects(item: Item, example: Item | None = None) -> Conversation:
    """Each object's name, its clip, then the question."""
    return (*_objects(item), Say(item.text), REPLY)


def two_objects_reasoned(item: Item, example: Item | None = None) -> Conversation:
    """Each object's name, its clip, then the question and the request to reason first."""
    return (*_objects(item), Say(f"{item.text}\n{REASON}"), REPLY)


def pictures(item: Item, example: Item | None = None) -> Conversation:
    """The pictures without text, then the query, as in the templates of the Giraffe paper."""
    clips = _clips_in_role(item, "image")
    if not clips:
        raise RunMisused(f"item {item.public_id}: it has no pictures to show")
    return (*(Say("", clip=place) for place in clips), Say(item.text), REPLY)


def four_to_choose_from(item: Item, example: Item | None = None) -> Conversation:
    """The pictures without text, then each of the four choices below its letter, then the question."""
    choices = _clips_in_role(item, CHOSEN)
    if len(choices) != len(CHOICES):
        raise RunMisused(f"item {item.public_id}: {len(choices)} pictures to choose from, {len(CHOICES)} are needed")
    offered = _named((CHOICE.format(letter=letter.upper()) for letter in CHOICES), choices)
    *images, query, reply = pictures(item)
    return (*images, *offered, query, reply)


def _objects(item: Item) -> tuple[Say, ...]:
    places = _clips_in_role(item, "object")
    if len(places) != len(OBJECTS):
        raise RunMisused(f"item {item.public_id}: {len(places)} objects have a clip, {len(OBJECTS)} are needed")
    return _named(OBJECTS, places)


def _named(names: Iterable[str], places: Sequence[str]) -> tuple[Say, ...]:
    """Each name above its clip, in a turn of its own: adapters put a turn's text below, where it names the next one."""
    pairs = zip(names, places, strict=True)
    return tuple(part for name, place in pairs for part in (Say(name), Say("", clip=place)))


def _clips_in_role(item: Item, role: str) -> list[str]:
    """The places of the item's clips with this role, in their order."""
    return [place_of(media) for media in item.media.all() if media.role == role]


def place_of(media: ItemMedia) -> str:
    """The name by which a Say refers to this clip of an item."""
    return f"{media.role} {media.position}"


REPLIES = {
    strategy.name: strategy
    for strategy in (
        Strategy("binary", straight),
        Strategy("binary-cot", look_first),
        Strategy("binary-oneshot", one_example, needs_example=True),
        Strategy("open", straight),
        Strategy("plausibility", straight),
        Strategy("plausibility-cot", look_first),
        Strategy("plausibility-oneshot", one_example, needs_example=True),
        Strategy("text", description_only),
        Strategy("surprise", clip_alone, by_surprise=True),
        Strategy("moment", moment, by_moment=True),
        Strategy("twins", which_of_two, needs_twin=True, names_clips=True),
        Strategy("craft", straight),
        Strategy("craft-cot", reasoned),
        Strategy("pair", two_objects, names_clips=True),
        Strategy("pair-cot", two_objects_reasoned, names_clips=True),
        Strategy("material", two_objects, names_clips=True),
        Strategy("material-cot", two_objects_reasoned, names_clips=True),
        Strategy("patterns-images", pictures, shows_stills=True),
        Strategy("patterns-video", straight),
        Strategy("activity-images", pictures, shows_stills=True),
        Strategy("activity-video", straight),
        Strategy("activity-text", description_only),
        Strategy("physics-images", pictures, shows_stills=True),
        Strategy("physics-video", straight),
        Strategy("patterns-choice", four_to_choose_from, shows_stills=True, names_clips=True),
    )
}
WITH_LIKELIHOOD = ("binary", "plausibility", "text", "craft", "pair", "material")
WITH_VARIANTS = (*WITH_LIKELIHOOD, "patterns-choice")


def as_written(name: str, item: Item, example: Item | None = None) -> Conversation:
    """The prompt of this name in the file of the item's benchmark, its placeholders filled."""
    benchmark = find_benchmark(item.pack.benchmark)
    definition = benchmark.strategy(name)
    places = [place_of(media) for media in item.media.all()] if definition.condition != "text" else []
    names = [Say(f"Clip {number}:") for number in range(1, len(places) + 1)]
    parts = [part for pair in zip(names, (Say("", clip=place) for place in places), strict=True) for part in pair]
    first, text = (_filled(one, item) for one in (definition.first, definition.prompt))
    clip = "item" if len(places) == 1 else None
    clips = tuple(parts) if len(places) > 1 else ()
    if first:
        return (*clips, Say(first, clip=clip), REPLY, Say(text), REPLY)
    return (*clips, Say(text, clip=clip), REPLY)


def _filled(prompt: str, item: Item) -> str:
    """The prompt with the item's own words; braces in those stay as they are."""
    words = {"question": item.text, "options": "\n".join(item.options), "lead_in": item.lead_in}
    return PLACEHOLDER.sub(lambda match: words[match[1]], prompt)


class KnownStrategies(dict[str, Strategy]):
    """Strategies by name: those of this module, and the prompts of benchmarks that are files."""

    def __missing__(self, name: str) -> Strategy:
        if not self._is_written(name):
            raise KeyError(name)
        return Strategy(name, partial(as_written, name), names_clips=True)

    def __contains__(self, name: object) -> bool:
        return dict.__contains__(self, name) or self._is_written(str(name))

    def get(self, name: str, default: Any = None) -> Any:
        return dict.get(self, name) or (self[name] if self._is_written(name) else default)

    @staticmethod
    def _is_written(name: str) -> bool:
        return any(one.name == name for benchmark in BENCHMARKS.files() for one in benchmark.strategies)


WEIGHED = {
    f"{name}-likelihood": replace(REPLIES[name], name=f"{name}-likelihood", by_likelihood=True)
    for name in WITH_LIKELIHOOD
}
CONSTRAINED = {
    f"{name}-constrained": replace(REPLIES[name], name=f"{name}-constrained", constrained=True)
    for name in WITH_VARIANTS
}
REWORDED = {f"{name}-wordings": replace(REPLIES[name], name=f"{name}-wordings") for name in WITH_VARIANTS}
STRATEGIES = KnownStrategies(REPLIES | WEIGHED | CONSTRAINED | REWORDED)


def conversation_for(strategy: str, item: Item, example: Item | None = None) -> Conversation:
    """The texts in their order, with REPLY wherever the model answers."""
    return STRATEGIES[strategy].converse(item, example)


CHOSEN = "choice"  # role of the pictures to choose from


def reworded(conversation: Conversation, wording: PromptWording) -> Conversation:
    """The conversation in another wording, with the pictures to choose from in its order."""
    places = [part.clip for part in conversation if isinstance(part, Say) and _is_offered(part)]
    moved = iter(places[wording.rotated % max(1, len(places)) :] + places)
    return tuple(
        part
        if not isinstance(part, Say)
        else Say(wording.of(part.text), next(moved) if _is_offered(part) else part.clip)
        for part in conversation
    )


def _is_offered(part: Say) -> bool:
    return part.clip is not None and part.clip.startswith(f"{CHOSEN} ")


class Candidates:
    """Items that may be shown as an example, sorted once for all draws."""

    def __init__(self, items: Iterable[Item]) -> None:
        self.items = sorted(items, key=lambda item: item.draw_key)
        self._places: dict[Clip | None, list[int]] = defaultdict(list)  # indices of each clip's items, ascending
        for place, item in enumerate(self.items):
            self._places[item.clip].append(place)

    def example_for(self, item: Item, seed: int) -> Item | None:
        """A uniform draw among items of other clips, determined by seed and item; None if there is none."""
        passed_over = self._places.get(item.clip, [])
        others = range(len(self.items) - len(passed_over))
        if not others:
            return None
        place = random.Random(f"{seed}:{item.draw_key}:example").choice(others)  # noqa: S311
        for own in passed_over:
            place += own <= place
        return self.items[place]
