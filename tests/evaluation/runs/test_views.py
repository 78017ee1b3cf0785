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


def test_a_queued_run_says_what_is_in_front_of_it(client, pack):
    first, second = start(pack), start(pack)
    assert "It is next" in page(client, first)
    said = page(client, second)
    assert "Number 2 of 2 in the queue." in said
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in said


@pytest.mark.requirement("M1")
def test_a_running_run_shows_its_heartbeat_and_newest_replies(client, pack):
    run = start(pack)
    claim(run=run, holder="worker")
    asked = [{"role": "user", "text": "Is it?", "frames": 8}]
    record([CellReply(run.cells.earliest("pk"), "Yes, <b>surely</b>", asked)])
    said = page(client, run)
    for words in (
        "Running",
        "Last heartbeat",
        "of 3",
        "Yes, &lt;b&gt;surely&lt;/b&gt;",
        "with 8 frames",
        "parsed as yes",
    ):
        assert words in said
    assert f'data-run-live="/runs/{run.pk}/?part=live"' in said
    live = page(client, run, part="live")
    assert "Last heartbeat" in live
    assert "<html" not in live


def test_a_finished_run_shows_accuracy_by_test_and_its_card(client, pack):
    run = start(pack)
    work_on(run.pk)
    said = page(client, run)
    for words in ("Finished", "Every question has its answer.", "Color", "100.0", "All questions", "grasp-paper 2"):
        assert words in said
    assert "refresh" not in said
    assert "data-run-live" not in said
    assert "data-run-over" in page(client, run, part="live")


def test_failed_partial_and_cancelled_runs_say_so(staff, pack):
    broken = start(pack, model=make_model(kind="scripted", options={"path": "/nowhere"}))
    item = pack.items.first()
    partial = start(pack, model=make_model(kind="scripted", options={"errors": {item.public_id: "too long"}}))
    cancelled = start(pack)
    work_on(broken.pk)
    work_on(partial.pk)
    cancel_run(run=cancelled)
    assert "can&#x27;t be opened" in page(staff, broken)
    said = page(staff, partial)
    assert "Partly answered" in said
    assert "gets no row" in said
    assert "too long" in said
    assert "It was cancelled." in page(staff, cancelled)


def test_the_card_is_json_too(client, pack):
    run = start(pack, limit=2)
    work_on(run.pk)
    facts = json.loads(page(client, run, format="json"))
    assert (facts["state"], facts["cells"], facts["answered"], facts["accuracy"]) == ("finished", 2, 2, 1.0)
    assert facts["card"]["prompts"]
    assert "Only some of the questions" in page(client, run)


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
def test_the_page_says_who_holds_what_where_it_stands_and_when_it_is_done(staff, pack):
    first, second, third = start(pack, count=40), start(pack, count=0), start(pack, count=0)
    claim(run=first, holder="worker-7")
    for cell in first.cells.order_by("pk")[:2]:
        record([CellReply(cell, "yes")])
    said = page(staff, first)
    for words in ("Last heartbeat", "About", "left.", "worker-7", "1 leased", "1 open"):
        assert words in said
    assert "It is next" in page(staff, second)  # the first has had its turn
    assert "Number 2 of 3 in the queue." in page(staff, third)
    facts = staff.get(f"{third.get_absolute_url()}card.json").json()
    assert (facts["position"], facts["state"], facts["heartbeat_seconds"]) == (2, "queued", None)


def test_a_run_that_rests_says_why_and_for_how_long(staff, pack):
    run = start(pack, model=make_model(kind="scripted", options={"busy": "429 Too Many Requests"}))
    work()
    said = page(staff, run)
    for words in ("It rests and is asked again in", "<code>model-busy</code>", "429 Too Many Requests"):
        assert words in said


@pytest.mark.requirement("M10")
@pytest.mark.requirement("M14")
def test_the_card_shows_busy_share_hashes_devices_and_where_the_time_went(client, pack):
    run = start(pack, model=make_model(kind="scripted", options={"seconds": 0.01}))
    work_on(run.pk)
    said = page(client, run)
    for words in (
        "Device busy",
        "Model busy",
        "Hash of all frames",
        "Hash of all prompts",
        "Time spent",
        "Memory",
        "Devices",
        "none: 1 shard",
        "Libraries",
        "Questions a minute",
    ):
        assert words in said, words
    card = client.get(f"{run.get_absolute_url()}card.json").json()["card"]
    assert 0 < card["busy"] <= 1
    assert card["busy"] == pytest.approx(card["seconds"]["model"] / sum(card["seconds"].values()), abs=0.01)
    assert card["devices"] == [{"device": "none", "shards": 1}]


def test_a_scored_run_shows_its_dimensions_and_its_referee(client, pack):
    judge = make_model(name="Judge", slug="judge", kind="scripted", options={"default": "Accuracy: score: 1."})
    run = start(pack, referee=judge, rubric="expected-match")
    work()
    said = page(client, run)
    for words in ("Scores by dimension", "Given by judge", "3 of 3 replies read", "judge, run", "expected-match 1"):
        assert words in said, words
    stage = page(client, run.refereeings.get())
    assert "staff alone can read it" in stage
    assert "Accuracy: score: 1." not in stage
    assert "Scores the replies of Eyes in" in stage
    assert "Every reply was read by the referee." in stage


def test_models_are_listed_and_say_where_they_come_from(client, pack):
    model = make_model(name="Tiny", made_here=True, card={"what": "A tiny model.", "link": "javascript:alert(1)"})
    start(pack, model=model)
    make_model(name="Hidden upload", kind="uploaded")
    said = client.get(reverse("models")).content.decode()
    assert "Tiny" in said
    assert "trained by this site" in said
    assert "Hidden upload" not in said
    own = client.get(model.get_absolute_url()).content.decode()
    assert "A tiny model." in own
    assert "trained by this site" in own
    assert 'href="javascript' not in own
    assert "zero-shot" in own


def test_an_empty_site_says_what_to_do(client):
    assert "benchsite list models" in client.get(reverse("models")).content.decode()


def test_unknown_names_and_odd_pages_are_no_server_error(client, pack):
    make_model(slug="eyes")
    for path, status in (
        ("/runs/99999999/", 404),
        ("/models/nobody/", 404),
        ("/models/?page=x", 404),
        ("/models/eyes/?page=99", 404),
    ):
        assert client.get(path).status_code == status


@pytest.mark.parametrize("count", [3, 30])
def test_a_page_of_more_answers_takes_no_more_queries(client, pack, count, django_assert_max_num_queries):
    run = start(pack, count=count)
    work_on(run.pk)
    with django_assert_max_num_queries(8):
        page(client, run)


def test_a_film_strip_more_asks_for_its_permission_alone(client, pack):
    counts = []
    for more in (2, 4):
        for _ in range(more):
            make_item(clip=make_clip(pack))
        run = start(pack, count=0)
        work_on(run.pk)
        ModelResponse.objects.filter(cell__run=run).update(
            frame_indices=[0, 8], turns=[{"role": "user", "text": "Is it?"}]
        )
        page(client, run)
        with CaptureQueriesContext(connection) as asked:
            page(client, run)
        counts.append(len(asked))
    assert counts[1] - counts[0] == 4


@pytest.mark.parametrize("is_over", [False, True])
def test_a_run_of_many_shards_takes_the_queries_of_one_of_few(client, pack, is_over, monkeypatch):
    monkeypatch.setattr("evaluation.queue.cells.CELLS_A_SHARD", 8)
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
        page(client, run)
        with CaptureQueriesContext(connection) as asked:
            page(client, run)
        counts.append(len(asked))
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
    shown = {name: compact(client.get(address).content.decode()) for name, address in addresses(run, cell).items()}
    for name, html in shown.items():
        assert "&lt;think&gt;" not in html, name
        assert FOLDED in html, name
        if name == "item" or said.get("turns"):
            assert '<p class="wording">Yes</p>' in html, name


def addresses(run: Run, cell) -> dict[str, str]:
    return {"run": run.get_absolute_url(), "item": cell.item.get_absolute_url()}


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
