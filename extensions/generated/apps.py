from django.apps import AppConfig


class GeneratedConfig(AppConfig):
    name = "extensions.generated"
    label = "generated"

    def ready(self) -> None:
        from leaderboard.publications import later_results

        later_results.OTHER_READERS.append("extensions.generated.published.import_published")
