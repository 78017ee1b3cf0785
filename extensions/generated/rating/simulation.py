"""Simulated raters, drawn from a seed: they notice what is broken by its kind and severity, and have faults of people.

A rater knows a clip's truth only from `truths_of`, which takes the question's public id. Where nothing is known
answers are random. Two raters of one number and seed answer alike, whatever the order of their questions.
"""

import random
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any

from benchmarks.definitions.rated_dimensions import CANT_TELL, RatedDimension
from benchmarks.models import Item
from extensions.generated.models import AskedClip
from extensions.generated.rating import pages
from humantrials.models import Participant, Slot
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Player
from humantrials.simulation.participant import Person

Truth = Mapping[str, Any]  # what `GeneratedClip.truth` holds
NOTICED = {1: 0.45, 2: 0.75, 3: 0.95}  # share of breaks of this severity that are noticed
HARD_TO_SEE = {"look": 0.7, "moves": 0.85}  # factor by kind, elsewhere 1
UNSURE, MISNAMED = 0.03, 0.15  # shares of "can't tell", and of breaks whose kind is mistaken
NOISE = 0.5  # of a step
WORST = 3  # severity


class Rater(Person):
    """Answers the forms of rating studies, at random: nothing is known about any clip."""

    def __post_init__(self) -> None:
        super().__post_init__()
        rng = random.Random(f"{self.seed}/{self.number}/traits")  # noqa: S311  behaviour, not secrets
        self.eye = rng.uniform(0.8, 1.05)  # factor of what is noticed
        self.false_alarms = rng.uniform(0.0, 0.15)  # share of sound clips in which a break is seen
        self.shift = rng.gauss(0, 0.4)  # of a scale, in steps
        self.left_bias = rng.gauss(0.1, 0.2)  # of a pair, in steps of severity
        self.laziness = 0.5 if rng.random() < 0.05 else 0.02  # share of answers without looking

    @cached_property
    def player(self) -> Player:
        return find_protocol(Participant.objects.select_related("trial").get(token=self.token).trial.protocol).player

    @cached_property
    def items(self) -> dict[int, Item]:
        slots = Slot.objects.filter(sheet__given_to__token=self.token).select_related("item")
        return {slot.position: slot.item for slot in slots.prefetch_related("item__facets", "item__media__clip")}

    def truths_of(self, public_id: str) -> Sequence[Truth | None]:
        """The truth of each clip that this question shows, where it is known."""
        return ()

    def _answer_fields(self, right: dict[int, str], position: int, answers: list[str]) -> dict[str, str]:
        item, player = self.items[position], self.player
        rng = random.Random(f"{self.seed}/{self.number}/{item.public_id}")  # noqa: S311
        truths = self.truths_of(item.public_id)
        seen = [self._severity(truth, rng) for truth in truths]
        if isinstance(player, pages.RatingPlayer):
            dimensions = player.dimensions_at(item.facet_values("level"))
            chosen = {dimension.name: self._step(dimension, seen, rng) for dimension in dimensions}
        elif isinstance(player, pages.PairPlayer):
            chosen = {pages.PAIR: self._side(seen, rng)}
        else:
            chosen = self._break((truths or [None])[0] or {}, seen, item.clip.seconds if item.clip else 0.0, rng)
        moment = chosen.pop(pages.MOMENT, "")
        forms = {f"{pages.FIELD}{name}": value for name, value in chosen.items()}
        return {"answer": pages.NEXT, "asked": " ".join(chosen), pages.MOMENT: moment, **forms}

    def _severity(self, truth: Truth | None, rng: random.Random) -> float | None:
        """How bad what was seen is, 0 to 3; None where nothing is known or somebody did not look."""
        if truth is None or rng.random() < self.laziness:
            return None
        if not truth["is_broken"]:
            return 1.0 if rng.random() < self.false_alarms else 0.0
        severity = int(truth.get("severity") or 2)
        share = NOTICED[severity] * HARD_TO_SEE.get(truth.get("kind", ""), 1.0) * self.eye
        return float(severity) if rng.random() < share else 0.0

    def _step(self, dimension: RatedDimension, seen: Sequence[float | None], rng: random.Random) -> str:
        if not seen or seen[0] is None:
            return rng.choice(dimension.answers)
        if dimension.can_skip and rng.random() < UNSURE:
            return CANT_TELL
        highest = len(dimension.values) - 1
        badness = 0.5 if dimension.shows_prompt else seen[0]  # a broken clip may fit its prompt
        step = round((1 - badness / WORST) * highest + self.shift + rng.gauss(0, NOISE))
        return dimension.values[min(max(step, 0), highest)]

    def _side(self, seen: Sequence[float | None], rng: random.Random) -> str:
        if len(seen) < 2 or seen[0] is None or seen[1] is None:
            return rng.choice(pages.SIDES.answers)
        lead = seen[1] - seen[0] + self.left_bias + rng.gauss(0, NOISE)
        if abs(lead) > NOISE:
            return "a" if lead > 0 else "b"
        return "bad" if min(seen[0], seen[1]) > 1 else "equal"

    def _break(self, truth: Truth, seen: Sequence[float | None], length: float, rng: random.Random) -> dict[str, str]:
        severity = seen[0] if seen else None
        severity = rng.choice((None, 0.0, 1.0, 2.0, 3.0)) if severity is None else severity
        if not severity:
            return {pages.SEEN: CANT_TELL if severity is None else pages.NO_BREAK}
        onset = truth.get("visible_from") or truth.get("onset")
        moment = rng.uniform(0, length) if onset is None else onset + abs(rng.gauss(self.habits.lag, 0.1))
        kinds = pages.WHAT_BREAKS.answers
        kind = truth.get("kind") if truth.get("kind") in kinds and rng.random() > MISNAMED else rng.choice(kinds)
        second = f"{int(100 * min(moment, length)) / 100:g}"  # never behind the end
        chosen = {pages.SEEN: pages.BREAK, pages.KIND: str(kind), pages.SEVERITY: f"{severity:.0f}"}
        return {**chosen, pages.MOMENT: second}


class KnowingRater(Rater):
    """Looks at clips whose truth was stored when they were made."""

    @cached_property
    def truths(self) -> dict[str, list[Truth | None]]:
        """The truths of the clips of each question on the sheet, by public id."""
        rows = AskedClip.objects.filter(item__in=self.items.values()).order_by("item", "place")
        pairs = groupby(rows.values_list("item__public_id", "clip__truth"), key=itemgetter(0))
        return {public_id: [truth for _, truth in own] for public_id, own in pairs}

    def truths_of(self, public_id: str) -> Sequence[Truth | None]:
        return self.truths.get(public_id, ())
