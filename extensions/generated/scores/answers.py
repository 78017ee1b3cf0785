"""What people and judges answered: which answers count, and what is counted beside them."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from django.db.models import Count

from benchmarks.definitions.rated_dimensions import CANT_TELL, ratings_in
from benchmarks.models import ItemFacet, Pack
from evaluation.models import ModelRole, Reading, Run
from extensions.generated.models import RatingRound
from extensions.generated.pairs.vote_files import ANSWERS, BOTH_BAD, EQUAL, FIRST, SECOND, VoteTable
from extensions.generated.question_kinds import pair_prompt, rating_prompt
from extensions.generated.rating.pages import of_each_clip
from extensions.generated.scores.rated_rows import Numbers, Places, RatedRows, rows_of_round
from humantrials.models import Slot, Trial
from humantrials.results.judgments import counted_of
from humantrials.results.release import Wait, may_show_people, wait_of
from measures.estimate import Ratings

PEOPLE, JUDGE, REPORTED = "people", "judge", "reported"
PAIR_ANSWERS = {"a": FIRST, "b": SECOND, "equal": EQUAL, "bad": BOTH_BAD}
BROKEN, CLEAN = "break", "none"

Rows = Sequence[tuple[int, str, str]]  # item (of marks: clip), person, answer


@dataclass(frozen=True)
class FirstBreak:
    """The first break that one person saw in a clip."""

    clip: int
    seconds: float
    kind: str
    severity: int


@dataclass(frozen=True)
class Ballots:
    """Votes between the two clips of items, with the numbers of "can't tell" and of unread answers beside them.

    Of the pairs that one answerer compared in both orders, `flips` got another answer in the second.
    """

    table: VoteTable
    cant_tell: int
    unread: int
    compared: int
    flips: int


@dataclass(frozen=True)
class RaterAnswers:
    """Answers about clips, one each: `values` has nan for what is no step, and `cant_tell` says whether that was said.

    After the pack's dimensions come two of breaks: whether there is one, and its severity. `wanted` counts the answers
    that were asked for (rows × dimensions).
    """

    clips: Places
    dimensions: Places
    people: Places
    values: Numbers
    cant_tell: Places
    wanted: Places
    marks: tuple[FirstBreak, ...] = ()
    ballots: Ballots | None = None

    def ratings(self, found: RatedRows) -> Ratings:
        """Those that are steps, for `measures`."""
        read = ~np.isnan(self.values)
        clips = self.clips[read]
        return Ratings(
            self.values[read],
            found.row_of[clips],
            found.prompt_of[clips],
            clips,
            self.dimensions[read],
            self.people[read],
        )


@dataclass(frozen=True)
class Answerer:
    """Who has a column: people, or a judge model with one way of asking it.

    `again` is what a judge said in later passes, and `printed` what a paper prints: column -> row -> mean.
    """

    slug: str
    title: str
    kind: str
    answers: RaterAnswers
    is_simulated: bool = False
    again: tuple[RaterAnswers, ...] = ()
    printed: Mapping[str, Mapping[int, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class RoundAnswers:
    """All answerers of some rows, people first, and what people's results wait for where they are not shown yet."""

    found: RatedRows
    answerers: tuple[Answerer, ...]
    waits: tuple[Wait, ...] = ()

    @property
    def people(self) -> Answerer | None:
        """Those whom judges are compared with: real people if there are any."""
        return next((one for one in self.answerers if one.kind != JUDGE), None)

    @property
    def judges(self) -> list[Answerer]:
        return [one for one in self.answerers if one.kind == JUDGE]


def answers_of(rating_round: RatingRound) -> RoundAnswers:
    """Everything that may be shown of a round's answers now."""
    reader = _RoundReader(rows_of_round(rating_round), rating_round.questions)
    trials = list(Trial.objects.filter(pack=rating_round.questions).order_by("pk"))
    waits = dict.fromkeys(wait for trial in trials if (wait := wait_of(trial)))
    people = [
        Answerer(slug, title, PEOPLE, reader.of_people(own), is_simulated)
        for slug, title, is_simulated in (("people", "People", False), ("simulated-people", "People, simulated", True))
        if (own := [trial for trial in trials if trial.is_simulated == is_simulated and may_show_people(trial)])
    ]
    people = [one for one in people if len(one.answers.clips) or one.answers.ballots]
    return RoundAnswers(reader.found, (*people, *_judges(reader)), tuple(waits))


class _RoundReader:
    """Turns stored answers into columns of numbers; each different text is read once."""

    def __init__(self, found: RatedRows, questions: Pack) -> None:
        self.found, self.questions = found, questions
        self.numbers = {scale.dimension.name: number for number, scale in enumerate(found.scales)}
        self.broken, self.severity = len(found.scales), len(found.scales) + 1

    @cached_property
    def dimensions_of_items(self) -> Mapping[int, tuple[int, ...]]:
        """Item -> the dimensions that it asks about, by its levels."""
        levels = {scale.dimension.level: number for number, scale in enumerate(self.found.scales)} | {"b": self.broken}
        by_item: dict[int, list[int]] = defaultdict(list)
        rows = ItemFacet.objects.filter(item__pack=self.questions, name="level").order_by("pk")
        for item, level in rows.values_list("item_id", "value"):
            if level in levels:
                by_item[item].append(levels[level])
        return {item: tuple(numbers) for item, numbers in by_item.items()}

    def of_people(self, trials: Iterable[Trial]) -> RaterAnswers:
        rows: list[tuple[int, str, str]] = []
        slots: dict[int, int] = defaultdict(int)
        for trial in trials:
            counted = counted_of(trial).order_by("pk").values_list("item_id", "participant__code", "answer")
            rows += [(item, f"{trial.pk}:{code}", answer) for item, code, answer in counted]
            own = Slot.objects.filter(trial=trial).order_by().values_list("item_id").annotate(n=Count("pk"))
            for item, n in own:
                slots[item] += n
        return self.columns(rows, self.wanted(slots))

    def wanted(self, counts: Mapping[int, int]) -> Places:
        """How many answers were asked for, rows × dimensions, from their number by item."""
        wanted = np.zeros((len(self.found.rows), self.severity + 1), np.int64)
        for item, n in counts.items():
            if len(clips := self.found.of_item.get(item, ())) != 2:
                for clip in clips:
                    wanted[self.found.row_of[clip], list(self.dimensions_of_items.get(item, ()))] += n
        return wanted

    def columns(self, rows: Rows, wanted: Places) -> RaterAnswers:
        """Rows about clips that left the round are left out; of several beside each other, each is rated by itself."""
        of_item, people = self.found.of_item, {person: number for number, (_, person, _) in enumerate(rows)}
        single = [
            (clip, person, own)
            for item, person, answer in rows
            if len(beside := of_item.get(item, ())) != 2
            for clip, own in zip(beside, of_each_clip(answer, len(beside)), strict=True)
        ]
        read = {answer: tuple(self._read(answer)) for answer in {answer for *_, answer in single}}
        flat = [(clip, people[person], *part) for clip, person, answer in single for part in read[answer]]
        clips, persons, dimensions, values, cant_tell = np.array(flat, float).reshape(-1, 5).T
        return RaterAnswers(
            clips.astype(np.int64),
            dimensions.astype(np.int64),
            persons.astype(np.int64),
            values,
            cant_tell.astype(np.int64),
            wanted,
            tuple(self._marks(single)),
            self._ballots([row for row in rows if len(of_item.get(row[0], ())) == 2]),
        )

    def _read(self, answer: str) -> Iterator[tuple[float, float, float]]:
        """(dimension, value, whether it is "can't tell") of a stored answer about one clip."""
        if answer in (CLEAN, CANT_TELL):
            yield self.broken, 0.0 if answer == CLEAN else np.nan, float(answer == CANT_TELL)
            return
        parts = ratings_in(answer)
        if BROKEN in parts:
            yield self.broken, 1.0, 0.0
            severity = parts.get("severity", "")
            yield self.severity, float(severity) if severity.isdecimal() else np.nan, 0.0
            return
        for name, value in parts.items():
            if name in self.numbers:
                number = self.numbers[name]
                yield number, self.found.scales[number].number(value), float(value == CANT_TELL)

    def _marks(self, rows: Rows) -> Iterator[FirstBreak]:
        for clip, _, answer in rows:
            if answer.startswith(f"{BROKEN}="):
                parts = ratings_in(answer)
                severity = int(parts.get("severity") or 0)
                yield FirstBreak(clip, float(parts[BROKEN]), parts.get("kind", ""), severity)

    def _ballots(self, rows: Rows) -> Ballots | None:
        if not rows:
            return None
        voted = [(item, person, PAIR_ANSWERS[answer]) for item, person, answer in rows if answer in PAIR_ANSWERS]
        cant_tell = sum(answer == CANT_TELL for *_, answer in rows)
        clips = np.array([self.found.of_item[item] for item, *_ in voted], np.int64).reshape(-1, 2)
        answers = {answer: number for number, answer in enumerate(ANSWERS)}
        table = VoteTable(
            tuple(row.title for row in self.found.rows),
            self.found.row_of[clips[:, 0]],
            self.found.row_of[clips[:, 1]],
            np.array([answers[answer] for *_, answer in voted], np.int64),
            np.unique([person for _, person, _ in voted], return_inverse=True)[1],
            self.found.prompt_of[clips[:, 0]],
        )
        compared, flips = _both_orders(clips, table.votes.share, table.people)
        return Ballots(table, cant_tell, len(rows) - len(voted) - cant_tell, compared, flips)


def _both_orders(clips: Places, shares: Numbers, people: Places) -> tuple[int, int]:
    """How many pairs a person compared in both orders, and how many of those got another answer in the second."""
    keys = zip(people.tolist(), *clips.T.tolist(), strict=True)
    shares_of_orders = dict(zip(keys, shares.tolist(), strict=True))
    both = [
        (share, shares_of_orders[person, second, first])
        for (person, first, second), share in shares_of_orders.items()
        if first < second and (person, second, first) in shares_of_orders
    ]
    return len(both), sum(share != 1 - other for share, other in both)


def _judges(reader: _RoundReader) -> Iterator[Answerer]:
    """Each way of asking a model is a judge; its first run of a strategy is on the board, and later ones test it."""
    runs = Run.objects.on_the_board_of(reader.questions).select_related("model").order_by("pk")
    by_way: dict[tuple, dict[str, list[Run]]] = defaultdict(lambda: defaultdict(list))  # by strategy, oldest first
    for run in runs:
        way = (run.model_id, run.revision, run.condition, run.sampler, json.dumps(run.sampling, sort_keys=True))
        by_way[way][run.strategy].append(run)
    ways: dict[int, int] = defaultdict(int)
    for one in by_way.values():
        first = next(iter(one.values()))[0]
        model, passes = first.model, max(map(len, one.values()))
        ways[model.pk] += 1
        ending = f"-{ways[model.pk]}" if ways[model.pk] > 1 else ""
        answers = [_of_judge(reader, [own[turn] for own in one.values() if turn < len(own)]) for turn in range(passes)]
        yield Answerer(
            model.slug + ending,
            model.name + (f", {first.sampler}" if ending else ""),
            JUDGE,
            answers[0],
            model.role == ModelRole.CONTROL,
            tuple(answers[1:]),
        )


def _of_judge(reader: _RoundReader, runs: Sequence[Run]) -> RaterAnswers:
    """What one pass of a judge said: each run asks one dimension, or for the better of two clips.

    Wanted is an answer about every clip of the round, whether or not it was asked.
    """
    slug = reader.found.pack.slug
    rows: list[tuple[int, str, str]] = []
    wanted = np.zeros((len(reader.found.rows), reader.severity + 1), np.int64)
    for run in runs:
        name = run.strategy.removeprefix(rating_prompt(slug, ""))
        readings = Reading.objects.filter(
            response__cell__run=run, parser=run.parser, version=run.parser_version
        ).order_by("response__cell_id")
        pairs = readings.values_list("response__cell__item_id", "answer")
        if run.strategy == pair_prompt(slug):
            rows += [(item, JUDGE, answer) for item, answer in pairs]
        elif name in reader.numbers:
            number = reader.numbers[name]
            known = {answer: f"{name}={answer}" for answer in reader.found.scales[number].dimension.answers}
            rows += [(item, JUDGE, known.get(answer, f"{name}=")) for item, answer in pairs]
            seeds = max(1, len(run.seeds))
            alone = {item for item, clips in reader.found.of_item.items() if len(clips) == 1}
            asking = {item: seeds for item in alone if number in reader.dimensions_of_items.get(item, ())}
            wanted[:, number] += reader.wanted(asking)[:, number]
    return reader.columns(rows, wanted)
