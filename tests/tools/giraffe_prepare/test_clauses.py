"""Verbs and nouns of people's sentences about short videos."""

import pytest

from tools.giraffe_prepare.clauses import Clause, Dictionary, last_clause
from tools.giraffe_prepare.english import NOUN, VERB, tagged


@pytest.mark.parametrize(
    ("text", "verbs", "nouns"),
    [
        ("A person opens the closet doors", ["open"], ["person", "closet", "door"]),
        ("The man is drinking from a coffee mug", ["drink"], ["man", "coffee", "mug"]),
        ("taking multiple drinks from a glass", ["take"], ["drink", "glass"]),
        ("She takes off some clothes", ["take"], ["clothes"]),
        ("she takes off shoes", ["take"], ["shoe"]),
        ("He walks to bed", ["walk"], ["bed"]),
        ("They begin to dress", ["begin", "dress"], []),
        ("Holding a cup/glass/bottle of something", ["hold"], ["cup", "glass", "bottle"]),
        ("Someone is going from standing to sitting", ["go", "stand", "sit"], []),
        ("a person sitting down picks up books", ["sit", "pick"], ["person", "book"]),
    ],
)
def test_a_word_is_what_the_word_before_it_lets_it_be(text, verbs, nouns):
    words = tagged(text)
    assert [word.lemma for word in words if word.kind == VERB] == verbs
    assert [word.lemma for word in words if word.kind == NOUN] == nouns


@pytest.mark.parametrize(
    ("text", "before", "sentence", "phrase"),
    [
        ("A person fixes the bed then throws pillow on it.",
         "A person fixes the bed.", "A person throws pillow on it.", "throw pillow"),
        ("A person eats off a plate and then does some homework.",
         "A person eats off a plate.", "A person does some homework.", "do homework"),
        ("A woman stands up, then turns to face the mirror",
         "A woman stands up.", "A woman turns to face the mirror.", "face mirror"),
        ("The person in the kitchen cooks, and a dog is barking at the door.",
         "The person in the kitchen cooks.", "A dog is barking at the door.", "bark door"),
        ("Two people walked. Then take a towel", "Two people walked.", "Two people take a towel.", "take towel"),
        ("Sneezing, and eating food", "Sneezing.", "The person eating food.", "eat food"),
    ],
)  # fmt: skip
def test_the_last_clause_is_a_sentence_of_its_own(text, before, sentence, phrase):
    clause = last_clause(text)
    assert (clause.before, clause.sentence, clause.phrase) == (before, sentence, phrase)


def test_who_is_named_last_is_no_object_of_who_acted_before():
    assert last_clause("A man holds a cup while the dog sleeps").phrase == "hold cup"


@pytest.mark.parametrize(("place", "code"), [("on", "c053"), ("in", "c059")])
def test_actions_that_are_equally_alike_are_told_apart_by_all_words(place, code):
    actions = Dictionary({"c053": "Sitting on a chair", "c059": "Sitting in a chair", "c000": "Holding some clothes"})
    assert actions.code_of(Clause("", f"A man sits {place} a chair.", "sit", "chair")) == code
