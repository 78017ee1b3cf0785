"""The whole path of a free answer: items, a model, a referee behind a real HTTP server, board, the paper's table."""

import csv
import io
import json
import re

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.http import QueryDict

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.packs.import_release import import_release
from evaluation.models import Score
from evaluation.runs.lifecycle import start_run
from evaluation.runs.results import has_results, outcome_of, store_results
from evaluation.studies.validation_report import Separation
from evaluation.workers.loop import work
from leaderboard.board.query import view_of
from leaderboard.models import Standing
from leaderboard.publications.snapshot import content_of
from leaderboard.publications.snapshot_verification import differences_in
from leaderboard.standings.refresh import refresh
from measures.figures import Interval
from tests.benchmarks.definitions.importers.test_giraffe import make_release
from tests.evaluation.fault_server import completion, serving
from tests.factories import make_model

pytestmark = pytest.mark.django_db

PREDICTIONS = ("the cube is smaller still", "the cube is red", "I cannot tell")
# The referee's points for each: logical consistency, accuracy, specificity.
POINTS = {PREDICTIONS[0]: (5, 5, 4), PREDICTIONS[1]: (2, 0, 3), PREDICTIONS[2]: (0, 0, 0)}


def verdict(handler) -> None:
    """Scores the text after <A>, in the form of GPT-4's printed replies; for samples, the text in <P>."""
    pattern, _, answer = handler.said.rpartition("<P>: ")[2].partition("<A>: ")
    is_gold = answer.strip().lower().endswith(pattern.strip().lower()[1:])
    logic, accuracy, specificity = POINTS.get(answer.strip(), (5, 5, 5) if is_gold else (0, 0, 1))
    first = f"1. LogicalConsistency: score: {logic}. reason: The model says 7:40. 2. Accuracy: score: {accuracy}."
    last = f" reason: see <P>.\n\n3. Specificity: score: {specificity}. reason: 3 words of 5."
    handler.send(completion(first + last))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Generated and hand-made patterns with pictures and texts."""
    return make_release(tmp_path_factory.mktemp("patterns"), only=("clock", "quantity", "hand"))


@pytest.fixture
def refereed(made):
    """A scripted model answers all four; the server's referee is validated and scores its answers."""
    pack = import_release(BENCHMARKS["giraffe"], made, pack_name="small").pack
    items = list(pack.items.filter(kind="images").order_by("key"))
    replies = {item.public_id: PREDICTIONS[number % 3] for number, item in enumerate(items)}
    model = make_model(slug="small", name="Small", kind="scripted", options={"replies": replies})
    with serving(verdict) as server:
        options = {"base_url": server.base_url, "model": "tiny"}
        referee = make_model(slug="hosted", kind="openai", options=options)
        run = start_run(model=model, pack=pack, strategy="patterns-images", referee=referee)
        work()
        assert len(server.seen) == len(items) == 4
        call_command("validate_referee", "hosted", "--share", "1")
        work()
        assert len(server.seen) == 4 + 2 * 4
    run.refresh_from_db()
    assert (run.state, run.reason) == ("finished", "")
    assert [turn["frames"] for turn in run.cells.first().response.turns[:2]] == [1, 1]
    return run


def table(capsys, *options: str) -> list[dict[str, str]]:
    capsys.readouterr()
    call_command("export_table", "giraffe-table-1", *options)
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_points_of_a_referee_over_http_reach_board_table_and_item(refereed, visitor, capsys):
    (row,) = table(capsys, "--rows", "run")
    figures = {name: round(float(value), 2) for name, value in row.items() if name not in ("Model", "Measured by", "n")}
    assert row["Model"] == "Small (image sequence, patterns), scored by hosted"
    # By key: a clock gets the first prediction, two hand-made items the second and third, a quantity the first again.
    human = {"H Acc.": 0.0, "H Logic.": 20.0, "H Spec.": 30.0, "H Avg.": 16.67}
    assert figures == human | {"A Acc.": 100.0, "A Logic.": 100.0, "A Spec.": 80.0, "A Avg.": 93.33}
    board = visitor.get("/leaderboard/giraffe/", {"format": "json", "rows": "run"}).json()
    (shown,) = board["rows"]
    assert (shown["note"], shown["overall"]["n"]) == ("scored by hosted", 4)
    assert shown["cells"]["automated"]["score"] == pytest.approx(0.9333, abs=1e-4)
    assert len(table(capsys, "--rows", "published")) == 8
    # the validation of that referee is in the form of table 4
    capsys.readouterr()
    call_command("validate_referee", "hosted", "--share", "1", "--json")
    told = json.loads(capsys.readouterr().out)
    parts = {part["dataset"]: part["means"] for part in told["parts"]}
    for dataset in ("human-made", "automated"):
        assert set(parts[dataset]["positive"].values()) == {1.0}
        assert parts[dataset]["random"] == {"logical-consistency": 0.0, "accuracy": 0.0, "specificity": 0.2}
    page = visitor.get("/leaderboard/giraffe/?level=1").content.decode()
    assert page.count("Positive: known to be right") == 1
    assert page.count("Random: off topic") == 1
    # the item shows pictures prediction points and reasons
    item = refereed.pack.items.filter(kind="images").order_by("key").first()
    page = " ".join(visitor.get(item.get_absolute_url()).content.decode().split())
    assert "Logical Consistency 5/5, Accuracy 5/5, Specificity 4/5" in page
    assert "The model says 7:40" in page
    assert "the cube is smaller still" in page
    assert "It was shown the pictures of the row." in page  # all of them, and no strip of only the first
    assert 'class="film"' not in page
    assert re.search(r"<td[^>]*> *<span class=\"num\">93 %</span>", page)  # points are neither right nor wrong
    # snapshots check points by the interval they were frozen with
    refresh()
    (view,) = [view_of(BENCHMARKS["giraffe"], QueryDict("rows=run"))]
    snapshot = content_of(view)
    assert differences_in(snapshot) == []
    for row in snapshot["rows"]:
        for cell in (row["overall"], *row["cells"].values()):
            del cell["points"]
    assert any("low" in difference for difference in differences_in(snapshot))  # now parsed as in the earlier snapshot


def test_a_referee_that_does_not_discriminate_is_marked_and_its_points_are_not_ranked(refereed, visitor, monkeypatch):
    address = {"path": "/leaderboard/giraffe/", "data": {"format": "json", "rows": "run"}}
    refresh()
    assert [row["rank"] for row in visitor.get(**address).json()["rows"]] == [None], "four of four is p 0.125"
    with monkeypatch.context() as more:
        more.setattr(Separation, "discriminates", True)
        cache.clear()
        assert [row["rank"] for row in visitor.get(**address).json()["rows"]] == [[1, 1]]
        page, about = visitor.get("/leaderboard/giraffe/"), visitor.get("/leaderboard/giraffe/referees/")
        assert "does not discriminate" not in page.content.decode() + about.content.decode()
    Score.objects.filter(reading__response__cell__run__strategy="reference").update(value=0.5)
    cache.clear()
    assert [row["rank"] for row in visitor.get(**address).json()["rows"]] == [None]
    assert differences_in(content_of(view_of(BENCHMARKS["giraffe"], QueryDict("rows=run")))) == []
    for shown in (visitor.get("/leaderboard/giraffe/"), visitor.get("/leaderboard/giraffe/referees/")):
        text = " ".join(shown.content.decode().split())
        assert "does not discriminate: right answers have 0.0 points more" in text
    assert "Not ranked: the referee hosted" in " ".join(visitor.get("/leaderboard/giraffe/").content.decode().split())


def test_equal_points_have_a_narrow_interval_on_board_and_run(refereed, visitor):
    address = "/leaderboard/giraffe/"
    Score.objects.filter(reading__response__cell__run=refereed).update(value=0.6)
    Standing.objects.all().delete()
    refresh()
    (row,) = visitor.get(address, {"format": "json", "rows": "run"}).json()["rows"]
    other = 1 - 0.05 ** (1 / 4)  # the largest share of points unlike those of four items
    ends = (0.6 * (1 - other), 0.6 * (1 - other) + other)
    assert (row["overall"]["low"], row["overall"]["high"]) == pytest.approx(ends, abs=1e-4)
    refereed.results_version = refereed.answers_version - 1  # of before the points changed
    assert outcome_of(refereed).overall.interval == Interval(*map(pytest.approx, ends))
    store_results(refereed)
    assert has_results(refereed)
