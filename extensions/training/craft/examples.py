"""A pack's questions in one setting: for training, for early stopping, and held out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from django.db.models import F, FilteredRelation, Q

from benchmarks.disclosure import SCORER, with_expected
from benchmarks.models import Clip, Pack
from extensions.training.core.checkpoints import TrainingMisused
from extensions.training.craft.encoders import QuestionBatch
from extensions.training.craft.frames import VideoFrames
from extensions.training.craft.vocabulary import Vocabulary, question_of

TRAIN, VALIDATION, TEST = PARTS = ("train", "validation", "test")


@dataclass(frozen=True)
class VideoQuestion:
    """One question about one video, identified by its clip's primary key; `kind` is the question type."""

    key: str
    text: str
    answer: str
    kind: str
    answer_type: str
    video: int


@dataclass(frozen=True)
class CraftExamples:
    """A setting's questions by part, and the frames of their clips; None for a network without pictures."""

    parts: dict[str, tuple[VideoQuestion, ...]]
    frames: VideoFrames | None

    @property
    def vocabulary(self) -> Vocabulary:
        """Words and answers of the training questions only."""
        train = self.parts[TRAIN]
        return Vocabulary.of((one.text for one in train), (one.answer for one in train))

    def batch(
        self, questions: Sequence[VideoQuestion], vocabulary: Vocabulary, frame_of: dict[int, int] | None = None
    ) -> QuestionBatch:
        """A batch; `frame_of` maps videos to those shown in their place."""
        words = vocabulary.read([one.text for one in questions])
        if self.frames is None:
            return QuestionBatch(words)
        wanted = [frame_of[one.video] if frame_of else one.video for one in questions]
        videos = sorted(set(wanted))
        which = torch.tensor([videos.index(video) for video in wanted])
        return QuestionBatch(words, torch.from_numpy(np.stack([self.frames.of(video) for video in videos])), which)


def parts_of(pack: Pack, setting: str) -> dict[str, tuple[VideoQuestion, ...]]:
    """The setting's questions that have a clip; raises TrainingMisused if a part has none."""
    found = {part: _questions(pack, f"{setting}-{part}") for part in PARTS}
    if empty := [part for part, questions in found.items() if not questions]:
        raise TrainingMisused(f"{pack} has no questions in {', '.join(f'{setting}-{part}' for part in empty)}")
    return found


def _questions(pack: Pack, split: str) -> tuple[VideoQuestion, ...]:
    named = {f"of_{name}": FilteredRelation("facets", condition=Q(facets__name=name)) for name in ("test", "answer")}
    known = with_expected(pack.items.in_split(split), to=SCORER)
    items = known.filter(expected__isnull=False, media__isnull=False).order_by("key")
    values: Any = (F("of_test__value"), F("of_answer__value"))
    rows = items.annotate(**named).values_list("key", "text", "expected", *values, "media__clip_id")
    return tuple(VideoQuestion(key, question_of(text), answer, *rest) for key, text, answer, *rest in rows)


def clips_of(parts: dict[str, tuple[VideoQuestion, ...]]) -> list[Clip]:
    """The clips of these questions, by primary key."""
    wanted = {one.video for questions in parts.values() for one in questions}
    return list(Clip.objects.filter(pk__in=wanted).prefetch_related("renditions").order_by("pk"))
