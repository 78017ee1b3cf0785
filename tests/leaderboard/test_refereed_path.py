"""The whole path of a free answer: items, a model, a referee behind a real HTTP server, board, the paper's table."""

import csv
import io

import pytest
from django.core.management import call_command

from evaluation.models import Briefing, Run
from evaluation.runs import start_run
from evaluation.working import work
from tests.evaluation.fault_server import completion, serving
from tests.factories import make_item, make_model, make_pack, make_validation

pytestmark = [pytest.mark.django_db, pytest.mark.issue("I")]

PREDICTIONS = ("the cube is smaller still", "the cube is red", "I cannot tell")
# What the referee gives to each of them: logical consistency, accuracy, specificity.
POINTS = {PREDICTIONS[0]: (5, 5, 4), PREDICTIONS[1]: (2, 0, 3), PREDICTIONS[2]: (0, 0, 0)}


def verdict(handler) -> None:
    """Scores what it finds behind <A>, in the form that GPT-4's printed replies have."""
    answer = handler.said.rpartition("<A>: ")[2].strip()
    logic, accuracy, specificity = POINTS[answer]
    handler.send(completion(
        f"1. LogicalConsistency: score: {logic}. reason: The model says 7:40. 2. Accuracy: score: {accuracy}. reason:"
        f" see <P>.\n\n3. Specificity: score: {specificity}. reason: 3 words of 5."
    ))  # fmt: skip


def patterns(dataset: str, count: int, pack):
    for number in range(count):
        item = make_item(
            pack, key=f"{dataset}/{number}", kind="told", answer_kind="free", options=[], expected=None,
            facets={"level": ("1",), "test": (dataset,), "polarity": ()},
        )  # fmt: skip
        Briefing.objects.create(item=item, facts={"pattern": "The cube shrinks.", "pred": "It will be smaller."})
        yield item


@pytest.fixture
def refereed(monkeypatch):
    """A scripted model's answers on both sets of patterns, all scored by the server's referee."""
    pack = make_pack(benchmark="giraffe", name="small")
    items = [*patterns("human-made", 3, pack), *patterns("automated", 2, pack)]
    replies = {item.public_id: PREDICTIONS[number % 3] for number, item in enumerate(items)}
    model = make_model(slug="small", name="Small", kind="scripted", options={"replies": replies})
    with serving(verdict) as server:
        options = {"base_url": server.base_url, "model": "tiny"}
        referee = make_model(slug="hosted", kind="openai", options=options)
        run = start_run(model=model, pack=pack, strategy="activity-text", referee=referee)
        Run.objects.filter(pk=run.pk).update(strategy="patterns-images", condition="video")
        # Told in words, so that no picture has to be drawn; on the board it is asked like any pattern.
        monkeypatch.setattr("evaluation.asking.conversation_for", told)
        monkeypatch.setattr("evaluation.asking.WITHOUT_FRAMES", ("video",))
        work()
        assert len(server.seen) == 5
    run.refresh_from_db()
    assert (run.state, run.reason) == ("finished", "")
    make_validation("hosted")
    return run


def told(strategy, item, example=None):
    from evaluation.prompting import words_alone

    return words_alone(item)


def table(capsys, *options: str) -> list[dict[str, str]]:
    call_command("export_table", "giraffe-table-1", *options)
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_points_of_a_referee_over_http_reach_board_and_table_in_the_papers_columns(refereed, visitor, capsys):
    (row,) = table(capsys, "--rows", "run")
    figures = {name: round(float(value), 2) for name, value in row.items() if name != "Model"}
    assert row["Model"] == "Small (pictures in a row), scored by hosted"
    assert figures == {
        "H Acc.": 33.33, "H Logic.": 46.67, "H Spec.": 46.67, "H Avg.": 42.22,
        "A Acc.": 50.0, "A Logic.": 70.0, "A Spec.": 70.0, "A Avg.": 63.33,
    }  # fmt: skip
    board = visitor.get("/leaderboard/giraffe/", {"format": "json", "rows": "run"}).json()
    (shown,) = board["rows"]
    assert (shown["note"], shown["overall"]["n"]) == ("scored by hosted", 5)
    assert shown["cells"]["human-made"]["score"] == pytest.approx(0.4222, abs=1e-4)
    assert len(table(capsys, "--rows", "published")) == 8
