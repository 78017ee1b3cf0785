"""What uploaded answers say about their answerer: the same to everything, or to each kind of question, is a baseline.

A file of a random guesser can't be told from a model that guesses; staff may mark it.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping

from django.db.models import Count, QuerySet

from benchmarks.definitions.registry import find_benchmark
from benchmarks.disclosure import SCORER, with_expected
from benchmarks.models import Item
from evaluation.models import ModelRole, Reading, Run

SAME = 0.98  # share of equal answers, or of equal replies, from which on they are the same
FEWEST = 10  # parsed answers
A_TEST = 4  # least mean number of answers a test, for "the same within each test" to mean something
MOST_ANSWERS = 60  # different answers; more are free texts

Counts = Mapping[str, Counter[str]]  # test -> answer -> how often


def role_of_answers(run: Run) -> ModelRole:
    """`guesser` for one answer to everything, `counter` for one answer a test, where the right answers differ."""
    answers = Reading.objects.filter(response__cell__run=run, parser=run.parser, version=run.parser_version)
    read = answers.exclude(answer="").order_by()
    whole = Counter(dict(read.values_list("answer").annotate(Count("pk"))[: MOST_ANSWERS + 1]))
    if not whole.total() >= FEWEST or len(whole) > MOST_ANSWERS:
        return ModelRole.MODEL
    if _are_same({"": whole}):
        return ModelRole.GUESSER if _right_answers_differ(run) else ModelRole.MODEL
    by_test = _by_test(run, read)
    is_many = sum(found.total() for found in by_test.values()) >= A_TEST * len(by_test)
    return ModelRole.COUNTER if by_test and is_many and _are_same(by_test) else ModelRole.MODEL


def _are_same(counts: Counts) -> bool:
    total = sum(found.total() for found in counts.values())
    return sum(max(found.values()) for found in counts.values()) >= SAME * total


def _by_test(run: Run, read: QuerySet[Reading]) -> Counts:
    """The answers to each test of the run's level whose right answers differ or are withheld."""
    facet = _facet_of(run)
    item = "response__cell__item"
    tests = read.filter(**{f"{item}__facets__name": facet})
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for test, answer, count in tests.values_list(f"{item}__facets__value", "answer").annotate(Count("pk")):
        found[test][answer] = count
    right: dict[str, set[str | None]] = defaultdict(set)
    known = with_expected(Item.objects.filter(cells__run=run, facets__name=facet), to=SCORER).order_by()
    for test, expected in known.values_list("facets__value", "expected").distinct():
        right[test].add(expected)
    return {test: counts for test, counts in found.items() if len(right[test]) > 1 or right[test] == {None}}


def _facet_of(run: Run) -> str:
    benchmark = find_benchmark(run.pack.benchmark)
    return benchmark.level(benchmark.strategy(run.strategy).level).groups[0]


def _right_answers_differ(run: Run) -> bool:
    """Whether the questions want different answers; withheld answers may."""
    items = with_expected(Item.objects.filter(cells__run=run), to=SCORER).order_by()
    right = items.values_list("expected", flat=True).distinct()
    return set(right[:2]) == {None} or len(right[:2]) > 1
