"""Simulated raters, drawn from a seed: they notice breaks and rate by `made/latent.py`, with the faults of people.

They know a clip's truth from the rows of clips that were made here. Where nothing is known answers are random. Two
raters of one number and seed answer alike, whatever the order of their questions.
"""

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from benchmarks.definitions.rated_dimensions import CANT_TELL, RatedDimension
from benchmarks.models import Item
from extensions.generated.made.generators import clips_of
from extensions.generated.made.latent import (
    ClipTruth,
    MadeClips,
    chance_to_notice,
    kind_number,
    quality,
    step_of,
    weights_of,
)
from extensions.generated.models import RatedClip
from extensions.generated.rating import pages
from humantrials.models import Participant, Slot
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Player
from humantrials.simulation.participant import Person

UNSURE, MISNAMED = 0.03, 0.15  # shares of "can't tell", and of breaks whose kind is mistaken
NOISE = 0.5  # of a step
BAD = 2.5  # quality below which neither of two clips is good


@dataclass(frozen=True)
class SeenClip:
    """What a rater makes of a clip: the severity of the break that was noticed, 0 for none."""

    truth: ClipTruth
    made: MadeClips
    severity: int

    def quality(self, *, shows_prompt: bool = False) -> float:
        return float(quality(weights_of(shows_prompt), self.severity, self.made.look, self.made.follows))


class Rater(Person):
    """Answers the forms of rating studies."""

    def __post_init__(self) -> None:
        super().__post_init__()
        rng = random.Random(f"{self.seed}/{self.number}/traits")  # noqa: S311  behaviour, not secrets
        self.eye = rng.uniform(0.8, 1.05)  # factor of what is noticed
        self.false_alarms = rng.uniform(0.0, 2.5)  # factor of breaks that are seen in sound clips
        self.shift = rng.gauss(0, 0.4)  # of a scale, in steps
        self.left_bias = rng.gauss(0.1, 0.2)  # of a pair, in steps of a scale
        self.laziness = 0.5 if rng.random() < 0.05 else 0.02  # share of answers without looking

    @cached_property
    def player(self) -> Player:
        return find_protocol(Participant.objects.select_related("trial").get(token=self.token).trial.protocol).player

    @cached_property
    def items(self) -> dict[int, Item]:
        slots = Slot.objects.filter(sheet__given_to__token=self.token).select_related("item")
        return {slot.position: slot.item for slot in slots.prefetch_related("item__facets", "item__media__clip")}

    def _answer_fields(self, right: dict[int, str], position: int, answers: list[str]) -> dict[str, str]:
        item, player = self.items[position], self.player
        rng = random.Random(f"{self.seed}/{self.number}/{item.public_id}")  # noqa: S311
        seen = self._seen(item, rng)
        if isinstance(player, pages.RatingPlayer):
            dimensions = player.dimensions_at(item.facet_values("level"))
            clips = [f"{clip}." for clip in pages.THREE] if player.clips > 1 else [""]
            beside = list(zip(clips, seen if len(seen) == len(clips) else [None] * len(clips), strict=True))
            chosen = {
                clip + dimension.name: self._step(dimension, one, rng)
                for dimension in dimensions
                for clip, one in beside
            }
        elif isinstance(player, pages.PairPlayer):
            chosen = {pages.PAIR: self._side(seen, rng)}
        else:
            chosen = self._break(seen[0], item.clip.seconds if item.clip else 0.0, rng)
        moment = chosen.pop(pages.MOMENT, "")
        forms = {f"{pages.FIELD}{name}": value for name, value in chosen.items()}
        return {"answer": pages.NEXT, "asked": " ".join(chosen), pages.MOMENT: moment, **forms}

    @cached_property
    def truths(self) -> dict[int, list[tuple[dict[str, Any] | None, str | None]]]:
        """Of each question on the sheet, the truth and the generator of each clip."""
        found: dict[int, list[tuple[dict[str, Any] | None, str | None]]] = defaultdict(list)
        rows = RatedClip.objects.filter(item__in=self.items.values()).order_by("item_id", "place")
        for item, truth, name in rows.values_list("item_id", "clip__truth", "clip__clip_set__generator__title"):
            found[item].append((truth, name))
        return found

    def _seen(self, item: Item, rng: random.Random) -> list[SeenClip | None]:
        """Each clip of the question; None where nothing is known, or to somebody who did not look."""
        seen = [
            self._glance(ClipTruth.of(truth), clips_of(name or ""), rng)
            if truth and rng.random() >= self.laziness
            else None
            for truth, name in self.truths.get(item.pk, ())
        ]
        return seen or [None]

    def _glance(self, truth: ClipTruth, made: MadeClips, rng: random.Random) -> SeenClip:
        chance = float(chance_to_notice(kind_number(truth.kind), truth.severity))
        has_noticed = rng.random() < chance * (self.eye if truth.is_broken else self.false_alarms)
        return SeenClip(truth, made, max(truth.severity, 1) if has_noticed else 0)

    def _step(self, dimension: RatedDimension, seen: SeenClip | None, rng: random.Random) -> str:
        if seen is None:
            return rng.choice(dimension.answers)
        if dimension.can_skip and rng.random() < UNSURE:
            return CANT_TELL
        felt = seen.quality(shows_prompt=dimension.shows_prompt) + self.shift + rng.gauss(0, NOISE)
        return dimension.values[int(step_of(felt, len(dimension.values))) - 1]

    def _side(self, seen: Sequence[SeenClip | None], rng: random.Random) -> str:
        qualities = [clip.quality() for clip in seen if clip]
        if len(qualities) < 2:
            return rng.choice(pages.SIDES.answers)
        lead = qualities[0] - qualities[1] + self.left_bias + rng.gauss(0, NOISE)
        if abs(lead) > NOISE:
            return "a" if lead > 0 else "b"
        return "bad" if max(qualities) < BAD else "equal"

    def _break(self, seen: SeenClip | None, length: float, rng: random.Random) -> dict[str, str]:
        severity = seen.severity if seen else rng.choice((None, 0, 1, 2, 3))
        if not severity:
            return {pages.SEEN: CANT_TELL if severity is None else pages.NO_BREAK}
        truth = seen.truth if seen else ClipTruth()
        late = abs(rng.gauss(self.habits.lag, 0.1))
        moment = rng.uniform(0, length) if truth.visible_from is None else truth.visible_from + late
        kind = truth.kind if truth.kind and rng.random() > MISNAMED else rng.choice(pages.WHAT_BREAKS.answers)
        second = f"{int(100 * min(moment, length)) / 100:g}"  # never behind the end
        return {pages.SEEN: pages.BREAK, pages.MOMENT: second, pages.KIND: kind, pages.SEVERITY: str(severity)}
