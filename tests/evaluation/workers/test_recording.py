"""Replies of a batch are stored together: few statements, all or none, each once."""

from dataclasses import replace
from itertools import islice

import pytest

from benchmarks.leasing import LeaseLost
from evaluation.adapters.base import REPLY, Reply, at_once
from evaluation.adapters.heuristics import ScriptedModel
from evaluation.models import ModelResponse, Reading, Run, Score
from evaluation.prompting.requests import Asking, cells_of
from evaluation.prompting.strategies import Say
from evaluation.queue.leases import claim, release
from evaluation.runs.lifecycle import start_run
from evaluation.runs.official import item_rows
from evaluation.workers import recording
from evaluation.workers.loop import work
from evaluation.workers.recording import CellReply, QuestionReply, record, store_replies, together, turns_as_they_went
from measures.scores.parsed_answers import CUT_IN_THOUGHT
from tests.factories import make_item, make_model

pytestmark = pytest.mark.django_db


def start(pack, items: int, **options) -> Run:
    for _ in range(items):
        make_item(pack)
    model = make_model(kind="scripted", options=options)
    return start_run(model=model, pack=pack, strategy="binary", condition="question-only")


def store(run: Run, *replies: Reply) -> None:
    """Store these replies to the run's cells under a lease."""
    lease = claim(run=run, holder="worker")
    assert lease is not None
    store_replies(lease=lease, replies=given_to(run, list(replies)))


def given_to(run: Run, replies: list[Reply]) -> list[QuestionReply]:
    asking = Asking(run)
    cells = cells_of(run.shards.get().pk, run)
    return [QuestionReply(asking.question(cell), reply, 0.1) for cell, reply in zip(cells, replies, strict=True)]


def test_the_cells_of_a_shard_bring_their_run_and_pack_along(pack, django_assert_num_queries):
    run = start(pack, items=3)
    shard = run.shards.get()
    with django_assert_num_queries(3):  # cells, facets, media; there are no clips
        cells = cells_of(shard.pk, run)
        assert [cell.item.pack.benchmark for cell in cells] == [cell.run.pack.benchmark for cell in cells]


def test_what_is_at_hand_is_one_write_and_nothing_waits_for_what_is_not():
    assert [reply.more for reply in at_once([Reply("a"), Reply("b"), Reply("c")])] == [True, True, False]
    assert list(at_once([])) == []
    replies = [*at_once([Reply("a"), Reply("b")]), Reply("c"), Reply("d", more=True)]
    groups = [[each.reply.text for each in group] for group in together((None, reply, 0.0) for reply in replies)]
    assert groups == [["a", "b"], ["c"], ["d"]]


@pytest.mark.parametrize("count", [2, 30])
def test_thirty_replies_take_no_more_statements_than_two(pack, count, django_assert_max_num_queries):
    run = start(pack, count)
    lease = claim(run=run, holder="worker")
    given = given_to(run, [Reply("yes")] * count)
    with django_assert_max_num_queries(11):
        store_replies(lease=lease, replies=given)
    run.refresh_from_db()
    rows = [model.objects.count() for model in (ModelResponse, Reading, Score)]
    assert (rows, run.cells.filter(state="answered").count(), run.answers_version) == ([count] * 3, count, 1)


@pytest.mark.parametrize(("strategy", "scores"), [("surprise", 0), ("of another version", 1), ("binary", 1)])
def test_what_is_scored_apart_has_no_score_of_its_own(pack, strategy, scores):
    run = start(pack, 1)
    Run.objects.update(strategy=strategy)
    assert record([CellReply(run.cells.select_related("run", "item").get(), "yes")])
    assert (Reading.objects.count(), Score.objects.count()) == (1, scores)


def test_of_several_replies_one_may_be_an_error_and_one_already_kept(pack):
    run, other = start(pack, 3), start(pack, 0)
    lease, error = claim(run=run, holder="worker"), "the prompt is too long" * 20
    given = given_to(run, [Reply("yes"), Reply("", error=error), Reply("no")])
    assert record([CellReply(given[0].question.cell, "earlier")]) == 1
    store_replies(lease=lease, replies=given)
    rows = run.cells.order_by("item__public_id").values_list(
        "state", "reason", "response__raw", "response__readings__answer"
    )
    assert list(rows) == [
        ("answered", "", "earlier", ""),
        ("failed", error[:300], None, None),
        ("answered", "", "no", "no"),
    ]
    assert dict(Run.objects.values_list("pk", "answers_version")) == {run.pk: 3, other.pk: 0}


def test_nothing_of_a_batch_is_written_under_a_lost_lease(pack):
    run = start(pack, 3)
    lease = claim(run=run, holder="worker")
    release(run_id=run.pk)
    with pytest.raises(LeaseLost):
        store_replies(lease=lease, replies=given_to(run, [Reply("yes")] * 3))
    assert not ModelResponse.objects.exists()


def test_whoever_finds_work_wakes_one_more_worker(pack, queue):
    """With a message for each sweep alone, the fourth host would come 45 s after the first."""
    run = start(pack, 3)
    queue.clear()
    work()
    work()  # nothing is left
    assert queue == [("evaluation.tasks.work_on_run", run.pk)]


def test_a_batch_whose_write_breaks_half_way_is_not_written_at_all_and_is_asked_again(pack, monkeypatch):
    run = start(pack, 6, batch=3, default="random")
    read, answer = recording._read_new, ScriptedModel.answer
    written, at_the_start = [], []

    def breaks_the_second_time(responses):
        read(responses)
        written.append(Reading.objects.count())
        if len(written) == 2:
            raise RuntimeError("pulled the plug")

    def answered(self, requests):
        at_the_start.append(ModelResponse.objects.count())
        yield from answer(self, requests)

    monkeypatch.setattr(recording, "_read_new", breaks_the_second_time)
    monkeypatch.setattr(ScriptedModel, "answer", answered)
    work()
    run.refresh_from_db()
    assert written == [3, 6, 6]  # when it broke all six were there, …
    assert at_the_start == [0, 3]  # … when the shard was asked again only the first three
    assert (run.state, ModelResponse.objects.count(), Score.objects.count()) == ("finished", 6, 6)


@pytest.mark.parametrize("given", [0, 2])
def test_a_model_that_gives_too_few_replies_names_the_first_item_without_one(pack, monkeypatch, given):
    run, answer = start(pack, 3), ScriptedModel.answer
    monkeypatch.setattr(ScriptedModel, "answer", lambda self, requests: islice(answer(self, requests), given))
    lacking = run.cells.order_by("pk")[given].item.public_id
    work()
    shard = run.shards.get()
    assert (shard.state, run.cells.filter(state="answered").count()) == ("failed", given)
    assert f"the model gave no reply to item {lacking}" in shard.reason


def test_thoughts_are_kept_apart_and_read_by_nobody(pack):
    run = start(pack, 3)
    cut = Reply("", thoughts=("Red?", "It is"), ended=CUT_IN_THOUGHT)
    store(run, Reply("yes", thoughts=("no\x00, or",), prompt="<s>Is it?"), cut, Reply("no"))
    rows = ModelResponse.objects.order_by("cell__item__public_id")
    assert list(rows.values_list("raw", "thoughts", "readings__answer", "readings__problem")) == [
        ("yes", "no\ufffd, or", "yes", ""),
        ("", "It is", "", CUT_IN_THOUGHT),
        ("no", "", "no", ""),
    ]
    assert rows[0].turns[0]["prompt"] == "<s>Is it?"
    assert [row.turns[-1].get("thoughts") for row in rows] == ["no\ufffd, or", "Red?", None]
    assert next(item_rows(run))["thoughts"] == "no\ufffd, or"


def test_a_nul_in_a_reply_is_kept_as_a_mark_which_hides_no_whole_word(pack):
    replies = {"Yes.\x00": "yes", "\x00Yes": "yes", "Ye\x00s": ""}
    store(start(pack, 3), *map(Reply, replies))
    read = ModelResponse.objects.order_by("cell__item__public_id").values_list("raw", "readings__answer")
    wanted = [(raw.replace("\x00", "\ufffd"), answer) for raw, answer in replies.items()]
    assert list(read) == wanted  # PostgreSQL stores no NUL


def test_a_run_that_an_earlier_parser_began_is_read_again_before_it_goes_on(pack):
    run = start(pack, 2)
    record([CellReply(run.cells.earliest("pk"), "<think>no</think>yes")])
    Reading.objects.update(version="1", answer="", problem="unread")
    Score.objects.update(value=0)
    Run.objects.filter(pk=run.pk).update(parser_version="1")
    work()
    run.refresh_from_db()
    assert run.parser_version == "2"
    of_run = Score.objects.of_run(run).order_by("reading__response__pk")
    assert (of_run[0].reading.answer, of_run.count()) == ("yes", 2)


def test_what_was_shown_names_the_items_even_without_the_examples_clip(pack):
    item, example = make_item(pack), make_item(pack)
    run = start(pack, 0)
    asked = Asking(run).question(run.cells.get(item=item))
    told = replace(asked, conversation=(Say("Like this: yes.", "example"), REPLY, Say("And this?"), REPLY))
    told = replace(told, request=replace(asked.request, system="Be brief."))
    turns = turns_as_they_went(
        replace(told, example=example, clip_frames={"example": None}), Reply("yes", ("ah", "no"))
    )
    assert [turn.get("item") for turn in turns] == [None, example.draw_key, None, None, None]
    assert [turn["text"] for turn in turns] == ["Be brief.", "Like this: yes.", "ah", "And this?", "no"]
