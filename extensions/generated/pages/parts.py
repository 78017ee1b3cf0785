"""What boards of generators add to the pages of the core."""

from django.template.loader import render_to_string

from extensions.generated.models import PromptPack
from leaderboard.board.page_parts import PageParts


def of_boards() -> str:
    """Links to the boards of generators, if there are any."""
    packs = list(PromptPack.objects.all())
    return render_to_string("generated/parts/of_boards.html", {"packs": packs}) if packs else ""


PARTS = PageParts(of_boards=of_boards)
