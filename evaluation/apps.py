from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from evaluation import checks  # noqa: F401  (each registers itself)
        from evaluation.runs import late_scoring  # noqa: F401  (each registers itself)
        from evaluation.submissions.listing import integrity  # noqa: F401  (each registers itself)
