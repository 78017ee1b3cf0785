"""Results by properties with too many values for columns: words of the question and single objects."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.gallery.distributions import PLAIN_WORDS, WORD, bare
from leaderboard.items.item_list import AnswerSource
from leaderboard.standings.human_rows import HumanItem, cell_of_votes, judged_items
from leaderboard.standings.paired_differences import Pair, PairedItem, paired
from measures.estimate import difference, share_of
from measures.figures import Difference, Interval


@dataclass(frozen=True)
class ByValue:
    """Results on one value's items; `difference` is from another row, if one is given."""

    value: str
    n: int
    first: float
    interval: Interval
    difference: Difference | None = None


def content_words(item: PairedItem) -> set[str]:
    """The content words of a question, in lower case."""
    return set(WORD.findall(bare(item.text).lower())) - PLAIN_WORDS


def objects_in(item: PairedItem) -> Iterable[str]:
    return item.facet_values("object")


VALUES: dict[str, Callable[[PairedItem], Iterable[str]]] = {"word": content_words, "object": objects_in}


def groups_by(what: str, source: AnswerSource, other: AnswerSource | None) -> list[tuple[str, list[Pair]]]:
    """Values with their pairs, most items first; with another row, only items that both answered."""
    answers = source.answers()
    groups: dict[str, list[Pair]] = defaultdict(list)
    for pair in paired(answers, other.answers() if other else answers):
        for value in VALUES[what](pair.item):
            groups[value].append(pair)
    return sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))


def judged_by(source: AnswerSource) -> dict[int, HumanItem]:
    """People's votes and answers by item; empty for a model."""
    return {item.item.pk: item for item in judged_items(source.trial, source.condition)} if source.trial else {}


def result_of(value: str, pairs: Sequence[Pair], judged: Mapping[int, HumanItem], *, is_paired: bool) -> ByValue:
    """The results on one value: of a model clustered on clips or dyads, of people (`judged`) as on their board."""
    figure = share_of([pair.first for pair in pairs], [pair.labels for pair in pairs])
    first, interval = figure.score, figure.interval
    if judged:
        cell = cell_of_votes([judged[pair.item.pk] for pair in pairs])
        first, interval = cell["score"], Interval(cell["low"], cell["high"])
    return ByValue(value, len(pairs), first, interval, difference(pairs) if is_paired else None)
