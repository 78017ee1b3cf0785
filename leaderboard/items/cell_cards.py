"""The items behind a cell as cards: the two clips of one draw side by side, or one item, and who answered what."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Avg, Count, Max

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import PUBLIC, Fact, open_answers, open_to
from benchmarks.gallery import browse
from benchmarks.gallery.page_cache import cached_value, version_of_sight
from benchmarks.models import Clip, Item, Pack, RenditionKind
from evaluation.models import Run, Score
from evaluation.runs.pages.rows import strategy_title
from humantrials.models import Judgment, Trial
from humantrials.results.judgments import conditions_of
from humantrials.results.release import may_show_scores
from leaderboard.board.query import page_number
from leaderboard.items.item_list import AnswerSource, ItemList
from leaderboard.items.item_media import verdict_of
from leaderboard.models import Standing

PAGE = 24  # cards
BESIDE = 3  # rows of models besides the list's own
RIGHT, WRONG = "right", "wrong"


@dataclass(frozen=True)
class CardHalf:
    """One item of a card with its right answer in words."""

    card: browse.ItemCard
    verdict: str

    @property
    def item(self) -> Item:
        return self.card.item

    @property
    def films(self) -> list["CardFilm"]:
        """Its clips that may be shown: of a question about two, both."""
        uses = self.item.media.all() if self.card.clip else ()
        return [CardFilm(use.clip) for use in uses if use.role not in ("image", "choice")]


@dataclass(frozen=True)
class CardFilm:
    """A clip on a card as a picture: its poster, or, of twins, its end, where they differ at the latest."""

    clip: Clip

    @property
    def end(self) -> str:
        film = self.clip.rendition(RenditionKind.ORIGINAL)
        return f"{film.get_absolute_url()}#t={max(0.0, self.clip.seconds - 0.1):.1f}" if film else ""

    @property
    def poster(self) -> str:
        found = self.clip.rendition(RenditionKind.POSTER) or self.clip.rendition(RenditionKind.PICTURE)
        return found.get_absolute_url() if found else ""


@dataclass(frozen=True)
class AnswerTick:
    """How one answerer did on one item: ✓, ✗ or a share, with the answer in words; without a kind, nothing is known."""

    kind: str = ""
    text: str = ""


@dataclass(frozen=True)
class CellCard:
    """Two items about one draw, or one item alone."""

    sides: tuple[CardHalf, ...]
    rows: tuple[tuple[str, bool, tuple[AnswerTick, ...]], ...]  # name, whether it is the list's own, results

    @property
    def first(self) -> CardHalf:
        return self.sides[0]

    @property
    def are_twins(self) -> bool:
        return len(self.sides) > 1


def twins_in(pack: Pack) -> dict[int, int]:
    """Each item -> the item with the other outcome of its draw, of this pack and the same question; both public."""
    twin_key = BENCHMARKS[pack.benchmark].twin_key if pack.shares_draws else None
    if twin_key is None:
        return {}
    public = Item.objects.filter(open_to(PUBLIC, Fact.ANSWER), pack=pack).askable().order_by()
    known = {(key, *other): pk for pk, key, *other in public.values_list("pk", "key", "kind", "variant")}
    return {pk: twin for (key, *other), pk in known.items() if (twin := known.get((twin_key(key), *other)))}


def paired(items: Iterable[int], twins: Mapping[int, int]) -> list[tuple[int, ...]]:
    """The items in their order, each once and with its twin, even if that is not in the list."""
    found: dict[int, tuple[int, ...]] = {}
    for item in items:
        twin = twins.get(item)
        if item not in found and twin not in found:
            found[item] = (item, twin) if twin else (item,)
    return list(found.values())


def page_of_cards(wanted: ItemList, number: str, runs: Sequence[Run]) -> Page:
    """A page of the list's cards; the whole list is read once in short form, which gives its length, too."""
    pack = wanted.source.pack
    twins = cached_value(f"twins {pack.pk}", version=version_of_sight(), make=lambda: twins_in(pack))
    found: Page = Paginator(paired(wanted.items, twins), PAGE).get_page(page_number(number))
    found.object_list = cards_of(wanted, list(found.object_list), runs)
    return found


def cards_of(wanted: ItemList, groups: Sequence[tuple[int, ...]], runs: Sequence[Run]) -> list[CellCard]:
    """The cards of these groups of items; of twins, what can happen comes first."""
    source = wanted.source
    ids = [pk for group in groups for pk in group]
    items = browse.visible_items(source.pack).filter(open_to(PUBLIC, Fact.ANSWER), pk__in=ids)
    cards = {card.item.pk: card for card in browse.cards(BENCHMARKS[source.pack.benchmark], list(items))}
    expected = {pk: answer.expected for pk, answer in open_answers(cards, to=PUBLIC).items()}
    rows = [*_of_people(source, expected), *_of_models(wanted, runs, list(cards))]
    return [
        _card(sorted(known, key=lambda pk: expected[pk] != "yes"), cards, expected, rows)
        for group in groups
        if (known := [pk for pk in group if pk in cards])
    ]


Rows = Sequence[tuple[str, bool, Mapping[int, AnswerTick]]]  # name, whether it is the list's own, verdict by item


def _card(
    group: list[int], cards: Mapping[int, browse.ItemCard], expected: Mapping[int, str | None], rows: Rows
) -> CellCard:
    sides = tuple(CardHalf(cards[pk], verdict_of(cards[pk].item, expected[pk])) for pk in group)
    nothing = AnswerTick()
    own = ((name, is_own, tuple(found.get(pk, nothing) for pk in group)) for name, is_own, found in rows)
    return CellCard(sides, tuple(row for row in own if any(one.kind for one in row[2])))


def _of_people(source: AnswerSource, expected: Mapping[int, str | None]) -> Rows:
    """The studies whose results are open and that asked about these items under the row's condition."""
    counted = Judgment.objects.filter(item__in=expected, counts=True).order_by()
    votes: dict[int, dict[int, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for trial, condition, item, answer in counted.values_list("trial_id", "slot__condition", "item_id", "answer"):
        if condition in ("", source.condition):
            votes[trial][item][answer] += 1
    trials = Trial.objects.filter(pk__in=votes).order_by("is_simulated", "pk")
    return [
        (
            "People (simulated)" if trial.is_simulated else "People",
            source.trial == trial,
            {item: _vote(found, expected[item]) for item, found in votes[trial.pk].items()},
        )
        for trial in trials
        if may_show_scores(trial) and source.condition in conditions_of(trial)
    ]


def _vote(found: Counter[str], expected: str | None) -> AnswerTick:
    right = found[expected or ""]
    return AnswerTick("people", f"{right} of {found.total()} right" if expected else f"{found.total()} answers")


def _of_models(wanted: ItemList, runs: Sequence[Run], items: Sequence[int]) -> Rows:
    found, times = results_of_runs(runs, items, wanted.dimension), Counter(run.model.name for run in runs)
    return [(_name(run, times), run == wanted.source.run, found[run.pk]) for run in runs]


def results_of_runs(runs: Sequence[Run], items: Sequence[int], dimension: str = "") -> dict[int, dict[int, AnswerTick]]:
    """Each run's result on each of these items, over all seeds, in one query; "" is the mean of all dimensions."""
    path = "reading__response__cell__"
    scores = Score.objects.counting().filter(**{f"{path}item__in": items, f"{path}run__in": runs}).order_by()
    scores = scores.filter(dimension=dimension) if dimension else scores
    grouped = scores.values_list(f"{path}run", f"{path}item").annotate(
        Avg("value"), Count("reading", distinct=True), Max("reading__answer"), Max("reading__problem")
    )
    found: dict[int, dict[int, AnswerTick]] = defaultdict(dict)
    for run, item, share, n, answer, problem in grouped:
        found[run][item] = _result(share, n, answer, problem)
    return found


def _name(run: Run, times: Counter[str]) -> str:
    """The model's name, with its strategy beside another row of the model."""
    return f"{run.model.name}, {strategy_title(run)}" if times[run.model.name] > 1 else run.model.name


def _result(share: float, n: int, answer: str, problem: str) -> AnswerTick:
    words = f"“{answer}”" if n == 1 and answer else "no answer read" if n == 1 and problem else ""
    if share in (0, 1):
        return AnswerTick(RIGHT if share else WRONG, words)
    return AnswerTick("share", f"{100 * share:.0f} %")


def runs_beside(source: AnswerSource) -> list[Run]:
    """The row itself if a model's, and the best others under its strategy."""
    own = [source.run] if source.run else []
    kinds = {"strategy": source.run.strategy} if source.run else {"strategy__in": _strategies_of(source)}
    listed = Run.objects.on_the_board_of(source.pack)
    best = Standing.objects.filter(pack=source.pack, condition=source.condition, run__in=listed, **kinds)
    rows = best.exclude(run=source.run).select_related("run__model").order_by("pk")
    ranked = sorted(rows.defer("cells"), key=lambda row: -(row.overall.get("score") or 0))
    others = list(dict.fromkeys(row.run for row in ranked if row.run))
    return [*own, *others[: BESIDE + (not own)]]


def named_rows(source: AnswerSource, runs: Sequence[Run]) -> list[tuple[str, str]]:
    """Key and name of the row itself and of those beside it, for the same list of another row."""
    times = Counter(run.model.name for run in runs)
    own = [] if source.run else [(source.key, source.name)]
    return [*own, *((f"run-{run.pk}", _name(run, times)) for run in runs)]


def _strategies_of(source: AnswerSource) -> list[str]:
    return [one.name for one in BENCHMARKS[source.pack.benchmark].strategies if {*one.kinds} & {*source.kinds}]
