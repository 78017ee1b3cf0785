"""Why a row of this site has no figures by test: an open study hides its questions, or their answers are withheld."""

from collections.abc import Iterable

from benchmarks.disclosure import PUBLIC, Fact, open_to, studies_hiding
from benchmarks.models import Item, ItemQuerySet, Pack
from humantrials.models import Trial
from humantrials.results.release import hidden_by
from leaderboard.board.board_row import BoardRow

OF_ANSWERS = "hidden: the answers are withheld"


def hidden_words(pack: Pack | None, rows: Iterable[BoardRow]) -> str:
    """The reason in words if some row of this site lacks its cells; "" if nothing is hidden."""
    if pack is None or all(row.cells for row in rows if row.kind.is_ours):
        return ""
    if words := words_of_studies(Item.objects.filter(pack=pack)):
        return words
    return OF_ANSWERS if Item.objects.filter(pack=pack).exclude(open_to(PUBLIC, Fact.ANSWER)).exists() else ""


def words_of_studies(items: ItemQuerySet) -> str:
    """That open studies hide some of these items, and until when; "" if none does."""
    names = studies_hiding(items)
    return hidden_by(Trial.objects.filter(slug__in=[name.partition(":")[2] for name in names])) if names else ""
