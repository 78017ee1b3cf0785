"""Distributions of a pack's questions and clips, as in the papers: CRAFT's Figure 4 and PACS' Figure 2."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from django.core.cache import cache
from django.db.models import Count, F, FilteredRelation, Q

from benchmarks.definitions.definition import Benchmark, Facet
from benchmarks.definitions.papers.pacs import prompt
from benchmarks.disclosure import PUBLIC, Fact, open_to, with_expected
from benchmarks.models import Clip, Item, ItemFacet, Pack
from scenes.craft.questions.statistics import Arc, Kind, arcs_of

MOST = 12  # bars per panel
WORD = re.compile(r"(?<!['’])\b[a-z]{2,}\b")  # in lower case; an ending after an apostrophe does not count
# Stop words: they occur in nearly every question.
PLAIN_WORDS = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "could", "down", "each", "end", "for", "from", "had",
    "has", "have", "if", "in", "into", "is", "it", "item", "items", "its", "likely", "more", "most", "object",
    "objects", "of", "off", "on", "one", "or", "other", "out", "over", "than", "that", "the", "them", "then", "these",
    "they", "this", "to", "two", "up", "used", "using", "was", "were", "what", "when", "which", "with", "would",
    "you", "your",
))  # fmt: skip


@dataclass(frozen=True)
class PanelBar:
    """One bar of a panel; the width of the longest is 100."""

    label: str
    count: int
    width: str


@dataclass(frozen=True)
class DistributionPanel:
    """One distribution as (label, count) pairs, in drawing order; `others` is the number of omitted values."""

    title: str
    bars: tuple[tuple[str, int], ...]
    others: int = 0

    @property
    def rows(self) -> list[PanelBar]:
        """The bars with their widths."""
        most = max(count for _, count in self.bars)
        return [PanelBar(label, count, f"{100 * count / most:.1f}") for label, count in self.bars]


def panel_of_facet(facet: Facet, counts: Mapping[str, int]) -> DistributionPanel:
    """The most frequent values of a facet, from the number of questions with each."""
    titles = {value.value: value.full_title for value in facet.values}
    most_first = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    bars = tuple((titles.get(value, value), count) for value, count in most_first[:MOST])
    return DistributionPanel(facet.title, bars, max(0, len(most_first) - MOST))


@dataclass(frozen=True)
class QuestionSpread:
    """A figure of several panels, with a note on how to read it."""

    title: str
    panels: tuple[DistributionPanel, ...]
    note: str

    @property
    def alt(self) -> str:
        """The figure as text."""
        return " ".join(
            f"{panel.title}: {', '.join(f'{what} {count}' for what, count in panel.bars)}." for panel in self.panels
        )


def craft_figure_4(benchmark: Benchmark, pack: Pack) -> QuestionSpread:
    """The three layers of the paper's figure as three panels."""
    tests, answers = _values(pack, "test"), _values(pack, "answer")
    expected = dict(
        with_expected(Item.objects.filter(pack=pack), to=PUBLIC)
        .filter(expected__isnull=False)
        .values_list("pk", "expected")
    )
    kinds = {value.value: value.title for value in benchmark.facet("answer").values}
    kinds_of: dict[int, list[str]] = defaultdict(list)
    for item, kind in answers:
        kinds_of[item].append(kind)
    by_type = Counter(f"{test}, {kinds.get(kind, kind)}" for item, test in tests for kind in kinds_of[item])
    by_answer = Counter(f"{kinds.get(kind, kind)}: {expected[item]}" for item, kind in answers if item in expected)
    return QuestionSpread(
        "CRAFT: question types and answers",
        (
            DistributionPanel("Question types", tuple(Counter(test for _, test in tests).most_common())),
            DistributionPanel("Answer types of each question type", tuple(sorted(by_type.items()))),
            DistributionPanel("Answers of each answer type", tuple(sorted(by_answer.items()))),
        ),
        f"Of the pack {pack.title}; layers of the paper's Figure 4 from the innermost.",
    )


def _values(pack: Pack, name: str) -> list[tuple[int, str]]:
    """(item, value) of a facet."""
    return list(ItemFacet.objects.filter(item__pack=pack, name=name).order_by("pk").values_list("item_id", "value"))


def pacs_figure_2(benchmark: Benchmark, pack: Pack) -> QuestionSpread:
    """The paper's seven panels, (a) to (g), from the items and clips of the pack."""
    words, questions, seconds, on_a_pair, frequent = panels_of_pairs(pack)
    facets = (
        DistributionPanel("Materials", _counts(benchmark, pack, "material")),
        DistributionPanel("Properties", _counts(benchmark, pack, "property")),
    )
    panels = (words, *facets, questions, seconds, on_a_pair, frequent)
    return QuestionSpread(
        "PACS: objects and questions",
        tuple(
            replace(panel, title=f"({letter}) {panel.title}") for letter, panel in zip("abcdefg", panels, strict=True)
        ),
        f"Of the pack {pack.title}. (b) counts questions about an object of the material, the paper counts objects;"
        " (c) groups properties as the instructions define them, the paper's nine groups are not recovered.",
    )


def panels_of_pairs(
    pack: Pack,
) -> tuple[DistributionPanel, DistributionPanel, DistributionPanel, DistributionPanel, DistributionPanel]:
    """The panels that are not facets, for any benchmark in PACS' layout, without the material subset."""
    texts = Item.objects.filter(pack=pack, kind="pair").order_by("pk").values_list("text", flat=True)
    questions = Counter(bare(text) for text in texts)
    lengths = Counter(len(question.split()) for question in questions)
    words = Counter(word for question in questions for word in set(WORD.findall(question.lower())))
    objects: dict[int, list[str]] = {}
    for item, name in _values(pack, "object"):
        objects.setdefault(item, []).append(name)
    in_main = set(Item.objects.filter(pack=pack, kind="pair").values_list("pk", flat=True))
    pairs = Counter(tuple(sorted(names)) for item, names in objects.items() if item in in_main)
    seconds = Clip.objects.filter(pack=pack, problem="").values_list("seconds", flat=True)
    return (
        DistributionPanel("Words in a question", _in_steps(lengths, 5)),
        DistributionPanel("How often a question is asked", _in_steps(Counter(questions.values()), 5)),
        DistributionPanel("Seconds of a clip", _in_steps(Counter(int(second) for second in seconds), 2)),
        DistributionPanel("Questions on a pair of objects", _in_steps(Counter(pairs.values()), 1)),
        DistributionPanel("Frequent words", tuple(_most_common(words))),
    )


def bare(text: str) -> str:
    """The question as written by annotators, without the prompt around it."""
    before, after = prompt("\0").split("\0")
    return text.removeprefix(before).removesuffix(after)


def _most_common(words: Counter[str]) -> Iterable[tuple[str, int]]:
    telling = ((word, count) for word, count in words.items() if word not in PLAIN_WORDS)
    return sorted(telling, key=lambda pair: (-pair[1], pair[0]))[:MOST]


def _counts(benchmark: Benchmark, pack: Pack, name: str) -> tuple[tuple[str, int], ...]:
    rows = ItemFacet.objects.filter(item__pack=pack, name=name).order_by().values_list("value")
    return panel_of_facet(benchmark.facet(name), dict(rows.annotate(count=Count("pk")))).bars


def _in_steps(counts: Counter[int], step: int) -> tuple[tuple[str, int], ...]:
    """A histogram with bins of width `step`; the last bin contains all higher values."""
    steps: Counter[int] = Counter()
    for value, count in counts.items():
        steps[min(value // step, MOST - 1)] += count
    if not steps:
        return ()
    return tuple((_step(place, step), steps[place]) for place in range(min(steps), max(steps) + 1))


def _step(place: int, step: int) -> str:
    low = place * step
    if place == MOST - 1:
        return f"{low} or more"
    return str(low) if step == 1 else f"{low}–{low + step - 1}"


SPREADS: dict[str, Callable[[Benchmark, Pack], QuestionSpread]] = {
    "craft-figure-4": craft_figure_4,
    "pacs-figure-2": pacs_figure_2,
}


HOLE, RING = 22, 68  # radius of the hole and width of a ring, in units of the drawing
EDGE = 2 * (HOLE + 3 * RING)
LEAST_LABELLED = 11  # arc length in units; a shorter piece has no room for a label


@dataclass(frozen=True)
class Piece:
    """An arc as an SVG path around the centre; `turn` is the angle of its label in degrees."""

    path: str
    colour: str
    label: str
    text: str  # the label, shortened to fit
    count: int
    radius: float
    turn: float
    is_labelled: bool

    @property
    def is_left(self) -> bool:
        """Whether the label would be upside down."""
        return 90 < self.turn % 360 < 270


@dataclass(frozen=True)
class Rings:
    pieces: tuple[Piece, ...]
    rows: tuple[tuple[str, str, str, int], ...]  # (inner, outer, answer, count)

    edge: int = EDGE
    half: int = EDGE // 2


def rings_of(benchmark: Benchmark, pack: Pack | None) -> Rings | None:
    """The rings of a pack, cached; None for a benchmark without this figure or a pack without public answers."""
    if pack is None or not benchmark.rings:
        return None
    # Changes as studies open and close.
    hidden = Item.objects.filter(pack=pack).exclude(open_to(PUBLIC, Fact.ANSWER)).count()
    key = f"rings:{pack.pk}:{pack.manifest_hash}:{hidden}"
    counts = cache.get_or_set(key, lambda: _counts_of_rings(pack, *benchmark.rings), None)
    return sunburst_rings(counts) if counts else None


def sunburst_rings(counts: Mapping[Kind, int]) -> Rings:
    pieces = tuple(_piece(arc) for arc in arcs_of(counts))
    return Rings(pieces, tuple((*kind, count) for kind, count in sorted(counts.items())))


def _counts_of_rings(pack: Pack, inner: str, outer: str) -> dict[Kind, int]:
    """Counts by kind, computed in the database: an official release has 57,000 questions."""
    items = Item.objects.filter(open_to(PUBLIC, Fact.ANSWER), pack=pack).order_by()
    named = {
        name: FilteredRelation("facets", condition=Q(facets__name=of))
        for name, of in (("of_inner", inner), ("of_outer", outer))
    }
    rows = with_expected(items.annotate(**named), to=PUBLIC).values_list(
        F("of_inner__value"), F("of_outer__value"), "expected"
    )
    return {(str(one), str(other), str(answer)): count for one, other, answer, count in rows.annotate(n=Count("pk"))}


def _piece(arc: Arc) -> Piece:
    inner = HOLE + arc.ring * RING
    middle, share = inner + RING / 2, arc.end - arc.start
    return Piece(
        path=_outline(arc.start, min(arc.end, arc.start + 0.9999), inner, inner + RING),
        colour=arc.colour,
        label=arc.label,
        text=arc.text,
        count=arc.count,
        radius=middle,
        turn=round(180 * (arc.start + arc.end) - 90, 2),
        is_labelled=share * 2 * math.pi * middle > LEAST_LABELLED,
    )


def _outline(start: float, end: float, inner: float, outer: float) -> str:
    far = int(end - start > 0.5)
    first, second = _point(start, outer), _point(end, outer)
    third, fourth = _point(end, inner), _point(start, inner)
    return f"M{first}A{outer} {outer} 0 {far} 1 {second}L{third}A{inner} {inner} 0 {far} 0 {fourth}Z"


def _point(turn: float, radius: float) -> str:
    """The point at this fraction of a turn, clockwise from the top; y points down."""
    angle = 2 * math.pi * turn
    return f"{radius * math.sin(angle):.2f} {-radius * math.cos(angle):.2f}"
