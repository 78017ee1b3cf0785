"""Concepts as data: each names existing columns of boards, and the sources of its sentences."""

import re

import pytest

from benchmarks.definitions.concepts import CONCEPTS, WHOLE, concepts_on, find_concept
from benchmarks.definitions.papers.grasp_tests import CONCEPTS as OF_GRASP
from benchmarks.definitions.papers.grasp_tests import LEVEL_2
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.errors import UnknownConcept

TESTS = [(concept.slug, test) for concept in CONCEPTS.values() for test in concept.tests]
OF_EACH = pytest.mark.parametrize("concept", CONCEPTS.values(), ids=list(CONCEPTS))


@pytest.mark.parametrize(("slug", "test"), TESTS, ids=[f"{slug}-{test.benchmark}-{test.group}" for slug, test in TESTS])
def test_every_test_is_columns_of_a_board(slug, test):
    benchmark = BENCHMARKS[test.benchmark]
    known = {value.value for value in benchmark.facet(test.group).values if value.level in ("", test.level)}
    assert test.group in benchmark.level(test.level).groups
    assert test.values
    assert set(test.values) <= known | {WHOLE}
    assert test.group not in benchmark.telling


def test_every_concept_of_grasp_has_its_tests():
    tests = [(concept, test) for concept in CONCEPTS.values() for test in concept.tests]
    shown = {test.values[0]: concept for concept, test in tests if test.group == "concept"}
    assert set(shown) == set(OF_GRASP)
    parts = {value for concept in shown.values() for test in concept.tests if test.is_part for value in test.values}
    alone = {"Collision", "GravitySupport"}
    assert parts | alone == {test.name for test in LEVEL_2}


@OF_EACH
def test_a_source_is_named_for_every_study_and_every_source_has_a_year(concept):
    named = set(re.findall(r"(?:18|19|20)\d\d", " ".join(concept.development)))
    assert len(concept.development) == 2
    assert named <= {re.search(r"\((\d{4})\), .+\.$", source)[1] for source in concept.sources}
    assert concept.cited_in


def test_an_unknown_concept_is_told_what_exists():
    with pytest.raises(UnknownConcept, match=r"no concept 'magic'; there is: continuity, .*, material"):
        find_concept("magic")


@pytest.mark.parametrize(
    ("place", "titles"),
    [
        (("craft", "1", "test"), ["Causality"]),
        (("giraffe", "3", "test"), ["Collision"]),
        (("grasp", "2", "test"), []),
        (("grasp", "1", "test"), []),
    ],
)
def test_a_board_leads_to_the_concepts_that_its_columns_show(place, titles):
    assert [concept.title for concept in concepts_on(*place)] == titles
    assert len(concepts_on("grasp", "2", "concept")) == 8
