"""The batch of each step, drawn from (seed, step) alone, so that a resumed training continues identically."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch.nn import functional

from extensions.training.core.loop import TrainingSchedule, warmth
from extensions.training.video_language.examples import Exchange, Lesson
from extensions.training.video_language.recipes import VideoLanguageRecipe

UNASKED = -100  # label of a token without a loss
# Fractions of all steps: single pictures and their content first, then statements about it, whole clips at the end.
FIRST_STATEMENTS, ALL_STATEMENTS, FIRST_CLIPS = 0.15, 0.5, 0.93
LOOKS_AT_THE_END = 0.25
SECOND_QUESTIONS = 0.5
CLIPS_A_BATCH = 0.5  # size of a batch of whole clips, relative to one of single pictures
SCALES = (0.75, 1.1)  # zoom; below 1 is closer

Talk = tuple[Exchange, ...]


@dataclass(frozen=True)
class Batch:
    """Tokens padded on the left, their positions in the text, and one or `frames` pictures for each clip."""

    tokens: torch.Tensor
    places: torch.Tensor
    mask: torch.Tensor
    labels: torch.Tensor
    pictures: torch.Tensor  # float [clips, pictures, 3, height, width]
    frames: int

    def to(self, device: torch.device) -> "Batch":
        tokens, places, mask, labels, pictures = (
            part.to(device) for part in (self.tokens, self.places, self.mask, self.labels, self.pictures)
        )
        return Batch(tokens, places, mask, labels, pictures, self.frames)


class Teacher:
    """Composes the batches for one model."""

    def __init__(
        self, places: dict[str, list[list[Lesson]]], recipe: VideoLanguageRecipe, processor: Any, seed: int
    ) -> None:
        self.places, self.recipe, self.processor, self.seed = places, recipe, processor, seed
        self.written = cache(self._written)  # there are few different talks, and the template takes a tenth of a step

    def batch(self, step: int) -> Batch:
        chance = random.Random(f"{self.seed}:{step}")  # noqa: S311
        way = step / self.recipe.steps
        is_whole = way >= FIRST_CLIPS
        examples, places = self._examples(chance, round(self.recipe.batch * (CLIPS_A_BATCH if is_whole else 1)))
        talks = [talk_about(lesson, chance, way) for lesson in examples]
        pictures = self.pictures(examples, self.recipe.frames if is_whole else 1, chance)
        mirrors = torch.tensor([lesson.can_be_mirrored for lesson in examples])
        generator = torch.Generator().manual_seed(chance.getrandbits(48))
        pictures = altered(pictures, torch.tensor(places), mirrors, generator)
        if is_whole:
            return self.as_batch(talks, pictures, self.recipe.frames)
        gaps = [self._gap(chance) for _ in talks]
        return self.as_batch(talks, pictures, 1, gaps)

    def _gap(self, chance: random.Random) -> tuple[int, int]:
        """Number of frames treated as omitted before and after a single one: none, or all others of a clip.

        The frame's tokens are then as far from the question as in a whole clip, at an eighth of the cost.
        """
        place = chance.randrange(self.recipe.frames)
        return chance.choice(((0, 0), (place, self.recipe.frames - 1 - place)))

    def _examples(self, chance: random.Random, size: int) -> tuple[list[Lesson], list[int]]:
        """Lessons in pairs of clips of one place, which differ only in the answer."""
        examples: list[Lesson] = []
        places: list[int] = []
        whole = sum(self.recipe.shares.values())
        for test, share in self.recipe.shares.items():
            wanted = len(examples) + round(size * share / whole)
            while len(examples) < wanted:
                group = chance.choice(self.places[test])
                pair = chance.sample(group, min(2, len(group)))
                examples += pair
                places += [len(places)] * len(pair)
        return examples, places

    def as_batch(
        self, talks: Sequence[Talk], pictures: torch.Tensor, frames: int, gaps: Sequence[tuple[int, int]] = ()
    ) -> Batch:
        written = [self.written(talk, frames) for talk in talks]
        places = [
            self._places(tokens, gap) for (tokens, _), gap in zip(written, gaps or [(0, 0)] * len(written), strict=True)
        ]
        return Batch(
            tokens=padded([tokens for tokens, _ in written], self.processor.tokenizer.pad_token_id),
            places=padded(places, 0),
            mask=padded([[1] * len(tokens) for tokens, _ in written], 0),
            labels=padded([labels for _, labels in written], UNASKED),
            pictures=pictures,
            frames=frames,
        )

    def _places(self, tokens: Sequence[int], gap: tuple[int, int]) -> list[int]:
        """Position of each token; omitted frames keep their positions."""
        a_frame = self._tokens_of(2) - self._tokens_of(1)
        before, after = (frames * a_frame for frames in gap)
        start = tokens.index(self.processor.video_token_id)
        end = len(tokens) - 1 - tokens[::-1].index(self.processor.video_token_id)
        return [place + before * (place >= start) + after * (place >= end) for place in range(len(tokens))]

    def pictures(self, examples: Sequence[Lesson], frames: int, chance: random.Random) -> torch.Tensor:
        """One picture of each clip, or all of its frames, normalised like the processor's."""
        if frames == 1:
            raw = torch.stack([lesson.pictures[[chance.randrange(len(lesson.pictures))]] for lesson in examples])
        else:
            most = max(len(lesson.pictures) for lesson in examples)
            raw = torch.stack([lesson.pictures.expand(most, -1, -1, -1) for lesson in examples])
        look = self.processor.video_processor
        mean, spread = (torch.tensor(values).view(3, 1, 1) for values in (look.image_mean, look.image_std))
        return (raw.float() * look.rescale_factor - mean) / spread

    def _written(self, talk: Talk, frames: int) -> tuple[list[int], list[int]]:
        """The tokens of a whole talk in the chat template, and labels of the model's own tokens."""
        tokens: list[int] = []
        labels: list[int] = []
        messages: list[dict[str, Any]] = []
        text = ""
        for exchange in talk:
            messages.append(_message("user", exchange.question, shows=not messages))
            prompt = self._rendered(messages, frames, is_prompt=True)
            messages.append(_message("assistant", exchange.reply))
            replied = self._rendered(messages, frames, is_prompt=False)
            for new, is_ours in ((prompt[len(text) :], True), (replied[len(prompt) :], False)):
                ids = self.processor.tokenizer(new, add_special_tokens=False)["input_ids"]
                tokens += ids
                labels += [UNASKED] * len(ids) if is_ours else ids
            text = replied
        return tokens, labels

    def _rendered(self, messages: list[dict[str, Any]], frames: int, *, is_prompt: bool) -> str:
        text = self.processor.apply_chat_template(messages, add_generation_prompt=is_prompt, tokenize=False)
        video = self.processor.video_token
        return text.replace(video, video * self._tokens_of(frames)).removesuffix("" if is_prompt else "\n")

    def _tokens_of(self, frames: int) -> int:
        edge = self.recipe.picture_size
        return self.processor._get_num_multimodal_tokens(video_sizes=[(frames, edge, edge)])["num_video_tokens"][0]


def _message(role: str, text: str, *, shows: bool = False) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "video"}] * shows + [{"type": "text", "text": text}]}


def talk_about(lesson: Lesson, chance: random.Random, way: float) -> Talk:
    """One or two exchanges; the share of statements (true and false equally) grows with `way`."""
    ramp = (way - FIRST_STATEMENTS) / (ALL_STATEMENTS - FIRST_STATEMENTS)
    is_statement = chance.random() < (1 - LOOKS_AT_THE_END) * min(1.0, max(0.0, ramp))
    first = chance.choice(lesson.statements) if is_statement else lesson.look
    if chance.random() >= SECOND_QUESTIONS:
        return (first,)
    return (first, chance.choice((*lesson.statements, lesson.look) if is_statement else lesson.statements))


def padded(rows: Sequence[Sequence[int]], filling: int) -> torch.Tensor:
    longest = max(map(len, rows))
    return torch.tensor([[filling] * (longest - len(row)) + list(row) for row in rows])


def altered(
    pictures: torch.Tensor, places: torch.Tensor, can_mirror: torch.Tensor, generator: torch.Generator
) -> torch.Tensor:
    """Pictures randomly shifted, scaled, mirrored and relit, identically for all clips of one place."""
    clips, frames = pictures.shape[:2]

    def draw(low: float, high: float) -> torch.Tensor:
        values = torch.rand(len(places), generator=generator) * (high - low) + low
        return values[places]

    scale, stretch, mirror = draw(*SCALES), draw(0.95, 1.05), draw(-1, 1) < 0
    turn = torch.zeros(clips, 2, 3)
    turn[:, 0, 0] = scale * stretch * torch.where(mirror & can_mirror, -1.0, 1.0)
    turn[:, 1, 1] = scale
    turn[:, 0, 2], turn[:, 1, 2] = draw(-0.12, 0.12), draw(-0.12, 0.12)
    flat = pictures.flatten(0, 1)
    grid = functional.affine_grid(turn.repeat_interleave(frames, 0), list(flat.shape), align_corners=False)
    moved = functional.grid_sample(flat, grid, padding_mode="border", align_corners=False)
    light = draw(0.8, 1.2).repeat_interleave(frames).view(-1, 1, 1, 1)
    return ((moved + 1) * light - 1).view_as(pictures)


LARGEST_GRADIENT = 1.0


class Talking:
    """An objective for the loop: one model and its teacher."""

    measure = None  # trained to the end without checks on other clips

    def __init__(self, model: Any, teacher: Teacher, recipe: VideoLanguageRecipe) -> None:
        self.network, self.teacher, self.recipe, self.seed = model, teacher, recipe, teacher.seed
        self.pace = TrainingSchedule(recipe.steps, largest_gradient=LARGEST_GRADIENT)

    def optimizers(self) -> Sequence[torch.optim.Optimizer]:
        return optimizers_for(self.network, self.recipe)

    def rate(self, step: int) -> float:
        return warmth(step / self.recipe.steps)

    def loss(self, step: int, device: torch.device) -> torch.Tensor:
        return loss_of(self.network, self.teacher.batch(step).to(device))

    @property
    def clips(self) -> int:
        return sum(len(group) for groups in self.teacher.places.values() for group in groups)


def optimizers_for(model: Any, recipe: VideoLanguageRecipe) -> list[torch.optim.Optimizer]:
    """Muon (Jordan et al. 2024) for the inner matrices, which halves the number of steps; AdamW for the rest."""
    inside = {
        name: weight.ndim == 2 and (".layers." in name or "projector" in name)
        for name, weight in model.named_parameters()
    }
    weights = dict(model.named_parameters())
    return [
        torch.optim.Muon([weights[name] for name in weights if inside[name]], lr=recipe.matrix_rate, weight_decay=0.0),
        torch.optim.AdamW(
            [weights[name] for name in weights if not inside[name]],
            lr=recipe.other_rate,
            betas=(0.9, 0.98),
            weight_decay=0.05,
        ),
    ]


def loss_of(model: Any, batch: Batch) -> torch.Tensor:
    """Cross-entropy of the replies only; a clip in which nothing moves is encoded once and repeated."""
    sight = model.get_video_features(
        batch.pictures, vision_feature_layer=-1, vision_feature_select_strategy="full", return_dict=True
    )
    clips = batch.frames // batch.pictures.shape[1]
    seen, end = sight.pooler_output[:, :-1], sight.pooler_output[:, -1:]
    sight.pooler_output = torch.cat([seen.repeat(1, clips, 1), end], dim=1)
    thought = model.model(
        input_ids=batch.tokens,
        position_ids=batch.places,
        attention_mask=batch.mask,
        mm_encoder_outputs={"video": sight},
        use_cache=False,
    ).last_hidden_state
    is_target = batch.labels[:, 1:] != UNASKED
    return functional.cross_entropy(model.lm_head(thought[:, :-1][is_target]).float(), batch.labels[:, 1:][is_target])
