"""The temperature study: the paper's tau recomputed from its tables, and this site's runs at each temperature."""

import json

import pytest
from django.core.management import call_command

from benchmarks.commands import CallerMistake
from benchmarks.definitions.registry import BENCHMARKS
from evaluation.models import Briefing, Run
from evaluation.studies.temperature import study_of
from leaderboard.publications.temperature_table import published
from leaderboard.standings.refresh import refresh
from tests.factories import make_answer, make_item, make_model, make_pack, make_run, make_validation
from tests.kept import kept

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_else_works")]
PRINTED = {"human-made": ["0.86", "0.86", "1.00"], "automated": ["0.79", "1.00", "0.93"]}
SAYS = "1. Plausibility: score: {0}. 2. Specificity: score: {0}. 3. Diversity: score: {0}."


@pytest.mark.parametrize("dataset", PRINTED)
def test_tau_of_the_printed_averages_is_the_printed_one(dataset):
    found = {study.dataset: (study, printed) for study, printed in published(BENCHMARKS["giraffe"])}
    study, printed = found[dataset]
    assert [f"{tau:.2f}" for tau in study.taus.values()] == list(printed.values()) == PRINTED[dataset]
    assert set(study.models.values()) == {8}


def test_the_page_shows_both_and_says_what_is_not_measured(visitor):
    page = visitor.get("/leaderboard/giraffe/temperatures/").content.decode()
    assert "No model was asked at several temperatures yet" in page
    assert page.count("<b>0.86</b>") == 2
    assert visitor.get("/leaderboard/grasp/temperatures/").status_code == 404


@pytest.fixture
@kept
def told_pack():
    pack = make_pack(benchmark="giraffe", name="told")
    item = make_item(
        pack,
        kind="told",
        answer_kind="free",
        options=[],
        expected=None,
        text="What next?",
        facets={"level": ("2",), "test": ("charades",), "polarity": ()},
    )
    Briefing.objects.create(item=item, facts={"captions": "1. A man stands."})
    return pack


def study(model: str, capsys, **options) -> dict:
    call_command("study_temperature", model, "--referee", "judge", "--strategy", "activity-text", "--json", **options)
    return json.loads(capsys.readouterr().out)


def test_a_study_asks_once_at_each_temperature_and_again_nothing(told_pack, capsys):
    make_model(slug="judge", kind="scripted", options={"default": SAYS.format(4)})
    make_model(slug="one", kind="scripted", options={"default": "He sits."})
    told = study("one", capsys, wait=True)
    assert [(run["temperature"], run["state"]) for run in told["runs"]] == [
        (0.0, "finished"),
        (0.2, "finished"),
        (0.7, "finished"),
        (1.0, "finished"),
    ]
    assert all(run["averages"] == {"charades": 0.8} for run in told["runs"])
    assert [run["run"] for run in study("one", capsys)["runs"]] == [run["run"] for run in told["runs"]]


def test_what_the_referee_will_take_is_said_before_the_study(told_pack, capsys):
    make_model(slug="judge", kind="scripted")
    make_model(slug="one", kind="scripted")
    call_command("study_temperature", "one", "--referee", "judge", "--strategy", "activity-text")
    said = capsys.readouterr().out
    assert "for the referee, each of 4 runs at its longest: 1 replies to score; about" in said
    assert said.index("for the referee") < said.index("temperature 0: run")


def test_orders_of_two_models_are_compared(told_pack, visitor):
    """The better model at the default is the worse one at 1.0; a second referee's scores are another study."""
    make_validation("judge")
    points = {"One": {0.0: 0.8, 0.2: 0.8, 0.7: 0.6, 1.0: 0.2}, "Two": {0.0: 0.4, 0.2: 0.6, 0.7: 0.4, 1.0: 1.0}}
    for name, by_temperature in points.items():
        model = make_model(name=name)
        for temperature, value in by_temperature.items():
            run = make_run(
                told_pack,
                model=model,
                strategy="activity-text",
                condition="text",
                referee="judge",
                parser="enumerated",
                sampling={"temperature": temperature},
            )
            make_answer(run, told_pack.items.get(), "He sits.", score=value)
    (found,) = study_of(told_pack, "judge")
    assert found.taus == {"0.2": 1.0, "0.7": 1.0, "1.0": -1.0}
    assert found.averages["Two"] == {"default": 0.4, "0.2": 0.6, "0.7": 0.4, "1.0": 1.0}
    assert study_of(told_pack, "other") == []
    page = visitor.get("/leaderboard/giraffe/temperatures/").content.decode()
    assert "Scored by judge" in page
    assert "<b>−1.00</b>" in page


def test_runs_asked_in_two_ways_are_two_studies_and_every_pack_is_shown(told_pack, visitor):
    """An earlier run with other prompting is no default; a newer pack with rows hides no study."""
    make_validation("judge")
    model = make_model(name="One")
    asked = [("activity-images", 0.0, 0.9), *(("activity-text", warm, 0.5) for warm in (0.0, 0.2, 1.0))]
    for strategy, temperature, value in asked:
        run = make_run(
            told_pack,
            model=model,
            strategy=strategy,
            condition="text",
            referee="judge",
            parser="enumerated",
            sampling={"temperature": temperature},
        )
        make_answer(run, told_pack.items.get(), "He sits.", score=value)
    (found,) = study_of(told_pack, "judge")
    assert found.averages["One"] == {"default": 0.5, "0.2": 0.5, "1.0": 0.5}
    newer = make_pack(benchmark="giraffe", name="newer")
    item = make_item(newer, kind="choice", facets={"level": ("4",), "test": ("automated-choice",)})
    make_answer(make_run(newer, strategy="patterns-choice", parser="choice-letter"), item)
    refresh()
    page = visitor.get("/leaderboard/giraffe/temperatures/").content.decode()
    assert f"Scored by judge <small>{told_pack.title}</small>" in page


def test_what_is_scored_by_rule_or_unknown_is_refused(told_pack, capsys):
    make_model(slug="judge", kind="scripted")
    make_model(slug="one", kind="scripted")
    with pytest.raises(CallerMistake, match="there is no preset 'soup'; there is: paper, llava, minigpt-4"):
        study("one", capsys, preset="soup")
    with pytest.raises(CallerMistake, match="the preset llava asks images questions, and activity-text told"):
        study("one", capsys, preset="llava")
    assert not Run.objects.exists()
