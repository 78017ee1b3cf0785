"""One item: its clip, its question, what every model replied and how people voted."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from statistics import fmean, median

from django.core.paginator import Page, Paginator
from django.db.models import Avg, Prefetch, QuerySet

from benchmarks.definition import Benchmark
from benchmarks.media import policy_of
from benchmarks.models import Clip, Item, ItemMedia, ItemSeal, RenditionKind
from evaluation.models import ModelResponse, Reading, Run, Score
from evaluation.refereeing.choosing import known_facts, rubric_of
from humantrials.models import Judgment, Trial
from humantrials.results import are_shown, conditions_of
from measures.agreement import Majority, majority

PAGE = 20
GOLD = ("pattern", "pred", "truth", "captions", "attributes", "actions")


@dataclass(frozen=True)
class Replied:
    """One reply, what the run's parser read in it, and how it scored."""

    response: ModelResponse
    run: Run
    seed: int
    answer: str
    problem: str
    score: float | None
    readings: tuple[Reading, ...]
    verdicts: tuple["Said", ...] = ()


@dataclass(frozen=True)
class Said:
    """What one referee gives to a reply, in points as it gave them, and in its own words why."""

    referee: str
    points: tuple[tuple[str, float, int], ...]  # dimension, points, of how many; none where its reply was not read
    reason: str
    problem: str
    counts: bool  # whether the board goes by it


@dataclass(frozen=True)
class Votes:
    """One trial's counted votes on the item, under one condition; it is named where the trial has several."""

    trial: Trial
    condition: str
    result: Majority
    shares: tuple[tuple[str, int, float, float], ...] = field(default=())  # answer, votes, start and width of its bar
    median_seconds: float | None = None  # from the first picture to the answer


@dataclass(frozen=True)
class Difficulty:
    """How many answered the item right, of how many; a person and a reply count once each."""

    replies_right: int
    replies: int
    people_right: int
    people: int


def find_item(slug: str, public_id: str) -> Item | None:
    media = ItemMedia.objects.select_related("clip").prefetch_related("clip__renditions")
    items = Item.objects.filter(pack__benchmark=slug, public_id=public_id).select_related("pack")
    return items.prefetch_related("facets", "seals", Prefetch("media", queryset=media)).first()


def responses_to(item: Item) -> QuerySet[ModelResponse]:
    """Replies of runs on the board; private runs have their own page."""
    found = ModelResponse.objects.filter(cell__item=item, cell__run__in=Run.objects.on_the_board())
    readings = Prefetch("readings", Reading.objects.prefetch_related("scores").order_by("pk"))
    order = ("cell__run__model__name", "cell__run__strategy", "cell__run_id", "cell__seed")
    return found.select_related("cell__run__model", "cell__item").prefetch_related(readings).order_by(*order)


def page_of_replies(item: Item, page: int) -> Page:
    found: Page = Paginator(responses_to(item), PAGE).get_page(page)
    found.object_list = with_verdicts(item, [replied(response) for response in found.object_list])
    return found


def replied(response: ModelResponse) -> Replied:
    run, readings = response.cell.run, tuple(response.readings.all())
    counted = next((one for one in readings if (one.parser, one.version) == (run.parser, run.parser_version)), None)
    return Replied(
        response=response,
        run=run,
        seed=response.cell.seed,
        answer=counted.answer if counted else "",
        problem=counted.problem if counted else "",
        score=_score(counted, run.referee),
        readings=readings,
    )


def with_verdicts(item: Item, replies: list[Replied]) -> list[Replied]:
    """The replies with what every referee said of them; one query for all."""
    runs = {reply.run.pk for reply in replies}
    stages = ModelResponse.objects.filter(cell__item=item, cell__run__judged__in=runs)
    given: dict[tuple[int, int], list[ModelResponse]] = {}
    for response in stages.select_related("cell__run__model").order_by("cell__run_id"):
        given.setdefault((response.cell.run.judged_id or 0, response.cell.seed), []).append(response)
    return [
        replace(reply, verdicts=tuple(_said(item, reply, one) for one in given.get((reply.run.pk, reply.seed), ())))
        for reply in replies
    ]


def _said(item: Item, reply: Replied, response: ModelResponse) -> Said:
    stage = response.cell.run
    rubric = rubric_of(item, stage.rubric)
    counted = next((one for one in reply.readings if one.parser == reply.run.parser), None)
    scores = counted.scores.all() if counted else ()
    shares = {score.dimension: score.value for score in scores if score.referee == stage.model.slug}
    points = tuple((one.label, shares[one.name] * one.highest, one.highest) for one in rubric.dimensions
                   if one.name in shares)  # fmt: skip
    is_own = stage.model.slug == reply.run.referee
    return Said(stage.model.slug, points, response.raw, response.cell.reason, is_own)


def gold_of(item: Item) -> list[tuple[str, str]]:
    """What referees are told of the item, by the name of the fact."""
    return [(name, text) for name, text in known_facts(item).items() if name in GOLD and text]


def _score(reading: Reading | None, referee: str) -> float | None:
    """By rule, or the mean over what the run's referee scored."""
    found = [score.value for score in reading.scores.all() if score.referee == referee] if reading else []
    return fmean(found) if found else None


def dots_of(item: Item) -> list[dict]:
    """Every reply as a dot: who, how asked, right or not; one query."""
    rows = Score.objects.counting().filter(
        reading__response__cell__item=item, reading__response__cell__run__in=Run.objects.on_the_board()
    )
    path = "reading__response__cell__run__"
    names = (f"{path}model__name", f"{path}strategy", "reading__answer", "reading__problem")
    scored = rows.order_by().values_list("reading", *names).annotate(Avg("value"))
    dots = [
        {"model": model, "strategy": strategy, "answer": answer or problem, "value": value, "problem": problem}
        for _, model, strategy, answer, problem, value in scored
    ]
    return sorted(dots, key=lambda dot: (-dot["value"], bool(dot["problem"]), dot["model"], dot["strategy"]))


def votes_on(item: Item) -> list[Votes]:
    """Counted votes by trial, people first."""
    columns = ("trial_id", "slot__condition", "answer", "seconds")
    given: dict[tuple[int, str], list[tuple[str, float | None]]] = {}
    for trial, condition, answer, seconds in Judgment.objects.filter(item=item, counts=True).values_list(*columns):
        given.setdefault((trial, condition), []).append((answer, seconds))
    trials = Trial.objects.in_bulk({trial for trial, _ in given})
    shown = [(trials[pk], condition) for pk, condition in given if are_shown(trials[pk])]
    found = [_votes(trial, condition, given[trial.pk, condition], item.options) for trial, condition in shown]
    return sorted(found, key=lambda votes: (votes.trial.is_simulated, votes.trial.pk, votes.condition))


def difficulty(item: Item, dots: Iterable[dict], votes: Iterable[Votes]) -> Difficulty:
    """Over every reply on the board and every counted vote of people; simulated ones don't count.

    Free text that a referee scores is neither right nor wrong.
    """
    scored = [dot["value"] for dot in dots] if item.expected else []
    real = [one for one in votes if not one.trial.is_simulated]
    return Difficulty(
        replies_right=sum(value == 1 for value in scored),
        replies=len(scored),
        people_right=sum(one.result.counts.get(item.expected or "", 0) for one in real),
        people=sum(sum(one.result.counts.values()) for one in real),
    )


def _votes(trial: Trial, condition: str, given: list[tuple[str, float | None]], options: Iterable[str]) -> Votes:
    result = majority([answer for answer, _ in given])
    times = [seconds for _, seconds in given if seconds is not None]
    total, start, shares = sum(result.counts.values()), 0.0, []
    for answer in [*options, *sorted(set(result.counts) - set(options))]:
        count = result.counts.get(answer, 0)
        width = round(100 * count / total, 2)
        shares.append((answer, count, round(start, 2), width))
        start += width
    named = condition if len(conditions_of(trial)) > 1 else ""
    return Votes(trial, named, result, tuple(shares), median(times) if times else None)


def neighbours(item: Item) -> tuple[Item | None, Item | None]:
    """The items before and after in the pack's own order, of the same kind, none that is sealed."""
    near = Item.objects.filter(pack=item.pack_id, kind=item.kind).unsealed().select_related("pack")
    before = near.filter(public_id__lt=item.public_id).order_by("-public_id").first()
    return before, near.filter(public_id__gt=item.public_id).order_by("public_id").first()


def teaser_of(benchmark: Benchmark) -> dict[str, str]:
    """A clip for the first page: its address, and that of its item; none while there is none to show."""
    items = Item.objects.filter(pack__benchmark=benchmark.slug, kind="plausibility", media__isnull=False)
    found = items.unsealed().askable().select_related("pack").order_by("-pack_id", "public_id").first()
    if found is None:
        return {}
    return {"item": found.get_absolute_url(), "pack": found.pack.title, **pictures_of(found, policy_of(found.pack))}


def pictures_of(item: Item, media_policy: str) -> dict[str, str]:
    """Addresses of the clip and its poster; none where the clip may not be shown."""
    return pictures_of_clip(item.clip, media_policy)


def pictures_of_clip(clip: Clip | None, media_policy: str) -> dict[str, str]:
    if clip is None or clip.withdrawn_at or clip.problem or media_policy != "public":
        return {}
    kinds = {"video": RenditionKind.ORIGINAL, "poster": RenditionKind.POSTER, "still": RenditionKind.PICTURE}
    found = {name: clip.rendition(kind) for name, kind in kinds.items()}
    return {name: rendition.get_absolute_url() for name, rendition in found.items() if rendition}


@dataclass(frozen=True)
class ClipOfTwo:
    """One clip of a pair; no pictures where it may not be shown, or an open study shows it as well."""

    clip: Clip
    pictures: dict[str, str]


def clips_of(item: Item, media_policy: str) -> list[ClipOfTwo]:
    """The two clips of an item about a pair, in their order; nothing for any other."""
    clips = [media.clip for media in item.media.all()]
    if len(clips) != 2 or item.pictures:
        return []
    closed = closed_among(clips)
    return [ClipOfTwo(clip, {} if clip.pk in closed else pictures_of_clip(clip, media_policy)) for clip in clips]


def closed_among(clips: list[Clip]) -> set[int]:
    """Those that an open study shows as well, on whatever question."""
    return set(ItemSeal.objects.filter(item__media__clip__in=clips).values_list("item__media__clip", flat=True))


@dataclass(frozen=True)
class Still:
    """A picture of a row under the question's name for it; its address is "" where it may not be shown."""

    name: str
    address: str
    clip: Clip


@dataclass(frozen=True)
class Row:
    """Pictures in a row, what may come next, and, once that is asked for, what does."""

    images: tuple[Still, ...]
    choices: tuple[Still, ...] = ()
    following: Still | None = None


def row_of(item: Item, media_policy: str, *, is_asked: bool) -> Row | None:
    """The pictures of a question about pictures in a row, and what comes next; None where it knows of neither."""
    uses = list(item.media.all())
    closed = closed_among([use.clip for use in uses])
    named: dict[str, list[Still]] = {"image": [], "choice": []}
    for use in uses:
        if use.role in named:
            place = len(named[use.role])
            name = str(place + 1) if use.role == "image" else item.options[place].upper()
            named[use.role].append(_still(name, use.clip, "none" if use.clip.pk in closed else media_policy))
    following = following_of(item) if is_asked else None
    if not named["image"] and following is None:
        return None
    policy = "none" if following and closed_among([following]) else media_policy
    shown = _still("", following, policy) if following else None
    return Row(tuple(named["image"]), tuple(named["choice"]), shown)


def following_of(item: Item) -> Clip | None:
    """The picture that comes next, where the item knows of one: it hangs on no question about what comes next."""
    if not item.reference.get("next"):
        return None
    clips = Clip.objects.filter(pack=item.pack_id, key=item.reference["next"]).select_related("pack")
    return clips.prefetch_related("renditions").first()


def _still(name: str, clip: Clip, media_policy: str) -> Still:
    return Still(name, pictures_of_clip(clip, media_policy).get("still", ""), clip)


TOLD = ("pattern", "pred", "truth", "captions", "attributes", "actions")  # of a reference, in the order shown


def told_of(item: Item) -> list[tuple[str, str]]:
    """What the item knows of its answer, named in readers' words."""
    names = {"pattern": "The pattern", "pred": "What comes next", "truth": "What really comes next",
             "captions": "What is seen before", "attributes": "The objects", "actions": "What was done"}  # fmt: skip
    return [(names[name], item.reference[name]) for name in TOLD if item.reference.get(name)]
