"""What the floors above may read of a trial: votes, and counted judgments under random codes. Never who it was."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from statistics import median

from django.db.models import Count, QuerySet

from benchmarks.models import Item
from humantrials.aggregation import ItemVote, votes_of
from humantrials.exclusion import PRIMARY, people_out
from humantrials.models import Judgment, Trial, TrialState
from humantrials.pools import groups_of
from humantrials.protocols import PROTOCOLS, find_protocol
from measures.agreement import krippendorff_alpha
from measures.detection import Detection, detection
from measures.intervals import Interval, majority_vote, two_way
from measures.scoring import exact_match

__all__ = [
    "Agreement", "Answers", "GroupResult", "HardItem", "ItemVote", "JudgmentRow", "abstentions", "agreement",
    "answers", "are_shown", "by_group", "conditions_of", "hardest", "is_mean", "judgments", "may_be_read",
    "overall", "ratings", "sentences_shown", "votes",
]  # fmt: skip


@dataclass(frozen=True)
class JudgmentRow:
    """One counted judgment."""

    item_id: int
    participant_code: str
    answer: str
    seconds: float | None
    replays: int
    watched: float | None


@dataclass(frozen=True)
class Answers:
    """All that counts of a trial, read once for a page that shows it in several ways."""

    votes: tuple[ItemVote, ...]
    rows: tuple[JudgmentRow, ...]
    expected: dict[int, str | None]  # by item
    abstained: dict[int, int] = field(default_factory=dict)  # by item: how many said that it is not clear


@dataclass(frozen=True)
class Judged:
    """One item with its vote and the judgments behind it."""

    vote: ItemVote
    expected: str | None
    rows: tuple[JudgmentRow, ...]


@dataclass(frozen=True)
class Agreement:
    """How far people agreed with each other, and how well they told yes from no; None where it can't be said."""

    people: int
    judgments: int
    alpha: float | None  # Krippendorff's
    unanimous: float | None  # share of the items with two answers or more on which all said the same
    detection: Detection | None
    median_seconds: float | None  # from the first picture to the answer


@dataclass(frozen=True)
class HardItem:
    """One item that many got wrong."""

    item: Item
    right: int
    n: int
    counts: dict[str, int]


@dataclass(frozen=True)
class GroupResult:
    """The items of one test: how often the majority was right, or the mean answer, over the items with a vote."""

    group: str
    items: int
    judged: int
    right: float
    interval: Interval
    ties: int
    abstained: int = 0  # answers that are none, such as "not clear"; left out of everything else here

    @property
    def score(self) -> float | None:
        return self.right / self.judged if self.judged else None


def conditions_of(trial: Trial) -> tuple[str, ...]:
    """What items were shown under. Of several, votes are under one: the first unless it is named."""
    protocol = find_protocol(trial.protocol)
    return protocol.conditions or (protocol.condition,)


def sentences_shown(benchmark: str, kind: str, text: str) -> list[tuple[str, str]]:
    """(protocol, exact sentence) for every protocol that asks people this kind of question."""
    asking = (one for one in PROTOCOLS.values() if (one.benchmark, one.kind) == (benchmark, kind))
    return [(one.name, one.sentence(text)) for one in asking]


def is_mean(trial: Trial) -> bool:
    """Whether the trial's figure is the mean over answers rather than the majority of each item."""
    return find_protocol(trial.protocol).row == "mean"


def _counted(trial: Trial, condition: str, exclusion: str) -> QuerySet[Judgment]:
    """What is put together: not what is no answer, nor the answers of people who are left out."""
    included, abstain = _included(trial, condition, exclusion), find_protocol(trial.protocol).abstain
    return included.exclude(answer=abstain) if abstain else included


def _included(trial: Trial, condition: str, exclusion: str) -> QuerySet[Judgment]:
    """The counted judgments under this condition of the people who are included; "not clear" among them."""
    conditions, out = conditions_of(trial), people_out(trial, exclusion)
    counted = trial.judgments.filter(counts=True)
    if out:
        counted = counted.exclude(participant__in=out)
    return counted.filter(slot__condition=condition or conditions[0]) if len(conditions) > 1 else counted


def abstentions(trial: Trial, condition: str = "", exclusion: str = PRIMARY) -> dict[int, int]:
    """Item -> how many of the included people said that it is not clear."""
    abstain = find_protocol(trial.protocol).abstain
    if not abstain:
        return {}
    said = _included(trial, condition, exclusion).filter(answer=abstain)
    return dict(said.order_by().values_list("item_id").annotate(n=Count("pk")))


def votes(trial: Trial, condition: str = "", exclusion: str = PRIMARY) -> list[ItemVote]:
    """One vote for each item of the trial's design, from counted judgments alone."""
    items = trial.slots.order_by("item_id").values_list("item_id", flat=True).distinct()
    return votes_of(_counted(trial, condition, exclusion).values_list("item_id", "answer"), items)


def judgments(trial: Trial, condition: str = "", exclusion: str = PRIMARY) -> Iterator[JudgmentRow]:
    """Every counted judgment, in the order of items and then of random codes."""
    columns = ("item_id", "participant__code", "answer", "seconds", "replays", "watched")
    rows = _counted(trial, condition, exclusion).order_by("item_id", "participant__code").values_list(*columns)
    return (JudgmentRow(*row) for row in rows.iterator(chunk_size=2000))


def answers(trial: Trial, condition: str = "", exclusion: str = PRIMARY) -> Answers:
    """Votes and judgments with what is right, of the people whom this way of leaving people out includes."""
    items = trial.pack.items.filter(pk__in=trial.slots.values("item_id"))
    return Answers(
        votes=tuple(votes(trial, condition, exclusion)),
        rows=tuple(judgments(trial, condition, exclusion)),
        expected=dict(items.values_list("pk", "expected")),
        abstained=abstentions(trial, condition, exclusion),
    )


def are_shown(trial: Trial) -> bool:
    """An open trial with sealed items keeps its results to itself: they could move those who still come.

    Ratings have no right answers, so that there is no accuracy to show: see `ratings`.
    """
    return find_protocol(trial.protocol).has_right_answers and may_be_read(trial)


def may_be_read(trial: Trial) -> bool:
    """Whether what people said may be told by now."""
    is_over = trial.state in (TrialState.CLOSED, TrialState.ARCHIVED)
    return is_over or trial.is_simulated or not trial.settings.get("seal", True)


def ratings(benchmark: str) -> Iterator[tuple[str, str, int, int]]:
    """(key, variant, highest, points) of every counted rating of this benchmark's trials that may be told.

    Simulated people are left out: what they say is drawn.
    """
    names = [name for name, one in PROTOCOLS.items() if not one.has_right_answers and one.benchmark == benchmark]
    for trial in Trial.objects.filter(protocol__in=names, is_simulated=False):
        counted = _counted(trial, "", PRIMARY) if may_be_read(trial) else trial.judgments.none()
        rows = counted.order_by("pk").values_list("item__key", "item__variant", "item__options", "answer")
        for key, variant, options, answer in rows:
            yield key, variant, max(map(int, options)), int(answer)


def by_group(trial: Trial, found: Answers | None = None) -> list[GroupResult]:
    """The majority's accuracy on each test, in the order of the tests' names."""
    found, given = found or answers(trial), defaultdict(list)
    for judgment in found.rows:
        given[judgment.item_id].append(judgment)
    group_of = groups_of(find_protocol(trial.protocol), found.expected)
    groups: dict[str, list[Judged]] = defaultdict(list)
    for vote in found.votes:
        judged = Judged(vote, found.expected[vote.item_id], tuple(given[vote.item_id]))
        groups[group_of.get(vote.item_id, "")].append(judged)
    abstained: Counter[str] = Counter()
    for item, n in found.abstained.items():
        abstained[group_of.get(item, "")] += n
    results = (_result(group, groups[group], is_mean=is_mean(trial)) for group in sorted(groups))
    return [replace(result, abstained=abstained[result.group]) for result in results]


def agreement(found: Answers) -> Agreement | None:
    """Over all counted judgments; None where there is none."""
    rows, shared = found.rows, [vote for vote in found.votes if vote.n >= 2]
    if not rows:
        return None
    yes = Counter(found.expected[row.item_id] for row in rows if row.answer == "yes")
    asked = Counter(found.expected[row.item_id] for row in rows)
    seconds = [row.seconds for row in rows if row.seconds is not None]
    return Agreement(
        people=len({row.participant_code for row in rows}),
        judgments=len(rows),
        alpha=krippendorff_alpha(vote.counts for vote in shared),
        unanimous=sum(len(vote.counts) == 1 for vote in shared) / len(shared) if shared else None,
        detection=detection(yes["yes"], asked["yes"], yes["no"], asked["no"]),
        median_seconds=median(seconds) if seconds else None,
    )


def hardest(found: Answers, most: int = 6) -> list[HardItem]:
    """The items that the fewest people got right, of those that not everybody did; none that is sealed."""
    by_item = {vote.item_id: vote for vote in found.votes if vote.n}
    items = Item.objects.filter(pk__in=by_item).unsealed().askable().select_related("pack")
    missed = [_hard(item, by_item[item.pk]) for item in items.prefetch_related("media__clip__renditions")]
    in_order = sorted(missed, key=lambda one: (one.right / one.n, one.item.public_id))
    return [one for one in in_order if one.right < one.n][:most]


def _hard(item: Item, vote: ItemVote) -> HardItem:
    return HardItem(item, vote.counts.get(item.expected or "", 0), vote.n, vote.counts)


def overall(results: list[GroupResult]) -> float | None:
    """Share of all judged items that the majority got right; never a mean of tests."""
    judged = sum(result.judged for result in results)
    return sum(result.right for result in results) / judged if judged else None


def _result(group: str, found: list[Judged], *, is_mean: bool) -> GroupResult:
    judged = [one for one in found if one.vote.n]
    correct = [exact_match(one.vote.majority, one.expected) for one in judged]
    rows = [
        (exact_match(row.answer, one.expected), row.participant_code, row.item_id) for one in judged for row in one.rows
    ]
    values, persons, items = zip(*rows, strict=True) if rows else ((), (), ())
    return GroupResult(
        group=group,
        items=len(found),
        judged=len(judged),
        right=len(judged) * sum(values) / len(values) if is_mean and values else sum(correct),
        interval=two_way(values, persons, items) if is_mean else majority_vote(correct, values, persons, items),
        ties=sum(one.vote.is_tie for one in judged),
    )
