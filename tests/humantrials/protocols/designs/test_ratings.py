"""People rate predictions by the referees' rubric, blind to the model; three each, whole predictions per sheet."""

from collections import Counter, defaultdict

import pytest

from benchmarks.commands import CallerMistake
from benchmarks.models import Item
from evaluation.models import Briefing, Score
from evaluation.referees.rubrics import RUBRICS
from evaluation.runs.spec import find_pack
from evaluation.studies.human_ratings import criterion
from humantrials.models import Judgment, Trial
from humantrials.protocols.designs.balanced import PoolItem
from humantrials.protocols.designs.dealt import draw_predictions, sheets_of_predictions
from humantrials.results.judgments import ratings
from humantrials.results.release import may_show_scores
from humantrials.running.lifecycle import close_trial, create_trial, open_trial
from humantrials.running.verification import verify
from tests.commands import say, told
from tests.factories import make_answer, make_item, make_model, make_pack, make_run
from tests.humantrials.plain_client import Walker

# --- the design ---


@pytest.mark.parametrize("count", [1, 10, 11, 35])
def test_three_people_rate_each_prediction_whole_and_nobody_one_twice(count):
    pool = [PoolItem(f"i{number:03}-{part}", group=f"p{number:03}") for number in range(count) for part in range(3)]
    sheets = sheets_of_predictions(pool, 3, 5)
    assert set(Counter(slot.item for sheet in sheets for slot in sheet).values()) == {3}
    for sheet in sheets:
        names = [slot.item.partition("-")[0] for slot in sheet]
        assert len(set(names)) <= 10
        assert names == [name for name in dict.fromkeys(names) for _ in range(3)]  # dimensions in order
    assert sheets == sheets_of_predictions(pool, 3, 5)
    assert count == 1 or sheets != sheets_of_predictions(pool, 3, 6)
    assert len(draw_predictions(pool, 4, 0)) == 3 * min(4, count)


@pytest.mark.parametrize(
    "rubric", [one for one in RUBRICS.values() if one.benchmark == "giraffe"], ids=lambda one: one.name
)
def test_every_dimension_has_its_rule_in_the_rubrics_own_words(rubric):
    rules = [criterion(rubric, dimension) for dimension in rubric.dimensions]
    assert all(len(rule) > 80 and rule in rubric.prompt for rule in rules)
    assert len(set(rules)) == len(rules)
    for dimension, rule in zip(rubric.dimensions, rules, strict=True):
        others = [each.label for each in rubric.dimensions if each != dimension]
        assert not any(f". {other}" in rule.replace(" ", " ") for other in others), rule
        assert "score: []" not in rule
        assert ("0 to 5" in rule or "scale of 0 to 5" in rule or "from 0" in rule) == (dimension.highest == 5)


# --- a whole study ---


@pytest.fixture
def judged(db):
    """Two models' replies about patterns, with a referee's points."""
    pack = make_pack(benchmark="giraffe", name="told")
    for number in range(3):
        free = {"kind": "told", "answer_kind": "free", "options": [], "expected": None, "text": "What next?"}
        facets = {"level": ("1",), "test": ("automated",), "polarity": ()}
        item = make_item(pack, key=f"p/{number}", facets=facets, **free)
        Briefing.objects.create(item=item, facts={"pattern": f"Rule {number}.", "pred": f"Picture {number}."})
    runs = []
    for name in ("Secret-One", "Secret-Two"):
        how = {"referee": "judge", "parser": "enumerated", "strategy": "patterns-images"}
        run = make_run(pack, model=make_model(name=name), **how)
        for item in pack.items.order_by("key"):
            first = make_answer(run, item, f"It is picture {item.key[-1]}.", score=0.4)
            for rest in ("logical-consistency", "specificity"):
                Score.objects.create(reading=first.reading, dimension=rest, referee="judge", value=0.6)
        runs.append(run)
    return runs


def study(judged, count: int = 6) -> Trial:
    rated = told("validate_referee", "--rating", ",".join(str(run.pk) for run in judged), "--count", count)
    assert rated == {"pack": "ratings", "predictions": count, "items": 3 * count}
    say("create_trial", "rated", "--protocol", "giraffe-rating", "--pack", "ratings")
    trial = Trial.objects.get(slug="rated")
    open_trial(trial=trial)
    return trial


def rate(client, trial: Trial, name: str, points) -> Walker:
    walker = Walker(client, trial, name).agree()
    walker.press(step="instructions")
    while walker.reader.positions:
        walker.answer(str(points(walker.text)), seconds="1.5")
    return walker


def test_people_rate_without_learning_the_model_and_referees_are_held_against_them(judged, client, visitor):
    trial = study(judged)
    pages = []
    for number in range(3):
        rate(client, trial, f"w{number}", lambda page: pages.append(page) or (3 if "<p>Accuracy</p>" in page else 4))
    assert len(pages) == 3 * 18
    assert not any("Secret" in page for page in pages)
    assert all("Prediction &lt;A&gt;: It is picture" in page and "Pattern &lt;P&gt;: Rule" in page for page in pages)
    assert verify(trial).broken == []
    assert Judgment.objects.filter(counts=True, seconds=1.5, playback__flags=[]).count() == 54
    assert not list(ratings("giraffe"))  # it is open, and results could influence later participants
    close_trial(trial=trial)
    given = defaultdict(list)
    for _, dimension, highest, points in ratings("giraffe"):
        given[dimension, highest].append(points)
    counted = {key: (len(points), set(points)) for key, points in given.items()}
    others = {("logical-consistency", 5): (18, {4}), ("specificity", 5): (18, {4})}
    assert counted == {("accuracy", 5): (18, {3})} | others
    page = visitor.get("/leaderboard/giraffe/referees/")
    rows = {one.dimension: one for one in page.context["people"]}
    found = {name: (one.first, one.second, one.n, round(one.difference, 3)) for name, one in rows.items()}
    assert found == dict.fromkeys(("accuracy", "logical-consistency", "specificity"), ("judge", "people", 6, -0.2))


def test_ratings_are_on_no_board_and_their_questions_stay_sealed(judged, client, visitor):
    trial = study(judged, count=2)
    page = visitor.get(f"/trials/{trial.slug}/").content.decode()
    assert "Rule 0." not in page
    assert "Ratings are compared with those of language models" in page
    rate(client, trial, "w", lambda page: 5)
    close_trial(trial=trial)
    assert not may_show_scores(trial)
    assert visitor.get(f"/trials/{trial.slug}/").status_code == 200
    item = trial.slots.first().item
    assert visitor.get(item.get_absolute_url()).status_code == 404
    assert item.text not in visitor.get("/benchmarks/giraffe/items/?pack=ratings").content.decode()
    assert "Predictions to be rated" not in visitor.get("/leaderboard/giraffe/").content.decode()
    assert find_pack("giraffe").name == "told"
    say("export_trial", trial.slug, "--format", "csv", "--out", "/dev/null")


@pytest.mark.parametrize(
    ("runs", "options", "words"),
    [("99999999", [], "99999999"), ("x", [], "numbers and commas"), (None, ["--count", "0"], "count 0: at least 1")],
)
def test_a_mistake_is_one_line(judged, runs, options, words):
    with pytest.raises(CallerMistake, match=words):
        say("validate_referee", "--rating", runs or judged[0].pk, *options)


def test_other_predictions_under_the_same_name_are_refused(judged):
    numbers = ",".join(str(run.pk) for run in judged)
    for _ in range(2):
        say("validate_referee", "--rating", numbers, "--count", "2")
    with pytest.raises(CallerMistake, match="pack ratings has other content"):
        say("validate_referee", "--rating", numbers, "--count", "3")


def test_a_prediction_that_the_study_does_not_ask_is_practised_without_a_right_answer(judged, client):
    trial = create_trial(slug="few", protocol="giraffe-rating", pack=study(judged).pack, settings={"items": "3"})
    asked = set(Item.objects.filter(slots__trial=trial).values_list("key", flat=True))
    assert trial.practice.key not in asked
    open_trial(trial=trial)
    walker = Walker(client, trial, "practising").agree().press(step="instructions")
    assert "the key on each button answers" in Walker(client, trial, "reading").agree().text
    page = walker.press(step="practised", answer="1").text
    assert "There is no right answer" in page
    assert "The answer is" not in page
    assert walker.press(step="practice").reader.positions
