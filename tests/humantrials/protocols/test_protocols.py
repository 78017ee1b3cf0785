"""People get the same questions as models, and a protocol's texts are versioned."""

import re
from operator import attrgetter

import pytest
from django.conf import settings

from benchmarks.definitions.papers.grasp_prompts import LEVEL_2 as PROMPTS
from benchmarks.definitions.registry import BENCHMARKS
from humantrials.assignment.sheets import SlotAnswers
from humantrials.errors import TrialError
from humantrials.kinds import find_kind
from humantrials.protocols import PROTOCOLS, find_protocol, named_protocols_exist
from humantrials.protocols.catalogue.grasp_plausibility import GRASP_PLAUSIBILITY, SENTENCES, observation_question


@pytest.mark.parametrize("test", PROMPTS)
def test_people_are_asked_the_question_of_the_prompt(test):
    shown = observation_question(PROMPTS[test])
    assert shown.startswith("Given how objects behave on earth, is the ")
    assert shown.endswith("?")
    assert shown in PROMPTS[test]


def test_every_sentence_is_listed_for_translators():
    assert {observation_question(prompt) for prompt in PROMPTS.values()} == set(SENTENCES)


@pytest.mark.parametrize("prompt", ["No question here.", "One? And another?"])
def test_a_prompt_without_exactly_one_question_is_refused(prompt):
    with pytest.raises(ValueError, match="questions"):
        observation_question(prompt)


def test_an_unknown_protocol_names_those_that_exist():
    with pytest.raises(TrialError, match="grasp-plausibility"):
        find_protocol("grasp-ponderability")


def test_the_site_checks_that_named_protocols_exist(monkeypatch):
    assert named_protocols_exist(None) == []
    monkeypatch.setitem(BENCHMARKS, "other", BENCHMARKS["grasp"])
    errors = [error.id for error in named_protocols_exist(None)]
    assert errors == ["humantrials.E001"] * len(BENCHMARKS["grasp"].protocols)


def test_templates_name_what_a_protocol_has():
    """Django renders an unknown name as nothing."""
    texts = (path.read_text() for path in (settings.BASE_DIR / "templates/humantrials").rglob("*.html"))
    named = {name for text in texts for name in re.findall(r"\bprotocol\.([\w.]+)", text)}
    assert len(named) > 10
    for name in named:
        attrgetter(name)(GRASP_PLAUSIBILITY)


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=PROTOCOLS)
def test_every_design_names_a_kind_of_study(protocol):
    kind = find_kind(protocol.design.kind)
    assert isinstance(kind.answers, SlotAnswers)
    assert (type(kind.answers) is SlotAnswers) == (protocol.design.kind == "slots")
