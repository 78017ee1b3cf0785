"""Bots and honest people: their flags, their part in the results, and the pages of the desk."""

from collections import Counter
from dataclasses import dataclass, replace
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from humantrials.assignment.exits import exclude, withdraw
from humantrials.assignment.viewing_evidence import ClipAnswer, by_record, doubts, doubts_of, doubts_of_one, note_fetch
from humantrials.judging.answer_flags import flags_of
from humantrials.judging.exclusion_rules import people_out, rules_of
from humantrials.models import ClipFetch, Judgment, Participant, ParticipantKind, Trial
from humantrials.participation import media_views
from humantrials.participation.media_views import PRIVATE
from humantrials.protocols import find_protocol
from humantrials.results import judgments
from humantrials.results.evidence_columns import evidence_columns
from humantrials.running.payments import lines, owed
from humantrials.running.verification import verify
from tests.factories import answer_to
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.plain_client import Walker

pytestmark = [pytest.mark.django_db, pytest.mark.requirement("P10")]
CLIPS, LENGTH = 16, 2.0  # on a sheet; seconds of each


@pytest.fixture
def study() -> Trial:
    return running_trial(physics_pack(tests=CLIPS), replicates=1)


@dataclass(frozen=True)
class Behaviour:
    """A participant's behaviour: seconds between fetches and answers, claims, answers and fetches."""

    between: float = 3.0  # seconds from one answer to the next
    fetches: str = "each"  # each clip before its answer, "first" = all at the start, "none"
    claims: str = "1.0"
    seconds: str = "2.8"
    answers: str = "right"
    all_at_once: bool = False  # every answer arrives at the end
    fetched_twice: bool = False
    unfetched: int = 0  # clips at the start that are never asked for
    beats: bool = True  # the open page sends heartbeats
    records: tuple[tuple[str, str], ...] = ()  # further recordings of its page
    browser: str = "Firefox"


BOTS = {
    "instant, claims 11 s": (Behaviour(between=0.01, seconds="11.2"), {"impossible-claim"}),
    "fetch, wait once, send all": (Behaviour(fetches="first", between=0.2, seconds="0.2"), {"faster-than-clip"}),
    "forged share": (Behaviour(claims="5"), {"impossible-claim"}),
    "forged seconds": (Behaviour(seconds="30000"), {"impossible-claim"}),
}
HONEST = {
    "prompt": Behaviour(between=LENGTH + 0.2),
    "slow": Behaviour(between=90.0, seconds="88"),
    "lossy network": Behaviour(all_at_once=True),
    "reloads": Behaviour(fetched_twice=True),
    "without a script": Behaviour(claims="", seconds=""),
}


def behave(trial: Trial, how: Behaviour, name: str = "somebody", receipt: str = "") -> Participant:
    """Take part to the code over HTTP, from the consent or after a return; times are set in the rows afterwards."""
    walker = Walker(Client(HTTP_USER_AGENT=how.browser), trial, name=name)
    if receipt:
        walker.press(step="return", code=receipt)
    else:
        walker.agree()
    walker.press(step="instructions")
    person, began = walker.person, timezone.now() - timedelta(seconds=CLIPS * how.between)
    Participant.objects.filter(pk=person.pk).update(consented_at=began - timedelta(seconds=3))
    if walker.reader.step == "practised":
        walker.practise()
    assert person.sheet is not None
    if how.beats:
        walker.client.post(f"{walker.road}beat/")
    for number, slot in enumerate(person.sheet.slots.select_related("item")):
        at = began + timedelta(seconds=(number + 1) * how.between)
        fetched = {"each": at - timedelta(seconds=how.between), "first": began}.get(how.fetches)
        fetched = None if number < how.unfetched else fetched
        for _ in range((fetched is not None) * (1 + how.fetched_twice)):
            note_fetch(walker.person, slot.item_id, 0)
        ClipFetch.objects.filter(participant=person, item=slot.item_id).update(at=fetched)
        # No two people take the same milliseconds.
        seconds = how.seconds and f"{float(how.seconds) + (person.pk * 7 + number * 13) % 97 / 1000:.3f}"
        claims = {"watched": how.claims, "seconds": seconds, "inputs": how.seconds and "12"}
        claims |= {"after_end": str(0.4 + number % 5 / 3), **dict(how.records)}
        walker.send("answer/", position=str(slot.position), answer=said(how, answer_to(slot.item), number), **claims)
        arrived = began + timedelta(seconds=CLIPS * how.between) if how.all_at_once else at
        Judgment.objects.filter(participant=person, slot=slot).update(created_at=arrived)
    assert doubts_of_one(walker.person) == doubts_of(trial, [person.pk]).get(person.pk, {})
    return walker.person


def said(how: Behaviour, expected: str | None, number: int) -> str | None:
    wrong = "no" if expected == "yes" else "yes"
    return {"right": expected, "wrong": wrong, "same": "yes", "in turns": ("yes", "no")[number % 2]}[how.answers]


def names(trial: Trial, person: Participant) -> set[str]:
    return {flag.name for flag in flags_of(trial).get(person.pk, [])}


@pytest.mark.parametrize("bot", BOTS)
def test_answers_that_rest_on_no_view_of_the_clip_do_not_count(study, staff, bot):
    how, flags = BOTS[bot]
    person = behave(study, how)
    assert names(study, person) == flags
    assert person.has_finished  # everybody gets the code: staff decide
    assert people_out(study) == people_out(study, "strict") == {person.pk}
    assert person.judgments.filter(counts=False).count() == CLIPS  # stored, shown and paid
    assert sum(vote.n for vote in judgments.votes(study, exclusion="none")) == 0
    assert set(study.sheets.values_list("state", flat=True)) == {"open"}  # wanted from somebody else
    for page in ("watch/", "people/", f"people/{person.code}/"):
        text = staff.get(f"/trials/{study.slug}/{page}").content.decode()
        assert all(flag in text for flag in flags), page


def test_a_pattern_of_answers_is_a_flag_with_its_figure_and_goes_on_counting(study, staff):
    person = behave(study, Behaviour(answers="wrong"))
    assert "below-chance" in names(study, person)
    assert people_out(study) == set()
    page = staff.get(f"/trials/{study.slug}/people/{person.code}/").content.decode()
    figures = [flag.says for flag in flags_of(study)[person.pk]]
    assert figures
    assert all(figure in page for figure in figures)


def test_what_was_not_seen_is_asked_of_somebody_else_until_each_slot_has_one_that_counts(study):
    careless, other = behave(study, Behaviour(unfetched=2), "careless"), behave(study, Behaviour(), "other")
    counted = Counter(Judgment.objects.filter(counts=True).values_list("participant", flat=True))
    assert counted == {careless.pk: CLIPS - 2, other.pk: 2}
    assert other.judgments.filter(is_surplus=True).count() == CLIPS - 2
    assert (other.sheet.state, verify(study).broken) == ("done", [])
    exclude(participant=careless)
    assert Judgment.objects.filter(counts=True).count() == 2
    third = behave(study, Behaviour(), "third")
    assert (third.sheet, third.judgments.filter(counts=True).count()) == (other.sheet, CLIPS - 2)
    withdraw(participant=other)
    assert (Judgment.objects.filter(counts=True).count(), verify(study).broken) == (CLIPS - 2, [])
    assert study.sheets.get(pk=third.sheet_id).state == "open"


RECORDS = {"not-shown": {"watched": "0.4"}, "too-soon": {"seconds": "0.1"}, "clip-not-fetched": None}


@pytest.mark.parametrize("why", RECORDS)
def test_why_an_answer_does_not_count_is_told_to_staff_and_exported(study, staff, why):
    records = RECORDS[why]
    person = behave(study, Behaviour(records=tuple((records or {}).items()), unfetched=0 if records else CLIPS))
    assert not Judgment.objects.filter(counts=True).exists()
    assert why in staff.get(f"/trials/{study.slug}/people/{person.code}/").content.decode()
    column = evidence_columns(study)["doubt"][1]
    assert {column(one) for one in Judgment.objects.all()} == {why}
    (line,) = lines(study, owed(study))
    assert line.recommended.reason.startswith("finished")


def judged(condition: str = "audio", watched: float | None = 1.0, **playback) -> SimpleNamespace:
    seconds = playback.pop("seconds", 5.0)
    return SimpleNamespace(seconds=seconds, watched=watched, playback=playback, condition=condition)


@pytest.mark.parametrize(
    ("protocol", "record", "why"),
    [
        ("pacs-audio", judged(), ""),
        ("pacs-audio", judged(muted=1, volume=1.0), "sound-off"),
        ("pacs-audio", judged(muted=0, volume=0.0), "sound-off"),
        ("pacs-audio", judged("no-audio", muted=1), ""),
        ("grasp-plausibility", judged("video", muted=1), ""),
        ("grasp-plausibility", judged(watched=0.96, problem="reported"), ""),
        ("grasp-plausibility", judged(watched=0.0, problem="reported"), "not-shown"),
        ("grasp-plausibility", judged(watched=None, seconds=None), ""),
        ("grasp-plausibility", judged(seconds=0.15), ""),
        ("grasp-plausibility", judged(seconds=0.149), "too-soon"),
        ("grasp-frames", judged(watched=None, problem="picture"), "not-shown"),
        ("grasp-frames", judged(watched=None), ""),
        ("giraffe-rating", judged(watched=None, seconds=0.1), "too-soon"),
    ],
)
def test_what_a_page_recorded_decides_with_the_protocol(protocol, record, why):
    assert by_record(find_protocol(protocol), record) == why


def test_one_answer_before_its_clip_can_have_been_seen_is_found_among_slow_ones():
    slow = [ClipAnswer(pk, 60.0 * pk + 30, (60.0 * pk, 60.0 * pk), 1.0, 10.0, 11.0, 0.0) for pk in range(5)]
    fast = replace(slow[2], arrived=slow[2].fetched[0] + 3)
    assert doubts(slow) == {}
    assert doubts([*slow[:2], replace(fast, seconds=3.0), *slow[3:]]) == {2: "faster-than-clip"}


def test_a_page_that_was_never_sent_is_a_flag(study):
    person = behave(study, Behaviour(fetches="none"))
    assert person.clips_sent_at is not None
    Participant.objects.filter(pk=person.pk).update(clips_sent_at=None)
    assert "page-not-sent" in names(study, person)


def test_simulated_people_and_older_answers_are_not_judged(study):
    person = behave(study, Behaviour(fetches="none"))
    assert "clip-not-seen" in {rule.name for rule in rules_of(study)}
    for facts in ({"kind": ParticipantKind.SIMULATED}, {"kind": ParticipantKind.PERSON, "has_evidence": False}):
        Participant.objects.filter(pk=person.pk).update(**facts)
        again = Trial.objects.get()
        assert people_out(again) == set()
        assert "clip-not-seen" not in {rule.name for rule in rules_of(again)}


def test_the_first_request_of_a_clip_is_stored_once_and_leaves_with_the_answers(study, monkeypatch):
    sent = [HttpResponse(status=status, headers={"Cache-Control": PRIVATE}) for status in (404, 200, 206)]
    monkeypatch.setattr(media_views, "_rendition_of", lambda *given: SimpleNamespace(size=400))
    monkeypatch.setattr(media_views, "send_file", lambda *given: sent[0])
    walker = Walker(Client(), study)
    walker.agree().press(step="instructions")
    for stored in (0, 1, 1):  # a clip that can't be sent was not fetched
        walker.client.get(f"{walker.road}m/0", headers={"Range": "bytes=0-99"})
        assert walker.person.clip_fetches.count() == stored
        sent.pop(0)
    assert walker.person.clip_fetches.get().share == 0.5  # two quarters
    walker.press(step="withdraw")
    assert (ClipFetch.objects.count(), walker.person.clips_sent_at) == (0, None)
