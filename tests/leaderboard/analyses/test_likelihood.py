"""The page of likelihoods: figures of stored margins beside people's confidence, exports and the API."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from benchmarks.definitions.registry import BENCHMARKS
from evaluation.models import ModelResponse
from humantrials.models import FollowUp
from leaderboard.analyses.likelihood import margin_in, rows_by_likelihood
from leaderboard.board.query import view_of
from leaderboard.standings.refresh import refresh
from tests.factories import answer_to, make_model, make_run, set_expected
from tests.leaderboard.conftest import answer_all

pytestmark = pytest.mark.django_db
PAGE = "/leaderboard/grasp/likelihood/?level=2"
MARGINS = (-2.0, 1.5, 0.5, 2.0, -1.0, -0.5)  # of clip0 … clip5; those with odd numbers are plausible


@pytest.fixture
def weighed(physics):
    model = make_model(name="Weigher", slug="w")
    run = make_run(physics, strategy="plausibility-likelihood", parser="likelihood", model=model)
    answer_all(run, lambda item: "yes" if MARGINS[int(item.key[-1])] > 0 else "no")
    for response in ModelResponse.objects.filter(cell__run=run).select_related("cell__item"):
        response.margin = MARGINS[int(response.cell.item.key[-1])]
        response.save()
    refresh()
    return run


def found():
    return rows_by_likelihood(view_of(BENCHMARKS["grasp"], {"level": "2"}))


def test_figures_page_export_and_board_are_those_of_the_stored_margins(weighed, client, physics):
    ((strategy, row),) = found()
    figures = margin_in(row)
    assert strategy.name == "plausibility-likelihood"
    assert figures["n"] == 6
    assert figures["accuracy"] == pytest.approx(4 / 6, abs=1e-5)
    assert figures["area"]["value"] == pytest.approx(roc_auc_score([0, 1, 0, 1, 0, 1], MARGINS), abs=1e-5)
    assert figures["area"]["low"] < figures["area"]["value"] < figures["area"]["high"]
    assert sum(one["n"] for one in figures["bins"]) == 6
    page = client.get(PAGE).content.decode()
    assert "Weigher" in page
    assert "Calibration" in page
    area = f"{roc_auc_score([0, 1, 0, 1, 0, 1], MARGINS):.3f}"
    assert area in page
    table = client.get(f"{PAGE}&format=csv").content.decode()
    assert f'Weigher,run,"zero-shot, likelihood",6,66.7,{area},' in table
    board = client.get("/leaderboard/grasp/?level=2&strategy=plausibility-likelihood&format=json").json()
    assert board["rows"][0]["overall"]["margin"]["area"]["value"] == pytest.approx(float(area), abs=1e-3)
    assert set(board["rows"][0]["cells"]["Gravity"]["margin"]) == {"n", "area"}
    (row,) = client.get("/api/v1/boards/grasp/likelihood/?level=2").json()["rows"]
    assert (row["Who"], row["Prompting"]) == ("Weigher", "zero-shot, likelihood")
    assert (row["n"], row["Accuracy at 0.5, %"]) == (6, 66.7)
    assert row["AUC"] == float(area)
    assert row["AUC, low"] < row["AUC"] < row["AUC, high"]
    # hidden answers count in no figure
    set_expected(physics.items.filter(key="clip5"), None)
    weighed.answers_version += 1
    weighed.save()
    refresh()
    assert margin_in(found()[0][1])["n"] == 5


def test_a_page_without_likelihoods_says_so(physics, client):
    assert "Nobody has been asked for likelihoods" in client.get(PAGE).content.decode()
    assert client.get("/leaderboard/grasp/likelihood/?level=9").status_code == 404
    assert client.get(f"{PAGE}&format=bmp").status_code == 404


def test_people_s_confidence_stands_beside_models(weighed, study, client):
    """A person's area is that of the signed confidences, by scikit-learn."""
    study.settings = {**study.settings, "confidence": "4, unsure, sure"}
    study.answers_version += 1
    study.save()
    rng, truth, ratings = np.random.default_rng(0), [], []
    _silent, *judgments = study.judgments.select_related("slot", "item", "participant").order_by("pk")
    for one in judgments:
        sure = int(rng.integers(1, 5))
        FollowUp.objects.create(participant=one.participant, position=one.slot.position, confidence=sure)
        truth.append(answer_to(one.item) == "yes")
        ratings.append(sure if one.answer == "yes" else -sure)
    refresh()
    people, model = (row for _, row in found())
    assert (people.kind, model.kind) == ("human", "run")
    assert margin_in(people)["area"]["value"] == pytest.approx(roc_auc_score(truth, ratings), abs=1e-5)
    assert "confidence after each answer" in client.get(PAGE).content.decode()
