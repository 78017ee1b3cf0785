"""The page of a running trial: attrition, sheets, pace, precision, and no results."""

from datetime import timedelta

import pytest
from django.utils import timezone

from humantrials.assignment.claims import claim_sheet, record_judgment
from humantrials.assignment.exits import exclude, stop, withdraw
from humantrials.models import Participant, ParticipantKind, ParticipantState, Trial
from humantrials.running.lifecycle import close_trial
from humantrials.running.monitoring import bars, head_of, watch
from tests.factories import make_participant
from tests.humantrials.assignment.test_claims import let_leases_run_out
from tests.humantrials.fixtures import altered, consented, newcomer, physics_pack, running_trial, whole_sheet

pytestmark = pytest.mark.django_db


@pytest.fixture
def trial(db) -> Trial:
    """Sixteen sheets of two clips."""
    return running_trial(physics_pack(tests=2, clips=2), replicates=4)


def agreed(trial: Trial) -> Participant:
    return altered(consented(trial), consented_at=timezone.now() - timedelta(minutes=8))


def finisher(trial: Trial, answer: str = "yes") -> Participant:
    person = whole_sheet(trial, lambda slot: answer)
    return altered(person, consented_at=timezone.now() - timedelta(minutes=8))


@pytest.fixture
def crowd(trial) -> Trial:
    """Participants with every possible outcome."""
    lost = agreed(trial)
    claim_sheet(participant=lost)
    record_judgment(participant=lost, position=0, answer="yes", records={"seconds": 7.5})
    let_leases_run_out(trial)
    worker, stopper = agreed(trial), agreed(trial)
    for person in (worker, stopper):
        claim_sheet(participant=person)
    make_participant(trial, state=ParticipantState.DECLINED)
    stop(participant=stopper)
    for _ in range(3):
        finisher(trial)
    withdraw(participant=finisher(trial))
    exclude(participant=finisher(trial), why="a test")
    make_participant(trial, kind=ParticipantKind.PREVIEW)
    make_participant(trial, kind=ParticipantKind.PILOT)
    return trial


def test_the_flow_accounts_for_everybody_who_came(crowd):
    stages = {stage.name: (stage.reached, dict(stage.lost)) for stage in watch(crowd)["flow"]}
    assert stages == {
        "arrived": (9, {}),
        "agreed": (8, {"said no": 1}),
        "answered": (6, {"at work now": 1, "stopped": 1}),
        "finished": (5, {"left without a word": 1}),
        "counted": (3, {"withdrew": 1, "excluded": 1}),
    }


def test_the_recruitment_target_is_open_plus_expired(crowd):
    sheets = watch(crowd)["sheets"]
    assert (sheets.open, sheets.at_work, sheets.expired, sheets.done) == (11, 1, 1, 3)
    assert sheets.total == crowd.sheets.count()
    assert sheets.to_recruit == 12
    for _ in range(sheets.to_recruit):
        assert claim_sheet(participant=newcomer(crowd))
    assert claim_sheet(participant=newcomer(crowd)) is None


def test_the_projection_needs_three_finishes_within_the_hour(trial):
    finisher(trial)
    finisher(trial)
    assert watch(trial)["pace"].finish_at is None
    finisher(trial)
    make_participant(trial, state="finished", step="done", finished_at=timezone.now())  # without an answer that counts
    minutes_ago = timezone.now() - timedelta(minutes=30)
    Participant.objects.filter(finished_at__isnull=False).update(finished_at=minutes_ago)
    seen = watch(trial)
    assert seen["pace"].finished_last_hour == 3
    left = (seen["pace"].finish_at - seen["at"]).total_seconds() / 60
    assert left == pytest.approx(10 * (seen["sheets"].total - 3), rel=0.01)  # three in half an hour
    close_trial(trial=trial)
    assert watch(Trial.objects.get())["pace"].finish_at is None


def test_precision_is_the_width_alone_and_gets_finer(trial):
    finisher(trial)
    assert watch(trial)["precision"].half_width is None  # one person is not enough for an estimate
    finisher(trial, "no")
    finisher(trial)
    few = watch(trial)["precision"]
    for answer in ("no", "yes", "yes", "no", "yes"):
        finisher(trial, answer)
    assert 0 < watch(trial)["precision"].half_width < few.half_width <= 0.5


def test_items_are_counted_by_their_counted_answers(trial):
    finisher(trial)
    assert watch(trial)["coverage"] == {"by_count": [(0, 6), (1, 2)], "replicates": 4}


def test_bars_cover_the_whole_time_with_the_newest_at_the_end():
    now = timezone.now()
    came = [now - timedelta(minutes=minute) for minute in (0, 1, 1, 100)]
    found = bars(came, came[:1], now)
    since, arrived, finished = zip(*found, strict=True)
    assert (sum(arrived), sum(finished)) == (4, 1)
    assert len(found) <= 24
    assert since[-1] <= now < since[-1] + (since[1] - since[0])
    assert bars([], [], now) == []
    assert len(bars([now - timedelta(days=36_500)], [], now)) == 24
    for step in (60, 300, 900, 1800, 3600, 10_800, 21_600, 86_400, 604_800):
        first, second, *_ = (since for since, _, _ in bars([now - timedelta(seconds=24 * step - 1)], [], now))
        assert (second - first).total_seconds() == step
    assert sum(came for _, came, _ in bars([now - timedelta(seconds=24 * 60)], [], now)) == 1


def test_an_empty_trial_has_its_page_too(staff, trial):
    page = staff.get(f"/trials/{trial.slug}/watch/").content.decode()
    assert "No participants yet" in page
    assert "No answers yet" in page


def test_the_page_refreshes_itself_with_and_without_script_and_tells_no_answers(staff, crowd):
    page = staff.get(f"/trials/{crowd.slug}/watch/").content.decode()
    assert '<noscript><meta http-equiv="refresh" content="30"></noscript>' in page
    part = staff.get(f"/trials/{crowd.slug}/watch/?part=live").content.decode()
    assert "<html" not in part
    assert "left without a word" in part
    assert "accuracy so far" not in part
    close_trial(trial=crowd)
    assert "refresh" not in staff.get(f"/trials/{crowd.slug}/watch/").content.decode()


def test_the_number_of_queries_does_not_grow_with_people(staff, crowd, django_assert_max_num_queries):
    with django_assert_max_num_queries(16):  # one asks PostgreSQL what time it is, one counts the inbox
        staff.get(f"/trials/{crowd.slug}/watch/")


def test_the_desk_says_first_how_far_the_study_is_and_that_nothing_waits(staff, crowd):
    head = head_of(crowd)
    assert head["sentence"].startswith("3 of 16 sheets are done; at this pace the study is full at about")
    assert (head["sheets"], head["flow"]) == (watch(crowd)["sheets"], watch(crowd)["flow"])
    page = staff.get(f"/trials/{crowd.slug}/manage/").content.decode()
    assert head["sentence"].partition(";")[0] in page
    assert "Nothing needs your attention." in page
    assert "Design checks: 8 of 8 pass" in page


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ("draft", "A draft: nobody can enter."),
        ("open", "0 of 16 sheets are done."),
        ("paused", "0 of 16 sheets are done. Nobody new can begin while it is paused."),
        ("closed", "Closed: nobody can begin any more"),
    ],
)
def test_a_study_without_people_promises_no_end(trial, state, sentence):
    Trial.objects.update(state=state)
    assert head_of(Trial.objects.get())["sentence"].startswith(sentence)


def test_what_waits_for_the_author_is_named_with_its_page(trial):
    assert head_of(trial)["waits"] == []
    Participant.objects.filter(pk=finisher(trial).pk).update(kind=ParticipantKind.PERSON)
    trial.sheets.update(state="done")
    Trial.objects.update(unfilled_links=1)
    assert "1 visit came by a link whose id was not filled in" in dict(head_of(Trial.objects.get())["waits"])
    Trial.objects.update(unfilled_links=2, pay_amount=3, pay_currency="EUR")
    found = dict(head_of(Trial.objects.get())["waits"])
    assert found == {
        "2 visits came by a link whose id was not filled in": "/trials/running/manage/panel/",
        "Every sheet is done: the study can be closed": "/trials/running/manage/close/",
        "1 person waits for their pay to be approved": "/trials/running/pay/",
    }
