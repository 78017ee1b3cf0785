"""Rows of trials: each item's majority vote is scored against its answer; people and items both count as samples."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import NamedTuple

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import PUBLIC, SCORER, Fact, open_answers, open_to
from benchmarks.models import AnswerKind, Item
from benchmarks.packs.clusters import Labels, are_dependent, labels_by_item
from evaluation.runs.results import PackGroup, groups_of
from humantrials.models import Trial
from humantrials.protocols import find_protocol
from humantrials.results.judgments import ItemVote, JudgmentRow, conditions_of, is_mean, judgments, votes
from humantrials.results.release import has_enough
from leaderboard.models import RowKind
from leaderboard.standings.stored_cells import (
    StoredCell,
    UnstoredStanding,
    guarded_cell,
    rounded,
    sensitivity,
    share,
    stored_figure,
)
from measures.estimate import VotedItem, Voter, area_of_confidence, figure_of_answers, figure_of_votes, voters_of
from measures.scores.group_scores import group_score, question_gains
from measures.scores.scoring import exact_match

MARGIN = "margin"  # of a stored cell
YES_NO = ("yes", "no")


class ConfidentAnswer(NamedTuple):
    """One answer of a person: whether yes is right, the confidence (negative for no), the person and the item."""

    is_yes: bool
    rating: int
    person: str
    item: int


def add_confidence(cells: dict[str, dict[str, StoredCell]], answers: Sequence[ConfidentAnswer]) -> None:
    """Add to the levels the area of people's confidence: a sure yes ranks above an unsure one, a sure no below."""
    if len({is_yes for is_yes, *_ in answers}) < 2:
        return
    area = area_of_confidence(*zip(*answers, strict=True))
    for cell in cells.get("level", {}).values():
        cell[MARGIN] = rounded({"n": len(answers), "area": asdict(area)})


def confident_answers(rows: Iterable[JudgmentRow], expected: Mapping[int, str | None]) -> list[ConfidentAnswer]:
    """The yes/no answers of people who said how sure they were, to items with a public answer."""
    return [
        ConfidentAnswer(
            expected[row.item_id] == "yes",
            row.confidence if row.answer == "yes" else -row.confidence,
            row.participant_code,
            row.item_id,
        )
        for row in rows
        if row.confidence is not None and row.answer in YES_NO and expected.get(row.item_id) in YES_NO
    ]


# Facets that no board groups by: each object or spelling would become a column.
WHOLE = ("level", "split")  # facets whose cells may count hidden answers, rounded; others count public ones alone
NO_GROUPS = ("caution", "object", "material-pair", "material-label", "property-name", "property-label")


@dataclass(frozen=True)
class HumanItem:
    """One item with its votes and every counted answer to it."""

    item: Item
    expected: str
    vote: ItemVote
    answers: tuple[tuple[str, str], ...]  # (participant's random code, answer)
    is_mean: bool = False  # the trial's figure is the mean over answers, not the majority
    labels: Labels | None = None  # labels that it shares with dependent items; None = independent
    is_hidden: bool = False  # its answer is not public

    @property
    def score(self) -> float:
        return score_of(self.vote, self.expected, is_mean=self.is_mean)

    @cached_property
    def voters(self) -> tuple[Voter, ...]:
        found = voters_of(self.answers, self.vote.counts, self.expected)
        return tuple(replace(one, swing=1 / self.vote.n) for one in found) if self.is_mean else found

    @property
    def voted(self) -> VotedItem:
        return VotedItem(self.score, self.voters, self.labels or self.item.pk)


def score_of(vote: ItemVote, expected: str | None, *, is_mean: bool) -> float:
    """The score of the majority, where a tie counts half; for a mean, the share of right answers."""
    if is_mean:
        return sum(n * exact_match(answer, expected) for answer, n in vote.counts.items()) / vote.n
    return vote.score(expected)


def row_key(trial: Trial, condition: str) -> str:
    """Stable key of this trial's row: "trial-NAME", or "trial-NAME~CONDITION" if the trial has several conditions."""
    return f"trial-{trial.slug}" if len(conditions_of(trial)) == 1 else f"trial-{trial.slug}~{condition}"


def rows_of_trial(trial: Trial) -> list[UnstoredStanding]:
    """One row for each condition and split with a figure of enough people, counted after exclusions."""
    return [row for condition in conditions_of(trial) for row in _rows(trial, condition)]


def _rows(trial: Trial, condition: str) -> list[UnstoredStanding]:
    judged = judged_items(trial, condition)
    splits = sorted({split for one in judged for split in one.item.facet_values("split")})
    inside = {split: [one for one in judged if split in one.item.facet_values("split")] for split in splits}
    rows = [_row(trial, condition, split, found) for split, found in inside.items()]
    if trial.settings.get("confidence"):
        every = list(judgments(trial, condition))
        for row, found in zip(rows, inside.values(), strict=True):
            public = {one.item.pk: one.expected for one in found if not one.is_hidden}
            add_confidence(row.cells, confident_answers(every, public))
    return [row for row in rows if row.overall["n"] and has_enough(trial, row.overall["people"])]


def _row(trial: Trial, condition: str, split: str, judged: list[HumanItem]) -> UnstoredStanding:
    kinds = sorted({one.item.kind for one in judged})
    strategy = find_protocol(trial.protocol).analysis.strategy or strategy_asking(trial.pack.benchmark, kinds[0])
    groups = groups_of(trial.pack, strategy)
    overall = _without_cautioned(judged, groups) | {"of": _items_of(trial, split, kinds)}
    return _unstored(trial, split, strategy, condition, overall, _cells(judged, groups))


def rows_without_scores(trial: Trial) -> list[UnstoredStanding]:
    """An empty row for each split: of a study whose answers have other figures than accuracy."""
    protocol, benchmark = find_protocol(trial.protocol), BENCHMARKS[trial.pack.benchmark]
    how = (benchmark.strategy(protocol.analysis.strategy).name, protocol.design.condition)
    return [_unstored(trial, split, *how, cell_of_votes([]), {}) for split in benchmark.splits]


def _unstored(
    trial: Trial,
    split: str,
    strategy: str,
    condition: str,
    overall: StoredCell,
    cells: dict[str, dict[str, StoredCell]],
) -> UnstoredStanding:
    return UnstoredStanding(
        split=split,
        kind=RowKind.SIMULATED if trial.is_simulated else RowKind.HUMAN,
        name="Simulated people" if trial.is_simulated else "People",
        strategy=strategy,
        condition=condition,
        identity=f"trial:{trial.slug}",
        overall=overall,
        cells=cells,
    )


def judged_items(trial: Trial, condition: str = "", *, is_short: bool = False) -> list[HumanItem]:
    """Every askable item with counted judgments and a known answer, under this condition if one is named.

    `is_short`: items have only the fields for scores, kind and expected answer; reading all fields takes twice as long.
    """
    answers = defaultdict(list)
    for judgment in judgments(trial, condition):
        answers[judgment.item_id].append((judgment.participant_code, judgment.answer))
    found = {vote.item_id: vote for vote in votes(trial, condition) if vote.n}
    slug = trial.pack.benchmark
    labels = labels_by_item(found, benchmark=slug) if are_dependent(slug) else {}
    known, takes_mean = open_answers(found, to=SCORER), is_mean(trial)
    items = Item.objects.filter(pk__in=[pk for pk, answer in known.items() if answer.expected is not None]).askable()
    items = items.only("kind") if is_short else items.select_related("pack").prefetch_related("facets")
    return [
        HumanItem(
            item,
            known[item.pk].expected or "",
            found[item.pk],
            tuple(answers[item.pk]),
            takes_mean,
            labels.get(item.pk),
            item.is_hidden,
        )
        for item in items.annotate(is_hidden=~open_to(PUBLIC, Fact.ANSWER))
    ]


def strategy_asking(slug: str, kind: str) -> str:
    """Name of the benchmark's first strategy for this kind of question."""
    known = BENCHMARKS[slug].strategies if slug in BENCHMARKS else ()
    return next((strategy.name for strategy in known if kind in strategy.kinds), kind)


def _items_of(trial: Trial, split: str, kinds: list[str]) -> int:
    return trial.pack.items.in_split(split).filter(kind__in=kinds).askable().count()


def _cells(judged: list[HumanItem], pack_groups: Mapping[str, PackGroup]) -> dict[str, dict[str, StoredCell]]:
    groups: dict[str, dict[str, list[HumanItem]]] = defaultdict(lambda: defaultdict(list))
    for one in judged:
        for facet in one.item.facets.all():
            if facet.name in WHOLE or not one.is_hidden:
                groups[facet.name][facet.value].append(one)
    return {
        name: {value: _without_cautioned(found, _within(pack_groups, judged, found)) for value, found in values.items()}
        for name, values in groups.items()
        if name not in NO_GROUPS
    }


def _within(groups: Mapping[str, PackGroup], judged: list[HumanItem], part: list[HumanItem]) -> dict[str, PackGroup]:
    """The groups whose judged questions are all in this part."""
    outside = {one.item.pk for one in judged} - {one.item.pk for one in part}
    return {name: group for name, group in groups.items() if not outside.intersection(group.items)}


def _without_cautioned(judged: list[HumanItem], groups: Mapping[str, PackGroup]) -> StoredCell:
    cell = _cell(judged, groups)
    judged_without = [one for one in judged if not one.item.facet_values("caution")]
    if len(judged_without) < len(judged):
        own = _within(groups, judged, judged_without)
        cell["careful"] = _cell(judged_without, own) if judged_without else None
    return cell


def _cell(judged: list[HumanItem], groups: Mapping[str, PackGroup]) -> StoredCell:
    """The cell of these items with their group score, as far as hidden answers allow."""
    public = [one for one in judged if not one.is_hidden]
    return guarded_cell(
        len(judged),
        len(judged) - len(public),
        everything=lambda: cell_of_votes(judged) | group_cell_of_votes(judged, groups),
        public=lambda: cell_of_votes(public) | group_cell_of_votes(public, _within(groups, judged, public)),
    )


def group_cell_of_votes(judged: list[HumanItem], groups: Mapping[str, PackGroup]) -> StoredCell:
    """The group score of people's majorities, under "group"; {} without one. A tied vote is right half the time."""
    by_item = {one.item.pk: one for one in judged}
    touched = [group for group in groups.values() if by_item.keys() & {*group.items}]
    whole = [group for group in touched if group.is_whole and by_item.keys() >= {*group.items}]
    if not touched:
        return {}
    found = figure_of_votes([voted_group(one.rule, one.label, [by_item[item] for item in one.items]) for one in whole])
    chance = share(sum(group.chance for group in whole), len(whole))
    return {"group": {**stored_figure(found), "chance": chance, "incomplete": len(touched) - len(whole)}}


def voted_group(rule: str, label: int, judged: Sequence[HumanItem]) -> VotedItem:
    """The group's score by people's majorities; an answer counts as much as the group's score hangs on its question."""
    scores = [item.score for item in judged]
    voters = (
        replace(voter, swing=voter.swing * gain)
        for item, gain in zip(judged, question_gains(rule, scores), strict=True)
        for voter in item.voters
    )
    return VotedItem(group_score(rule, scores), tuple(voters), label)


def cell_of_votes(judged: list[HumanItem]) -> StoredCell:
    """The cell of these items: the score of the majority vote, and the score of single judgments beside it."""
    single = figure_of_answers(*_flat(judged), _objects(judged))
    is_mean = bool(judged) and judged[0].is_mean
    whole = single if is_mean else figure_of_votes([one.voted for one in judged])
    return {
        **stored_figure(whole),
        "n": len(judged),
        "clips": len(judged),
        "unread": 0.0,
        "chance": share(sum(1 / len(one.item.options) for one in judged if one.item.options), len(judged)),
        "people": single.people,
        "effect": whole.effect,
        "judgments": single.n,
        "ties": sum(one.vote.is_tie for one in judged),
        "votes": {str(n): count for n, count in sorted(Counter(one.vote.n for one in judged).items())},
        "single": {"score": single.score, "low": single.interval.low, "high": single.interval.high},
        **({"variance": single.variance} if is_mean else {}),
        **_bias_of(judged),
    }


def _flat(judged: list[HumanItem]) -> tuple[list[float], list[str], list[int]]:
    """Three lists with an entry for each judgment: 1 for right and 0 for wrong, the person, the item."""
    rows = [(exact_match(answer, one.expected), who, one.item.pk) for one in judged for who, answer in one.answers]
    values, persons, items = zip(*rows, strict=True) if rows else ((), (), ())
    return list(values), list(persons), list(items)


def _objects(judged: list[HumanItem]) -> list[Labels] | None:
    """The labels of each judgment's item; None where items do not depend on each other."""
    found = [one.labels for one in judged for _ in one.answers if one.labels]
    return found or None


def _bias_of(judged: list[HumanItem]) -> StoredCell:
    yes_no = [one for one in judged if one.item.answer_kind == AnswerKind.YES_NO]
    if not yes_no:
        return {}
    counts = Counter((one.expected, answer) for one in yes_no for _, answer in one.answers)
    total = {side: sum(n for (expected, _), n in counts.items() if expected == side) for side in ("yes", "no")}
    hits, alarms = counts["yes", "yes"], counts["no", "yes"]
    return {
        "yes": share(hits + alarms, counts.total()),
        **sensitivity(hits, total["yes"], alarms, total["no"]),
        **dict(_by_polarity(yes_no)),
    }


def _by_polarity(items: list[HumanItem]) -> Iterator[tuple[str, StoredCell]]:
    for name, expected in (("positive", "yes"), ("negative", "no")):
        half = [item for item in items if item.expected == expected]
        yield name, stored_figure(figure_of_votes([one.voted for one in half]))
