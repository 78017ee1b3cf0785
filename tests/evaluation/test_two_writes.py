"""Runs and uploads: of a change that needs several writes all are done or none, and two at once don't cross."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from benchmarks.leasing import hold
from benchmarks.models import Item
from evaluation.adapters.base import Reply
from evaluation.models import Cell, HiddenListing, Listing, Model, Run, RunState, Shard, ShardState, Spent, Upload
from evaluation.parsing import PARSERS
from evaluation.prompting.requests import Asking, cells_of
from evaluation.queue.leases import ATTEMPTS, claim, claim_within, fail_abandoned, fail_attempt, finish, release
from evaluation.queue.shards import add_cells
from evaluation.runs.lifecycle import start_run
from evaluation.submissions.files import rows as spool
from evaluation.submissions.files.problems import SubmissionRefused
from evaluation.submissions.forms import write_card
from evaluation.submissions.listing import lifecycle
from evaluation.submissions.store import submit as storing
from evaluation.submissions.store import upload_queue
from evaluation.submissions.store.submit import submit
from evaluation.workers.failures import back_off, note_recovery
from evaluation.workers.recording import CellReply, QuestionReply, fail_cell, record, store_replies
from evaluation.workers.rereading import read_again
from tests.evaluation.submissions.uploads import good_file, small_pack, upload
from tests.factories import make_answer, make_item, make_model, make_pack, make_run, set_expected
from tests.two_writes import assert_all_or_nothing

pytestmark = pytest.mark.django_db(transaction=True)
Act = Callable[[], object]


def started(items: int = 2, **values) -> Run:
    pack = make_pack()
    for _ in range(items):
        make_item(pack)
    run = start_run(model=make_model(kind="scripted"), pack=pack, strategy="binary", condition="question-only")
    Run.objects.filter(pk=run.pk).update(**values)
    return Run.objects.get(pk=run.pk)


def leased(run: Run | None = None, **values) -> Shard:
    """A lease whose shard has these further values."""
    lease = claim(run=run or started(), holder="one")
    assert lease is not None
    Shard.objects.filter(pk=lease.pk).update(**values)
    return lease


def long_gone() -> Shard:
    return leased(attempts=ATTEMPTS, lease_until=timezone.now() - timedelta(seconds=1))


def tired() -> Run:
    """A run that has rested for too long."""
    return started(busy_since=timezone.now() - timedelta(days=9))


def uploaded(user: User, name: str = "A model") -> Run:
    """An upload that waits for its listing, and answers items with withheld answers."""
    pack = small_pack(name.replace(" ", "-").lower())
    set_expected(Item.objects.filter(public_id=f"{pack.name}0"), None)
    run = submit(file=upload(good_file(pack, model=name)), user=user)
    return lifecycle.propose(run=run, by=user)


def sender() -> User:
    return User.objects.create_user("ada")


def claiming() -> Act:
    run = started(card={"ceiling": {"tokens": 9}})
    return lambda: claim_within(run=run, holder="one")


def adding_cells() -> Act:
    run = make_run()
    item = make_item(run.pack)
    return lambda: add_cells(run, [(item.pk, 0)])


def finishing() -> Act:
    lease = leased()
    return lambda: finish(lease)


def failing() -> Act:
    lease = leased(attempts=ATTEMPTS)
    return lambda: fail_attempt(lease, reason="no")


def failing_abandoned() -> Act:
    long_gone()
    return fail_abandoned


def recording() -> Act:
    lease = leased()
    run = Run.objects.get(pk=lease.run_id)
    cells = cells_of(lease.pk, run)
    replies = [Reply("yes"), Reply("", error="too long")]
    asked = [QuestionReply(Asking(run).question(one), reply, 0.1) for one, reply in zip(cells, replies, strict=True)]
    return lambda: store_replies(lease=lease, replies=asked)


def failing_a_cell() -> Act:
    lease, cell = leased(), Cell.objects.earliest("pk")
    return lambda: fail_cell(lease=lease, cell=cell, reason="no clip")


def reading_again() -> Act:
    run = make_run()
    make_answer(run, make_item(run.pack), "yes")
    return lambda: read_again(run=run, parser=PARSERS["one-option"])


def backing_off() -> Act:
    run = tired()
    return lambda: back_off(run_id=run.pk, code="model-busy", reason="no")


def submitting() -> Act:
    user, content = sender(), good_file(small_pack())
    return lambda: submit(file=upload(content), user=user)


def listing() -> Act:
    run = uploaded(user := sender())
    return lambda: lifecycle.list_run(run=run, by=user)


@pytest.mark.parametrize(
    "prepared",
    [
        *(claiming, adding_cells, finishing, failing, failing_abandoned, recording, failing_a_cell, reading_again),
        *(backing_off, submitting, listing),
    ],
)
def test_a_fault_between_two_writes_leaves_nothing(prepared):
    assert_all_or_nothing(prepared())


# --- two workers, senders or members of staff at once ---


def test_two_workers_never_work_on_one_run_with_a_ceiling(second_connection):
    run = started(40, card={"ceiling": {"tokens": 9}})
    with transaction.atomic():
        assert claim_within(run=run, holder="one")
        second = second_connection.begin(lambda: claim_within(run=run, holder="two"))
    assert second.result() is None


def test_nobody_takes_a_shard_while_answers_to_it_are_stored(second_connection):
    lease = leased(lease_until=timezone.now() - timedelta(seconds=1))
    run = Run.objects.get(pk=lease.run_id)
    with transaction.atomic():
        hold(lease)
        assert second_connection.begin(lambda: claim(run=run, holder="two")).result() is None
    assert claim(run=run, holder="two").epoch == lease.epoch + 1


def test_a_shard_that_was_taken_away_does_not_fail(second_connection):
    lease = leased(attempts=ATTEMPTS)
    with transaction.atomic():
        release(run_id=lease.run_id)
        second = second_connection.begin(lambda: fail_attempt(lease, reason="no"))
    second.result()
    assert Shard.objects.get().state == ShardState.OPEN


def test_a_shard_that_is_finished_late_is_not_abandoned(second_connection):
    lease = long_gone()
    with transaction.atomic():
        finish(lease)
        second = second_connection.begin(fail_abandoned)
    assert (second.result(), Shard.objects.get().state) == (0, ShardState.DONE)


def test_of_two_replies_to_a_cell_at_once_the_first_stands(second_connection):
    leased()
    cell = Cell.objects.select_related("run").first()
    with transaction.atomic():
        assert record([CellReply(cell, "yes")]) == 1
        second = second_connection.begin(lambda: record([CellReply(cell, "no")]))
    assert (second.result(), cell.response.raw) == (0, "yes")


def test_a_run_that_has_just_recovered_does_not_fail(second_connection):
    run = tired()
    with transaction.atomic():
        note_recovery(run.pk)
        second = second_connection.begin(lambda: back_off(run_id=run.pk, code="model-busy", reason="no"))
    assert second.result()
    run.refresh_from_db()
    assert run.state != RunState.FAILED


def test_two_listings_do_not_both_take_the_last_place(second_connection, settings):
    settings.HIDDEN_LISTINGS_A_MONTH = 1
    user = sender()
    first, other = uploaded(user, "one"), uploaded(user, "two")
    with transaction.atomic():
        lifecycle.list_run(run=first, by=user)
        second = second_connection.begin(lambda: lifecycle.list_run(run=other, by=user))
    with pytest.raises(SubmissionRefused):
        second.result()
    assert HiddenListing.objects.count() == 1


def badging(run: Run, user: User) -> Act:
    return lambda: lifecycle.set_badges(run=run, by=user, marks=["verified"])


def putting_on_the_board(run: Run, user: User) -> Act:
    return lambda: lifecycle.list_run(run=run, by=user)


@pytest.mark.parametrize("steps", [(badging, putting_on_the_board), (putting_on_the_board, badging)])
def test_two_steps_at_once_are_both_in_the_history(second_connection, steps):
    run = uploaded(user := sender())
    with transaction.atomic():
        steps[0](run, user)()
        second = second_connection.begin(steps[1](run, user))
    second.result()
    run.refresh_from_db()
    assert (len(run.card["history"]), run.listing) == (3, Listing.LISTED)


def test_a_run_that_is_deleted_twice_at_once_counts_once_on_its_day(second_connection):
    run = uploaded(sender())
    again = Run.objects.get(pk=run.pk)
    with transaction.atomic():
        lifecycle.delete_submission(run=run)
        second = second_connection.begin(lambda: lifecycle.delete_submission(run=again))
    assert isinstance(second.exception(), Run.DoesNotExist)
    assert Spent.objects.count() == 1


def test_a_card_keeps_what_is_written_at_once(second_connection):
    model = make_model()
    with transaction.atomic():
        Model.objects.filter(pk=model.pk).update(card={"note": "kept"})
        second = second_connection.begin(lambda: write_card(model=model, card={"organisation": "7"}))
    second.result()
    assert Model.objects.get().card == {"note": "kept", "organisation": "7"}


def test_a_file_that_is_sent_twice_at_once_is_one_run(second_connection):
    user, content = sender(), good_file(small_pack())
    with transaction.atomic():
        first = submit(file=upload(content), user=user)
        second = second_connection.begin(lambda: submit(file=upload(content), user=user))
    assert second.result() == first


def test_a_run_is_held_while_a_part_of_its_file_is_stored(second_connection, monkeypatch):
    for module in (storing, spool):
        monkeypatch.setattr(module, "CHUNK", 2)
    save, free = storing.save_answers, []

    def find_free() -> list[int]:  # the runs that a sweep could delete now
        with transaction.atomic():
            return list(Run.objects.select_for_update(skip_locked=True).values_list("pk", flat=True))

    def look_and_save(**values):
        free.append(second_connection.begin(find_free).result())
        save(**values)

    monkeypatch.setattr(storing, "save_answers", look_and_save)
    submit(file=upload(good_file(small_pack())), user=sender())
    assert free == [[], []]


def test_two_files_do_not_both_take_the_last_place(second_connection, monkeypatch):
    monkeypatch.setattr(upload_queue, "AT_ONCE", 1)
    monkeypatch.setattr(upload_queue, "notify_worker", lambda: None)  # the first one waits
    user = sender()
    with transaction.atomic():
        upload_queue.put_aside(file=upload(b"1"), name="one", user=user, header={})
        second = second_connection.begin(
            lambda: upload_queue.put_aside(file=upload(b"2"), name="two", user=user, header={})
        )
    with pytest.raises(SubmissionRefused):
        second.result()


def test_two_processes_never_check_at_once(second_connection):
    Upload.objects.create(key="one", owner=sender(), name="one")
    with transaction.atomic():
        assert upload_queue.take()
        second = second_connection.begin(upload_queue.take)
    assert second.result() is None


def test_the_listing_is_private_once_deletion_has_begun(monkeypatch):
    run = uploaded(user := sender())
    lifecycle.list_run(run=run, by=user)
    monkeypatch.setattr(lifecycle, "remove_run", lambda run: None)
    assert_all_or_nothing(lambda: lifecycle.delete_submission(run=run))
    run.refresh_from_db()
    assert (run.listing, run.state) == (Listing.PRIVATE, RunState.CANCELLED)
