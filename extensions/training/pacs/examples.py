"""A pack's questions about pairs, and its objects as input for the backbones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from benchmarks.definitions.papers.pacs import OPTIONS
from benchmarks.disclosure import PUBLIC, open_answers
from benchmarks.models import Clip, Item, Pack
from benchmarks.progress_bar import Bar
from evaluation.errors import ClipUnreadable
from evaluation.inputs.audio import sound_of
from evaluation.inputs.frames import boxed, frames_of
from extensions.training.core.checkpoints import TrainingMisused
from extensions.training.pacs.inputs import Input, Lacking
from extensions.training.pacs.recipes import CLAP, SOUND


@dataclass(frozen=True)
class PairQuestion:
    """The two objects by their numbers; `label` is 1 if the answer is the second."""

    first: int
    second: int
    text: str
    label: int


StoredInputs = Mapping[str, torch.Tensor]  # by part: the return value of `Input.prepared` for one object


def own_question(text: str) -> str:
    """The datapoint's own question without the line of possible answers, which the paper's models did not get."""
    return text.partition("\n")[0]


def questions_of(pack: Pack, split: str) -> list[PairQuestion]:
    """All usable questions of a split with answers and without seals, by key; objects are primary keys of clips."""
    items = list(pack.items.in_split(split).askable().order_by("key").prefetch_related("media").distinct())
    known = open_answers(items, to=PUBLIC)
    return [found for item in items if (found := _pair_question(item, known[item.pk].expected))]


def _pair_question(item: Item, answer: str | None) -> PairQuestion | None:
    """The item's question; None if its answer is closed, or its clips are missing, as the importer reported."""
    if answer not in OPTIONS:
        return None
    uses = sorted(item.media.all(), key=lambda use: use.position)
    if len(uses) != len(OPTIONS):
        return None
    return PairQuestion(uses[0].clip_id, uses[1].clip_id, own_question(item.text), OPTIONS.index(answer))


def objects_of(
    questions: Sequence[PairQuestion], inputs: Mapping[str, Input], frames: int, bar: Bar | None
) -> dict[int, StoredInputs]:
    """Every object of these questions, with the input that a run with this many frames and sound would give."""
    numbers = sorted({number for question in questions for number in (question.first, question.second)})
    clips = Clip.objects.prefetch_related("renditions").in_bulk(numbers)
    found = {}
    for number in numbers:
        found[number] = cached_inputs(clips[number], inputs, frames)
        if bar:
            bar(len(found), len(numbers))
    return found


def cached_inputs(clip: Clip, inputs: Mapping[str, Input], frames: int) -> StoredInputs:
    try:
        seen = boxed(frames_of(clip, f"uniform-{frames}"), clip, condition="video")
        sound = sound_of(clip) if {SOUND, CLAP} & set(inputs) else None
        return {part: one.prepared(seen, sound) for part, one in inputs.items()}
    except (ClipUnreadable, Lacking) as error:
        raise TrainingMisused(f"{clip.key}: {error}") from error


def bundles_of(questions: Sequence[PairQuestion], pairs: int) -> list[list[PairQuestion]]:
    """The questions in bundles that are trained together.

    A bundle holds the questions of up to `pairs` pairs that share objects, so that each object is encoded once. With 0
    pairs every question is its own bundle.
    """
    if not pairs:
        return [[question] for question in questions]
    by_pair: dict[tuple[int, int], list[PairQuestion]] = {}
    for one in questions:
        by_pair.setdefault((one.first, one.second), []).append(one)
    left, bundles = list(by_pair), []
    while left:
        grown = [left.pop(0)]
        while len(grown) < pairs:
            objects = {number for pair in grown for number in pair}
            neighbour = max(left, key=lambda pair: len(objects & set(pair)), default=None)
            if neighbour is None or not objects & set(neighbour):
                break
            left.remove(neighbour)
            grown.append(neighbour)
        bundles.append([one for pair in grown for one in by_pair[pair]])
    return bundles
