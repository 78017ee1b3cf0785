from django.apps import AppConfig


class LeaderboardConfig(AppConfig):
    name = "leaderboard"

    def ready(self) -> None:
        """Hear of changed names."""
        from leaderboard import renaming  # noqa: F401  # its receivers are known once it is loaded
