"""Pages of models and runs: every state has its text, and private runs are hidden from others."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from benchmarks.models.answers import ItemSeal
from evaluation.models import ModelResponse, Run
from evaluation.queue.leases import claim
from evaluation.runs.lifecycle import cancel_run, start_run
from evaluation.workers.loop import work, work_on
from evaluation.workers.recording import CellReply, record
from tests.factories import make_clip, make_item, make_model
from tests.markup import compact

pytestmark = pytest.mark.django_db


def start(pack, *, count: int = 3, **values) -> Run:
    for _ in range(count):
        make_item(pack)
    model = values.pop("model", None) or make_model(name="Eyes", kind="scripted", options={"default": "Yes, I think"})
    return start_run(model=model, pack=pack, strategy="binary", condition="question-only", **values)


def page(client, run: Run, **query) -> str:
    answer = client.get(run.get_absolute_url(), query)
    assert answer.status_code == 200
    return compact(answer.content.decode())


def lacking(text: str, *words: str) -> list[str]:
    return [each for each in words if each not in text]


def test_a_queued_run_says_what_is_in_front_of_it(client, pack):
    first, second = start(pack), start(pack)
    assert "It is next" in page(client, first)
    refresh = '<noscript><meta http-equiv="refresh" content="5"></noscript>'
    assert not lacking(page(client, second), "Number 2 of 2 in the queue.", refresh)


@pytest.mark.requirement("M1")
def test_a_running_run_shows_its_heartbeat_and_newest_replies(client, pack):
    run = start(pack)
    claim(run=run, holder="worker")
    asked = [{"role": "user", "text": "Is it?", "frames": 8}]
    record([CellReply(run.cells.earliest("pk"), "Yes, <b>surely</b>", asked)])
    reply = ("Yes, &lt;b&gt;surely&lt;/b&gt;", "with 8 frames", "parsed as yes")
    link = f'data-run-live="/runs/{run.pk}/?part=live"'
    assert not lacking(page(client, run), "Running", "Last heartbeat", "of 3", *reply, link)
    live = page(client, run, part="live")
    assert "Last heartbeat" in live
    assert "<html" not in live


def test_a_finished_run_shows_accuracy_by_test_and_its_card(client, pack):
    run = start(pack, limit=2)
    work_on(run.pk)
    said = page(client, run)
    numbers = ("Color", "100.0", "All questions", "grasp-paper 2", "Only some of the questions")
    assert not lacking(said, "Finished", "Every question has its answer.", *numbers)
    assert "refresh" not in said
    assert "data-run-live" not in said
    assert "data-run-over" in page(client, run, part="live")
    facts = json.loads(page(client, run, format="json"))
    assert (facts["state"], facts["cells"], facts["answered"], facts["accuracy"]) == ("finished", 2, 2, 1.0)
    assert facts["card"]["prompts"]


def test_unknown_names_and_odd_pages_are_not_found(client):
    make_model(slug="eyes")
    for path in ("/runs/99999999/", "/models/nobody/", "/models/?page=x", "/models/eyes/?page=99"):
        assert client.get(path).status_code == 404


def test_failed_partial_and_cancelled_runs_say_so(staff, pack):
    broken = start(pack, model=make_model(kind="scripted", options={"path": "/nowhere"}))
    item = pack.items.first()
    partial = start(pack, model=make_model(kind="scripted", options={"errors": {item.public_id: "too long"}}))
    cancelled = start(pack)
    for run in (broken, partial):
        work_on(run.pk)
    cancel_run(run=cancelled)
    assert "can&#x27;t be opened" in page(staff, broken)
    assert not lacking(page(staff, partial), "Partly answered", "gets no row", "too long")
    assert "It was cancelled." in page(staff, cancelled)


def test_a_private_run_is_seen_by_its_owner_and_staff_alone(client, pack, django_user_model):
    owner, other = (django_user_model.objects.create_user(name) for name in ("owner", "other"))
    boss = django_user_model.objects.create_user("boss", is_staff=True)
    run = start(pack, owner=owner, listing="private")
    for user, status in ((None, 404), (other, 404), (owner, 200), (boss, 200)):
        client.logout() if user is None else client.force_login(user)
        assert client.get(run.get_absolute_url()).status_code == status
        rows = client.get(run.model.get_absolute_url()).content.decode()
        assert (f'href="/runs/{run.pk}/"' in rows) == (status == 200)


def test_what_a_study_keeps_out_of_sight_is_not_quoted(client, pack):
    run = start(pack, count=1)
    work_on(run.pk)
    ItemSeal.objects.create(item=pack.items.get(), by="trial:open")
    assert pack.items.get().public_id not in page(client, run)


@pytest.mark.requirement("M1")
def test_the_page_says_who_holds_what_where_it_stands_and_when_it_is_done(staff, pack, monkeypatch):
    monkeypatch.setattr("evaluation.queue.shards.CELLS_A_SHARD", 8)
    first, second, third = start(pack, count=10), start(pack, count=0), start(pack, count=0)
    claim(run=first, holder="worker-7")
    record([CellReply(cell, "yes") for cell in first.cells.order_by("pk")[:2]])
    assert not lacking(page(staff, first), "Last heartbeat", "About", "left.", "worker-7", "1 leased", "1 open")
    assert "It is next" in page(staff, second)  # the first has had its turn
    assert "Number 2 of 3 in the queue." in page(staff, third)
    facts = staff.get(f"{third.get_absolute_url()}card.json").json()
    assert (facts["position"], facts["state"], facts["heartbeat_seconds"]) == (2, "queued", None)


def test_a_run_that_rests_says_why_and_for_how_long(staff, pack):
    run = start(pack, model=make_model(kind="scripted", options={"busy": "429 Too Many Requests"}))
    work()
    why = ("<code>model-busy</code>", "429 Too Many Requests")
    assert not lacking(page(staff, run), "It rests and is asked again in", *why)


@pytest.mark.requirement("M10")
@pytest.mark.requirement("M14")
def test_the_card_shows_busy_share_hashes_devices_and_where_the_time_went(client, pack):
    run = start(pack, model=make_model(kind="scripted", options={"seconds": 0.01}))
    work_on(run.pk)
    times = ("Device busy", "Model busy", "Time spent", "Questions a minute")
    hashes = ("Hash of all frames", "Hash of all prompts")
    assert not lacking(page(client, run), *times, *hashes, "Memory", "Devices", "none: 1 shard", "Libraries")
    card = client.get(f"{run.get_absolute_url()}card.json").json()["card"]
    assert 0 < card["busy"] <= 1
    assert card["busy"] == pytest.approx(card["seconds"]["model"] / sum(card["seconds"].values()), abs=0.01)
    assert card["devices"] == [{"device": "none", "shards": 1}]


def test_a_scored_run_shows_its_dimensions_and_its_referee(client, pack):
    judge = make_model(name="Judge", slug="judge", kind="scripted", options={"default": "Accuracy: score: 1."})
    run = start(pack, referee=judge, rubric="expected-match")
    work()
    scores = ("Scores by dimension", "Given by judge", "3 of 3 replies read", "judge, run", "expected-match 1")
    assert not lacking(page(client, run), *scores)
    stage = page(client, run.refereeings.get())
    whole = ("Scores the replies of Eyes in", "Every reply was read by the referee.")
    assert not lacking(stage, "staff alone can read it", *whole)
    assert "Accuracy: score: 1." not in stage


def test_models_are_listed_and_say_where_they_come_from(client, pack):
    assert "benchsite list models" in client.get(reverse("models")).content.decode()
    model = make_model(name="Tiny", made_here=True, card={"what": "A tiny model.", "link": "javascript:alert(1)"})
    start(pack, model=model)
    make_model(name="Hidden upload", kind="uploaded")
    said = client.get(reverse("models")).content.decode()
    assert not lacking(said, "Tiny", "Trained by this site")
    assert "Hidden upload" not in said
    own = client.get(model.get_absolute_url()).content.decode()
    assert not lacking(own, "A tiny model.", "Trained by this site", "zero-shot")
    assert 'href="javascript' not in own


def queries_of(client, run: Run) -> int:
    """How many queries the page takes the second time."""
    page(client, run)
    with CaptureQueriesContext(connection) as asked:
        page(client, run)
    return len(asked)


def test_a_film_strip_more_asks_for_its_permission_alone(client, pack):
    counts = []
    for more in (2, 4):
        for _ in range(more):
            make_item(clip=make_clip(pack))
        run = start(pack, count=0)
        work_on(run.pk)
        shown = {"frame_indices": [0, 8], "turns": [{"role": "user", "text": "Is it?"}]}
        ModelResponse.objects.filter(cell__run=run).update(**shown)
        counts.append(queries_of(client, run))
    assert counts[1] - counts[0] == 4


@pytest.mark.parametrize("is_over", [False, True])
def test_a_run_of_many_shards_takes_the_queries_of_one_of_few(client, pack, is_over, monkeypatch):
    monkeypatch.setattr("evaluation.queue.shards.CELLS_A_SHARD", 8)
    counts = []
    for seeds, shards in ((2, 1), (10, 5)):
        judge = make_model(kind="scripted", options={"default": "Accuracy: score: 1."})
        run = start(pack, count=0 if counts else 4, seeds=tuple(range(seeds)), referee=judge, rubric="expected-match")
        assert run.shards.count() == shards
        claim(run=run, holder="worker")
        for cell in run.cells.order_by("pk")[:8]:
            record([CellReply(cell, "yes")])
        if is_over:
            run.shards.update(state="open", epoch=2)
            work_on(run.pk)
        counts.append(queries_of(client, run))
    assert counts[0] == counts[1] <= (14 if is_over else 23)


THOUGHT = "Is it <b>no</b>?"
FOLDED = (
    '<details class="thoughts"><summary>Thoughts, kept apart from the answer</summary>'
    "<p>Is it &lt;b&gt;no&lt;/b&gt;?</p></details>"
)
AFTER_THINKING = [
    {"role": "user", "text": "Is it?", "frames": 0},
    {"role": "model", "text": "Yes", "thoughts": THOUGHT},
]


@pytest.mark.parametrize(
    "said",
    [
        {"raw": "Yes", "turns": AFTER_THINKING, "thoughts": THOUGHT},
        {"raw": f"<think>{THOUGHT}</think>Yes", "turns": [{"role": "model", "text": f"<think>{THOUGHT}</think>Yes"}]},
        {"raw": f"<think>{THOUGHT}</think>Yes"},  # as uploads are stored
    ],
)
def test_thoughts_are_folded_beside_the_answer(client, pack, said):
    run = start(pack, count=1)
    cell = run.cells.get()
    record([CellReply(cell, said["raw"], said.get("turns", []), thoughts=said.get("thoughts", ""))])
    Run.objects.filter(pk=run.pk).update(state="finished")
    for whose in (run, cell.item):
        html = compact(client.get(whose.get_absolute_url()).content.decode())
        assert "&lt;think&gt;" not in html
        assert FOLDED in html
        if whose is not run or said.get("turns"):
            assert '<p class="wording">Yes</p>' in html


def test_the_share_of_thoughts_that_were_cut_off_stands_on_the_page(client, pack):
    run = start(pack, count=4)
    assert "Thoughts cut off" not in page(client, run)
    claim(run=run, holder="worker")
    cut = [{"role": "user", "text": "?"}, {"role": "model", "text": ""}]
    for number, cell in enumerate(run.cells.all()):
        record([CellReply(cell, "", cut, ended="thoughts cut off") if number == 0 else CellReply(cell, "yes")])
    Run.objects.filter(pk=run.pk).update(state="finished")
    assert "<dt>Thoughts cut off</dt><dd>25.0<small>%</small></dd>" in page(client, run)
    assert client.get(f"/runs/{run.pk}/card.json").json()["thoughts_cut_off"] == 0.25
