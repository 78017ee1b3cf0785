"""A study under two conditions is two rows; each is compared, frozen and shown with its own condition's answers."""

import json

import pytest
from django.core.management import call_command

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.packs.import_release import import_release
from humantrials.running.lifecycle import close_trial, create_trial, open_trial
from leaderboard.board.query import BadAddress
from leaderboard.comparison import report
from leaderboard.comparison.human_vs_model import human_vs_model
from leaderboard.items.item_detail import votes_on
from leaderboard.items.item_list import source_of
from leaderboard.models import Comparison
from leaderboard.publications.snapshot_verification import differences_in
from leaderboard.standings import refresh
from tests.benchmarks.pacs_releases import FOUR, small
from tests.factories import answer_to, make_answer, make_model, make_run
from tests.humantrials.protocols.designs.test_crossed import stand_in_clips
from tests.humantrials.results.test_judgments import everybody_answers, right

pytestmark = pytest.mark.django_db
OTHER = {"object 1": "object 2", "object 2": "object 1"}
WITH, WITHOUT = "trial-few~audio", "trial-few~no-audio"


@pytest.fixture
def heard(db, tmp_path):
    """People are right with sound and wrong without; a model is right under both."""
    release = small(tmp_path, val_data=FOUR, val_data_mat=None, objects=None)
    pack = import_release(BENCHMARKS["pacs"], release).pack
    stand_in_clips(pack)
    trial = create_trial(slug="few", protocol="pacs-audio", pack=pack, settings={"replicates": 1})
    open_trial(trial=trial)
    everybody_answers(trial, lambda slot: right(slot) if slot.condition == "audio" else OTHER[right(slot)])
    close_trial(trial=trial)
    model = make_model(name="Listener")
    runs = {}
    for condition in ("audio", "no-audio"):
        runs[condition] = make_run(pack, model=model, strategy="pair", condition=condition, split="val")
        for item in pack.items.filter(kind="pair"):
            make_answer(runs[condition], item, answer_to(item))
    refresh.refresh()
    return {name: f"run-{run.pk}" for name, run in runs.items()}


def compared(one: str, other: str) -> report.ComparisonReport:
    first, second = report.find_row(one), report.find_row(other)
    assert report.why_not(first, second) == ""
    found = report.compare(first, second)
    assert found
    return found


def test_each_condition_is_a_row_of_its_own_wherever_it_is_read(heard, visitor):
    assert compared(heard["audio"], WITH).overall.value == 0
    assert compared(heard["no-audio"], WITHOUT).overall.value == 1
    stored = Comparison.objects.values_list("first__condition", "second__condition", "difference")
    assert set(stored) == {("audio", "audio", 0.0), ("no-audio", "no-audio", -1.0)}
    for people, run in ((WITH, heard["no-audio"]), (WITHOUT, heard["audio"])):
        assert "under the same condition" in report.why_not(report.find_row(people), report.find_row(run))
    # the two conditions of one study can be held side by side
    found = compared(WITH, WITHOUT)
    assert (found.overall.first, found.overall.second, found.overall.n) == (1.0, 0.0, 4)
    page = visitor.get("/compare/", {"a": WITH, "b": WITHOUT}).content.decode()
    assert "no-audio" in page
    flip = report.flips(found, 1).object_list[0]
    assert flip.first_answer != flip.second_answer
    # the name alone is the first condition and an unknown one is no row
    assert report.find_row("trial-few").key == WITH
    assert "same row twice" in report.why_not(report.find_row("trial-few"), report.find_row(WITH))
    with pytest.raises(BadAddress):
        source_of(BENCHMARKS["pacs"], "trial-few~silent")
    # the trials page shows each condition
    page = visitor.get("/trials/few/").content.decode()
    with_sound, without = page.index("Condition: audio"), page.index("Condition: no-audio")
    assert "100 %" in page[with_sound:without]
    assert "100 %" not in page[without : page.index("Methods and results as text")]
    assert "Under the condition “audio”: The majority was right on 100.0 %" in page
    assert "Under the condition “no-audio”: The majority was right on 0.0 %" in page
    # an items votes and the api tell conditions apart
    item = report.find_row(WITH).pack.items.filter(kind="pair").first()
    right = answer_to(item)
    votes = {(one.condition, one.result.answer) for one in votes_on(item)[0]}
    assert votes == {("audio", right), ("no-audio", OTHER[right])}
    for condition, answer in (("", right), ("no-audio", OTHER[right])):
        rows = visitor.get("/api/v1/trials/few/votes/", {"condition": condition}).json()
        assert {row["item"]: row["majority"] for row in rows}[item.public_id] == answer
    assert visitor.get("/api/v1/trials/few/votes/?condition=silent").status_code == 400
    assert {row["row"] for row in visitor.get("/api/v1/standings/?kind=human").json()["results"]} == {WITH, WITHOUT}
    # the table of people and models takes each under its own condition
    pack = report.find_row(WITH).pack
    rows = human_vs_model(BENCHMARKS["pacs"], pack, ("run",)).rows
    found = {row[3]: (row[6], row[7], row[8]) for row in rows if row[4] == "overall"}
    assert {condition: figures[2] for condition, figures in found.items()} == {"audio": 0.0, "no-audio": -100.0}


@pytest.mark.parametrize(("condition", "key", "score"), [("audio", WITH, 1.0), ("no-audio", WITHOUT, 0.0)])
def test_each_condition_has_its_own_row_items_and_snapshot(heard, visitor, tmp_path, condition, key, score):
    board = visitor.get(f"/leaderboard/pacs/?split=val&condition={condition}&format=json").json()
    people = [row for row in board["rows"] if row["kind"] == "human"]
    assert [row["overall"]["score"] for row in people] == [score]
    items = visitor.get(f"/leaderboard/pacs/items/?row={key}&show={'right' if score else 'wrong'}").content.decode()
    assert items.count("Which is heavier?") == 4
    call_command("snapshot", "make", "pacs", out=tmp_path / "board.json", split="val", condition=condition, verbosity=0)
    content = json.loads((tmp_path / "board.json").read_text())
    (row,) = (row for row in content["rows"] if row["kind"] == "human")
    assert (row["key"], row["overall"]["score"]) == (key, score)
    assert differences_in(content) == []
