"""Boards of free text: the mean of a referee's scores, and each dimension separately."""

import csv
import io
import json

import pytest

from benchmarks.definitions.registry import BENCHMARKS
from evaluation.models import Score
from leaderboard.board.query import view_of
from leaderboard.board.rows import board_of
from leaderboard.charts.registry import CHARTS
from leaderboard.models import Extremes, Standing
from leaderboard.publications.snapshot import content_of
from leaderboard.publications.snapshot_verification import differences_in
from leaderboard.standings.refresh import refresh
from tests.factories import make_answer, make_clip, make_item, make_model, make_pack, make_run, make_validation

pytestmark = pytest.mark.django_db
GIRAFFE = BENCHMARKS["giraffe"]
ADDRESS = "/leaderboard/giraffe/"
# (accuracy, logical consistency, specificity); RoboSet's referee gives no specificity.
SCORED = {"clevrer": [(1.0, 0.8, 0.6), (0.0, 0.4, 0.2), (0.0, 0.6, 1.0)], "roboset": [(1.0, 0.4), (0.0, 1.0)]}
DIMENSIONS = ("accuracy", "logical-consistency", "specificity")


@pytest.fixture
def run(db):
    """Five replies about five clips, scored by a referee; another referee's scores stand beside them."""
    pack = make_pack(benchmark="giraffe", name="drawn")
    how = {"strategy": "physics-images", "parser": "enumerated", "referee": "judge"}
    run = make_run(pack, model=make_model(name="Teller"), **how)
    for dataset, points in SCORED.items():
        for number, values in enumerate(points):
            free = {"kind": "images", "answer_kind": "free", "options": [], "expected": None}
            facets = {"level": ("3",), "test": (dataset,), "polarity": ()}
            item = make_item(pack, clip=make_clip(pack), key=f"{dataset}/{number}", facets=facets, **free)
            reading = make_answer(run, item, "they will collide", score=values[0]).reading
            rest = zip(DIMENSIONS[1:], values[1:], strict=False)
            scores = [Score(reading=reading, dimension=name, referee="judge", value=value) for name, value in rest]
            scores += [Score(reading=reading, dimension="accuracy", referee="other", value=1.0)]
            Score.objects.bulk_create(scores)
    make_validation("judge")
    refresh()
    return run


def shown(visitor, **given: str) -> dict:
    answer = visitor.get(ADDRESS, {"level": "3", "format": "json", **given})
    return {row["name"]: row for row in json.loads(answer.content)["rows"]}


def test_rows_pages_files_and_charts_of_points(visitor, run):
    row = shown(visitor)["Teller"]
    means = [sum(values) / len(values) for points in SCORED.values() for values in points]
    assert row["overall"]["score"] == pytest.approx(sum(means) / 5)
    assert row["overall"]["n"] == 5
    assert row["cells"]["clevrer"]["score"] == pytest.approx(sum(means[:3]) / 3)
    assert row["overall"]["dimensions"]["specificity"]["score"] == pytest.approx(0.6)
    assert row["overall"]["dimensions"]["specificity"]["n"] == 3
    assert row["note"] == "scored by judge"
    # the page says what is scored and by whom
    page = visitor.get(ADDRESS, {"level": "3", "dimension": "specificity"}).content.decode()
    assert "logical consistency" in page.lower()
    assert "scored by judge" in page
    assert "on this dimension" in page
    assert "dimension=specificity" in page.split("board-items")[0]
    assert "above chance" not in page
    # what is not scored on this level is refused
    answer = visitor.get(ADDRESS, {"level": "3", "dimension": "diversity"})
    assert (answer.status_code, b"accuracy, logical-consistency, specificity" in answer.content) == (404, True)
    assert visitor.get("/leaderboard/grasp/", {"dimension": "accuracy"}).status_code == 404
    # a chart calls points points
    chart = CHARTS["profile"](board_of(view_of(GIRAFFE, {"level": "3"})))
    assert chart.title == "Giraffe-Bench: a referee's points by data set"
    assert chart.x.title == "A referee's points in per cent"
    # a file of the mean has a column a dimension
    answer = visitor.get(ADDRESS, {"level": "3", "format": "csv", "rows": "run"})
    row = next(iter(csv.DictReader(io.StringIO(answer.content.decode()))))
    assert float(row["RoboSet (Teleoperation) logical consistency %"]) == pytest.approx(70)
    assert row["RoboSet (Teleoperation) specificity %"] == ""
    # the items behind a cell have one line a reply
    for dimension, scored in (("", "80 %"), ("specificity", "60 %")):
        page = visitor.get(f"{ADDRESS}items/", {"row": f"run-{run.pk}", "test": "clevrer", "dimension": dimension})
        assert scored in page.content.decode()
        assert page.context["page"].paginator.count == 3
    assert visitor.get(f"{ADDRESS}items/", {"row": f"run-{run.pk}", "dimension": "x"}).status_code == 404
    # an item shows the mean once
    item = run.pack.items.get(key="clevrer/0")
    page = visitor.get(item.get_absolute_url())
    assert [dot["value"] for dot in page.context["dots"]] == [pytest.approx(0.8)]
    # rows of before dimensions were kept are computed again
    for row in Standing.objects.all():
        row.overall.pop("dimensions")
        row.save()
    Extremes.objects.all().delete()  # as in a database from before either
    assert Standing.objects.count() == 1  # shown until the next sweep
    refresh()
    assert set(shown(visitor)["Teller"]["overall"]["dimensions"]) == set(DIMENSIONS)
    assert refresh().computed == 0


@pytest.mark.parametrize(
    ("dimension", "clevrer", "roboset"),
    [("accuracy", 1 / 3, 0.5), ("logical-consistency", 0.6, 0.7), ("specificity", 0.6, None)],
)
def test_each_dimension_has_a_board_of_its_own(visitor, run, dimension, clevrer, roboset):
    cells = shown(visitor, dimension=dimension)["Teller"]["cells"]
    assert cells["clevrer"]["score"] == pytest.approx(clevrer)
    assert cells.get("roboset", {}).get("score") == (pytest.approx(roboset) if roboset else None)


def test_the_papers_figures_stand_on_the_board_of_their_dimension(visitor):
    cells = {name: shown(visitor, dimension=name)["LLaVA-13B"]["cells"] for name in ("", *DIMENSIONS)}
    printed = {name: found["clevrer"]["printed"] for name, found in cells.items()}
    assert printed == {"": "32.26", "accuracy": "10.49", "logical-consistency": "34.46", "specificity": "51.84"}


@pytest.mark.parametrize("dimension", ["", "specificity"])
def test_a_frozen_board_holds_the_points_that_its_figures_are_made_of(run, dimension):
    view = view_of(GIRAFFE, {"level": "3", "dimension": dimension})
    assert differences_in(json.loads(json.dumps(content_of(view)))) == []
