"""The invariants of slots and sheets hold after every step of any sequence of actions."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from hypothesis.strategies import booleans, integers, sampled_from

from humantrials.assignment.claims import claim_sheet, finish_sheet, record_judgment, renew, reopen
from humantrials.assignment.exits import exclude, stop, withdraw
from humantrials.errors import BadAnswer
from humantrials.models import Judgment, Participant, ParticipantState, Sheet, SheetEventKind, SheetState
from humantrials.running.lifecycle import close_trial, open_trial, pause_trial
from humantrials.running.verification import verify
from tests.humantrials.assignment.test_claims import let_leases_run_out
from tests.humantrials.fixtures import consented, newcomer, physics_pack, running_trial

pytestmark = pytest.mark.django_db
# Few steps are readable without shrinking, which takes minutes.
CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
UNSHRUNK = settings(phases=(Phase.generate,), deadline=None, database=None, suppress_health_check=CHECKS)


class Study(RuleBasedStateMachine):
    """Four sheets of two clips, and participants with random actions."""

    def __init__(self) -> None:
        super().__init__()
        pack = physics_pack(tests=2)
        self.trial = running_trial(pack, slug=f"study-{pack.pk}", replicates=2, seed=pack.pk)
        self.people: list[Participant] = []
        self.finished: dict[int, str] = {}  # a code is never taken back
        self.given: dict[tuple[int, int], str] = {}  # acknowledged answers of people who did not withdraw

    def someone(self, number: int) -> Participant:
        person = self.people[number % len(self.people)]
        person.refresh_from_db()
        return person

    @rule(is_ready=booleans())
    def come(self, is_ready: bool) -> None:
        person = consented(self.trial) if is_ready else newcomer(self.trial)
        self.people.append(person)
        claim_sheet(participant=person)

    @precondition(lambda self: self.people)
    @rule(number=integers(0, 50))
    def come_back(self, number: int) -> None:
        claim_sheet(participant=self.someone(number))

    @precondition(lambda self: self.people)
    @rule(number=integers(0, 50))
    def give_a_sign_of_life(self, number: int) -> None:
        renew(participant=self.someone(number))

    @precondition(lambda self: self.people)
    @rule(number=integers(0, 50), position=integers(0, 2), answer=sampled_from(("yes", "no", "maybe")))
    def answer(self, number: int, position: int, answer: str) -> None:
        person = self.someone(number)
        try:
            stored = record_judgment(participant=person, position=position, answer=answer, records={})
        except BadAnswer:
            return
        before = self.given.setdefault((person.pk, stored.slot_id), stored.answer)
        assert before == stored.answer  # the first answer stands

    @precondition(lambda self: self.people)
    @rule(number=integers(0, 50))
    def do_the_rest(self, number: int) -> None:
        person = self.someone(number)
        for slot in person.sheet.slots.all() if person.sheet else ():
            self.answer(number, slot.position, "yes")
        self.finish(number)

    @precondition(lambda self: self.people)
    @rule(number=integers(0, 50))
    def finish(self, number: int) -> None:
        person = self.someone(number)
        try:
            done = finish_sheet(participant=person)
        except BadAnswer:
            return
        assert self.finished.setdefault(person.pk, done.completion_code) == done.completion_code

    @precondition(lambda self: self.people)
    @rule(number=integers(0, 50), leave=sampled_from((stop, exclude)))
    def go(self, number: int, leave) -> None:
        leave(participant=self.someone(number))

    @precondition(lambda self: self.people)
    @rule(number=integers(0, 50))
    def withdraw(self, number: int) -> None:
        person = self.someone(number)
        withdraw(participant=person)
        self.given = {key: answer for key, answer in self.given.items() if key[0] != person.pk}

    @rule()
    def let_time_pass(self) -> None:
        let_leases_run_out(self.trial)

    @rule(order=integers(0, 3))
    def reopen_by_hand(self, order: int) -> None:
        reopen(sheet=self.trial.sheets.get(order=order), why=SheetEventKind.SENT_BACK)

    @rule(change=sampled_from((pause_trial, close_trial)))
    def stop_and_go_on(self, change) -> None:
        change(trial=self.trial)
        open_trial(trial=self.trial)

    @invariant()
    def every_promise_holds(self) -> None:
        assert verify(self.trial).broken == []

    @invariant()
    def a_sheet_is_filled_whole_by_its_holder_or_not_at_all(self) -> None:
        for sheet in self.trial.sheets.all():
            counted = list(
                Judgment.objects.filter(slot__sheet=sheet, counts=True).values_list("participant", flat=True)
            )
            assert counted == ([sheet.holder_id] * 2 if sheet.state == SheetState.DONE else [])

    @invariant()
    def nobody_holds_two_sheets_and_only_who_may_holds_one(self) -> None:
        holders = Counter(Sheet.objects.filter(trial=self.trial, holder__isnull=False).values_list("holder", flat=True))
        assert set(holders.values()) <= {1}
        gone = (ParticipantState.STOPPED, ParticipantState.WITHDRAWN, ParticipantState.EXCLUDED)
        assert not Participant.objects.filter(pk__in=holders, state__in=gone).exists()

    @invariant()
    def no_acknowledged_answer_is_lost(self) -> None:
        stored = Judgment.objects.filter(trial=self.trial).values_list("participant", "slot", "answer")
        assert {(person, slot): answer for person, slot, answer in stored} == self.given

    @invariant()
    def every_code_stays(self) -> None:
        codes = dict(Participant.objects.filter(pk__in=self.finished).values_list("pk", "completion_code"))
        assert codes == self.finished

    @invariant()
    def epochs_of_events_never_go_back(self) -> None:
        for sheet in self.trial.sheets.all():
            changes = sheet.events.exclude(kind="finished late")  # recorded at the lost epoch
            epochs = list(changes.order_by("pk").values_list("epoch", flat=True))
            assert epochs == sorted(epochs)
            assert not epochs or epochs[-1] <= sheet.epoch


@pytest.mark.requirement("P3")
@pytest.mark.requirement("P4")
def test_the_invariants_hold_whatever_people_do():
    run_state_machine_as_test(Study, settings=settings(UNSHRUNK, max_examples=7, stateful_step_count=25))
