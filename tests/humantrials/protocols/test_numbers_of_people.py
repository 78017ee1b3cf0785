"""People give numbers and moments in studies of benchmarks defined in files; each is right within its range."""

import pytest

from humantrials.models import Judgment, Trial
from humantrials.results.exports import judgment_rows
from humantrials.simulation.marker import NumberTeller
from humantrials.simulation.participant import Habits
from tests.benchmarks.definitions.files import test_numbers
from tests.commands import say
from tests.humantrials.plain_client import Walker

pytestmark = pytest.mark.django_db
STUDY = """
[people]
title = "Counting"
kind = "{kind}"
invitation = "You are invited to count what you see in short videos."
instructions = ["Watch each video, then answer."]
answers = 1
labels = {{ {labels} }}
"""


@pytest.fixture
def study(tmp_path):
    def opened(kind, labels):
        root = test_numbers.write_folder(tmp_path / "counting")
        text = (root / "benchmark.toml").read_text() + STUDY.format(kind=kind, labels=labels)
        (root / "benchmark.toml").write_text(text)
        say("import_benchmark", root)
        say("create_trial", "count", "--protocol=counting-people", "--open")
        return Trial.objects.get(slug="count")

    return opened


def answers(client, trial, given):
    """Go to the questions and answer each with the fields for its key; returns the first page."""
    walker = Walker(client, trial).agree().press(step="instructions")
    asked = {slot.position: slot.item.key for slot in walker.person.sheet.slots.select_related("item")}
    page = walker.text
    for _ in asked:
        walker.answer(**given[asked[walker.reader.positions[0]]])
    return page


def scores(trial):
    header, *rows = judgment_rows(trial)
    keys = dict(trial.pack.items.values_list("public_id", "key"))
    return {keys[row[header.index("item")]]: row[header.index("correct")] for row in rows}


def test_numbers_are_typed_and_right_within_their_range(study, client):
    trial = study("how-many", 'number = "So many"')
    typed = {"n0": "3.0", "n1": "3.6", "n2": "-4"}
    page = answers(client, trial, {key: {"value": "number", "number": number} for key, number in typed.items()})
    assert 'name="number" type="text" inputmode="decimal"' in page
    assert "So many" in page
    assert 'without marks between thousands"' in page  # Firefox ends the sentence itself
    assert dict(Judgment.objects.values_list("item__key", "answer")) == {"n0": "3", "n1": "3.6", "n2": "-4"}
    assert scores(trial) == {"n0": 1, "n1": 0, "n2": 1}


def test_what_is_no_number_is_refused_and_asked_again(study, client):
    walker = Walker(client, study("how-many", "")).agree().press(step="instructions")
    position = walker.reader.positions[0]
    for typed in ("three", "1.234,5", "1,234"):
        page = walker.answer("number", number=typed).page
        assert page.status_code == 400
        assert page.context["no_number"] in page.content.decode()
        assert f'value="{typed}"' in page.content.decode()
        assert walker.reader.positions[0] == position
    reply = walker.send("answer/", position=position, answer="number", number="1.234,5")
    assert (reply.status_code, reply.json()["error"]) == (409, page.context["no_number"])
    assert not Judgment.objects.exists()


@pytest.mark.parametrize(
    ("kind", "field", "typed", "stored"), [("how-many", "number", "2,5", "2.5"), ("when", "moment", "٠٫٤١", "0.41")]
)
def test_numbers_are_stored_in_plain_digits_with_a_decimal_point(study, client, kind, field, typed, stored):
    labels = {"how-many": "", "when": 'seconds = "There", nothing = "Nowhere"'}
    walker = Walker(client, study(kind, labels[kind])).agree().press(step="instructions")
    walker.answer({"number": "number", "moment": "seconds"}[field], **{field: typed})
    assert list(Judgment.objects.values_list("answer", flat=True)) == [stored]


def test_moments_are_marked_and_right_within_their_range(study, client):
    trial = study("when", 'seconds = "There", nothing = "Nowhere"')
    given = {"w0": {"value": "seconds", "moment": "0.41"}, "w1": {"value": "seconds", "moment": "0.3"}}
    answers(client, trial, given)
    assert dict(Judgment.objects.values_list("item__key", "answer")) == {"w0": "0.41", "w1": "0.3"}
    assert scores(trial) == {"w0": 1, "w1": 0}
    say("change_trial", "close", "count")
    assert "50" in client.get("/trials/count/").content.decode().partition("<main")[2]


def test_simulated_people_tell_the_middle_of_the_range_or_a_number_beside_it(study):
    teller = NumberTeller(1, 1, Habits(accuracy=1.0))
    assert teller._answer_fields({0: "2.5..3.5"}, 0, ["number"]) == {"answer": "number", "number": "3.00"}
    assert teller._answer_fields({0: "nothing"}, 0, ["seconds", "nothing"]) == {"answer": "nothing"}
    teller = NumberTeller(1, 1, Habits(accuracy=0.0))
    told = teller._answer_fields({0: "0.2..0.6"}, 0, ["seconds", "nothing"])
    assert told["answer"] == "seconds"
    assert float(told["moment"]) > 0.6
