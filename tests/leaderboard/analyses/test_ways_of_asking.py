"""Pages about prompting: tokens and time, constrained replies, spread over wordings."""

from itertools import product

import pytest

from benchmarks.definitions.registry import BENCHMARKS
from evaluation.models import ModelResponse
from evaluation.runs.results import store_results
from leaderboard.analyses.constrained import free_and_held
from leaderboard.analyses.effort import cost_of, efforts, people_by_time, tokens_chart
from leaderboard.analyses.wordings import rows_by_wording
from leaderboard.board.query import view_of
from leaderboard.board.rows import board_of
from leaderboard.charts.rendering.drawing import page_drawing_of
from leaderboard.models import Standing
from leaderboard.standings.refresh import refresh
from tests.factories import answer_to, make_answer, make_model, make_run, set_expected
from tests.leaderboard.conftest import answer_all, answered

pytestmark = pytest.mark.django_db
LEVEL = "?level=2"


def view(**given):
    return view_of(BENCHMARKS["grasp"], {"level": "2"} | given)


def counted(run, tokens: int, **values):
    ModelResponse.objects.filter(cell__run=run).update(tokens_in=100, tokens_out=tokens, **values)
    run.answers_version += 1
    run.save()
    return run


@pytest.fixture
def thinker(physics):
    """One model with prices: wrong with little thinking, right with much."""
    model = make_model(name="Thinker", slug="thinker", kind="openai", options={"price_in": 1.0, "price_out": 10.0})
    off, on = (
        make_run(physics, strategy="plausibility", model=model, sampling={"temperature": 0.0, "thinking": one})
        for one in ("off", 512)
    )
    counted(answer_all(off, lambda item: "yes"), 3)
    counted(answer_all(on, lambda item: answer_to(item)), 400)
    refresh()
    return off, on


def test_accuracy_stands_beside_tokens_and_cost(thinker, client):
    narrow = page_drawing_of(tokens_chart(efforts(view()))).narrow
    (label,) = [label for label in narrow.labels if label.text == "1,000"]
    assert (label.x, label.anchor) == (narrow.width - 1, "end")
    (first, few, second, many) = [part for row in efforts(view()) for part in (row[3].score, row[2]["tokens_out"])]
    assert (first, few, second, many) == (0.5, 3, 1.0, 400)
    off, on = thinker
    assert cost_of(off, {"tokens_in": 100, "tokens_out": 3}) == pytest.approx(0.13)
    assert cost_of(make_run(off.pack), {"tokens_in": 100, "tokens_out": 3}) is None
    page = client.get(f"/leaderboard/grasp/effort/{LEVEL}").content.decode()
    for words in ("thinking off", "thinking up to 512 tokens", "Accuracy by tokens written", "Accuracy by cost"):
        assert words in page
    table = client.get(f"/leaderboard/grasp/effort/{LEVEL}&format=csv").content.decode()
    assert "Thinker,run,zero-shot,thinking off,6,50.0," in table
    told = client.get(f"/api/v1/boards/grasp/effort/{LEVEL}").json()["rows"]
    found = [(row["Thinking"], row["Tokens written"], row["Cost of 1,000 answers"]) for row in told]
    assert found == [("thinking off", 3.0, 0.13), ("thinking up to 512 tokens", 400.0, 4.1)]
    assert ",100.0,3.0,0.13," in table
    item = client.get(on.pack.items.first().get_absolute_url()).content.decode()
    assert "zero-shot, thinking off, video" in item
    assert "zero-shot, thinking up to 512 tokens, video" in item
    (reply,) = client.get(f"/api/v1/runs/{on.pk}/responses/?page_size=1&fields=tokens_in,tokens_out").json()["results"]
    assert reply == {"tokens_in": 100, "tokens_out": 400}
    assert [(trace.name, len(trace.points)) for trace in tokens_chart(efforts(view())).traces] == [("Thinker", 2)]
    held = make_run(on.pack, strategy="plausibility-constrained", model=on.model, sampling=on.sampling)
    counted(answer_all(held, lambda item: "yes"), 3)
    refresh()
    traces = [(trace.name, len(trace.points)) for trace in tokens_chart(efforts(view())).traces]
    assert traces == [("Thinker, zero-shot", 2), ("Thinker, zero-shot, constrained", 1)]
    notes = {row.note for row in board_of(view()).ranked}
    assert {"thinking off", "thinking up to 512 tokens"} <= notes
    store_results(on)


def test_tokens_that_nobody_counted_are_no_row(physics, client):
    answered(physics, "yes")
    refresh()
    assert efforts(view()) == []
    page = client.get(f"/leaderboard/grasp/effort/{LEVEL}").content.decode()
    assert "No row of this level has counted tokens" in page


def test_people_are_drawn_by_the_time_of_their_answers(study, client):
    """Wrong answers were quick and right ones slow, so accuracy rises with time."""
    for one in study.judgments.select_related("item"):
        one.seconds = 9.0 if one.answer == answer_to(one.item) else 2.0
        one.save()
    refresh()
    ((row, parts),) = people_by_time(view())
    assert (row.kind, [cell.n for _, cell in parts]) == ("human", [4, 5, 5, 4])
    assert [cell.score for _, cell in parts] == [0.0, pytest.approx(1 / 5), 1.0, 1.0]
    assert [seconds for seconds, _ in parts] == [2.0, 2.0, 9.0, 9.0]
    assert "People: accuracy by time" in client.get(f"/leaderboard/grasp/effort/{LEVEL}").content.decode()


@pytest.fixture
def held(physics):
    """Free replies, a third of them unparsed, and the same model's constrained replies."""
    model = make_model(name="Rambler", slug="rambler", kind="scripted")
    free, held = (make_run(physics, strategy=f"plausibility{end}", model=model) for end in ("", "-constrained"))
    items = list(physics.items.order_by("key"))
    answer_all(free, lambda item: None if items.index(item) < 2 else answer_to(item))
    answer_all(held, lambda item: answer_to(item))
    other = make_run(physics, strategy="plausibility-constrained", model=model, sampler="uniform-4")
    answer_all(other, lambda item: "yes")  # other frames: no free replies to compare with
    refresh()
    return free, held


def test_the_difference_to_free_replies_is_paired_by_model(held, client):
    (one,) = free_and_held(view())
    assert (one.free.run, one.held.run) == held
    assert one.difference.value == pytest.approx(2 / 6)
    assert one.difference.n == 6
    page = client.get(f"/leaderboard/grasp/constrained/{LEVEL}").content.decode()
    assert "grammar" in page
    table = client.get(f"/leaderboard/grasp/constrained/{LEVEL}&format=csv").content.decode()
    assert "Rambler,run,zero-shot,grammar,6,66.7,33.3,100.0,33.3," in table
    (told,) = client.get(f"/api/v1/boards/grasp/constrained/{LEVEL}").json()["rows"]
    assert (told["Held by"], told["of these unparsed, %"], told["Difference, points"]) == ("grammar", 33.3, 33.3)
    sent = make_run(held[0].pack, strategy="plausibility", model=held[0].model, sampler="uniform-4", kind="uploaded")
    answer_all(sent, lambda item: "yes")  # uploaded: nobody knows how they were asked
    refresh()
    assert [one.held.run for one in free_and_held(view())] == [held[1]]


@pytest.fixture
def reworded(physics):
    """A model that is right only in the first wording, another that is wrong in all."""
    runs = []
    for name in ("Moved", "Firm"):
        model = make_model(name=name, slug=name.lower())
        run = make_run(physics, strategy="plausibility-wordings", model=model, seeds=[0, 1, 4])
        for item, seed in product(physics.items.all(), run.seeds):
            right = answer_to(item)
            said = right if name == "Firm" or seed == 0 else {"yes": "no", "no": "yes"}[right]
            make_answer(run, item, said, seed=seed)
        runs.append(run)
    refresh()
    return runs


def test_the_spread_over_wordings_has_its_interval_and_its_switch(reworded, physics, client):
    (moved, firm) = rows_by_wording(view())
    assert (moved[0].name, firm[0].name) == ("Moved", "Firm")
    assert [(one["name"], one["score"], one["ours"]) for one in moved[2]["each"]] == [
        ("as written", 1.0, False),
        ("no before yes", 0.0, True),
        ("asked otherwise, no before yes", 0.0, True),
    ]
    assert moved[2]["low"] > 0.2
    assert (firm[2]["own"], firm[2]["high"]) == (0.0, 0.0)
    page = client.get(f"/leaderboard/grasp/wordings/{LEVEL}").content.decode()
    assert "no before yes (ours)" in page
    table = client.get(f"/leaderboard/grasp/wordings/{LEVEL}&format=csv").content.decode()
    assert 'Moved,run,"zero-shot, 5 wordings",6,3,33.3,0.0,100.0,57.7,' in table
    told = client.get(f"/api/v1/boards/grasp/wordings/{LEVEL}").json()["rows"]
    found = [(row["Who"], row["Wordings"], row["of the wording"]) for row in told]
    assert found == [("Moved", 3, 50.0), ("Firm", 3, 0.0)]
    assert told[0]["of the wording, low"] > 20
    board = client.get(f"/leaderboard/grasp/{LEVEL}").content.decode()
    assert "strategy=plausibility-wordings" in board  # the switch
    assert "/leaderboard/grasp/wordings/?level=2" in board
    item = client.get(physics.items.first().get_absolute_url()).content.decode()
    assert "5 wordings, video, as written" in item
    assert "5 wordings, video, asked otherwise, no before yes (ours)" in item
    notes = {row.name: row.note for row in board_of(view(strategy="plausibility-wordings")).ranked}
    assert notes == {"Moved": "3 wordings: 0.0 to 100.0 %", "Firm": "3 wordings: 100.0 to 100.0 %"}
    # wordings of hidden answers tell nothing
    set_expected(physics.items.filter(key="clip5"), None)
    for run in reworded:
        run.answers_version += 1
        run.save()
    refresh()
    assert {figures["n"] for _row, _title, figures in rows_by_wording(view())} == {5}


@pytest.mark.parametrize("page", ["effort", "constrained", "wordings"])
def test_pages_without_rows_and_wrong_addresses(physics, client, page):
    codes = {f"grasp/{page}/": 200, f"craft/{page}/": 200, f"nothing/{page}/": 404}
    codes |= {f"grasp/{page}/?level=9": 404, f"grasp/{page}/?format=pdf": 404}
    assert {address: client.get(f"/leaderboard/{address}").status_code for address in codes} == codes
    assert not Standing.objects.exists()
