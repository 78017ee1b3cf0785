"""Rows against the items that they answer: known, once each, with a possible answer, none left out."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchmarks.models import Item
from evaluation.asking import asked_of
from evaluation.parsing import PARSERS, Parser
from evaluation.submissions.headers import Target
from evaluation.submissions.problems import Problem
from evaluation.submissions.rows import ANSWER, PREDICTION, Row
from measures.answers import Asked, Parsed
from measures.scoring import exact_match

SEEDS = 16
ANSWER_CHARACTERS = 200
TAKEN = {ANSWER: "as-given", PREDICTION: "as-predicted"}  # kind of row -> parser


@dataclass(frozen=True, slots=True)
class Wanted:
    """An answer that is wanted: what must be known of its item to check and score it."""

    pk: int
    asked: Asked
    facets: tuple[tuple[str, str], ...]
    is_public: bool  # its score may be told before the run is listed


@dataclass(frozen=True)
class Coverage:
    """How many items of one facet value are answered."""

    facet: str
    value: str
    answered: int
    wanted: int


def wanted_by(target: Target) -> dict[str, Wanted]:
    """Public id -> what is wanted, for every item that must be answered."""
    items = target.items().prefetch_related("facets", "seals")
    return {item.public_id: _wanted(item) for item in items.iterator(chunk_size=2000)}


def _wanted(item: Item) -> Wanted:
    facets = tuple((facet.name, facet.value) for facet in item.facets.all() if facet.name != "split")
    return Wanted(item.pk, asked_of(item), facets, item.expected is not None and not item.seals.all())


def parser_for(target: Target, kind: str) -> Parser:
    """Answers and predictions are taken as given; raw replies are read by the benchmark's own rule."""
    return PARSERS[TAKEN.get(kind) or target.benchmark.parser_of(target.strategy.name)]


class Checker:
    """Checks row by row and keeps the tally: what was answered, with which seeds, and how well."""

    def __init__(self, target: Target, names: Mapping[str, str] | None = None) -> None:
        """`names` says what the file calls the items, where not by their ids."""
        self.target = target
        self.names = names or {}
        self.wanted = wanted_by(target)
        self.kind = ""
        self.parser: Parser | None = None  # the one of this kind
        self.seeds: dict[int, int] = {}  # seed -> its bit in `answered`
        self.answered: dict[str, int] = {}
        self.refused: set[tuple[str, int]] = set()  # (item, seed) of rows that can't count
        self.unplaced: Counter[str] = Counter()  # the same by the item alone, where the seed can't be read
        self.unread = 0
        self.scored = 0
        self.points = 0.0

    def check(self, row: Row | Problem) -> Problem | None:
        """Take this row into the tally, or say what is wrong with it."""
        if isinstance(row, Problem):
            self.unplaced[row.item] += 1
            return row
        if not self.kind:
            self.kind, self.parser = row.kind, parser_for(self.target, row.kind)
        wanted = self.wanted.get(row.item)
        if wanted is None:
            return self._problem(row, "unknown-item", "no item with this id in this pack, split and strategy")
        if row.kind != self.kind:
            self.refused.add((row.item, row.seed))
            return self._problem(row, "mixed", f"the file began with `{self.kind}`, this row has `{row.kind}`")
        if row.seed not in self.seeds and len(self.seeds) == SEEDS:
            return self._problem(row, "seed", f"seed {row.seed} is one too many: at most {SEEDS} different seeds")
        bit = self.seeds.setdefault(row.seed, 1 << len(self.seeds))
        if self.answered.get(row.item, 0) & bit:
            return self._problem(row, "duplicate", f"answered before with seed {row.seed}")
        assert self.parser is not None
        parsed = self.parser.read(row.text, wanted.asked)
        if row.kind == ANSWER and parsed.answer is None:
            self.refused.add((row.item, row.seed))
            return self._problem(row, "not-an-option", _not_an_option(row.text, wanted.asked.options))
        self.answered[row.item] = self.answered.get(row.item, 0) | bit
        self._count(wanted, parsed)
        return None

    def missing(self) -> Iterator[Problem]:
        """Every item that lacks a row for a seed that the file uses; what a row was refused for is not said twice."""
        for item in self.wanted:
            name = self.names.get(item, item)
            for seed in self._lacking(item)[self.unplaced[name] :]:
                yield Problem("missing", f"no answer with seed {seed}", item=name)

    def _lacking(self, item: str) -> list[int]:
        seeds = (self.seeds or {0: 1}).items()
        answered = self.answered.get(item, 0)
        return [seed for seed, bit in seeds if not answered & bit and (item, seed) not in self.refused]

    def coverage(self) -> list[Coverage]:
        """Items answered and wanted, by facet value."""
        wanted = Counter(facet for each in self.wanted.values() for facet in each.facets)
        answered = Counter(facet for item in self.answered for facet in self.wanted[item].facets)
        return [Coverage(*facet, answered[facet], wanted[facet]) for facet in sorted(wanted)]

    @property
    def score(self) -> float | None:
        """Mean over the answers to public items; None where there are none."""
        return self.points / self.scored if self.scored else None

    def _count(self, wanted: Wanted, parsed: Parsed) -> None:
        self.unread += parsed.answer is None
        if wanted.is_public:
            self.scored += 1
            self.points += exact_match(parsed.answer, wanted.asked.expected)

    def _problem(self, row: Row, code: str, what: str) -> Problem:
        return Problem(code, what, row.line, row.name or row.item)


def _not_an_option(text: str, options: tuple[str, ...]) -> str:
    if not options:
        return "this item wants free text: upload raw replies"
    return f"{text[:40]!r} is none of: {', '.join(options)}"
