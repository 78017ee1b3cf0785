"""Votes and counted judgments of a trial, under random codes: all that other apps may read, never an identity."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median

from django.db.models import Count, OuterRef, QuerySet, Subquery

from benchmarks.disclosure import PUBLIC, Fact, open_to, with_expected
from benchmarks.models import Item
from benchmarks.models.items import ItemQuerySet
from benchmarks.packs.clusters import Labels, are_dependent, labels_by_item
from humantrials.assignment.item_pool import groups_of
from humantrials.judging.exclusion_rules import PRIMARY, people_out
from humantrials.models import FollowUp, Judgment, Trial
from humantrials.planning.second_round import has_second_round, of_first_round, weighted_share
from humantrials.protocols import PROTOCOLS, find_protocol
from humantrials.results.release import may_show_people
from measures.estimate import (
    Detection,
    VotedItem,
    detection,
    figure_of_answers,
    figure_of_votes,
    krippendorff_alpha,
    mean_of_ratings,
    voters_of,
)
from measures.figures import Interval, PeopleFigure
from measures.scores.scoring import exact_match, majority, majority_score


@dataclass(frozen=True)
class ItemVote:
    """The counted answers to one item; there is no majority if they tie or if there are none."""

    item_id: int
    counts: dict[str, int]
    majority: str | None
    is_tie: bool
    n: int

    def score(self, expected: str | None) -> float:
        """The score of the majority answer, 0 to 1; a tie counts half."""
        return majority_score(self.counts, expected)


def votes_of(answers: Iterable[tuple[int, str]], items: Iterable[int]) -> list[ItemVote]:
    """Turn (item, answer) pairs into one vote per item, in the order of `items`."""
    by_item: dict[int, list[str]] = defaultdict(list)
    for item_id, answer in answers:
        by_item[item_id].append(answer)
    return [_vote(item_id, by_item[item_id]) for item_id in items]


def _vote(item_id: int, answers: list[str]) -> ItemVote:
    most = majority(answers)
    return ItemVote(item_id, dict(most.counts), most.answer, most.is_tie, len(answers))


@dataclass(frozen=True)
class JudgmentRow:
    """One counted judgment."""

    item_id: int
    participant_code: str
    answer: str
    seconds: float | None
    confidence: int | None = None  # step of the trial's scale, from 1


@dataclass(frozen=True)
class TrialAnswers:
    """Everything that counts in a trial, read once for a page that shows it in several ways."""

    votes: tuple[ItemVote, ...]
    rows: tuple[JudgmentRow, ...]
    expected: dict[int, str | None]  # by item; None where the answer is unknown or hidden, so that nothing is scored
    abstained: dict[int, int] = field(default_factory=dict)  # by item: how many answered "not clear"
    labels: dict[int, Labels] = field(default_factory=dict)  # by item, of dyads alone

    @cached_property
    def voted(self) -> dict[int, VotedItem]:
        """Each judged item with a known answer, with its score and voters."""
        by_item: dict[int, list[tuple[str, str]]] = defaultdict(list)
        for row in self.rows:
            by_item[row.item_id].append((row.participant_code, row.answer))
        return {vote.item_id: self._voted(vote, by_item[vote.item_id]) for vote in self.scored_votes}

    def _voted(self, vote: ItemVote, votes: Sequence[tuple[str, str]]) -> VotedItem:
        expected, label = self.expected[vote.item_id], self.labels.get(vote.item_id, vote.item_id)
        return VotedItem(vote.score(expected), voters_of(votes, vote.counts, expected), label)

    @property
    def is_scored(self) -> bool:
        """Whether the answer to any of the items is known."""
        return any(answer is not None for answer in self.expected.values())

    @cached_property
    def scored_votes(self) -> list[ItemVote]:
        """The votes on judged items whose answers are known."""
        return [vote for vote in self.votes if vote.n and self.expected[vote.item_id] is not None]

    @cached_property
    def scored_rows(self) -> list[JudgmentRow]:
        """The judgments of items whose answers are known."""
        return [row for row in self.rows if self.expected[row.item_id] is not None]

    def objects(self, rows: Sequence[JudgmentRow]) -> list[Labels] | None:
        """The labels by which these answers depend on each other besides item and person; None if there are none."""
        return [self.labels[row.item_id] for row in rows] if self.labels else None


@dataclass(frozen=True)
class Confidence:
    """How sure people were, in steps of the trial's scale from 1: the mean after right and after wrong answers.

    The intervals take people and items as samples; None where there are fewer than two of either.
    """

    right: float | None
    wrong: float | None
    n_right: int
    n_wrong: int
    right_interval: Interval | None = None
    wrong_interval: Interval | None = None


@dataclass(frozen=True)
class Agreement:
    """Agreement between people, and their signal detection; None where it can't be computed."""

    people: int
    judgments: int
    alpha: float | None  # Krippendorff's
    unanimous: float | None  # share of unanimous items among those with two answers or more
    detection: Detection | None
    median_seconds: float | None  # from the first frame to the answer
    confidence: Confidence | None = None


@dataclass(frozen=True)
class HardItem:
    """One item that many people got wrong."""

    item: Item
    right: int
    n: int
    counts: dict[str, int]


@dataclass(frozen=True)
class GroupResult:
    """Results on one test: correct majorities, or the mean score of answers, over its scored items.

    An item is judged if it has a vote, and scored if its answer is known as well.
    """

    group: str
    items: int
    judged: int
    scored: int
    score: float | None  # None if nothing is scored
    interval: Interval
    ties: int
    abstained: int  # answers such as "not clear", left out of everything else here


def conditions_of(trial: Trial) -> tuple[str, ...]:
    """The conditions under which items were shown. Votes use the first condition unless another is named."""
    protocol = find_protocol(trial.protocol)
    return protocol.design.conditions or (protocol.design.condition,)


def exact_sentences(benchmark: str, kind: str, text: str) -> list[tuple[str, str]]:
    """(protocol, exact sentence) for every protocol that asks people the item's own question; each sentence once."""
    asking = (one for one in PROTOCOLS.values() if (one.pool.benchmark, one.pool.kind) == (benchmark, kind))
    own = [one for one in asking if not (one.player.has_twin or one.player.has_moments)]
    first = {one.player.sentence(text): one.name for one in reversed(own)}
    return [(name, sentence) for sentence, name in reversed(first.items())]


def is_mean(trial: Trial) -> bool:
    """Whether the trial reports the mean over answers instead of the majority of each item."""
    return find_protocol(trial.protocol).analysis.row == "mean"


def _counted(trial: Trial, condition: str, exclusion: str) -> QuerySet[Judgment]:
    """Judgments to aggregate: without abstentions and excluded participants."""
    included, abstain = _included(trial, condition, exclusion), find_protocol(trial.protocol).analysis.abstain
    return included.exclude(answer=abstain) if abstain else included


def _included(trial: Trial, condition: str, exclusion: str) -> QuerySet[Judgment]:
    """The counted judgments of the first round under this condition, with abstentions, without those left out."""
    conditions = conditions_of(trial)
    counted = of_first_round(trial, _without_excluded(trial, exclusion))
    return counted.filter(slot__condition=condition or conditions[0]) if len(conditions) > 1 else counted


def counted_of(trial: Trial, exclusion: str = PRIMARY) -> QuerySet[Judgment]:
    """The judgments that count, without those left out."""
    return of_first_round(trial, _without_excluded(trial, exclusion))


def _without_excluded(trial: Trial, exclusion: str) -> QuerySet[Judgment]:
    """All counted judgments without excluded participants."""
    out, counted = people_out(trial, exclusion), trial.judgments.filter(counts=True)
    return counted.exclude(participant__in=out) if out else counted


def both_rounds(trial: Trial, exclusion: str = PRIMARY) -> PeopleFigure | None:
    """The weighted share of right answers of both rounds; None without a second round, or if an answer is hidden."""
    if not has_second_round(trial) or _items_of(trial).exclude(open_to(PUBLIC, Fact.ANSWER)).exists():
        return None
    return weighted_share(trial, _without_excluded(trial, exclusion))


def _items_of(trial: Trial) -> ItemQuerySet:
    return Item.objects.filter(pk__in=trial.slots.values("item_id"))


def abstentions(trial: Trial, condition: str = "", exclusion: str = PRIMARY) -> dict[int, int]:
    """The number of abstentions ("not clear") by item, without excluded participants."""
    abstain = find_protocol(trial.protocol).analysis.abstain
    if not abstain:
        return {}
    included = _included(trial, condition, exclusion).filter(answer=abstain)
    return dict(included.order_by().values_list("item_id").annotate(n=Count("pk")))


def votes(trial: Trial, condition: str = "", exclusion: str = PRIMARY) -> list[ItemVote]:
    """One vote per item of the trial's design, from counted judgments only."""
    items = trial.slots.order_by("item_id").values_list("item_id", flat=True).distinct()
    return votes_of(_counted(trial, condition, exclusion).values_list("item_id", "answer"), items)


def judgments(trial: Trial, condition: str = "", exclusion: str = PRIMARY) -> Iterator[JudgmentRow]:
    """Counted judgments in the order of items, then of random codes."""
    columns = ["item_id", "participant__code", "answer", "seconds"]
    counted = _counted(trial, condition, exclusion)
    if trial.settings.get("confidence"):
        columns.append("confidence")
        counted = counted.annotate(confidence=rated_confidence())
    rows = counted.order_by("item_id", "participant__code").values_list(*columns)
    return (JudgmentRow(*row) for row in rows.iterator(chunk_size=2000))


def rated_confidence() -> Subquery:
    """How sure the person said they were right after this judgment; None if they said nothing."""
    rating = FollowUp.objects.filter(participant=OuterRef("participant"), position=OuterRef("slot__position"))
    return Subquery(rating.values("confidence"))


def answers(trial: Trial, condition: str = "", exclusion: str = PRIMARY) -> TrialAnswers:
    """Votes, judgments and public answers under this exclusion."""
    expected = dict(with_expected(_items_of(trial), to=PUBLIC).values_list("pk", "expected"))
    slug = trial.pack.benchmark
    return TrialAnswers(
        votes=tuple(votes(trial, condition, exclusion)),
        rows=tuple(judgments(trial, condition, exclusion)),
        expected=expected,
        abstained=abstentions(trial, condition, exclusion),
        labels=labels_by_item(expected, benchmark=slug) if are_dependent(slug) else {},
    )


def ratings(benchmark: str) -> Iterator[tuple[str, str, int, int]]:
    """(key, variant, highest, points) of every counted rating of this benchmark's trials whose results are shown.

    Simulated participants are left out, since their answers are random.
    """
    names = [
        name for name, one in PROTOCOLS.items() if not one.analysis.has_figures and one.pool.benchmark == benchmark
    ]
    for trial in Trial.objects.filter(protocol__in=names, is_simulated=False):
        counted = _counted(trial, "", PRIMARY) if may_show_people(trial) else trial.judgments.none()
        rows = counted.order_by("pk").values_list("item__key", "item__variant", "item__options", "answer")
        for key, variant, options, answer in rows:
            yield key, variant, max(map(int, options)), int(answer)


def by_group(trial: Trial, found: TrialAnswers) -> list[GroupResult]:
    """The results on each test, sorted by the tests' names."""
    group_of = groups_of(find_protocol(trial.protocol), found.expected)
    groups: dict[str, list[ItemVote]] = defaultdict(list)
    for vote in found.votes:
        groups[group_of.get(vote.item_id, "")].append(vote)
    return [_result(found, group, groups[group], is_mean=is_mean(trial)) for group in sorted(groups)]


def agreement(found: TrialAnswers) -> Agreement | None:
    """Agreement over all counted judgments; None if there are none."""
    rows, shared = found.rows, [vote for vote in found.votes if vote.n >= 2]
    if not rows:
        return None
    yes = Counter(found.expected[row.item_id] for row in rows if row.answer == "yes")
    expected = Counter(found.expected[row.item_id] for row in rows)
    seconds = [row.seconds for row in rows if row.seconds is not None]
    return Agreement(
        people=len({row.participant_code for row in rows}),
        judgments=len(rows),
        alpha=krippendorff_alpha(vote.counts for vote in shared),
        unanimous=sum(len(vote.counts) == 1 for vote in shared) / len(shared) if shared else None,
        detection=detection(yes["yes"], expected["yes"], yes["no"], expected["no"]),
        median_seconds=median(seconds) if seconds else None,
        confidence=_confidence(found),
    )


def _confidence(found: TrialAnswers) -> Confidence | None:
    """None if nobody said how sure they were."""
    rated: dict[bool, list[JudgmentRow]] = {True: [], False: []}
    for row in found.scored_rows:
        if row.confidence is not None:
            rated[exact_match(row.answer, found.expected[row.item_id]) == 1].append(row)
    if not any(rated.values()):
        return None
    highest = max(row.confidence or 0 for rows in rated.values() for row in rows)
    means = (_mean_confidence(rated[is_right], highest) for is_right in (True, False))
    (right, its_interval), (wrong, other_interval) = means
    return Confidence(right, wrong, len(rated[True]), len(rated[False]), its_interval, other_interval)


def _mean_confidence(rows: Sequence[JudgmentRow], highest: int) -> tuple[float | None, Interval | None]:
    """The mean and its interval, limited to the scale's first step and the highest step chosen."""
    steps = [float(row.confidence or 0) for row in rows]
    people, items = [row.participant_code for row in rows], [row.item_id for row in rows]
    return mean_of_ratings(steps, people, items, highest)


def hardest(found: TrialAnswers, most: int = 6) -> list[HardItem]:
    """The items with the smallest share of correct answers, without hidden ones and those that everybody got right."""
    by_item = {vote.item_id: vote for vote in found.scored_votes}
    right = {pk: vote.counts.get(found.expected[pk] or "", 0) for pk, vote in by_item.items()}
    shares: dict[float, list[int]] = defaultdict(list)
    for pk, vote in by_item.items():
        if right[pk] < vote.n:
            shares[right[pk] / vote.n].append(pk)
    visible = Item.objects.filter(open_to(PUBLIC, Fact.ANSWER)).askable().select_related("pack")
    visible = visible.prefetch_related("media__clip__renditions")
    first: list[Item] = []
    for share in sorted(shares):
        if len(first) < most:
            first += visible.filter(pk__in=shares[share]).order_by("public_id")[: most - len(first)]
    return [HardItem(item, right[item.pk], by_item[item.pk].n, by_item[item.pk].counts) for item in first]


def _result(answers: TrialAnswers, group: str, found: list[ItemVote], *, is_mean: bool) -> GroupResult:
    judged, items = [vote for vote in found if vote.n], {vote.item_id for vote in found}
    scored = [vote for vote in judged if vote.item_id in answers.voted]
    rows = [row for row in answers.scored_rows if row.item_id in items]
    figure = figure_of(answers, rows, scored, is_mean=is_mean)
    return GroupResult(
        group=group,
        items=len(found),
        judged=len(judged),
        scored=len(scored),
        score=figure.score,
        interval=figure.interval,
        ties=sum(vote.is_tie for vote in judged),
        abstained=sum(answers.abstained.get(item, 0) for item in items),
    )


def figure_of(
    answers: TrialAnswers, rows: Sequence[JudgmentRow], judged: Sequence[ItemVote], *, is_mean: bool
) -> PeopleFigure:
    """The figure of these votes, or of the answers that they come from if the study takes a mean."""
    if not is_mean:
        return figure_of_votes([answers.voted[vote.item_id] for vote in judged])
    scores = [exact_match(row.answer, answers.expected[row.item_id]) for row in rows]
    people, items = [row.participant_code for row in rows], [row.item_id for row in rows]
    return figure_of_answers(scores, people, items, answers.objects(rows))
