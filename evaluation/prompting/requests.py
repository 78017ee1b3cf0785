"""Builds the request for one cell from its conversation, clips and example."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from benchmarks.definitions.definition import StrategyName
from benchmarks.definitions.registry import BENCHMARKS, find_benchmark, telling
from benchmarks.definitions.wordings import PromptWording
from benchmarks.disclosure import STAFF, Answer, Fact, known_answers, open_answers, open_to
from benchmarks.gallery.browse import CAUTION
from benchmarks.models import Clip, Item, ItemQuerySet
from evaluation.adapters.base import REPLY, Frames, Marker, Request, Turn
from evaluation.adapters.registry import hears
from evaluation.errors import ClipUnreadable, RunMisused
from evaluation.inputs.addresses import ADDRESS, address_of
from evaluation.inputs.audio import PLAYING, Played, played
from evaluation.inputs.frames import CONDITIONS, WITHOUT_FRAMES, boxed, check_sampler, frames_for
from evaluation.models import Cell, Run, RunKind
from evaluation.parsing import PARSERS
from evaluation.prompting.presets import preset_in, thinking_of
from evaluation.prompting.strategies import (
    Candidates,
    Conversation,
    Say,
    conversation_for,
    find_strategy,
    place_of,
    reworded,
    system_prompt,
)
from measures.scores.parsed_answers import ParserContext

Tests = tuple[str, ...]
Turns = tuple[Turn | Literal[Marker.REPLY], ...]


@dataclass(frozen=True)
class CellRequest:
    """A cell with its conversation, frames and sound, and the request built from them."""

    cell: Cell
    conversation: Conversation
    example: Item | None
    clip_frames: Mapping[str, Frames | None]  # by the names that a Say uses: "item", "example", "object 1"
    sounds: Mapping[str, Played]  # by the same names; empty without sound
    request: Request

    @property
    def frames(self) -> Frames | None:
        """The frames of the item's only or first clip."""
        return self.clip_frames["item"]

    @property
    def frames_hash(self) -> str:
        """SHA-256 over all frames, the example's included; a single clip's own digest, or '' without frames."""
        clips = [part.clip for part in self.conversation if isinstance(part, Say) and part.clip]
        digests = [frames.digest for clip in clips if (frames := self.clip_frames[clip])]
        return digests[0] if len(digests) == 1 else hash_of(digests) if digests else ""


@dataclass(frozen=True)
class Asking:
    """Builds the questions of one run; the candidates for examples are read once."""

    run: Run

    def question(self, cell: Cell) -> CellRequest:
        """The request for this cell; raises ClipUnreadable or RunMisused, which affect only this item."""
        conversation, example = self.conversation(cell)
        frames = {
            "item": self._frames(cell.item, cell.seed),
            "example": self._frames(example, cell.seed) if example else None,
            **self._places(cell),
        }
        sounds = self._sounds(cell, example, conversation)
        turns = tuple(_dialogue_turn(part, frames, sounds) if isinstance(part, Say) else REPLY for part in conversation)
        return CellRequest(cell, conversation, example, frames, sounds, self._request(cell, turns))

    def conversation(self, cell: Cell) -> tuple[Conversation, Item | None]:
        """What is said about this cell's item, and the example in it; raises RunMisused."""
        example = self.example(cell)
        conversation = conversation_for(self.run.strategy, cell.item, example, self._example_answer(example))
        wording = wording_of(self.run, cell.seed)
        return (reworded(conversation, wording) if wording else conversation), example

    def example(self, cell: Cell) -> Item | None:
        """The item shown first, drawn among items of the same tests (or the twin); None if the strategy shows none."""
        if self._strategy.with_twin:
            return self._twins.get(cell.item.key)
        if not self._strategy.example:
            return None
        candidates = self._by_test.get(tests_of(cell.item))
        return candidates.example_for(cell.item, cell.seed) if candidates else None

    def _example_answer(self, example: Item | None) -> str:
        """The answer told with the example; "" for a twin, with which none is told."""
        return (self._answers[example.pk].expected or "") if example and self._strategy.example else ""

    @cached_property
    def _answers(self) -> dict[int, Answer]:
        """The answers of all candidates for examples."""
        candidates = (item for of_tests in self._by_test.values() for item in of_tests.items)
        return open_answers(candidates, to=STAFF)

    def clips(self, cell: Cell) -> list[Clip]:
        """The clips that must be decoded before this cell is asked."""
        items = (cell.item, self.example(cell)) if self.run.condition not in WITHOUT_FRAMES else ()
        return [media.clip for item in items if item for media in item.media.all()]

    def clips_of_shard(self, shard_id: int) -> Iterable[Clip]:
        """The clips to decode for this shard, in the order of its cells.

        The cells are read only if the strategy shows examples.
        """
        if self.run.condition in WITHOUT_FRAMES:
            return []
        if self._strategy.example or self._strategy.with_twin:
            return [clip for cell in cells_of(shard_id, self.run) for clip in self.clips(cell)]
        clips = Clip.objects.filter(uses__item__cells__shard=shard_id).prefetch_related("renditions")
        return clips.order_by("uses__item__cells__pk", "uses__position")

    def _places(self, cell: Cell) -> dict[str, Frames | None]:
        """The frames of each clip, keyed by the names that a Say uses; {} for an item with fewer than two clips."""
        run, uses, frames = self.run, list(cell.item.media.all()), {}
        for use in uses if len(uses) > 1 else ():
            place = place_of(use)
            key = f"{cell.item.draw_key} {place}"
            how = {"sampler": run.sampler, "condition": run.condition}
            seen = frames_for(use.clip, key=key, seed=cell.seed, **how)
            frames[place] = boxed(seen, use.clip, condition=run.condition) if seen else None
        return frames

    def _sounds(self, cell: Cell, example: Item | None, conversation: Conversation) -> dict[str, Played]:
        """The sound of each clip in the conversation; {} if the condition has no sound."""
        run = self.run
        if run.condition not in PLAYING:
            return {}
        if not hears(run.model):
            raise RunMisused(f"condition {run.condition} plays sound, and {run.model.slug} has no input for it")
        clips: dict[str, Clip | None] = {place_of(use): use.clip for use in cell.item.media.all()}
        clips |= {"item": cell.item.clip, "example": example.clip if example else None}
        names = [part.clip for part in conversation if isinstance(part, Say) and part.clip]
        clips_of = {name: clip for name in names if (clip := clips[name])}
        return played(clips_of, condition=run.condition, seed=cell.seed, key=cell.item.draw_key)

    def _frames(self, item: Item, seed: int) -> Frames | None:
        run = self.run
        if run.condition in WITHOUT_FRAMES:
            return None
        if item.clip is None:
            raise ClipUnreadable(f"item {item.public_id} has no clip, and {run.condition} shows one")
        frames = frames_for(item.clip, sampler=run.sampler, condition=run.condition, seed=seed, key=item.draw_key)
        is_fetched = frames is not None and run.model.options.get("frames_as") == ADDRESS
        return replace(frames, address=address_of(item.clip)) if frames and is_fetched else frames

    def _request(self, cell: Cell, turns: Turns) -> Request:
        sampling = self.run.sampling
        preset = preset_in(sampling, self.run.pack.benchmark)
        return Request(
            turns=turns,
            seed=seed_of(cell.seed, cell.item.draw_key),
            temperature=float(sampling.get("temperature", 0.0)),
            max_new_tokens=int(sampling.get("max_new_tokens", 64)),
            options=tuple(cell.item.options),
            key=cell.item.public_id,
            split=self.run.split,
            facets=facets_of(cell.item),
            system=preset.system if preset else system_prompt(self.run.strategy, cell.item),
            template=preset.template if preset else "",
            by_likelihood=self._strategy.by_likelihood,
            by_surprise=self._strategy.by_surprise,
            constrained=self._strategy.constrained,
            thinking=thinking_of(sampling),
        )

    @cached_property
    def _strategy(self) -> StrategyName:
        return find_benchmark(self.run.pack.benchmark).strategy(self.run.strategy)

    @cached_property
    def _twins(self) -> dict[str, Item]:
        """The item about the twin of each clip, by the key of the item that it is shown with."""
        twin_key = find_benchmark(self.run.pack.benchmark).twin_key
        if twin_key is None:
            return {}
        items = with_media(self.run.pack.items.filter(kind__in=self._strategy.kinds).askable())
        return {twin: item for item in items if (twin := twin_key(item.key))}

    @cached_property
    def _by_test(self) -> dict[Tests, Candidates]:
        """Candidates for examples by test; none has a withheld answer, which neither model nor server may see."""
        grouped = defaultdict(list)
        items = self.run.pack.items.in_split(self.run.split).filter(kind__in=self._strategy.kinds).askable()
        for item in with_media(items.filter(open_to(STAFF, Fact.ANSWER), known_answers())):
            grouped[tests_of(item)].append(item)
        return {tests: Candidates(items) for tests, items in grouped.items()}


def cells_of(shard_id: int, run: Run) -> list[Cell]:
    """All cells of this shard of the run by id, the order of the batch, with the related rows that requests need."""
    found = Cell.objects.filter(shard_id=shard_id, run=run).order_by("pk").select_related("item__briefing")
    cells = list(found.prefetch_related("item__facets", "item__media__clip__renditions"))
    for cell in cells:
        cell.run, cell.item.pack = run, run.pack  # not read again for each shard: a run's card is long
    return cells


def wording_of(run: Run, seed: int) -> PromptWording | None:
    """The wording of the run's questions for this seed; None for a strategy with a single wording."""
    if run.kind != RunKind.RUN or run.pack.benchmark not in BENCHMARKS:
        return None
    known = {strategy.name: strategy.wordings for strategy in BENCHMARKS[run.pack.benchmark].strategies}.get(
        run.strategy, ()
    )
    return known[seed] if seed < len(known) else None


def _dialogue_turn(part: Say, frames: Mapping[str, Frames | None], sounds: Mapping[str, Played]) -> Turn:
    if not part.clip:
        return Turn(part.text)
    sound = sounds.get(part.clip)
    return Turn(part.text, frames[part.clip], sound.audio if sound else None)


def hash_of(digests: Sequence[str]) -> str:
    """SHA-256 over several digests in their order."""
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


def check_names(run: Run) -> None:
    """Raise RunMisused if the run names something that this version of the site lacks."""
    is_known = {
        "strategy": find_strategy(run.pack.benchmark, run.strategy) is not None,
        "condition": run.condition in CONDITIONS,
        "parser": run.parser in PARSERS,
    }
    for what in (what for what, known in is_known.items() if not known):
        name = getattr(run, what)
        raise RunMisused(f"this site knows no {what} {name!r}: the run was written by another version of it")
    if run.sampler:
        check_sampler(run.sampler)


def seed_of(seed: int, draw_key: str) -> int:
    """The sampling seed of an item, 48 bits, the same on every machine."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{draw_key}".encode()).digest()[:6], "big")


def with_media(items: ItemQuerySet) -> ItemQuerySet:
    """Items with clips, files and facets, in four queries."""
    return items.prefetch_related("facets", "media__clip__renditions").order_by("draw_key")


def tests_of(item: Item) -> Tests:
    """All values of the facet `test`: an ordering item has both its own test and that of its family."""
    return tuple(item.facet_values("test"))


def facets_of(item: Item) -> dict[str, tuple[str, ...]]:
    """The item's facets without those that reveal its answer."""
    names = {facet.name for facet in item.facets.all()} - telling(item.pack.benchmark) - {CAUTION}
    return {name: tuple(item.facet_values(name)) for name in names}


def parser_context(item: Item, expected: str | None) -> ParserContext:
    """The facts about this item that a parser may use."""
    return ParserContext(item.kind, item.own_test, tuple(item.options), expected)
