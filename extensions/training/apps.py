from django.apps import AppConfig


class TrainingConfig(AppConfig):
    name = "extensions.training"

    def ready(self) -> None:
        """Register the kinds of the models that are trained here, and the parts of pages."""
        from evaluation.adapters import registry
        from extensions.training.pages.parts import PARTS
        from leaderboard.board import page_parts

        registry.register(
            {
                "frequencies": "extensions.training.frequencies.FrequencyModel",
                "fusion": "extensions.training.fusion.network.FusionModel",
                "craft-network": "extensions.training.craft.adapter.CraftNetwork",
                "pairs": "extensions.training.pacs.adapter.PairModel",
                "video-network": "extensions.training.plausibility.network.PlausibilityNetwork",
                "surprise": "extensions.training.surprise.network.SurpriseModel",
            },
            hearing={"frequencies": "", "fusion": "hears", "pairs": "hears"},
            weighing=("video-network",),
            only_surprising=("surprise",),
        )
        page_parts.register(PARTS)
