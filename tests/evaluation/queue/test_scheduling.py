"""A large run does not block a small one, and a higher priority comes first."""

from types import SimpleNamespace

import pytest
from django.db.models.functions import Now

from evaluation.adapters.heuristics import ScriptedModel
from evaluation.models import ModelResponse, Priority, Run
from evaluation.queue.leases import claim
from evaluation.queue.scheduling import SchedulingSlice, waiting_runs
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import decode_ahead, work
from tests.factories import make_item, make_model, make_pack

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_shards")]

CELLS = 8  # of a shard


@pytest.fixture
def small_shards(monkeypatch):
    monkeypatch.setattr("evaluation.queue.shards.CELLS_A_SHARD", CELLS)


def start(shards: int, **values) -> Run:
    pack = make_pack()
    make_item(pack)
    model = values.pop("model", None) or make_model(kind="scripted")
    seeds = tuple(range(CELLS * shards))
    return start_run(model=model, pack=pack, strategy="binary", condition="question-only", seeds=seeds, **values)


def order_of_answers() -> list[int]:
    """The runs in the order in which their shards were answered."""
    runs = list(ModelResponse.objects.order_by("pk").values_list("cell__run", flat=True))
    return runs[::CELLS]


@pytest.fixture
def short_turns(settings):
    settings.EVALUATION_TURN_SECONDS = 0


def test_equal_runs_are_served_in_turns(short_turns):
    big, small, last = start(4), start(1), start(2)
    work()
    assert order_of_answers() == [big.pk, small.pk, last.pk, big.pk, last.pk, big.pk, big.pk]
    assert set(Run.objects.values_list("state", flat=True)) == {"finished"}


def test_a_turn_lasts_so_that_models_are_not_opened_all_the_time():
    big, small = start(3), start(1)
    work()
    assert order_of_answers() == [big.pk, big.pk, big.pk, small.pk]


def test_opening_a_model_never_takes_more_than_a_tenth_of_its_turn(settings):
    assert SchedulingSlice(Run(), opening_seconds=60).seconds == pytest.approx(540)
    assert SchedulingSlice(Run(), opening_seconds=0).seconds == settings.EVALUATION_TURN_SECONDS


def test_a_slice_that_has_lasted_ends_for_other_runs_alone():
    lasted = SchedulingSlice(start(2), began=float("-inf"))
    assert not lasted.is_over()
    start(1)
    assert lasted.is_over()


def test_a_more_important_run_comes_first_and_ends_the_turn_of_others(monkeypatch):
    big = start(3)
    answer = ScriptedModel.answer

    def and_then_another_comes(self, requests):
        if Run.objects.count() == 1:
            start(1, priority=Priority.HIGH)
        yield from answer(self, requests)

    monkeypatch.setattr(ScriptedModel, "answer", and_then_another_comes)
    work()
    urgent = Run.objects.exclude(pk=big.pk).get()
    assert order_of_answers() == [big.pk, urgent.pk, big.pk, big.pk]


def test_a_lower_priority_waits_until_the_others_are_done(short_turns):
    low, normal = start(2, priority=Priority.LOW), start(2)
    work()
    assert order_of_answers() == [normal.pk, normal.pk, low.pk, low.pk]


def test_a_run_whose_shards_are_all_leased_does_not_wait():
    leased, other = start(1), start(1)
    assert claim(run=leased, holder="worker")
    assert list(waiting_runs()) == [other]


def test_the_clips_of_a_shard_and_of_the_next_one_are_decoded_once():
    run, started = start(3), []
    run.sampler = "uniform-8"
    ahead = SimpleNamespace(shards=[], start=started.append)
    asking = SimpleNamespace(run=run, clips_of_shard=lambda shard: shard)
    for _ in range(2):
        decode_ahead(ahead, claim(run=run, holder="worker"), asking)
    assert started == list(run.shards.order_by("number").values_list("pk", flat=True))


def test_a_run_that_rests_is_passed_over_until_its_time():
    resting, other = start(1), start(1)
    Run.objects.filter(pk=resting.pk).update(rest_until="2999-01-01T00:00Z")
    assert list(waiting_runs()) == [other]
    Run.objects.filter(pk=resting.pk).update(rest_until=Now())
    assert set(waiting_runs()) == {resting, other}
