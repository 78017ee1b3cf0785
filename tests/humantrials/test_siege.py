"""A complete trial over HTTP while web server and worker are killed with -9; `make soak PART=siege` runs it in full."""

import json
from pathlib import Path

import pytest

from humantrials.models import Judgment, Participant, Slot
from tests.factories import make_item, make_participant, make_sheet, make_trial
from tests.humantrials.crash_load import lost, main

SMALL = ["--clips=1", "--people=60", "--concurrency=8", "--kills=1"]
pytestmark = [pytest.mark.worker, pytest.mark.requirement("P1"), pytest.mark.requirement("P3")]


@pytest.fixture(autouse=True)
def one_web_process(monkeypatch):
    monkeypatch.setenv("WEB_PROCESSES", "1")  # the databases see a connection for each thread, whatever its process


def test_nothing_is_lost_and_every_item_has_its_three_answers_when_web_and_worker_are_killed_on_sqlite():
    assert main(["--database=sqlite", *SMALL]) == 0


@pytest.mark.postgres
def test_nothing_is_lost_and_every_item_has_its_three_answers_when_web_is_killed_and_its_connections_cut_on_postgres():
    assert main(["--database=postgres", "--worker=0", *SMALL]) == 0


@pytest.mark.django_db
def test_an_answer_that_is_acknowledged_during_the_check_is_not_taken_for_lost(tmp_path, monkeypatch):
    log = tmp_path / "acknowledged.jsonl"
    trial = make_trial()
    make_sheet(trial, [make_item(trial.pack) for _ in range(3)])
    stored, late, never = Slot.objects.order_by("position")
    person = make_participant(trial)
    acknowledge(log, person, never, is_stored=False)
    acknowledge(log, person, stored)

    def one_later(path: Path) -> str:
        acknowledge(log, person, late)
        return path.read_bytes().decode()

    monkeypatch.setattr(Path, "read_text", one_later)
    assert [line["position"] for line in lost(log)] == [never.position]


def acknowledge(log: Path, person: Participant, slot: Slot, *, is_stored: bool = True) -> None:
    """Do what the site and a visitor do with an answer: it is stored, then acknowledged, then logged."""
    if is_stored:
        values = {"trial": slot.trial, "item": slot.item, "epoch": 0, "answer": "yes", "counts": True}
        Judgment.objects.create(slot=slot, participant=person, **values)
    with log.open("a") as file:
        file.write(json.dumps({"token": person.token, "position": slot.position, "answer": "yes"}) + "\n")
