"""The worked example of docs/architecture.md, a kind of study: made, taken by people, verified, exported."""

import pytest
from django.core.management import call_command
from django.test import Client

from benchmarks.commands import CallerMistake
from humantrials import kinds, protocols
from humantrials.models import Judgment, Trial
from humantrials.running.verification import verify
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.plain_client import Walker
from tests.worked_examples import module_under

pytestmark = pytest.mark.django_db


@pytest.fixture
def speed_trial(monkeypatch) -> Trial:
    """An open study of the example's kind, with one answer for each of two clips."""
    monkeypatch.setattr(kinds, "PATHS", dict(kinds.PATHS))
    monkeypatch.setattr(protocols, "BUILT_IN", dict(protocols.BUILT_IN))
    module_under("A kind of study", monkeypatch, "extensions.speed")
    monkeypatch.setattr(kinds, "find_kind", kinds.find_kind.__wrapped__)  # which keeps what it found
    return running_trial(physics_pack(tests=1), slug="quick", protocol="grasp-speed", replicates=1)


def test_the_example_is_taken_by_people_verified_and_exported(speed_trial, tmp_path):
    for name in ("first", "second"):
        Walker(Client(), speed_trial, name).reach_trials().answer(seconds="0.8", watched="1")
    assert Judgment.objects.filter(trial=speed_trial, counts=True).count() == 2
    assert verify(speed_trial).broken == []
    call_command("export_trial", "quick", kind="times", out=tmp_path / "times.txt")
    assert (tmp_path / "times.txt").read_text() == "0.8\n0.8\n"


def test_other_studies_have_no_such_file(speed_trial, tmp_path):
    running_trial(speed_trial.pack, slug="usual", seal=False)
    with pytest.raises(CallerMistake, match="psych-ds"):
        call_command("export_trial", "usual", kind="times", out=tmp_path / "times.txt")
