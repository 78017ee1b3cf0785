"""GRASP's Level 1 with people: the prompt's statement, one per test, in every language."""

import pytest
from django.utils.translation import override

from benchmarks.definitions.papers.grasp_prompts import LEVEL_1 as PROMPTS
from benchmarks.definitions.papers.grasp_tests import LEVEL_1
from humantrials.protocols.catalogue.grasp_grounding import GRASP_GROUNDING, SENTENCES, TAIL
from humantrials.running.lifecycle import create_trial
from humantrials.running.verification import verify
from leaderboard.standings.human_rows import rows_of_trial
from tests.factories import make_clip, make_item, make_pack
from tests.humantrials.fixtures import running_trial
from tests.humantrials.plain_client import Walker
from tests.humantrials.results.test_judgments import closed_trial


def filled() -> dict[str, list[str]]:
    """Test -> all prompts of its labels."""
    return {
        test.name: [PROMPTS[test.name]["binary"].format(label) for label in dict.fromkeys(test.labels.values())]
        for test in LEVEL_1
        if not test.objects
    }


def test_people_read_what_models_read_without_how_to_phrase_an_answer():
    prompts = [prompt for prompts in filled().values() for prompt in prompts]
    assert {GRASP_GROUNDING.player.sentence(prompt) for prompt in prompts} == set(SENTENCES)
    assert all(GRASP_GROUNDING.player.sentence(prompt) + TAIL == prompt for prompt in prompts)


def test_an_ordering_is_put_together_in_the_language_of_the_page():
    prompt = PROMPTS["TwoObjectOrdering"]["binary"].format("red ball", "blue cube")
    assert GRASP_GROUNDING.player.page_sentence(prompt) == prompt.removesuffix(TAIL)
    with override("de"):
        shown = GRASP_GROUNDING.player.page_sentence(prompt)
    assert shown == "Von links nach rechts liegen diese Dinge auf dem Tisch: rote Kugel, blauer Würfel. Stimmt das?"


@pytest.fixture
def pack(db):
    """Two clips per test, each with a true and a false statement; orderings belong to two tests."""
    pack = make_pack()
    for test in LEVEL_1:
        names = (test.name, "Ordering") if test.objects else (test.name,)
        text = filled().get(test.name, [PROMPTS["TwoObjectOrdering"]["binary"].format("red ball", "blue cube")])[0]
        for _ in range(2):
            clip = make_clip(pack)
            for variant, expected in (("true", "yes"), ("false", "no")):
                facets = {"level": ("1",), "test": names, "polarity": (variant,), "split": ("all",)}
                own = {"key": f"{test.name}/{clip.pk}", "variant": variant, "expected": expected, "text": text}
                make_item(pack, clip=clip, facets=facets, **own)
    return pack


def test_a_sheet_has_one_statement_of_each_of_the_eight_tests(pack):
    trial = create_trial(slug="ground", protocol="grasp-grounding", pack=pack, settings={"per_test": "2"})
    assert [sheet.slots.count() for sheet in trial.sheets.all()] == [8] * 6
    report = verify(trial)
    assert report.broken == []
    assert report.facts["slots"] == 48


def test_the_page_asks_whether_the_statement_is_true(pack, client):
    trial = running_trial(pack, protocol="grasp-grounding")
    walker = Walker(client, trial, lang="de").agree().press(step="instructions")
    assert "Stimmt das?" in walker.look().text
    assert walker.answer("yes").person.judgments.count() == 1


def test_its_row_stands_beside_the_models_that_were_asked_yes_or_no(pack):
    trial = closed_trial(pack=pack, protocol="grasp-grounding", replicates=1)
    (row,) = rows_of_trial(trial)
    assert (row.kind, row.strategy, row.condition, row.overall["score"]) == ("human", "binary", "video", 1.0)
    assert set(row.cells["test"]) == {*(test.name for test in LEVEL_1), "Ordering"}
    assert verify(trial).broken == []
