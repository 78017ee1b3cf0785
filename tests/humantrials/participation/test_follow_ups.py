"""Follow-up questions: how sure, and why. The answer is stored before them and counts without them."""

import pytest
from django.test import Client

from humantrials.models import FollowUp, Judgment, Slot, Trial
from humantrials.planning.between_clips import follow_ups_by, follow_ups_of
from humantrials.planning.preregistration import preregistration_of
from humantrials.results.data_set import Source, texts_of
from humantrials.results.exports import judgment_rows
from humantrials.running.lifecycle import close_trial
from humantrials.running.verification import verify
from tests.factories import answer_to
from tests.humantrials.fixtures import consented, physics_pack, running_trial, short_trial
from tests.humantrials.inside_crowd import simulate
from tests.humantrials.plain_client import Walker
from tests.humantrials.running.test_transitions import piloting
from tests.markup import table

pytestmark = pytest.mark.django_db


@pytest.fixture
def trial(db) -> Trial:
    """Two sheets of two clips; "how sure" after each answer, "why" after one of the two."""
    return short_trial(confidence="5, guessing, certain", why="0.5")


@pytest.fixture
def at_work(client, trial) -> Walker:
    return Walker(client, trial).reach_trials()


@pytest.fixture
def why_after_the_first(monkeypatch):
    monkeypatch.setattr("humantrials.planning.between_clips.lot", lambda seed, position: position)


def say(walker: Walker, confidence: int = 4, why: str = "It fell.") -> Walker:
    """Press one of the steps on the current page."""
    walker.wait()
    fields = {"position": walker.reader.fields["position"], "confidence": str(confidence), "why": why}
    walker.page = walker.client.post(f"{walker.road}follow-up/", fields, follow=True)
    return walker


def test_each_answer_is_stored_before_its_questions_and_the_sheet_counts_before_the_last(at_work):
    at_work.answer("yes")
    assert "How sure are you of your answer?" in at_work.text
    assert "guessing" in at_work.text
    assert at_work.text == at_work.look().text
    assert Judgment.objects.count() == 1
    assert "Video 2 of 2" in say(at_work).text
    at_work.answer("no")
    assert at_work.person.has_finished
    assert Judgment.objects.filter(counts=True).count() == 2
    assert at_work.person.completion_code not in at_work.text
    assert at_work.person.completion_code in say(at_work, 2).text
    assert list(FollowUp.objects.order_by("position").values_list("confidence", flat=True)) == [4, 2]
    assert sorted(str(why) for why in FollowUp.objects.values_list("why", flat=True)) == ["It fell.", "None"]
    assert list(follow_ups_by([at_work.person.pk])) == [(at_work.person.pk, number) for number in (0, 1)]
    assert follow_ups_by([at_work.person.pk + 1]) == {}


def test_why_is_asked_after_a_drawn_half_which_stays_the_same(trial):
    person, drawn = consented(trial), []
    for sheet in trial.sheets.all():
        person.sheet = sheet
        assert follow_ups_of(person) == follow_ups_of(person)
        drawn.append(follow_ups_of(person).why)
    assert all(len(own) == 1 for own in drawn)


def test_what_comes_again_is_taken_once_and_a_withdrawal_erases_it(at_work):
    at_work.answer("yes")
    for confidence in ("3", "5"):
        assert at_work.send("follow-up/", position="0", confidence=confidence, seconds="2.5").json() == {"saved": 0}
    kept_one = FollowUp.objects.get()
    assert (kept_one.confidence, kept_one.seconds) == (3, 2.5)
    at_work.press(step="withdraw")
    assert not FollowUp.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {"position": "0", "confidence": "6"},
        {"position": "0", "confidence": ""},
        {"position": "0", "confidence": "3", "why": "x" * 501},
        {"position": "1", "confidence": "3"},  # not answered yet
        {"position": "7", "confidence": "3"},
        {"position": "9" * 30, "confidence": "3"},
        {"position": "", "confidence": "3"},
    ],
)
def test_what_can_be_no_follow_up_is_refused_and_costs_no_answer(at_work, why_after_the_first, fields):
    at_work.answer("yes")
    assert at_work.send("follow-up/", **fields).status_code == 409
    assert at_work.client.post(f"{at_work.road}follow-up/", fields).status_code == 302
    assert not FollowUp.objects.exists()
    assert Judgment.objects.count() == 1


def test_a_reason_may_have_as_many_characters_as_its_field_lets_in_and_no_others(at_work, why_after_the_first):
    at_work.answer("yes")
    assert at_work.send("follow-up/", position="0", confidence="3", why="a\x00\r\n" * 250).status_code == 200
    assert FollowUp.objects.get().why == ("a\n" * 250).strip()


def test_a_follow_up_that_was_lost_keeps_nobody_from_the_code(at_work):
    for position in (0, 1):  # as sent by an outbox, whatever page is open
        at_work.post_answer(position)
    assert at_work.person.has_finished
    assert Judgment.objects.filter(counts=True).count() == 2
    assert at_work.look().reader.fields["position"] == "1"  # no further questions about the previous answer
    assert at_work.person.completion_code in say(at_work).text
    assert verify(at_work.person.trial).broken == []


def test_a_study_without_them_asks_none(client):
    walker = Walker(client, running_trial(physics_pack(tests=1), slug="plain", replicates=1)).reach_trials()
    assert walker.send("follow-up/", position="0").status_code == 409
    assert "How sure" not in walker.answer("yes").text


def finished(trial: Trial) -> None:
    """Two people: right answers with 5, wrong ones with 2."""
    for name in ("first", "second"):
        walker = Walker(Client(), trial, name).reach_trials()
        for slot in Slot.objects.filter(sheet=walker.person.sheet).order_by("position"):
            is_right, expected = slot.position == 0, str(answer_to(slot.item))
            walker.answer(expected if is_right else {"yes": "no", "no": "yes"}[expected])
            say(walker, 5 if is_right else 2, "Because =1+1.")


def test_exports_methods_and_results_tell_it_and_free_text_stays_out(trial, visitor):
    finished(trial)
    close_trial(trial=trial)
    source = Source(trial)
    texts = dict(texts_of(source))
    rows = table(texts[source.table("judgments")])
    assert {(row["correct"], row["confidence"]) for row in rows} == {("1", "5"), ("0", "2")}
    assert sorted(row["said_why"] for row in rows) == ["", "", "1", "1"]
    long = table(texts[source.table("long")])
    assert [row["confidence"] for row in long] == [{"1": "5", "0": "2"}[row["correct"]] for row in long]
    assert not any("Because" in file for file in texts.values())
    header, *with_codes = judgment_rows(trial)
    assert {row[header.index("why")] for row in with_codes} == {None, "Because =1+1."}
    assert "on 5 steps from “guessing” to “certain”" in texts["documentation/methods.md"]
    means = "Mean confidence was 5.00 after 2 right answers and 2.00 after 2 wrong answers."
    assert means in texts["documentation/methods.md"]
    assert "| confidence | how sure the person was" in texts["documentation/codebook.md"]
    page = visitor.get(f"/trials/{trial.slug}/").content.decode()
    assert "Confidence after right answers" in page
    assert "5.00" in page
    design = preregistration_of(trial)["design"]
    assert design["confidence_after_each_answer"] == "5 steps from “guessing” to “certain”"
    assert design["reason_after"] == "50 % of the items of each sheet, drawn"


def test_the_author_reads_it_beside_the_answers(trial, staff, at_work, why_after_the_first):
    say(at_work.answer("yes"), 5, "It <fell>.")
    say(piloting(Client(), trial).reach_trials().answer("yes"), 3, "It rolled.")
    person = staff.get(f"/trials/{trial.slug}/people/{at_work.person.code}/").content.decode()
    assert "<td>It &lt;fell&gt;.</td>" in person
    assert '<td class="n">5</td>' in person
    assert "<td>It rolled.</td>" in staff.get(f"/trials/{trial.slug}/manage/pilot/").content.decode()


def test_a_pilot_is_asked_too_and_a_preview_stores_nothing(trial, staff):
    walker = piloting(Client(), trial).reach_trials()
    say(walker.answer("yes"))
    assert FollowUp.objects.get().participant.kind == "pilot"
    walker = Walker.at(staff, f"/t/{trial.slug}/?preview=1")
    walker.reach_trials().answer("yes")
    assert "How sure" in walker.text
    assert "Video 2 of 2" in say(walker).text
    assert FollowUp.objects.count() == 1


def test_the_default_words_of_the_scale_are_in_the_persons_language(client):
    trial = running_trial(physics_pack(tests=1), slug="sure", replicates=1, confidence="3")
    page = Walker(client, trial, lang="de").reach_trials().answer("yes").text
    assert "gar nicht sicher" in page
    assert "Wie sicher sind Sie" in page


def test_simulated_people_answer_them_over_the_pages(trial):
    assert simulate(trial, people=1, doubled=0.5)["finished"] == 1
    assert FollowUp.objects.filter(confidence__isnull=False).count() == 2
