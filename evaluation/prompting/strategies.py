"""Prompting strategies: pure functions from an item (and an example) to a conversation."""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from benchmarks.definitions.definition import StrategyName
from benchmarks.definitions.files.compile import PLACEHOLDER
from benchmarks.definitions.registry import BENCHMARKS, BUILT_IN, find_benchmark
from benchmarks.definitions.wordings import PromptWording
from benchmarks.models import Clip, Item, ItemMedia
from evaluation.adapters.base import REPLY, Marker
from evaluation.errors import RunMisused


@dataclass(frozen=True)
class Say:
    """A text for the model with a clip: that of the "item", that of the "example", or none.

    If an item has several clips, `clip` names the place of one: "object 1", "image 0".
    """

    text: str
    clip: str | None = None


Conversation = tuple[Say | Literal[Marker.REPLY], ...]
CHOSEN = "choice"  # role of the pictures to choose from


def conversation_in(facts: StrategyName, item: Item, example: Item | None = None, answer: str = "") -> Conversation:
    """The prompt in the wording of the benchmark's file, with its placeholders filled."""
    if facts.with_twin:
        return (*_named(facts.clip_names or (), _twins(item, example)), Say(_filled(facts.prompt, item)), REPLY)
    visible, clip = _clip_turns(facts, item)
    text = _filled(facts.prompt, item)
    if facts.example:
        return (*visible, _example(facts, item, example, answer), REPLY, Say(text, clip=clip), REPLY)
    if facts.first:
        return (*visible, Say(_filled(facts.first, item), clip=clip), REPLY, Say(text), REPLY)
    return (*visible, Say(text, clip=clip), REPLY)


def _twins(item: Item, example: Item | None) -> tuple[str, str]:
    """The item's clip, then its twin. Both clips of a pair are items, so every pair is asked in both orders."""
    if example is None:
        raise RunMisused(f"item {item.public_id}: its clip has no twin in this pack")
    return "item", "example"


def _example(facts: StrategyName, item: Item, example: Item | None, answer: str) -> Say:
    """Another clip with its question and answer."""
    if example is None:
        raise RunMisused(f"item {item.public_id}: no other clip of its test can serve as the example")
    words = {"question": example.text, "answer": answer}
    return Say(PLACEHOLDER.sub(lambda match: words[match[1]], facts.example), clip="example")


def _clip_turns(facts: StrategyName, item: Item) -> tuple[Iterable[Say], str | None]:
    """Turns that show the clips with their names; or no turns, and the name of the clip shown with the text."""
    if facts.condition == "text":
        return (), None
    media = list(item.media.all()) if item.pk else []
    if facts.clip_names is None and not facts.choice_names and len(media) < 2:
        return (), "item"
    places = [place_of(medium) for medium in media if medium.role != CHOSEN or not facts.choice_names]
    places = ["item"] if len(media) == len(places) == 1 else places  # several clips keep their own names
    choices = [place_of(one) for one in media if one.role == CHOSEN] if facts.choice_names else []
    names = (
        [f"Clip {number}:" for number in range(1, len(places) + 1)] if facts.clip_names is None else facts.clip_names
    )
    for found, wanted in ((places, names or places or ("one",)), (choices, facts.choice_names)):
        if len(found) != len(wanted):
            raise RunMisused(f"item {item.public_id}: {len(found)} clips to show, {len(wanted)} are needed")
    visible = _named(names, places) if names else tuple(Say("", clip=place) for place in places)
    return (*visible, *_named(facts.choice_names, choices)), None


def _named(names: Iterable[str], places: Sequence[str]) -> tuple[Say, ...]:
    """Each name in a turn before its clip: a turn's text follows its frames and would name the next clip."""
    pairs = zip(names, places, strict=True)
    return tuple(part for name, place in pairs for part in (Say(name), Say("", clip=place)))


def place_of(media: ItemMedia) -> str:
    """The name by which a Say refers to this clip of an item."""
    return f"{media.role} {media.position}"


def _filled(prompt: str, item: Item) -> str:
    """The prompt with the item's own words; braces within those words are left alone."""
    return PLACEHOLDER.sub(lambda match: WORDS[match[1]](item), prompt)


WORDS: Mapping[str, Callable[[Item], str]] = {
    "question": lambda item: item.text,
    "options": lambda item: "\n".join(item.options),
    "lead_in": lambda item: item.lead_in,
    "seconds": lambda item: f"{item.clip.seconds if item.clip else 0.0:.1f}",
}


# The strategies of built-in benchmarks by name.
STRATEGIES = {one.name: one for benchmark in BUILT_IN.values() for one in benchmark.strategies}


def find_strategy(benchmark: str, name: str) -> StrategyName | None:
    """A benchmark's strategy, None if either is gone; files of several benchmarks may have a prompt of one name."""
    own = BENCHMARKS[benchmark].strategies if benchmark in BENCHMARKS else ()
    return next((one for one in own if one.name == name), None)


def names_clips(facts: StrategyName) -> bool:
    """Whether a name precedes each of several clips; prompts of files number them unless they say otherwise."""
    is_numbered = facts.clip_names is None and facts.name not in STRATEGIES
    return is_numbered or len(facts.clip_names or ()) > 1 or bool(facts.choice_names)


def conversation_for(strategy: str, item: Item, example: Item | None = None, answer: str = "") -> Conversation:
    """The texts in their order, with REPLY wherever the model answers; `answer` is told with the example."""
    return conversation_in(find_benchmark(item.pack.benchmark).strategy(strategy), item, example, answer)


def system_prompt(strategy: str, item: Item) -> str:
    """The strategy's system prompt for this item; '' without one."""
    facts = find_strategy(item.pack.benchmark, strategy)
    return _filled(facts.system, item) if facts else ""


def reworded(conversation: Conversation, wording: PromptWording) -> Conversation:
    """The conversation in another wording, with the pictures to choose from in that wording's order."""
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
        """A uniform draw among items about other clips, determined by seed and item; None if there are none."""
        passed_over = self._places.get(item.clip, [])
        others = range(len(self.items) - len(passed_over))
        if not others:
            return None
        place = random.Random(f"{seed}:{item.draw_key}:example").choice(others)  # noqa: S311
        for own in passed_over:
            place += own <= place
        return self.items[place]
