from django.apps import AppConfig


class LeaderboardConfig(AppConfig):
    name = "leaderboard"

    def ready(self) -> None:
        """Connect the receivers of `standings.refresh`, `board.cache` and `board.consumers`."""
        from leaderboard.board import cache, consumers  # noqa: F401  # their receivers are known once they are loaded
