"""Results on each level: from papers only, and with people and models of this site."""

from dataclasses import replace

import pytest
from django.core.cache import cache

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.strips import strip
from evaluation.models import Run
from humantrials.models import TrialState
from leaderboard.board.board_row import BoardCell
from leaderboard.board.overviews.board_list import board_lines
from leaderboard.board.overviews.level_results import all_levels
from leaderboard.board.overviews.model_table import benchmarks_with_scores, scores_of
from leaderboard.board.overviews.people_and_models import answer_to as sentence_of
from leaderboard.board.overviews.people_and_models import default_boards, skills_of
from leaderboard.board.strip_points import mark_of
from leaderboard.models import Comparison, PublishedResult
from leaderboard.standings.refresh import refresh
from tests.factories import answer_to, make_model, make_run
from tests.humantrials.fixtures import physics_item
from tests.leaderboard.conftest import answer_all, make_people, text_of, vote

pytestmark = pytest.mark.django_db


def level(slug, number, split=""):
    found = [one for one in all_levels() if (one.benchmark.slug, one.view.level.number) == (slug, number)]
    return next(one for one in found if split in ("", one.view.split))


def answered(pack, name, answer_of, strategy="plausibility"):
    model = make_model(name=name, kind="transformers")
    answer_all(make_run(pack, strategy=strategy, model=model), answer_of)


def test_papers_figures_baselines_remarks_and_chance_by_level():
    easy, hard = level("craft", "1", "easy-test"), level("craft", "1", "hard-test")
    assert (easy.people_reported.figure, easy.chance) == ("80.4", None)
    assert easy.leaders.reported.sentence == "best model reported: LSTM-CNN-V"
    assert easy.reported[0].figure == "53.0"
    assert [round(100 * one.gap.lead.value, 1) for one in (easy, hard)] == [27.4, 33.1]
    pacs = level("pacs", "1")
    assert (pacs.reported[0].figure, pacs.reported[0].name, pacs.chance) == ("70.1", "Merlot Reserve (Large)", 0.5)
    # guessers and majority answers are never the best model
    assert [one.name for one in level("craft", "1").baselines] == ["AT-MFA", "AT-Random", "MFA", "Random"]
    assert [one.name for one in pacs.baselines] == ["Majority"]
    # about eighty stays about and models without numbers fold into one note
    physics = level("grasp", "2")
    assert (physics.people_reported.share, physics.people_reported.figure) == (0.8, "about 80")
    assert physics.reported == ()
    assert len(physics.unprinted) == 7
    # open questions have another chance and stay apart
    best = level("grasp", "1").by_test[0]
    assert (best.name, best.strategy) == ("Video-LLaMA2 7B", "chain-of-thought, statement")
    assert (best.test, best.figure) == ("Color", "84.2")
    # a figure with a remark carries it
    remarked = level("pacs", "2").reported[0]
    assert (remarked.name, remarked.figure) == ("AudioCLIP", "75.9")
    assert remarked.cell.note.startswith("as repeated in a later work")


@pytest.mark.parametrize(("slug", "split", "condition"), [("craft", "hard-test", ""), ("pacs", "test", "audio")])
def test_the_best_model_is_the_best_of_the_published_rows(slug, split, condition):
    place = ("1", split, condition)
    rows = [row for row in BENCHMARKS[slug].published if (row.level, row.split, row.condition) == place]
    cells = {row.name: cell for row in rows if row.kind == "model" for cell in row.cells if cell.column == "overall"}
    figures = {name: float(cell.text.partition("±")[0]) for name, cell in cells.items()}
    best = level(slug, "1", split).reported[0]
    assert (best.name, round(100 * best.share, 2)) == max(figures.items(), key=lambda pair: pair[1])


def test_people_and_models_of_this_site_come_with_their_paired_gap(study, physics):
    answered(physics, "Right", lambda item: answer_to(item))
    answered(physics, "Yes", lambda item: "yes")
    refresh()
    found = level("grasp", "2")
    assert (found.people.figure, found.people_reported.figure) == ("83.3", "about 80")
    assert (found.leaders.here.sentence, found.models[0].figure) == ("best model evaluated here: Right", "100.0")
    assert (found.gap.lead.n, found.gap.model.name, round(found.gap.lead.value, 3)) == (6, "Right", -0.167)


@pytest.fixture
def lines(study, physics):
    """Of the list of boards, by benchmark and the end of their title; two models answered what people did."""
    answered(physics, "Right", answer_to)
    answered(physics, "Yes", lambda item: "yes")
    refresh()
    return {(one.results.benchmark.slug, one.title.rpartition(" · ")[2]): one for one in board_lines()}


def test_the_list_of_boards_has_the_best_model_of_each(lines):
    found = {
        key: (one.query, one.best and one.best.figure, one.about_best, one.gap, one.counts)
        for key, one in lines.items()
    }
    assert found == {
        ("grasp", "Grounding"): ("level=1", None, "no overall score reported", "–", "21 reported"),
        ("grasp", "Intuitive physics"): (
            "level=2",
            "100.0",
            "61–100",
            "no difference shown",
            "2 measured · 7 reported",
        ),
        ("craft", "Easy setting, test"): ("level=1&split=easy-test", "53.0", "reported", "+27.4", "14 reported"),
        ("craft", "Hard setting, test"): ("level=1&split=hard-test", "47.3", "reported", "+33.1", "14 reported"),
        ("pacs", "PACS"): ("level=1", "70.1", "reported", "+26.2", "7 reported"),
        ("pacs", "PACS-material"): ("level=2", "75.9", "reported", "–", "2 reported"),
    } | {
        ("giraffe", title): (f"level={level}", best, f"best test: {test}, reported", "–", "8 reported")
        for level, title, best, test in (
            (1, "Abstract patterns", "18.1", "Patterns made by people"),
            (2, "Human activity", "69.1", "ActivityNet Captions"),
            (3, "Physical interaction", "36.5", "RoboSet (Teleoperation)"),
        )
    }
    assert {slug for (slug, _), one in lines.items() if one.is_scaled} == {"giraffe"}


def test_a_question_ends_with_its_mark_or_its_first_sentence(lines):
    asked = {key: one.question for key, one in lines.items()}
    assert asked["grasp", "Grounding"] == "Does it see what is there?"
    assert asked["pacs", "PACS-material"] == "The same pairs, asked only for what they are made of"


def test_the_table_of_models_has_the_first_figure_on_a_benchmark_beside_peoples(lines):
    levels = [one.results for one in lines.values()]
    ours = lines["grasp", "Intuitive physics"].results
    link = ours.models[0].row.model_link
    found = scores_of([link, "/models/mac-v/", "/models/video-llama-7b/", "/models/llava-7b/", "/models/none/"], levels)
    told = {
        (one, slug): (score.level, score.figure, score.spread, score.is_reported, score.note)
        for one, each in found.items()
        for slug, score in each.scores.items()
    }
    assert told == {
        (link, "grasp"): ("Intuitive physics", "100.0", "61–100", False, ""),
        ("/models/mac-v/", "craft"): ("Easy setting, test", "49.7", "", True, ""),
        ("/models/video-llama-7b/", "grasp"): ("Grounding", "36.6–79.7", "", True, "by test"),
        ("/models/llava-7b/", "giraffe"): ("Abstract patterns", "7.6–10.9", "", True, "by test"),
    }
    people = replace(mark_of(ours.people.cell, "", is_people=True), low=None, high=None)
    assert found[link].scores["grasp"].drawing == strip([mark_of(ours.models[0].cell, ""), people], 50.0)
    reported = [mark_of(BoardCell(0.4974), "hollow"), mark_of(BoardCell(0.8037), "hollow", is_people=True)]
    assert found["/models/mac-v/"].scores["craft"].drawing == strip(reported, None)
    gaps = [found[one].gap for one in (link, "/models/mac-v/", "/models/video-llama-7b/")]
    assert [gap and (gap.model, gap.place, round(gap.value, 3)) for gap in gaps] == [
        ("Right", "GRASP (Intuitive physics)", -0.167),
        ("MAC-V", "CRAFT (Easy setting, test)", 0.306),
        None,
    ]
    columns = benchmarks_with_scores(found, BENCHMARKS.values())
    assert [one.slug for one in columns] == ["grasp", "craft", "giraffe"]


def test_a_gap_whose_interval_holds_zero_is_no_headline(study, physics, client):
    answered(physics, "Yes", lambda item: "yes")
    refresh()
    found = level("grasp", "2")
    assert found.gap.lead.value > 0
    assert not found.gap.lead.stands
    skills = skills_of(default_boards())
    assert next(one for one in skills if one.gap and not one.is_reported).lead == found.gap.lead
    assert not found.gap.lead.stands
    assert "they are no different on one" in client.get("/").content.decode()


def test_a_gap_whose_interval_leaves_out_zero_is_a_headline(physics, study):
    wrong = {"yes": "no", "no": "yes"}
    for _ in range(18):
        vote(study, physics_item(physics, "Gravity", is_plausible=True), ["yes"] * 3)
    answered(physics, "Wrong", lambda item: wrong[answer_to(item)])
    refresh()
    assert level("grasp", "2").gap.lead.stands
    skill = next(one for one in skills_of(default_boards()) if one.gap and not one.is_reported)
    assert (skill.title, skill.gap_text, skill.lead.stands) == ("Intuitive physics", "+96", True)
    assert sentence_of([skill]) == "Not yet: people lead the best model by 96 points on the one skill scored for both."


def test_people_lead_by_one_rule_on_every_page(study, physics, client):
    """Three models: an interval alone would make a claim that no longer holds once all rows are corrected."""
    for name in ("A", "B", "C"):
        answered(physics, name, lambda item: "yes")
    refresh()
    page_of_model = Run.objects.earliest("pk").model.get_absolute_url()
    for p, claims in ((0.03, False), (0.01, True)):
        Comparison.objects.update(n=6, difference=0.3, low=0.02, high=0.5, p=p)
        cache.clear()
        skill = next(one for one in skills_of(default_boards()) if one.lead and not one.is_reported)
        pages = {path: text_of(client.get(path)) for path in ("/", "/leaderboard/grasp/?level=2", page_of_model)}
        assert [skill.lead.stands, level("grasp", "2").gap.lead.stands] == [claims] * 2
        assert ("no different on one" not in pages["/"]) is claims
        assert ("People lead the best model" in pages["/leaderboard/grasp/?level=2"]) is claims
        assert ("points behind people" in pages[page_of_model]) is claims


def test_without_shared_clips_there_is_no_gap(pack):
    answered(pack, "Yes", lambda item: "yes", strategy="binary")
    refresh()
    make_people(pack)
    assert level("grasp", "1").gap is None


def test_a_pair_without_shared_questions_is_no_gap_of_zero(study, physics):
    answered(physics, "Yes", lambda item: "yes")
    refresh()
    Comparison.objects.update(n=0, difference=0.0, low=None, high=None, p=None, test="")
    assert level("grasp", "2").gap is None


def test_an_open_study_hides_its_figures_and_says_so(study, physics):
    study.state = TrialState.OPEN
    study.save()
    refresh()
    assert level("grasp", "2").hidden == "hidden while a study runs, back when it closes"
    assert not level("grasp", "1").hidden
    study.is_simulated = True
    study.save()
    assert not level("grasp", "2").hidden


def test_figures_of_later_papers_count_once_they_are_checked():
    place = {"benchmark": "grasp", "level": "2", "strategy": "plausibility", "row": "Newer", "figure": "61.5"}
    result = PublishedResult.objects.create(**place, source="A later paper, Table 4", date="2026")
    assert level("grasp", "2").reported == ()
    PublishedResult.objects.filter(pk=result.pk).update(checked_by="Reader")
    [found] = level("grasp", "2").reported
    assert (found.name, found.source) == ("Newer", "A later paper, Table 4, 2026")
