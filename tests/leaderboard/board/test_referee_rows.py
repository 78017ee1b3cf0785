"""Pages about referees: validation, one referee per board, reference lines, reasons on an item's page."""

import json
from unittest.mock import patch

import pytest
from django.core.management import call_command

from benchmarks.definitions.registry import BENCHMARKS
from evaluation.adapters.base import Reply
from evaluation.adapters.heuristics import ScriptedModel
from evaluation.models import Briefing, Run, Score
from evaluation.referees.rubrics import RUBRICS
from evaluation.referees.scoring_runs import referee_run
from evaluation.runs.lifecycle import start_run
from evaluation.studies.validation_report import DatasetReport, Validation
from evaluation.workers.loop import work
from leaderboard.board.assemble import references_for
from leaderboard.board.query import view_of
from leaderboard.standings.refresh import refresh
from tests.factories import make_item, make_model, make_pack

pytestmark = pytest.mark.django_db
BOARD = {"level": "2", "strategy": "activity-text", "condition": "text"}
GIVEN = {"strict": 1, "kind": 4}


def reply(self, request):
    prompt = request.turns[0].text
    if not prompt.startswith("Hello GPT"):
        return Reply("1. He sits down.\n2. He leaves.")
    points = 5 if "He does thing" in prompt.split("next action as:")[1] else self.given
    labels = enumerate(("Plausibility", "Specificity", "Diversity"), start=1)
    lines = (f"{number}. {label}: score: [{points}]. reason: [Seen {number}]." for number, label in labels)
    return Reply("\n".join(lines))


@pytest.fixture(autouse=True)
def models_reply_by_rule(monkeypatch):
    monkeypatch.setattr(ScriptedModel, "_reply", reply)
    monkeypatch.setattr(ScriptedModel, "given", GIVEN["kind"], raising=False)


@pytest.fixture
def refereed():
    """One model's text-only replies on ActivityNet, scored by two validated referees."""
    pack = make_pack(benchmark="giraffe", name="told")
    for number in range(4):
        free = {"kind": "told", "answer_kind": "free", "options": [], "expected": None}
        facets = {"level": ("2",), "test": ("activitynet",), "polarity": ()}
        text = "What may they do next?"
        item = make_item(pack, key=f"activitynet/{number}", text=text, facets=facets, **free)
        facts = {"captions": f"1. A man stands at {number}.", "truth": f"He does thing {number}."}
        Briefing.objects.create(item=item, facts=facts)
    teller, strict = make_model(name="Teller", kind="scripted"), make_model(slug="strict", kind="scripted")
    run = start_run(model=teller, pack=pack, strategy="activity-text", referee=strict)
    for slug, points in GIVEN.items():
        with patch.object(ScriptedModel, "given", points):
            if slug == "kind":
                run.refresh_from_db()
                referee_run(run=run, referee=make_model(slug="kind", kind="scripted"))
            work()
            call_command("validate_referee", slug, "--share", "1")
            work()
    run.refresh_from_db()
    refresh()
    return run


def board(visitor, **given: str) -> dict:
    return json.loads(visitor.get("/leaderboard/giraffe/", {**BOARD, "format": "json", **given}).content)


def test_the_page_has_both_referees_and_their_agreement(refereed, visitor):
    page = visitor.get("/leaderboard/giraffe/referees/").content.decode()
    assert '<h2 id="kind">' in page
    assert '<h2 id="strict">' in page
    assert page.count("100.00") >= 4
    assert "kind, strict" in page
    assert "Not validated yet" not in page
    assert page.count("<h2 id=") == 3  # one for each referee, whatever its number of validations, and people's
    assert "/leaderboard/giraffe/tables/giraffe-table-6/" in page
    # a run of a referee without validation is not listed and the page says so
    Run.objects.filter(pk=refereed.pk).update(referee="stranger", answers_version=99)
    refresh()
    assert [row for row in board(visitor)["rows"] if row["kind"] == "run"] == []
    assert "<code>stranger</code>" in visitor.get("/leaderboard/giraffe/referees/").content.decode()
    assert "has not been validated" in visitor.get(refereed.get_absolute_url()).content.decode()


def test_the_page_without_any_and_of_a_benchmark_scored_by_rule(visitor):
    assert "No referee has been validated yet" in visitor.get("/leaderboard/giraffe/referees/").content.decode()
    assert visitor.get("/leaderboard/grasp/referees/").status_code == 404


def test_a_board_has_one_referee_at_a_time_and_reference_lines(refereed, visitor):
    rows = board(visitor)["rows"]
    assert [row["name"] for row in rows if row["kind"] != "published"] == ["Teller"]
    page = visitor.get("/leaderboard/giraffe/", BOARD).content.decode()
    assert "Positive: known to be right" in page
    assert "Random: off topic" in page
    assert "what strict gives to" in page
    assert page.count('<tr class="chance">') == 2
    # the items page shows each referees points and reasons
    item = refereed.pack.items.first()
    page = " ".join(visitor.get(item.get_absolute_url()).content.decode().split())
    assert "Plausibility 1/5, Specificity 1/5, Diversity 1/5" in page
    assert "Plausibility 4/5" in page
    assert "beside the one that counts" in page
    assert "reason: [Seen 2]" in page
    assert "He does thing" in page
    assert "He sits down." in page
    # how many were scored stands beside every mean
    score = Score.objects.filter(referee="strict", reading__response__cell__run=refereed).first()
    Score.objects.filter(referee="strict", reading=score.reading).delete()
    Run.objects.filter(pk=refereed.pk).update(answers_version=99)
    refresh()
    (row,) = [row for row in board(visitor)["rows"] if row["kind"] == "run"]
    assert row["cells"]["activitynet"]["n"] == 3
    # a board has one referee at a time
    second, kind = make_model(name="Second", kind="scripted"), refereed.refereeings.get(model__slug="kind").model
    other = start_run(model=second, pack=refereed.pack, strategy="activity-text", referee=kind)
    work()
    refresh()
    boards = {name: board(visitor, referee=name, rows="run")["rows"] for name in GIVEN}
    both = {name: [row["name"] for row in rows] for name, rows in boards.items()}
    assert both == {"strict": ["Teller"], "kind": ["Second"]}
    page = visitor.get("/leaderboard/giraffe/", BOARD).content.decode()
    assert "referee=strict" in page
    assert "Referee" in page
    assert visitor.get("/leaderboard/giraffe/", {**BOARD, "referee": "nobody"}).status_code == 404
    assert other.referee == "kind"


@pytest.mark.parametrize(
    ("pack", "level", "overall"),
    [("old", "2", 0.25), ("new", "2", 0.75), ("elsewhere", "2", 0.75), ("patterns", "1", 0.5)],
)
def test_reference_lines_are_of_the_pack_in_view_else_of_the_newest_of_this_level(
    pack, level, overall, monkeypatch, db
):
    def validated(name: str, rubric: str, dataset: str, points: float) -> Validation:
        means = {"positive": {"specificity": points}, "random": {"specificity": points}}
        part = DatasetReport(dataset, RUBRICS[rubric], 3, means, {"positive": 3, "random": 3}, 0)
        return Validation("strict", "", name, {}, None, (part,))

    found = [
        validated("old", "giraffe-ppe-charades", "charades", 0.25),
        validated("new", "giraffe-ppe-charades", "charades", 0.75),
        validated("patterns", "giraffe-sgae", "automated", 0.5),
    ]
    monkeypatch.setattr("leaderboard.board.assemble.validations", lambda benchmark, referee: found)
    make_pack(benchmark="giraffe", name=pack)
    view = view_of(BENCHMARKS["giraffe"], {"level": level, "pack": pack})
    lines = [(line.kind, line.overall) for line in references_for(view, ["strict"])]
    assert lines == [("positive", overall), ("random", overall)]
