"""Why a row of this site has no figures by test: an open study hides its questions, or their answers are withheld."""

from collections.abc import Iterable

from benchmarks.disclosure import PUBLIC, Fact, hidden_by_studies, open_to
from benchmarks.models import Item, Pack
from leaderboard.board.assemble import BoardRow

OF_A_STUDY = "hidden while a study runs, back when it closes"
OF_ANSWERS = "hidden: the answers are withheld"


def hidden_words(pack: Pack | None, rows: Iterable[BoardRow]) -> str:
    """The reason in words if some row of this site lacks its cells; "" if nothing is hidden."""
    if pack is None or all(row.cells for row in rows if row.kind.is_ours):
        return ""
    if Item.objects.filter(hidden_by_studies(), pack=pack).exists():
        return OF_A_STUDY
    return OF_ANSWERS if Item.objects.filter(pack=pack).exclude(open_to(PUBLIC, Fact.ANSWER)).exists() else ""
