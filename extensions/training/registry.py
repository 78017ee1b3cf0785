"""All baselines of `train_baseline`: their benchmarks, and the paths of their trainers, which are imported on use."""

from django.utils.module_loading import import_string

from benchmarks.definitions.registry import find_benchmark
from extensions.training.core.checkpoints import TrainingMisused
from extensions.training.core.trainer import Trainer, TrainingOrder

CRAFT = (("craft",), "extensions.training.craft.trainer.CraftTrainer")
PACS = (("tapped", "pacs"), "extensions.training.pacs.trainer.PacsTrainer")

TRAINERS = {
    "grasp-small": (("grasp",), "extensions.training.video_language.trainer.SeeingTrainer"),
    "grasp-video": (("grasp",), "extensions.training.plausibility.trainer.PlausibilityTrainer"),
    "grasp-predictor": (("grasp",), "extensions.training.surprise.trainer.PredictorTrainer"),
    "tapped-small": (("tapped",), "extensions.training.fusion.trainer.FusionTrainer"),
    **dict.fromkeys(
        ("lstm", "lstm-cnn-f", "lstm-cnn-l", "lstm-cnn-v", "mac-f", "mac-l", "mac-v", "tvqa", "tvqa-plus"), CRAFT
    ),
    **dict.fromkeys(("fusion-iav", "fusion-qi", "fusion-qv", "fusion-qa", "late-fusion", "clip", "audioclip"), PACS),
}


def trainer_for(order: TrainingOrder) -> Trainer:
    """The trainer for this order; the error names the existing baselines."""
    if order.name not in TRAINERS:
        raise TrainingMisused(f"no baseline {order.name!r}; there are {', '.join(TRAINERS)}")
    benchmarks, path = TRAINERS[order.name]
    if find_benchmark(order.benchmark).slug not in benchmarks:
        raise TrainingMisused(f"{order.name} is a baseline of {' and '.join(benchmarks)}, not of {order.benchmark}")
    trainer: Trainer = import_string(path)()
    return trainer
