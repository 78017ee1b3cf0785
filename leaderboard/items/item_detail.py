"""One item with its models' replies, people's votes, difficulty and neighbours."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

from django.core.paginator import Page, Paginator
from django.db.models import Avg, Case, Prefetch, QuerySet, When

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import PUBLIC, Fact, open_to
from benchmarks.models import Clip, Item, ItemMedia
from benchmarks.models.items import ItemQuerySet
from benchmarks.words import condition_words
from evaluation.models import REFEREED, ModelResponse, Reading, Run, Score
from evaluation.prompting.presets import thinking_label
from evaluation.prompting.requests import wording_of
from evaluation.prompting.strategies import STRATEGIES, find_strategy
from evaluation.referees.rubric_selection import known_facts, rubric_of
from evaluation.runs.pages.rows import strategy_title
from humantrials.models import Judgment, Trial
from humantrials.protocols.scales import scale_of
from humantrials.results.judgments import conditions_of, rated_confidence
from humantrials.results.release import may_show_scores
from measures.scores.parsed_answers import UNREAD
from measures.scores.scoring import Majority, majority

PAGE = 20
BY_SURPRISE = [name for name, strategy in STRATEGIES.items() if strategy.by_surprise]
FACTS = {  # fields of `reference` in the order of pages, and their names there
    "pattern": "The pattern",
    "pred": "What comes next",
    "truth": "What really comes next",
    "captions": "What is seen before",
    "attributes": "The objects",
    "actions": "What was done",
}


@dataclass(frozen=True)
class Replied:
    """One reply with the answer that the run's parser read in it, and its scores."""

    response: ModelResponse
    run: Run
    seed: int
    answer: str
    problem: str
    score: float | None
    readings: tuple[Reading, ...]
    scores: tuple[Score, ...]  # of the counted reading: by rule, or by every referee
    verdicts: tuple["RefereePoints", ...] = ()

    @property
    def prompting(self) -> str:
        """Prompting strategy, thinking and condition, as boards name them, and the reply's wording."""
        condition = condition_words(self.run.condition)
        wording = wording_of(self.run, self.seed)
        ours = " (ours)" if wording and wording.ours else ""
        worded = f"{wording.name}{ours}" if wording else ""
        words = (strategy_title(self.run), thinking_label(self.run.sampling), condition, worded)
        return ", ".join(filter(None, words))

    @property
    def is_apart(self) -> bool:
        """Whether it is neither right nor wrong, such as a moment."""
        strategy = find_strategy(self.run.pack.benchmark, self.run.strategy)
        return strategy is not None and strategy.is_scored_apart


@dataclass(frozen=True)
class RefereePoints:
    """One referee's points for a reply, and its own reasons."""

    referee: str
    points: tuple[tuple[str, float, int], ...]  # dimension, points, maximum; empty if its reply is unparsed
    reason: str
    problem: str
    counts: bool  # whether the board uses these points


@dataclass(frozen=True)
class ItemVotes:
    """One trial's counted votes on the item under one condition, which is named if the trial has several."""

    trial: Trial
    condition: str
    result: Majority
    shares: tuple[tuple[str, int], ...] = ()  # answer and its votes
    median_seconds: float | None = None  # from the first frame to the answer
    confidence: float | None = None  # the mean step, from 1, of those who said how sure they were
    steps: int = 0  # of the trial's scale of confidence; 0: it has none


@dataclass(frozen=True)
class Difficulty:
    """The numbers of right replies and of right human votes on the item."""

    replies_right: int
    replies: int
    people_right: int
    people: int


def find_item(slug: str, public_id: str) -> Item | None:
    media = ItemMedia.objects.select_related("clip").prefetch_related("clip__renditions")
    items = Item.objects.filter(pack__benchmark=slug, public_id=public_id).select_related("pack")
    return items.prefetch_related("facets", Prefetch("media", queryset=media)).first()


def responses_to(item: Item) -> QuerySet[ModelResponse]:
    """Replies to the item by runs on the board; private runs are not shown here."""
    found = ModelResponse.objects.filter(cell__item=item, cell__run__in=listed_runs(item))
    found = found.exclude(cell__run__strategy__in=BY_SURPRISE)  # drawn as curves
    order = ("cell__run__model__name", "cell__run__strategy", "cell__run_id", "cell__seed")
    runs = found.select_related("cell__run__model", "cell__run__pack").defer("cell__run__pack__problems")
    return runs.order_by(*order)


def listed_runs(item: Item) -> QuerySet[Run]:
    return Run.objects.on_the_board_of(item.pack)


def page_of_replies(item: Item, page: int) -> Page:
    found: Page = Paginator(responses_to(item), PAGE).get_page(page)
    replies = read_and_scored(item, list(found.object_list))
    found.object_list = with_verdicts(item, replies) if item.pack.benchmark in REFEREED else replies
    return found


def read_and_scored(item: Item, responses: Sequence[ModelResponse]) -> list[Replied]:
    """The replies with their readings and scores, in two queries for all."""
    readings: dict[int, list[Reading]] = defaultdict(list)
    for reading in Reading.objects.filter(response__in=responses).order_by("pk"):
        readings[reading.response_id].append(reading)
    scores: dict[int, list[Score]] = defaultdict(list)
    for score in Score.objects.filter(reading__in=[one.pk for each in readings.values() for one in each]):
        scores[score.reading_id].append(score)
    return [_replied(item, response, readings[response.pk], scores) for response in responses]


def _replied(
    item: Item, response: ModelResponse, readings: Sequence[Reading], scores: Mapping[int, Sequence[Score]]
) -> Replied:
    response.cell.item = item  # which has its relations prefetched
    run = response.cell.run
    counted = next(
        (reading for reading in readings if (reading.parser, reading.version) == (run.parser, run.parser_version)), None
    )
    scored = tuple(scores.get(counted.pk, ())) if counted else ()
    return Replied(
        response=response,
        run=run,
        seed=response.cell.seed,
        answer=counted.answer if counted else "",
        problem=counted.problem if counted else "",
        score=_score(scored, run.referee),
        readings=tuple(readings),
        scores=scored,
    )


def with_verdicts(item: Item, replies: list[Replied]) -> list[Replied]:
    """The replies with every referee's points and reasons, in one query for all."""
    runs = {reply.run.pk for reply in replies}
    stages = ModelResponse.objects.filter(cell__item=item, cell__run__judged__in=runs)
    verdicts: dict[tuple[int, int], list[ModelResponse]] = {}
    for response in stages.select_related("cell__run__model").order_by("cell__run_id"):
        verdicts.setdefault((response.cell.run.judged_id or 0, response.cell.seed), []).append(response)
    return [
        replace(
            reply,
            verdicts=tuple(_referee_points(item, reply, one) for one in verdicts.get((reply.run.pk, reply.seed), ())),
        )
        for reply in replies
    ]


def _referee_points(item: Item, reply: Replied, response: ModelResponse) -> RefereePoints:
    stage = response.cell.run
    rubric = rubric_of(item, stage.rubric)
    shares = {score.dimension: score.value for score in reply.scores if score.referee == stage.model.slug}
    points = tuple(
        (dimension.label, shares[dimension.name] * dimension.highest, dimension.highest)
        for dimension in rubric.dimensions
        if dimension.name in shares
    )
    is_own = stage.model.slug == reply.run.referee
    return RefereePoints(stage.model.slug, points, response.raw, response.cell.reason, is_own)


def gold_of(item: Item, expected: str | None) -> list[tuple[str, str]]:
    """Name and text of the facts that referees are given for an item without an expected answer."""
    return named_facts(known_facts(item)) if expected is None else []


def _score(scores: Iterable[Score], referee: str) -> float | None:
    """The score by rule, or the mean over the dimensions that the run's referee scored; None without scores."""
    found = [score.value for score in scores if score.referee == referee]
    return fmean(found) if found else None


def dots_of(item: Item) -> list[dict]:
    """Every reply as a dot with model, strategy, answer and score, best first, in one query."""
    rows = Score.objects.counting().filter(
        reading__response__cell__item=item, reading__response__cell__run__in=listed_runs(item)
    )
    path = "reading__response__cell__run__"
    names = (f"{path}model__name", f"{path}strategy", "reading__answer", "reading__problem")
    scored = rows.order_by().values_list("reading", *names).annotate(Avg("value"))
    benchmark = BENCHMARKS.get(item.pack.benchmark)
    titles = {one.name: one.title for one in benchmark.strategies} if benchmark else {}
    dots = [
        {"model": model, "strategy": titles.get(strategy, strategy), "value": value, "problem": problem}
        | {"answer": answer or ("unparsed" if problem == UNREAD else problem)}
        for _pk, model, strategy, answer, problem, value in scored
    ]
    return sorted(dots, key=lambda dot: (-dot["value"], bool(dot["problem"]), dot["model"], dot["strategy"]))


def votes_on(item: Item) -> tuple[list[ItemVotes], list[Trial]]:
    """Counted votes by trial and condition where results are shown, people before simulated people; and all trials
    that asked about the item."""
    columns = ("trial_id", "slot__condition", "answer", "seconds", "confidence")
    by_trial: dict[tuple[int, str], list[tuple[str, float | None, int | None]]] = {}
    counted = Judgment.objects.filter(item=item, counts=True).annotate(confidence=rated_confidence())
    for trial, condition, *answer in counted.values_list(*columns):
        by_trial.setdefault((trial, condition), []).append(tuple(answer))
    trials = Trial.objects.in_bulk({trial for trial, _ in by_trial})
    visible = [(trials[pk], condition) for pk, condition in by_trial if may_show_scores(trials[pk])]
    found = [_votes(trial, condition, by_trial[trial.pk, condition], item.options) for trial, condition in visible]
    votes = sorted(found, key=lambda votes: (votes.trial.is_simulated, votes.trial.pk, votes.condition))
    return votes, list(trials.values())


def difficulty(expected: str | None, right: int, scored: int, votes: Iterable[ItemVotes]) -> Difficulty:
    """The item's difficulty for replies on the board and for people's counted votes, without simulated people.

    Free text that a referee scores is neither right nor wrong.
    """
    people_right, people = right_votes(expected, (vote for vote in votes if not vote.trial.is_simulated))
    return Difficulty(right, scored, people_right, people)


def right_votes(expected: str | None, votes: Iterable[ItemVotes]) -> tuple[int, int]:
    """The number of right ones among these votes, and of all."""
    counts = [vote.result.counts for vote in votes]
    return sum(count.get(expected or "", 0) for count in counts), sum(sum(count.values()) for count in counts)


def _votes(
    trial: Trial, condition: str, votes: list[tuple[str, float | None, int | None]], options: Iterable[str]
) -> ItemVotes:
    result = majority([answer for answer, _seconds, _confidence in votes])
    times = [seconds for _answer, seconds, _confidence in votes if seconds is not None]
    answers = [*options, *sorted(set(result.counts) - set(options))]
    scale = scale_of(trial.settings)
    sure = [confidence for _answer, _seconds, confidence in votes if scale and confidence is not None]
    return ItemVotes(
        trial,
        condition if len(conditions_of(trial)) > 1 else "",
        result,
        tuple((answer, result.counts.get(answer, 0)) for answer in answers),
        median(times) if times else None,
        fmean(sure) if sure else None,
        scale.steps if scale else 0,
    )


def neighbours(item: Item) -> tuple[Item | None, Item | None]:
    """The offered items of the same kind and test before and after this one in the pack's order."""
    near = (
        Item.objects.filter(pack=item.pack_id, kind=item.kind).filter(open_to(PUBLIC, Fact.EXISTENCE)).only("public_id")
    )
    if tests := item.facet_values("test"):
        near = near.with_facet("test", max(tests, key=len))  # its own, not that of all orderings
    before = near.filter(public_id__lt=item.public_id).order_by("-public_id").first()
    after = near.filter(public_id__gt=item.public_id).order_by("public_id").first()
    for one in filter(None, (before, after)):
        one.pack = item.pack  # their URLs name it
    return before, after


def look_of(clip: Clip | None) -> str:
    """The look of a clip that was generated here; "" for others."""
    return str(clip.facts.get("look", "")) if clip else ""


@dataclass(frozen=True)
class Teaser:
    """A clip for the home page; a URL is "" if there is none."""

    item: str = ""
    video: str = ""
    poster: str = ""


def public_items(benchmark: Benchmark) -> ItemQuerySet:
    """Items with a video and a public answer whose clips no open study uses, not even with another question.

    Those about what can happen come first, since they need no explanation; then the newest pack.
    """
    hidden = Item.objects.filter(pack__benchmark=benchmark.slug).exclude(open_to(PUBLIC, Fact.ANSWER))
    visible = Item.objects.filter(open_to(PUBLIC, Fact.ANSWER), pack__benchmark=benchmark.slug)
    visible = visible.filter(media__clip__renditions__kind="original").exclude(media__clip__uses__item__in=hidden)
    is_other = Case(When(kind="plausibility", then=0), default=1)
    found = visible.askable().order_by(is_other, "-pack_id", "public_id")
    return found.select_related("pack").prefetch_related("media__clip__renditions")


def named_facts(facts: Mapping[str, str]) -> list[tuple[str, str]]:
    """Those facts that pages show, in their order, under their names there."""
    return [(str(title), facts[name]) for name, title in FACTS.items() if facts.get(name)]
