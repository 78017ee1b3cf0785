"""All baselines of `train_baseline`: their benchmarks, and the paths of their trainers, which are imported on use."""

from django.utils.module_loading import import_string

from benchmarks.definitions.registry import find_benchmark
from evaluation.training.core.checkpoints import TrainingMisused
from evaluation.training.core.trainer import Trainer, TrainingOrder

CRAFT = (("craft",), "evaluation.training.craft.trainer.CraftTrainer")
PACS = (("tapped", "pacs"), "evaluation.training.pacs.trainer.PacsTrainer")

TRAINERS = {
    "grasp-small": (("grasp",), "evaluation.training.video_language.trainer.SeeingTrainer"),
    "grasp-video": (("grasp",), "evaluation.training.plausibility.trainer.PlausibilityTrainer"),
    "grasp-predictor": (("grasp",), "evaluation.training.surprise.trainer.PredictorTrainer"),
    "tapped-small": (("tapped",), "evaluation.training.fusion.trainer.FusionTrainer"),
    "lstm": CRAFT,
    "lstm-cnn-f": CRAFT,
    "lstm-cnn-l": CRAFT,
    "lstm-cnn-v": CRAFT,
    "mac-f": CRAFT,
    "mac-l": CRAFT,
    "mac-v": CRAFT,
    "tvqa": CRAFT,
    "tvqa-plus": CRAFT,
    "fusion-iav": PACS,
    "fusion-qi": PACS,
    "fusion-qv": PACS,
    "fusion-qa": PACS,
    "late-fusion": PACS,
    "clip": PACS,
    "audioclip": PACS,
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
