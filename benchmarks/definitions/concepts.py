"""The concepts of physics that the benchmarks test, with studies of infants and the tests of each (`data`)."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.definitions.papers import DATA
from benchmarks.definitions.papers.grasp_tests import LEVEL_2
from benchmarks.definitions.published_data import fields_of
from benchmarks.errors import UnknownConcept

WHOLE = "overall"  # the value of a test whose figure is that of a whole level


@dataclass(frozen=True)
class ConceptTest:
    """Columns of one board about a concept: values of the facet by which the board groups, or `WHOLE`."""

    benchmark: str
    level: str
    group: str
    values: tuple[str, ...]
    is_part: bool = False  # whether another test of the concept includes these values


@dataclass(frozen=True)
class Concept:
    """One concept across benchmarks. Its sentences claim no more than the papers' texts and reference lists do."""

    slug: str
    title: str
    about: str  # one sentence, as in the paper of `cited_in`
    development: tuple[str, str]  # two sentences on the studies of developmental psychology
    sources: tuple[str, ...]
    cited_in: str  # the place in a benchmark's paper that names these sources
    tests: tuple[ConceptTest, ...]


def _grasp(concept: str) -> tuple[ConceptTest, ...]:
    """GRASP's figure for a concept, and its tests one by one if there are several."""
    whole = ConceptTest("grasp", "2", "concept", (concept,))
    names = tuple(test.name for test in LEVEL_2 if concept in test.concepts)
    return (whole, ConceptTest("grasp", "2", "test", names, is_part=True)) if len(names) > 1 else (whole,)


def _concept(record: dict[str, Any], sources: Mapping[str, str]) -> Concept:
    tests = (ConceptTest(**fields_of(test, *test)) for test in record.pop("tests", ()))
    return Concept(
        tests=(*(_grasp(record.pop("grasp")) if "grasp" in record else ()), *tests),
        sources=tuple(sources[name] for name in record.pop("sources")),
        **fields_of(record, *record),
    )


def _read() -> Iterator[Concept]:
    data = tomllib.loads((DATA / "concepts.toml").read_text(encoding="utf-8"))
    yield from (_concept(record, data["sources"]) for record in data["concepts"])


CONCEPTS: dict[str, Concept] = {concept.slug: concept for concept in _read()}


def find_concept(slug: str) -> Concept:
    """The concept with this slug; UnknownConcept lists the existing ones."""
    if slug not in CONCEPTS:
        raise UnknownConcept(f"there is no concept {slug!r}; there is: {', '.join(CONCEPTS)}")
    return CONCEPTS[slug]


def concepts_on(benchmark: str, level: str, group: str) -> list[Concept]:
    """The concepts on this board if it groups by this facet; parts of another test don't count."""
    place = (benchmark, level, group)
    return [
        concept
        for concept in CONCEPTS.values()
        if any(place == (test.benchmark, test.level, test.group) for test in concept.tests if not test.is_part)
    ]
