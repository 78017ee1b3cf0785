"""Rows against the items that they answer: known, once each, with a possible answer, none left out."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from benchmarks.models import ItemFacet, ItemSeal
from evaluation.asking import narrowest
from evaluation.parsing import PARSERS, Parser
from evaluation.submissions.headers import Target
from evaluation.submissions.problems import Problem
from evaluation.submissions.rows import ANSWER, PREDICTION, Row
from evaluation.submissions.spooling import Answer, Spool
from measures.answers import Asked, Parsed
from measures.scoring import exact_match

SEEDS = 16
ANSWER_CHARACTERS = 200
SHORT, REMEMBERED = 60, 2000  # characters of a reply, and replies a question, that are read once and remembered
TAKEN = {ANSWER: "as-given", PREDICTION: "as-predicted"}  # kind of row -> parser


@dataclass(frozen=True, slots=True)
class Question:
    """What a parser must know; items of which that is the same share it, with the short replies that it read before."""

    asked: Asked
    read: dict[str, Parsed] = field(default_factory=dict)


class Wanted(NamedTuple):
    """An answer that is wanted: what must be known of its item to check and score it."""

    pk: int
    question: Question
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
    """Public id -> what is wanted, for every item that must be answered; read as plain values, for packs are large."""
    facets = _facets_of(target)
    sealed = set(ItemSeal.objects.filter(item__in=target.items().order_by()).values_list("item_id", flat=True))
    questions: dict[Asked, Question] = {}
    found: dict[str, Wanted] = {}
    columns = ("pk", "public_id", "kind", "options", "expected")
    for pk, public_id, kind, options, expected in target.items().values_list(*columns).iterator(chunk_size=2000):
        own = facets.get(pk, ())
        asked = Asked(kind, narrowest(value for name, value in own if name == "test"), tuple(options), expected)
        question = questions.setdefault(asked, Question(asked))
        found[public_id] = Wanted(pk, question, own, expected is not None and pk not in sealed)
    return found


def _facets_of(target: Target) -> dict[int, tuple[tuple[str, str], ...]]:
    """Item -> its facets but the splits; equal ones are one object."""
    rows = ItemFacet.objects.filter(item__in=target.items().order_by()).exclude(name="split").order_by("item_id", "pk")
    same: dict[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]] = {}
    found: dict[int, tuple[tuple[str, str], ...]] = {}
    values = rows.values_list("item_id", "name", "value").iterator(chunk_size=5000)
    for item, of_item in groupby(values, key=itemgetter(0)):
        own = tuple((name, value) for _item, name, value in of_item)
        found[item] = same.setdefault(own, own)
    return found


def parser_for(target: Target, kind: str) -> Parser:
    """Answers and predictions are taken as given; raw replies are read by the benchmark's own rule."""
    return PARSERS[TAKEN.get(kind) or target.benchmark.parser_of(target.strategy.name)]


class Checker:
    """Checks row by row and keeps the tally: what was answered, with which seeds, and how well."""

    def __init__(
        self, target: Target, names: Mapping[str, str] | None = None, spool: Spool | None = None
    ) -> None:  # fmt: skip
        """`names` says what the file calls the items, where not by their ids; `spool` takes every good answer."""
        self.spool = spool
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
        parsed = self._read(row.text, wanted.question)
        if row.kind == ANSWER and parsed.answer is None:
            self.refused.add((row.item, row.seed))
            return self._problem(row, "not-an-option", _not_an_option(row.text, wanted.question.asked.options))
        self.answered[row.item] = self.answered.get(row.item, 0) | bit
        self._count(row, wanted, parsed)
        return None

    def _read(self, text: str, question: Question) -> Parsed:
        """What the parser makes of it; the same short reply to the same question is read once."""
        if (known := question.read.get(text)) is not None:
            return known
        assert self.parser is not None
        parsed = self.parser.read(text, question.asked)
        if len(text) <= SHORT and len(question.read) < REMEMBERED:
            question.read[text] = parsed
        return parsed

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
        by_item = Counter(each.facets for each in self.wanted.values())
        by_answer = Counter(self.wanted[item].facets for item in self.answered)
        wanted, answered = _by_facet(by_item), _by_facet(by_answer)
        return [Coverage(*facet, answered[facet], wanted[facet]) for facet in sorted(wanted)]

    @property
    def score(self) -> float | None:
        """Mean over the answers to public items; None where there are none."""
        return self.points / self.scored if self.scored else None

    def _count(self, row: Row, wanted: Wanted, parsed: Parsed) -> None:
        expected = wanted.question.asked.expected
        score = None if expected is None else exact_match(parsed.answer, expected)
        self.unread += parsed.answer is None
        if wanted.is_public and score is not None:
            self.scored += 1
            self.points += score
        if self.spool is not None:
            self.spool.add(Answer(wanted.pk, row.seed, row.text, parsed.answer or "", parsed.problem, score))

    def _problem(self, row: Row, code: str, what: str) -> Problem:
        return Problem(code, what, row.line, row.name or row.item)


def _by_facet(counted: Counter[tuple[tuple[str, str], ...]]) -> Counter[tuple[str, str]]:
    """Facet value -> how many, from how many items have each set of facets."""
    found: Counter[tuple[str, str]] = Counter()
    for facets, number in counted.items():
        for facet in facets:
            found[facet] += number
    return found


def _not_an_option(text: str, options: tuple[str, ...]) -> str:
    if not options:
        return "this item wants free text: upload raw replies"
    return f"{text[:40]!r} is none of: {', '.join(options)}"
