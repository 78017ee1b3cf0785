"""The comparison of two rows: their difference overall and by facet, and whether they fail on the same items."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from django.core.paginator import Page, Paginator

from benchmarks.definitions.definition import Benchmark, Facet
from benchmarks.definitions.registry import find_benchmark
from benchmarks.gallery.browse import title_of
from benchmarks.models import Item, ItemFacet
from benchmarks.models.id_list import IdList
from benchmarks.templatetags.figures import figure_key
from evaluation.models import Run
from evaluation.runs import tallies
from humantrials.models import Trial, TrialState
from humantrials.results.judgments import votes
from leaderboard.board.query import BadAddress, one_of
from leaderboard.board.rows_alike import apart_of
from leaderboard.items.item_list import AnswerSource, source_of
from leaderboard.standings.paired_differences import Pair, by_value, group_difference, known_items, paired
from measures.estimate import consistency, difference, family
from measures.figures import Consistency, Difference

FLIPS = 25  # per page
HIDDEN = ("split", "caution")  # facets that don't describe the question


@dataclass(frozen=True)
class Group:
    """The difference on one value of a facet; `p_holm` is corrected over all values shown."""

    value: str
    title: str
    difference: Difference
    key: str = ""  # the name of the difference, for pages
    p_holm: float | None = None


@dataclass(frozen=True)
class Together:
    """How many items both, only one or neither answered right, and their error consistency."""

    both: int
    only_first: int
    only_second: int
    neither: int
    consistency: Consistency


@dataclass(frozen=True)
class Flip:
    """One item on which the two scores differ, with both answers."""

    item: Item
    title: str  # of its test, else of its kind of question
    first: float
    second: float
    first_answer: str
    second_answer: str


@dataclass(frozen=True)
class ComparisonReport:
    """Everything that the page shows about two rows of one pack."""

    benchmark: Benchmark
    first: AnswerSource
    second: AnswerSource
    pairs: tuple[Pair, ...]
    overall: Difference
    together: Together
    facet: Facet
    facets: tuple[Facet, ...]
    groups: tuple[Group, ...]
    of_groups: Difference | None  # between the scores of groups of questions, if there are any

    @property
    def key(self) -> str:
        """The name of the overall difference, for pages."""
        return difference_key(self.first, self.second)


def find_row(key: str) -> AnswerSource:
    """The row behind a key of any board; BadAddress if there is none, or it left the board."""
    kind, _dash, name = key.partition("-")
    if kind == "run" and name.isdigit() and len(name) < 19:
        slug = Run.objects.filter(pk=int(name)).values_list("pack__benchmark", flat=True).first()
    else:
        opened = Trial.objects.exclude(state=TrialState.DRAFT)
        slug = opened.filter(slug=name.partition("~")[0]).values_list("pack__benchmark", flat=True).first()
    if slug is None:
        words = "a row is run-NUMBER, trial-NAME or trial-NAME~CONDITION, as on the boards"
        raise BadAddress(f"there is no row {key[:60]!r}: {words}")
    return source_of(find_benchmark(slug), key)


def why_not(first: AnswerSource, second: AnswerSource) -> str:
    """The reason why these two rows can't be compared; '' if they can."""
    if first.key == second.key:
        return "That is the same row twice: choose another one."
    if first.pack != second.pack:
        names = f"{first.name} {first.pack_title}, {second.name} {second.pack_title}"
        return f"They answered different clips: {names}. Differences are computed only on shared items."
    if bool(first.trial) != bool(second.trial) and first.condition != second.condition:
        return (
            f"{first.name} answered under the condition {first.condition}, {second.name} under {second.condition}."
            " People are compared with models under the same condition."
        )
    return ""


def compare(first: AnswerSource, second: AnswerSource, facet: str = "") -> ComparisonReport | None:
    """Compare two rows of one pack, paired by item; None if they share no item."""
    return next(iter(compare_each(first, [second], facet)), None)


def compare_each(first: AnswerSource, others: Sequence[AnswerSource], facet: str = "") -> list[ComparisonReport]:
    """The first row with each other one, those without a shared item left out; Holm's correction is over all values."""
    first, *others = with_settings([first, *others])
    one, answered = first.answers(), [(other, other.answers()) for other in others]
    shared = {item for _, other in answered for item in one.scores.keys() & other.scores.keys()}
    if not shared:
        return []
    benchmark = find_benchmark(first.pack.benchmark)
    named = set(ItemFacet.objects.filter(item__in=IdList(shared)).order_by().values_list("name", flat=True).distinct())
    facets = tuple(each for each in benchmark.facets if each.name not in HIDDEN and each.name in named)
    chosen = _facet(facets, facet)
    known = known_items(shared, [chosen.name])
    pairs = [(source, answers, tuple(paired(one, answers, known=known))) for source, answers in answered]
    found = [
        ComparisonReport(
            benchmark=benchmark,
            first=first,
            second=source,
            pairs=of,
            overall=difference(of),
            together=together(of),
            facet=chosen,
            facets=facets,
            groups=tuple(groups_of(of, chosen, (first, source))),
            of_groups=group_difference(one, answers),
        )
        for source, answers, of in pairs
        if of
    ]
    adjusted = iter(family([group.difference.p for one in found for group in one.groups]))
    return [replace(one, groups=tuple(replace(each, p_holm=next(adjusted)) for each in one.groups)) for one in found]


def with_settings(sources: Sequence[AnswerSource]) -> list[AnswerSource]:
    """The rows, with the settings in which those that look the same differ."""
    differences = apart_of((f"{source.name}, {source.label}", source.run) for source in sources)
    return [replace(source, apart=apart) for source, apart in zip(sources, differences, strict=True)]


def _facet(facets: Sequence[Facet], name: str) -> Facet:
    """The requested facet, else "test"."""
    known = {facet.name: facet for facet in facets}
    if name:
        return known[one_of("group", name, known)]
    return known.get("test") or facets[0]


def groups_of(pairs: Sequence[Pair], facet: Facet, sources: tuple[AnswerSource, AnswerSource]) -> list[Group]:
    """The difference on each value of the facet, in the definition's order."""
    shared, name = by_value(pairs, facet.name), partial(difference_key, *sources, facet.name)
    return [
        Group(value.value, value.title, difference(shared[value.value]), name(value.value))
        for value in facet.values
        if value.value in shared
    ]


def difference_key(first: AnswerSource, second: AnswerSource, facet: str = "", value: str = "") -> str:
    return figure_key(f"{first.key}−{second.key}", "shared", facet, value)


def together(pairs: Sequence[Pair]) -> Together:
    counts = Counter(pair.are_right for pair in pairs)
    return Together(
        both=counts[True, True],
        only_first=counts[True, False],
        only_second=counts[False, True],
        neither=counts[False, False],
        consistency=consistency(pairs),
    )


def flips(found: ComparisonReport, page: int) -> Page:
    """A page of the items on which the two scores differ, largest difference first."""
    apart = [pair for pair in found.pairs if pair.difference]
    apart.sort(key=lambda pair: (-abs(pair.difference), pair.item.public_id))
    page_of_flips: Page = Paginator(apart, FLIPS).get_page(page)
    items = (
        Item.objects.select_related("pack")
        .prefetch_related("facets")
        .in_bulk([pair.item.pk for pair in page_of_flips.object_list])
    )
    first, second = answer_texts(found.first, items), answer_texts(found.second, items)
    page_of_flips.object_list = [
        Flip(
            items[pair.item.pk],
            title_of(found.benchmark, items[pair.item.pk]),
            pair.first,
            pair.second,
            first[pair.item.pk],
            second[pair.item.pk],
        )
        for pair in page_of_flips.object_list
    ]
    return page_of_flips


def answer_texts(source: AnswerSource, items: Iterable[int]) -> dict[int, str]:
    """Item id -> the row's answer; several seeds or votes are counted ("yes 3, no 1")."""
    wanted = set(items)
    if source.trial:
        found = votes(source.trial, source.condition)
        return {vote.item_id: _counted(vote.counts) for vote in found if vote.item_id in wanted}
    assert source.run is not None
    scores = tallies.one_a_reading(source.run).filter(**{f"{tallies.ITEM}__in": wanted})
    counts: dict[int, Counter[str]] = {pk: Counter() for pk in wanted}
    for item, answer, problem in scores.values_list(f"{tallies.ITEM}_id", "reading__answer", "reading__problem"):
        counts[item][answer or problem] += 1
    return {pk: next(iter(found)) if found.total() == 1 else _counted(found) for pk, found in counts.items()}


def _counted(counts: dict[str, int] | Counter[str]) -> str:
    return ", ".join(f"{answer} {count}" for answer, count in sorted(counts.items(), key=lambda each: -each[1]))


def bubbles(pairs: Sequence[Pair]) -> list[tuple[tuple[float, float], int]]:
    """Pairs of scores, each with its number of items, largest first."""
    return Counter((round(pair.first, 2), round(pair.second, 2)) for pair in pairs).most_common()
