"""What models are asked: wordings, conversations about sampled items, and frames and sounds of each condition."""

import json
from dataclasses import asdict
from typing import Any

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import SCORER, expected_of, known_answers
from benchmarks.models import Clip, Item, Pack
from evaluation.errors import EvaluationError
from evaluation.inputs.audio import played
from evaluation.inputs.frames import CONDITIONS, frames_for
from evaluation.prompting.presets import PRESETS
from evaluation.prompting.requests import tests_of
from evaluation.prompting.strategies import STRATEGIES, Say, conversation_for, reworded
from evaluation.referees.rubrics import RUBRICS
from tools.bench.before.figures import item_name
from tools.bench.before.store import Flat, flat

ITEMS, CLIPS = 12, 2  # of a pack, the first by their keys


def prompts() -> Flat:
    found: Flat = {f"rubric {name}": rubric.prompt for name, rubric in RUBRICS.items()}
    for slug, presets in PRESETS.items():
        found |= flat({name: asdict(preset) for name, preset in presets.items()}, f"preset {slug}")
    for slug, benchmark in BENCHMARKS.items():
        found |= flat({facts.name: asdict(facts) for facts in benchmark.strategies}, f"wording {slug}")
    for pack in Pack.objects.filter(benchmark__in=list(BENCHMARKS)).order_by("benchmark", "name"):
        for facts in BENCHMARKS[pack.benchmark].strategies:
            items = pack.items.filter(kind__in=facts.kinds).order_by("key", "kind", "variant")
            for item in items.prefetch_related("facets", "media__clip__renditions")[:ITEMS]:
                for number, wording in enumerate(facts.wordings or (None,)):
                    found[f"asked {facts.name} {number} | {item_name(item)}"] = _turns(facts.name, item, wording)
        clips = pack.clips.filter(problem="", withdrawn_at=None).prefetch_related("renditions").order_by("key")
        found |= {f"shown {by} | {pack} {clip.key}": _inputs(clip, by) for clip in clips[:CLIPS] for by in CONDITIONS}
    return found


def _turns(strategy: str, item: Item, wording: Any) -> str:
    try:
        example = _example(strategy, item)
        answer = (expected_of(example, to=SCORER) or "") if example and STRATEGIES[strategy].needs_example else ""
        conversation = conversation_for(strategy, item, example, answer)
    except EvaluationError as error:
        return f"refused: {type(error).__name__}"
    parts = reworded(conversation, wording) if wording else conversation
    return json.dumps([[part.text, part.clip] if isinstance(part, Say) else part.value for part in parts])


def _example(strategy: str, item: Item) -> Item | None:
    """The twin, or the first other item of the same tests: runs draw one by keys that may be random."""
    facts, twin_key = STRATEGIES[strategy], BENCHMARKS[item.pack.benchmark].twin_key
    others = item.pack.items.filter(kind=item.kind).order_by("key", "variant").prefetch_related("facets", "media__clip")
    if facts.needs_twin and twin_key:
        return next((each for each in others if twin_key(each.key) == item.key), None)
    others = others.exclude(media__clip=item.clip).filter(known_answers()) if facts.needs_example else others.none()
    return next((each for each in others if tests_of(each) == tests_of(item)), None)


def _inputs(clip: Clip, condition: str) -> list[Any]:
    """Digests of frames and sounds, drawn by the official key."""
    how: dict[str, Any] = {"condition": condition, "seed": 0, "key": clip.key}
    try:
        frames, sounds = frames_for(clip, sampler="uniform-8", **how), played({"item": clip}, **how)
    except EvaluationError as error:
        return [f"refused: {type(error).__name__}"]
    return [frames and frames.digest, *(sound.audio.digest for sound in sounds.values())]
