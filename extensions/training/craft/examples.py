"""A pack's questions in one setting (for training, for early stopping, held out), their clips, and their objective."""

import hashlib
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from django.conf import settings
from django.db.models import F, FilteredRelation, Q
from torch import nn
from torch.nn import functional

from benchmarks.disclosure import SCORER, with_expected
from benchmarks.models import Clip, Pack
from evaluation.adapters import THREADS
from evaluation.errors import ClipUnreadable
from evaluation.inputs.frames import decoded, versioned
from extensions.training.core.checkpoints import TrainingMisused
from extensions.training.core.loop import TrainingSchedule
from extensions.training.core.trainer import Bar
from extensions.training.craft.encoders import QuestionBatch
from extensions.training.craft.recipes import CraftRecipe
from extensions.training.craft.vocabulary import Vocabulary, question_of
from scenes.whole_files import whole

VERSION = 1  # version of the resizing


@dataclass(frozen=True, eq=False)
class VideoFrames:
    """Pictures of videos, by the primary key of their clips."""

    places: dict[int, int]
    pictures: np.ndarray  # uint8 [videos, frames, 3, edge, edge], mapped from a file

    def of(self, video: int) -> np.ndarray:
        return self.pictures[self.places[video]]


def brought_to(edge: int, pixels: np.ndarray) -> np.ndarray:
    """RGB frames [n, height, width, 3] of any size, 0 to 255 -> [n, 3, edge, edge], each pixel the mean of its area."""
    planes = torch.from_numpy(np.array(pixels)).permute(0, 3, 1, 2).float()
    return functional.interpolate(planes, (edge, edge), mode="area").round().to(torch.uint8).numpy()


def load_video_frames(clips: Sequence[Clip], recipe: CraftRecipe, bar: Bar | None = None) -> VideoFrames:
    """The frames of these clips; raises TrainingMisused that names an unreadable clip."""
    places = {clip.pk: number for number, clip in enumerate(clips)}
    how = [VERSION, versioned(recipe.sampler), recipe.edge, [clip.sha256 for clip in clips]]
    digest = hashlib.sha256(json.dumps(how).encode()).hexdigest()
    path = Path(settings.VAR_DIR) / "training" / "craft-sights" / f"{digest[:20]}.npy"
    if not path.is_file():
        _write(clips, recipe, path, bar)
    return VideoFrames(places, np.load(path, mmap_mode="r", allow_pickle=False))


def _write(clips: Sequence[Clip], recipe: CraftRecipe, path: Path, bar: Bar | None) -> None:
    """Decode all clips into a file, which gets its name only when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shape = (len(clips), recipe.frames, 3, recipe.edge, recipe.edge)
    with whole(path) as temporary, ThreadPoolExecutor(THREADS) as pool:
        pictures = np.lib.format.open_memmap(temporary, "w+", np.uint8, shape)
        for number, seen in enumerate(pool.map(lambda clip: _seen(clip, recipe), clips)):
            pictures[number] = seen
            if bar:
                bar(number + 1, len(clips))
        pictures.flush()


def _seen(clip: Clip, recipe: CraftRecipe) -> np.ndarray:
    try:
        taken = decoded(clip, recipe.sampler)
    except ClipUnreadable as error:
        raise TrainingMisused(f"clip {clip.key}: {error}") from error
    return brought_to(recipe.edge, np.stack([one.picture for one in taken]))


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
        wanted = [frame_of[question.video] if frame_of else question.video for question in questions]
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


VIDEOS_A_LOOK = 16  # videos whose questions are answered together at evaluation


class Answering:
    """An objective for the loop: every epoch has each training question once, in an order drawn from seed and epoch."""

    def __init__(
        self, network: nn.Module, vocabulary: Vocabulary, examples: CraftExamples, *, recipe: CraftRecipe, seed: int
    ) -> None:
        self.network, self.vocabulary, self.examples = network, vocabulary, examples
        self.recipe, self.seed = recipe, seed
        train = examples.parts[TRAIN]
        self.units = _by_video(train) if recipe.by_video else [[one] for one in train]
        self.an_epoch = -(-len(self.units) // recipe.batch)
        self.pace = TrainingSchedule(
            recipe.epochs * self.an_epoch, self.an_epoch, recipe.patience, recipe.largest_gradient
        )
        self.places = {answer: number for number, answer in enumerate(vocabulary.answers)}

    def optimizers(self) -> Sequence[torch.optim.Optimizer]:
        return [torch.optim.Adam(self.network.parameters(), lr=self.recipe.rate)]

    def rate(self, step: int) -> float:
        return 1.0

    def batch(self, step: int) -> list[VideoQuestion]:
        epoch, place = divmod(step, self.an_epoch)
        order = random.Random(f"{self.seed}:{epoch}").sample(range(len(self.units)), len(self.units))  # noqa: S311
        chosen = order[place * self.recipe.batch : (place + 1) * self.recipe.batch]
        return [question for unit in chosen for question in self.units[unit]]

    def loss(self, step: int, device: torch.device) -> torch.Tensor:
        questions = self.batch(step)
        answers = torch.tensor([self.places[question.answer] for question in questions], device=device)
        logits = self.network(self.examples.batch(questions, self.vocabulary).to(device))
        return functional.cross_entropy(logits.float(), answers)

    def measure(self, device: torch.device) -> float:
        """Accuracy on the validation questions."""
        questions = self.examples.parts[VALIDATION]
        answers = self.answers(questions, device)
        return sum(answers[question.key] == question.answer for question in questions) / len(questions)

    def answers(
        self, questions: Sequence[VideoQuestion], device: torch.device, swapped: Mapping[int, int] | None = None
    ) -> dict[str, str]:
        """The answer to each question; `shown` maps videos to those shown in their place."""
        found = {}
        for batch in _looks(questions):
            prepared = self.examples.batch(batch, self.vocabulary, dict(swapped) if swapped else None)
            for one, place in zip(batch, self.network(prepared.to(device)).argmax(1).tolist(), strict=True):
                found[one.key] = self.vocabulary.answers[place]
        return found


def _by_video(questions: Sequence[VideoQuestion]) -> list[list[VideoQuestion]]:
    found: dict[int, list[VideoQuestion]] = {}
    for question in questions:
        found.setdefault(question.video, []).append(question)
    return list(found.values())


def _looks(questions: Sequence[VideoQuestion]) -> Iterator[list[VideoQuestion]]:
    units = _by_video(questions)
    for first in range(0, len(units), VIDEOS_A_LOOK):
        yield [one for unit in units[first : first + VIDEOS_A_LOOK] for one in unit]
