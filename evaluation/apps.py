from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from evaluation import checks, withdrawing, withheld  # noqa: F401  (each registers itself)
