from django.apps import AppConfig


class HumantrialsConfig(AppConfig):
    name = "humantrials"

    def ready(self) -> None:
        from humantrials import protocols  # noqa: F401  registers the system checks
        from humantrials.results import release  # noqa: F401  its receivers are known once they are loaded
