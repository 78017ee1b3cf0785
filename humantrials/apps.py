from django.apps import AppConfig


class HumantrialsConfig(AppConfig):
    name = "humantrials"

    def ready(self) -> None:
        from humantrials import checks  # noqa: F401  registers the system checks
