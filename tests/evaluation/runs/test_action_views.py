"""Owner and staff can stop, resume and reprioritise a run; nobody else can, and a GET changes nothing."""

import re

import pytest
from django.test import Client

from benchmarks.leasing import LeaseLost
from evaluation.models import Run
from evaluation.queue.leases import claim, finish
from evaluation.runs.lifecycle import cancel_run, retry_run, start_run
from evaluation.workers.loop import work
from tests.factories import make_item, make_model

pytestmark = pytest.mark.django_db
ACTS = ("cancel", "resume", "retry", "priority")


@pytest.fixture
def owner(client, django_user_model):
    user = django_user_model.objects.create_user("owner")
    client.force_login(user)
    client.user = user
    return client


def start(pack, owner=None, **options) -> Run:
    for _ in range(3 - pack.items.count()):
        make_item(pack)
    model = make_model(kind="scripted", options=options)
    return start_run(model=model, pack=pack, strategy="binary", condition="question-only", owner=owner)


def page(client, run: Run) -> str:
    return client.get(run.get_absolute_url()).content.decode()


def address(run: Run, act: str) -> str:
    return f"/runs/{run.pk}/{act}/"


def states(*runs) -> list[str]:
    return [Run.objects.get(pk=run.pk).state for run in runs]


def test_the_emergency_stop_ends_ones_own_runs_or_all_and_can_be_undone(owner, client, pack, django_user_model):
    other = django_user_model.objects.create_user("other")
    mine, theirs = start(pack, owner.user), start(pack, other)
    ended = start(pack, owner.user)
    cancel_run(run=ended)
    assert client.get("/runs/stop/?everybody").status_code == 403
    assert mine.get_absolute_url() in owner.get("/runs/stop/").content.decode()
    assert states(mine, theirs) == ["queued", "queued"]  # a look changes nothing
    stopped = owner.post("/runs/stop/").content.decode()
    assert states(mine, theirs) == ["cancelled", "queued"]
    assert re.findall(r'name="run" value="(\d+)"', stopped) == [str(mine.pk)]
    assert owner.post("/runs/stop/", {"run": [theirs.pk]}).status_code in (403, 404)
    owner.post("/runs/stop/", {"run": [mine.pk]})
    assert states(mine, theirs, ended) == ["queued", "queued", "cancelled"]
    lease = claim(run=mine, holder="worker")
    other.is_superuser = True
    other.save()
    client.force_login(other)
    client.post("/runs/stop/?everybody")
    assert states(mine, theirs) == ["cancelled", "cancelled"]
    with pytest.raises(LeaseLost):  # what a worker has in hand is refused
        finish(lease)
    assert "No run is in progress" in client.get("/runs/stop/?everybody").content.decode()


def test_cancelling_asks_first_says_what_is_kept_and_can_be_undone(owner, pack):
    run = start(pack, owner.user)
    assert f'href="{address(run, "cancel")}"' in page(owner, run)
    asked = owner.get(address(run, "cancel")).content.decode()
    assert "0 of 3 questions are answered. They are kept" in asked
    assert "csrfmiddlewaretoken" in asked
    run.refresh_from_db()
    assert run.state == "queued"

    said = owner.post(address(run, "cancel"), follow=True).content.decode()
    assert "goes on with the rest" in said
    assert f'action="{address(run, "resume")}"' in said
    run.refresh_from_db()
    assert run.state == "cancelled"
    assert "It had ended before." in owner.post(address(run, "cancel"), follow=True).content.decode()

    assert "3 questions are asked again." in owner.post(address(run, "resume"), follow=True).content.decode()
    work()
    run.refresh_from_db()
    assert run.state == "finished"
    assert not any(address(run, act) in page(owner, run) for act in ACTS)


def test_failed_questions_are_retried_alone(owner, pack):
    items = [make_item(pack) for _ in range(3)]
    run = start(pack, owner.user, errors={items[1].public_id: "too long"})
    work()
    run.refresh_from_db()
    assert f'action="{address(run, "retry")}"' in page(owner, run)
    run.model.options = {}
    run.model.save()
    kept = set(run.cells.filter(state="answered").values_list("response", flat=True))
    assert "1 question is asked again." in owner.post(address(run, "retry"), follow=True).content.decode()
    work()
    run.refresh_from_db()
    assert run.state == "finished"
    assert kept < set(run.cells.values_list("response", flat=True))


def test_what_failed_is_retried_while_the_rest_goes_on(pack, monkeypatch):
    monkeypatch.setattr("evaluation.queue.shards.CELLS_A_SHARD", 8)
    for _ in range(16):
        make_item(pack)
    run = start(pack)
    claim(run=run, holder="worker")
    second = run.shards.get(number=1)
    second.cells.update(state="failed", reason="too long")
    run.shards.filter(pk=second.pk).update(state="done", failed=8)
    run.cells.filter(shard__number=0).filter(pk=run.cells.filter(shard__number=0).first().pk).update(state="failed")
    assert retry_run(run=run) == 8  # a held shard is not changed
    assert run.shards.get(number=1).state == "open"
    assert run.state == "running"


def test_the_priority_is_shown_and_changed(owner, pack):
    run = start(pack, owner.user)

    def said(priority):
        return owner.post(address(run, "priority"), {"priority": priority}, follow=True).content.decode()

    high = said("high")
    assert "Priority high; it was normal." in high
    assert '<option value="high" selected>' in high
    assert "There is no such priority." in said("now")
    run.refresh_from_db()
    assert run.priority == 1


@pytest.mark.parametrize("act", ACTS)
def test_only_the_owner_and_staff_may_act(client, pack, django_user_model, act):
    run = start(pack, django_user_model.objects.create_user("owner"))
    assert client.post(address(run, act)).status_code == 302  # to the sign-in page
    client.force_login(django_user_model.objects.create_user("other"))
    assert client.post(address(run, act)).status_code == 403
    assert not any(address(run, act) in page(client, run) for act in ACTS)
    run.listing = "private"
    run.save()
    assert client.post(address(run, act)).status_code == 404
    client.force_login(django_user_model.objects.create_superuser("boss"))
    assert client.post(address(run, act), {"priority": "low"}).status_code == 302
    run.refresh_from_db()
    assert (run.state, run.priority) != ("queued", 0) or act in ("resume", "retry")


def test_nothing_happens_by_a_get_by_a_form_of_another_site_or_to_an_upload(staff, pack):
    run = start(pack)
    for act in ("resume", "retry", "priority"):
        assert staff.get(address(run, act)).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(staff.user)
    assert strict.post(address(run, "cancel")).status_code == 403
    run.refresh_from_db()
    assert run.state == "queued"
    Run.objects.update(kind="uploaded", state="finished")
    assert staff.post(address(run, "resume")).status_code == 403
