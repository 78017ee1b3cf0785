"""Training objective of the small LlavaOnevision: replies to questions about clips."""

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn import functional

from extensions.training.core.loop import TrainingSchedule
from extensions.training.core.schedule import warmth
from extensions.training.video_language.batches import UNASKED, Batch, Teacher
from extensions.training.video_language.recipes import VideoLanguageRecipe

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
