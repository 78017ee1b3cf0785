"""What boards of generators add to the pages of the core."""

from django.urls import reverse

from extensions.generated.models import PromptPack
from leaderboard.board.page_parts import PageParts


def tab_of_boards() -> tuple[str, str, str] | None:
    """The list of boards of generators, if there are any."""
    return ("generated", reverse("generated-boards"), "Generated clips") if PromptPack.objects.exists() else None


PARTS = PageParts(tab_of_boards=tab_of_boards)
