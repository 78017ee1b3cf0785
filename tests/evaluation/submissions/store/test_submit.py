"""A linted file becomes a run, all of it or nothing."""

import pytest
from django.utils import timezone

from accounts.models import User
from evaluation.models import Cell, Listing, Model, ModelResponse, Reading, Run, RunKind, RunState, Score
from evaluation.parsing import PARSERS
from evaluation.runs.results import counts_of
from evaluation.submissions.files import rows as spool
from evaluation.submissions.files.problems import SubmissionRefused
from evaluation.submissions.store import submit as submitting
from evaluation.submissions.store.submit import (
    ABANDONED,
    SubmissionHasProblems,
    model_slug,
    remove_run,
    submit,
    sweep_half_stored,
)
from evaluation.workers.recording import read
from measures.scores.parsed_answers import CUT_IN_THOUGHT
from tests.evaluation.submissions.uploads import good_file, gzipped, header, json_lines, rows_for, upload, zipped
from tests.factories import answer_to, make_model

pytestmark = pytest.mark.django_db


def sent(content, user, given_header=None):
    return submit(file=upload(content), user=user, header=given_header)


def nothing_is_stored():
    return not any(table.objects.exists() for table in (Model, Run, Cell, ModelResponse, Reading, Score))


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(submitting, "CHUNK", 2)
    monkeypatch.setattr(spool, "CHUNK", 2)


def test_answers_become_a_private_finished_run_with_readings_as_given(pack, user):
    run = sent(good_file(pack, "Yes", revision="r1"), user)
    assert (run.kind, run.state, run.listing) == (RunKind.UPLOADED, RunState.FINISHED, Listing.PRIVATE)
    assert (run.parser, run.revision, run.seeds, run.limit, run.only) == ("as-given", "r1", [0], None, {})
    scores = Score.objects.of_run(run).order_by("pk").values_list("reading__answer", "value")
    assert list(scores) == [("yes", 1.0), ("yes", 0.0)] * 2
    assert set(run.cells.values_list("state", flat=True)) == {"answered"}


def test_a_run_is_removed_with_its_answers_alone(pack, user, small_chunks):
    first, second = (sent(good_file(pack, model=name), user) for name in ("A", "B"))
    remove_run(first)
    tables = (Model, Run, Cell, ModelResponse, Reading, Score)
    assert [table.objects.count() for table in tables] == [1, 1, 4, 4, 4, 4]
    assert Score.objects.of_run(second).count() == 4


def test_raw_replies_are_kept_and_read_by_the_benchmarks_own_rule(pack, user):
    rows = [row | {"seed": seed} for seed in (3, 1) for row in rows_for(pack, "Hm, I wonder.", "reply")]
    run = sent(json_lines(header(pack), *rows), user)
    assert (run.parser, run.seeds) == ("grasp-paper", [1, 3])
    assert set(Reading.objects.values_list("answer", "problem")) == {("", "unread")}
    assert ModelResponse.objects.latest("pk").raw == "Hm, I wonder."
    assert Score.objects.of_run(run).count() == 8


def test_thoughts_are_kept_apart_and_never_read(pack, user):
    rows = [row | {"thoughts": "Yes? No, it can't be."} for row in rows_for(pack, "No.", "reply")]
    run = sent(json_lines(header(pack), *rows), user)
    assert set(Reading.objects.values_list("answer", flat=True)) == {"no"}
    kept = ModelResponse.objects.filter(cell__run=run).values_list("raw", "thoughts").distinct()
    assert list(kept) == [("No.", "Yes? No, it can't be.")]


def test_thoughts_that_never_end_are_counted_as_cut_off_as_those_of_runs(pack, user):
    inside, beside = rows_for(pack, "<think>It is red, so", "reply"), rows_for(pack, "", "reply")
    rows = [*inside[:2], *(row | {"thoughts": "It is red, so"} for row in beside[2:])]
    run = sent(json_lines(header(pack), *rows), user)
    assert counts_of(run).problems == {CUT_IN_THOUGHT: 4}


def test_a_file_is_the_same_submission_plain_and_packed(pack, user):
    content = good_file(pack)
    runs = {sent(given, user).pk for given in (content, content, gzipped(content), zipped({"answers.jsonl": content}))}
    assert (len(runs), Cell.objects.count()) == (1, 4)
    assert sent(good_file(pack, "no"), user).pk not in runs
    assert sent(good_file(pack, model="Other"), User.objects.create_user("bea")).pk not in runs


def test_one_user_may_add_runs_to_a_model_and_nobody_else(pack, user):
    first = sent(good_file(pack), user)
    assert sent(good_file(pack, "no"), user).model == first.model
    with pytest.raises(SubmissionRefused, match="“A model” is taken by somebody else: choose another name"):
        sent(good_file(pack), User.objects.create_user("bea"))
    make_model(slug="always-yes", name="Always yes", owner=user)
    with pytest.raises(SubmissionRefused, match="taken"):
        sent(good_file(pack, model="Always  YES"), user)
    assert [model_slug(name) for name in ("Ein Übermodell (7B)", "模型")] == ["ein-ubermodell-7b", "model-c98e118e0a"]


def test_a_hostile_or_wrong_file_writes_nothing(pack, user):
    bad = (b"", b"\x00\x01\x02", b"<html>", b"hello", zipped({"../a": b"x"}), zipped({}), b"\x1f\x8b\x08\x00")
    for content in bad:
        with pytest.raises(SubmissionHasProblems) as refusal:
            sent(content, user, header(pack))
        assert str(refusal.value)
    with pytest.raises(SubmissionHasProblems, match="line 6, item small0: answered before with seed 0"):
        sent(good_file(pack) + json_lines({"item": "small0", "answer": "no"}), user)
    assert nothing_is_stored()


@pytest.mark.parametrize("chunk", [2, 100])
def test_what_breaks_in_the_middle_leaves_nothing_half_written(pack, user, monkeypatch, small_chunks, chunk):
    monkeypatch.setattr(submitting, "CHUNK", chunk)  # stored by chunks, or at once
    save = submitting.save_answers

    def breaks_at_the_second_chunk(*, run, answers):
        if run.cells.exists():
            raise OSError("the disk is full")
        save(run=run, answers=answers)

    monkeypatch.setattr(submitting, "save_answers", breaks_at_the_second_chunk)
    with pytest.raises(OSError, match="the disk is full"):
        sent(good_file(pack), user)
    assert nothing_is_stored()


def test_a_run_stored_by_chunks_equals_the_one_stored_at_once(pack, user, request):
    rows = [row | {"seed": seed} for seed in (3, 1) for row in rows_for(pack, "Yes, perhaps.", "reply")]
    content = json_lines(header(pack), *rows[:-1], rows[-1] | {"reply": "Hm."})
    at_once = contents(sent(content, user))
    Run.objects.all().delete()
    request.getfixturevalue("small_chunks")
    run = sent(content, user)
    assert contents(run) == at_once
    assert (run.state, Run.objects.get().state, len(at_once)) == (RunState.FINISHED, RunState.FINISHED, 8)


def test_what_is_stored_is_what_reading_each_reply_alone_gives(pack, user):
    """The fast path of uploads against the path of all other answers: `recording.read`."""
    replies = ("Yes.", "no", "Hm.", "YES it is", "No: it's not", "")
    rows = [row | {"reply": reply, "seed": seed} for seed, reply in enumerate(replies) for row in rows_for(pack)]
    for row in rows:
        del row["answer"]
    run = sent(json_lines(header(pack), *rows), user)
    fast = contents(run)
    Reading.objects.all().delete()
    for response in ModelResponse.objects.select_related("cell__item", "cell__run"):
        read(response=response, parser=PARSERS[run.parser], expected=answer_to(response.cell.item))
    assert contents(run) == fast


def contents(run):
    """All stored data of a run's answers, without keys and times."""
    response = [f"response__{name}" for name in ("raw", "turns")]
    reading = [f"response__readings__{name}" for name in ("parser", "version", "answer", "problem")]
    score = [f"response__readings__scores__{name}" for name in ("value", "dimension")]
    columns = ("item__public_id", "seed", "state", "reason", *response, *reading, *score)
    return sorted(run.cells.values_list(*columns), key=str)


def test_a_half_stored_run_is_nobodys_and_is_swept_away(pack, user):
    run = sent(good_file(pack), user)
    Run.objects.filter(pk=run.pk).update(state=RunState.RUNNING, served_at=timezone.now())
    sweep_half_stored()
    assert Run.objects.exists(), "somebody may be storing it"
    assert not Run.objects.on_the_board().exists()
    Run.objects.update(served_at=timezone.now() - 2 * ABANDONED)
    sweep_half_stored()
    assert nothing_is_stored()


def test_who_stores_too_slowly_is_fenced_off(pack, user, monkeypatch, small_chunks):
    monkeypatch.setattr(submitting, "BREATH", 0)
    save = submitting.save_answers

    def swept_in_between(*, run, answers):
        save(run=run, answers=answers)
        Run.objects.update(served_at=timezone.now() - 2 * ABANDONED)
        sweep_half_stored()

    monkeypatch.setattr(submitting, "save_answers", swept_in_between)
    with pytest.raises(SubmissionRefused, match="send it again"):
        sent(good_file(pack), user)
    assert nothing_is_stored()


def test_storing_takes_a_number_of_queries_that_hangs_on_batches_alone(pack, user, django_assert_max_num_queries):
    rows = [row | {"seed": seed} for seed in range(16) for row in rows_for(pack)]
    with django_assert_max_num_queries(35):  # PostgreSQL is asked twice what time it is
        sent(json_lines(header(pack), *rows), user)
