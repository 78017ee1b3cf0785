"""Titles of definitions: English in files and for programs, in the reader's language on pages."""

import pickle
from dataclasses import replace

from django.utils.translation import override

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.definitions.titles import in_english


def test_a_title_is_read_in_the_readers_language_and_stays_what_its_file_says():
    facet = BENCHMARKS["grasp"].facet("concept")
    value = next(one for one in facet.values if one.value == "object permanence")
    with override("de"):
        assert (facet.title, facet.plural, value.title) == ("Konzept", "Konzepte", "Objektpermanenz")
        assert in_english(value) == "Object permanence"
        assert pickle.loads(pickle.dumps(value)) == value
    assert (facet.title, facet.plural, value.title) == ("Concept", "concepts", "Object permanence")


def test_a_variant_made_for_a_german_reader_is_english_for_the_next():
    direct = BENCHMARKS["craft"].strategy("craft")
    with override("de"):
        variant = direct.with_likelihood
        assert variant.title == "direkt, Wahrscheinlichkeit"
    assert variant.title == "direct, likelihood"
    assert replace(direct, name="other").title == "direct"
