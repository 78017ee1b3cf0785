"""Simulated judges: they see nothing and answer from what is known of the made clips, each with its defect.

They are models of kind `made-judge`, so that their answers come and are read like those of any judge.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.definitions.rated_dimensions import RatedDimension
from evaluation.adapters.base import Reply, Request, Turn, at_once
from evaluation.errors import ModelMisused
from evaluation.models import Model, ModelRole
from extensions.generated.made.generators import clips_of, digest
from extensions.generated.made.latent import ClipTruth, mean_quality, step_of, weights_of
from extensions.generated.models import GeneratedClip, RatedClip

KIND = "made-judge"
# Defect -> the judge's name, and what it does
JUDGES = {
    "none": ("Good judge", "rates as people do on average"),
    "constant": ("Always the best", "gives every clip the highest step"),
    "empty": ("Says nothing", "answers nothing"),
    "pretty": ("Prefers pretty", "rates how a clip looks more than what happens"),
    "order": ("Always the first", "prefers the first of two clips, whatever they are"),
    "noise": ("Unsteady", "rates anew each time, with much noise"),
    "shift": ("One step higher", "gives one step more than people do"),
}
STEADY, UNSTEADY = 0.3, 1.4  # standard deviations of noise, in steps
PRETTY = 0.9  # steps a unit of look
ALIKE = 0.3  # steps between two clips that are equally good


class MadeJudge:
    """Answers from the truth of the clips that an item asks about."""

    answers_alone = True

    def __init__(self, *, defect: str = "none") -> None:
        if defect not in JUDGES:
            raise ModelMisused(f"there is no defect {defect!r}; there is: {', '.join(JUDGES)}")
        self.defect = defect
        self.description: dict[str, Any] = {"device": "none", "what": f"simulated: {JUDGES[defect][1]}"}

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        return at_once(map(self._reply, requests))

    def _reply(self, request: Request) -> Reply:
        rated = RatedClip.objects.filter(item__public_id=request.key).order_by("place")
        clips = [each.clip for each in rated.select_related("clip__clip_set__generator", "clip__prompt__pack")]
        if not clips or any(clip.truth is None for clip in clips):
            return Reply("", error="nothing is known of this clip: it was not made here", is_lasting=True)
        text = "" if self.defect == "empty" else self._answer(clips, request)
        return Reply(text, turns=(text,))

    def _answer(self, clips: Sequence[GeneratedClip], request: Request) -> str:
        texts = [turn.text for turn in request.turns if isinstance(turn, Turn)]
        dimensions = clips[0].prompt.pack.dimensions
        dimension = next((each for each in dimensions if any(each.question in text for text in texts)), None)
        seems = [self._seems(clip, request, dimension) for clip in clips]
        if dimension is None:
            difference = seems[0] - seems[-1]
            is_first = self.defect == "order" or difference > ALIKE
            return "a" if is_first else "b" if difference < -ALIKE else "equal"
        steps = len(dimension.values)
        return dimension.values[-1 if self.defect == "constant" else int(step_of(seems[0], steps)) - 1]

    def _seems(self, clip: GeneratedClip, request: Request, dimension: RatedDimension | None) -> float:
        generator, is_noisy = clip.clip_set.generator, self.defect == "noise"
        made = clips_of(generator.title if generator else "")
        weights = weights_of(dimension is not None and dimension.shows_prompt)
        quality = mean_quality(weights, ClipTruth.of(clip.truth or {}), made.look, made.follows)
        key = request.seed if is_noisy else dimension and dimension.name
        rng = np.random.default_rng(digest(self.defect, clip.sha256, clip.prompt.key, key))
        quality += rng.normal(0, UNSTEADY if is_noisy else STEADY)
        return quality + {"pretty": PRETTY * made.look, "shift": 1.0}.get(self.defect, 0.0)


def ensure_judges(defects: Iterable[str] = JUDGES) -> list[Model]:
    """The judges with these defects as models; missing ones are created."""
    return [
        Model.objects.get_or_create(
            slug=f"{KIND}-{defect}",
            defaults={
                "name": f"{JUDGES[defect][0]} (simulated)",
                "kind": KIND,
                "role": ModelRole.CONTROL,
                "options": {"defect": defect},
                "revision": "1",
                "card": {
                    "what": f"Sees nothing: {JUDGES[defect][1]}, from the known faults of clips that are made here."
                },
            },
        )[0]
        for defect in defects
    ]
