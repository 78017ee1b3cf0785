"""Twelve bots and honest people, from the consent to the code: flags, results, pay, and rules registered before."""

from dataclasses import replace
from decimal import Decimal

import pytest
from django.test import Client

from humantrials.assignment.viewing_evidence import note_fetch
from humantrials.judging.answer_flags import flags_of, habits
from humantrials.judging.exclusion_rules import answers_in_doubt, people_out, registration, rules_of
from humantrials.models import Participant, Trial
from humantrials.results import judgments
from humantrials.results.exports import codebook, judgment_rows
from humantrials.running.lifecycle import close_trial
from humantrials.running.payments import approve_all, lines, owed
from tests.humantrials.fixtures import altered, physics_pack, running_trial
from tests.humantrials.judging.test_viewing_evidence import CLIPS, HONEST, LENGTH, Behaviour, behave, names
from tests.humantrials.plain_client import Walker

pytestmark = [pytest.mark.django_db, pytest.mark.requirement("P10")]

TAB_HOPPING = Behaviour(records=(("leaves", "2"), ("away_seconds", "9")))
AT_THE_END = Behaviour(records=(("after_end", "0.01"),))
SCREEN_READER = Behaviour(between=40.0, seconds="38", records=(("replays", "3"), ("pauses", "6")))
# Name, behaviour, flags, and whether the results leave them out.
BOTS = {
    "instant": (Behaviour(between=0.01, seconds="0.01"), {"too-soon"}, True),
    "constant": (Behaviour(answers="same"), {"straight-lining"}, False),
    "alternating": (Behaviour(answers="in turns"), {"alternation"}, False),
    "tab-hopping": (TAB_HOPPING, {"left-the-page"}, False),
    "no fetch": (Behaviour(fetches="none"), {"clip-not-fetched"}, True),
    "forged times": (Behaviour(seconds="30000", claims="5"), {"impossible-claim"}, True),
    "always the same pause": (Behaviour(records=(("after_end", "0.5"),)), {"too-even", "program"}, False),
    "presses as the clip ends": (AT_THE_END, {"too-even", "too-fast", "program"}, False),
    "a page that is never open": (replace(HONEST["slow"], beats=False), {"no-heartbeat"}, False),
    "script-free honest": (HONEST["without a script"], {"program"}, False),
    "slow honest": (HONEST["slow"], set(), False),
    "prompt honest": (HONEST["prompt"], set(), False),
    "reloads": (HONEST["reloads"], set(), False),
    "screen reader": (SCREEN_READER, set(), False),
    "lossy network": (HONEST["lossy network"], set(), False),
}


@pytest.fixture
def study() -> Trial:
    trial = running_trial(physics_pack(tests=CLIPS), replicates=1)
    return altered(trial, pay_amount=Decimal(4), pay_currency="EUR")


@pytest.mark.parametrize("bot", BOTS)
def test_each_ends_as_it_should(study, bot):
    how, flags, is_out = BOTS[bot]
    person = behave(study, how)
    assert flags <= names(study, person)
    assert names(study, person) <= flags | {"below-chance"}  # constant or alternating answers are often wrong
    assert person.has_finished
    assert people_out(study) == ({person.pk} if is_out else set())
    (line,) = lines(study, owed(study))
    assert line.recommended.amount == 4
    assert bool(line.recommended.look) == bool(flags)
    assert line.is_due == (not flags)


def test_one_person_on_two_devices_has_one_sheet_and_two_people_on_one_are_flagged(study, staff):
    study = running_trial(study.pack, slug="crowd", replicates=2)
    on_phone = Walker(Client(HTTP_USER_AGENT="Phone"), study, name="somebody").agree().person
    person = behave(study, Behaviour(), receipt=on_phone.receipt_code)
    assert (Participant.objects.count(), names(study, person)) == (1, {"several-browsers"})
    for name, browser in (("twin", "Phone"), ("neighbour", "Other")):
        Walker(Client(HTTP_USER_AGENT=browser), study, name=name).agree()
    twin, neighbour = Participant.objects.order_by("pk")[1:]
    assert names(study, twin) == {"same-device"}
    assert names(study, neighbour) == {"same-address"}
    assert names(study, person) == {"same-device", "several-browsers"}
    assert "127.0.0.1" not in str(person.traces)
    assert "address and browser of 1 other person" in staff.get(f"/trials/crowd/people/{twin.code}/").content.decode()
    Client().post(f"/p/{twin.token}/", {"step": "withdraw"})
    twin.refresh_from_db()
    assert twin.traces is None


def test_nobody_skips_the_practice_clip(trial):
    walker = Walker(Client(), trial)
    walker.agree().press(step="instructions")
    assert walker.send("answer/", position="0", answer="yes").status_code == 409
    assert walker.press(step="practice").reader.step == "practised"
    assert walker.press(step="practised", answer="perhaps").press(step="practice").reader.step == "practised"
    assert walker.practise().reader.positions


def test_one_answer_before_its_clip_was_seen_does_not_count_and_the_pages_say_so(study, visitor, client):
    person = behave(study, Behaviour(unfetched=1))
    assert {flag.says for flag in flags_of(study)[person.pk]} == {"1 of 16 answers"}
    assert people_out(study) == set()
    assert sum(vote.n for vote in judgments.votes(study)) == CLIPS - 1
    assert sum(vote.n for vote in judgments.votes(study, exclusion="none")) == CLIPS - 1
    altered(study, state="closed")
    page = visitor.get("/trials/running/").content.decode()
    assert "Besides, 1 answer whose clip was not presented does not count." in " ".join(page.split())
    assert "Of others, 1 answers whose clip was not presented never counted." in page
    left_out = behave(running_trial(study.pack, slug="other", replicates=1), Behaviour(fetches="none"))
    assert people_out(left_out.trial) == {left_out.pk}
    assert (answers_in_doubt(study), answers_in_doubt(left_out.trial)) == (1, 0)  # of people who are in


def test_a_clip_of_which_a_tenth_was_sent_was_not_seen(study):
    person = behave(study, Behaviour())
    person.clip_fetches.update(share=0.1)
    assert names(study, person) == {"clip-not-fetched"}
    person.clip_fetches.update(share=1.0)
    assert names(study, person) == set()


def test_rules_named_before_opening_leave_people_out_and_stay(study, visitor):
    trial = running_trial(study.pack, slug="ruled", rules="straight-lining clip-not-seen=0.1", replicates=1)
    assert registration(trial).startswith("straight-lining clip-not-seen=0.1 (SHA-256 ")
    trial = altered(trial, settings=trial.settings | {"rules": []})
    constant = behave(trial, Behaviour(answers="same"))
    assert people_out(trial) == {constant.pk}
    assert people_out(trial, "none") == set()
    assert [rule.limit for rule in rules_of(trial) if rule.name == "clip-not-seen"] == [0.1]
    close_trial(trial=trial)
    assert registration(trial)[:60] in visitor.get("/trials/ruled/").content.decode()


def test_pay_of_flagged_people_is_never_approved_with_the_others(study, staff):
    other = running_trial(study.pack, slug="two", replicates=2)
    altered(other, pay_amount=Decimal(4), pay_currency="EUR")
    for name, how in (("honest", Behaviour(browser="A")), ("bot", Behaviour(browser="B", fetches="none"))):
        behave(other, how, name)
    assert "clip-not-fetched: 16 of 16 answers" in staff.get("/trials/two/pay/").content.decode()
    assert approve_all(trial=other, by=None) == 1
    assert [len(line.approved) for line in lines(other, owed(other))] == [1, 0]


def test_habits_need_enough_answers_and_spare_ordinary_people():
    times = [0.3, 0.9, 0.4, 1.2, 0.5, 0.7, 2.0, 0.6]
    played = [{"after_end": time, "leaves": int(time > 1), "problem": ""} for time in times]
    assert habits(played, has_clips=True) == []
    even = [{**one, "after_end": 0.5} for one in played]
    assert [flag.name for flag in habits(even, has_clips=True)] == ["too-even"]
    assert habits(even[:7], has_clips=True) == []
    told = [{**one, "problem": "reported"} for one in played]
    assert [flag.says for flag in habits(told, has_clips=True)] == ["8 of 8 clips"]


def test_flags_of_two_people_are_read_in_a_fixed_number_of_queries(study, django_assert_max_num_queries):
    behave(study, Behaviour(between=LENGTH + 1))
    with django_assert_max_num_queries(14):
        flags_of(Trial.objects.get(pk=study.pk))


def test_the_export_has_the_evidence_of_each_answer_and_explains_it(study):
    person = behave(study, Behaviour(fetches="none"))
    note_fetch(person, person.judgments.first().item_id, 0, 0.25)
    header, *rows = judgment_rows(Trial.objects.get(pk=study.pk))
    found = [dict(zip(header, row, strict=True)) for row in rows]
    assert [row["clip_share_requested"] for row in found].count(None) == CLIPS - 1
    assert {row["doubt"] for row in found} == {"clip-not-fetched"}
    assert {row["heartbeats"] for row in found} == {1}
    assert "| seconds_since_request | from that request to the arrival of the answer |" in codebook(study)
