from django.apps import AppConfig


class LeaderboardConfig(AppConfig):
    name = "leaderboard"

    def ready(self) -> None:
        """Connect the receivers: renamed models and packs, refreshed standings."""
        from leaderboard.board import cache, consumers  # noqa: F401  # their receivers are known once they are loaded
        from leaderboard.standings import renames  # noqa: F401
