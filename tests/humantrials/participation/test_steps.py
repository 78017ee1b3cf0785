"""A participant's steps over HTTP: from consent to code at one address, without a cookie."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from benchmarks.models.answers import ItemSeal
from humantrials.assignment.claims import claim_sheet
from humantrials.models import Judgment, Participant, SheetEvent, SheetState, TextPart, Trial
from humantrials.models.identity import Identity
from humantrials.planning.authored_texts import write
from humantrials.protocols.catalogue.grasp_plausibility import GRASP_PLAUSIBILITY
from humantrials.running.lifecycle import close_trial
from tests.factories import answer_to, make_answers, make_model, make_run
from tests.humantrials.assignment.test_claims import counted, let_leases_run_out
from tests.humantrials.fixtures import consented, physics_pack, running_trial, short_trial
from tests.humantrials.plain_client import Walker
from tests.markup import compact

pytestmark = pytest.mark.django_db


@pytest.mark.requirement("P12")
def test_the_whole_road_without_script(walker, trial):
    assert walker.reader.step == "consent"
    assert walker.agree().reader.step == "instructions"
    person, consent = walker.person, GRASP_PLAUSIBILITY.screening.consent
    assert (person.consent_version, person.consent_hash) == (consent.version, consent.digest("en"))
    assert person.consented_at
    assert walker.press(step="instructions").reader.step == "practised"
    assert "That was the practice" in walker.press(step="practised", answer="yes").text
    assert len(walker.practise().reader.positions) == 2
    assert "Saved: video 1" in walker.answer().text
    done = walker.answer().text
    assert walker.person.completion_code in done
    assert walker.person.receipt_code in done
    assert "/leave/" not in done
    assert "data-heartbeat" not in done
    assert trial.judgments.filter(counts=True).count() == 2
    assert walker.person.completion_code in walker.look().text  # the code stays at its address
    assert not walker.client.cookies


@pytest.mark.requirement("P3")
@pytest.mark.parametrize("asks", [{}, {"confidence": "5"}])
@pytest.mark.parametrize("last_question", ["", "comment: text\nAnything else?"])
def test_the_last_answer_finishes_the_sheet_though_no_page_is_loaded_again(client, db, asks, last_question):
    trial = short_trial(**asks)
    if last_question:
        write(trial=trial, part=TextPart.AFTER, language="en", body=last_question)
    walker = Walker(client, trial).reach_trials()
    assert [walker.post_answer(position) for position in (0, 1)] == [200, 200]
    let_leases_run_out(trial)
    others = [claim_sheet(participant=consented(trial)) for _ in range(2)]
    close_trial(trial=trial)
    assert walker.person.sheet not in others
    assert others[1] is None
    assert counted(trial) == 2
    assert walker.person.completion_code
    if not (asks or last_question):
        assert walker.person.completion_code in client.get(walker.road).content.decode()


def test_a_form_sent_by_a_double_click_answers_one_question(client):
    walker = Walker(client, running_trial(physics_pack(tests=4), replicates=1)).reach_trials()
    address = f"{walker.road}answer/"
    for position in range(2):
        assert client.post(address, {"position": position, "answer": "yes"}).status_code == 302
    assert walker.person.judgments.count() == 1
    walker.wait()
    client.post(address, {"position": 1, "answer": "yes"})
    assert walker.person.judgments.count() == 2
    client.post(address, {"position": 2, "answer": "yes", "seconds": "2.5"})  # a script, which waits by itself
    walker.post_answer(3)  # what a browser kept while it was offline comes at once
    assert walker.person.judgments.count() == 4


@pytest.mark.requirement("P2")
def test_a_reload_on_every_page_goes_on_from_there(walker):
    for move in (walker.look, walker.agree, lambda: walker.press(step="instructions"), walker.practise, walker.answer):
        before = move().reader
        after = walker.look().reader
        assert (before.step, before.positions, before.answers) == (after.step, after.positions, after.answers)


def test_the_last_page_tells_the_score_once_that_tells_no_hidden_answer(client):
    pack = physics_pack(tests=6)
    open_answers = running_trial(pack, slug="unsealed", replicates=1, seal="false")
    make_answers(
        make_run(pack, strategy="plausibility", model=make_model(name="Seer")), dict.fromkeys(pack.items.all(), "yes")
    )
    walker = finished(client, open_answers)
    right = sum(one.answer == answer_to(one.item) for one in walker.person.judgments.select_related("item"))
    page = compact(walker.look().text)
    assert f"You were right on<b class='big num'>{right} of 6</b>questions." in page
    assert "all questions of GRASP, Intuitive physics" in page
    assert re.search(r"as a paper reports</th>.*?<td class=\"r\"><bdi>80 %", page)  # people of the paper
    Participant.objects.update(language="de")
    assert "Sie und die Modelle" in walker.look().text

    sealed = finished(client, running_trial(pack, slug="sealed", replicates=1), "other")
    page = sealed.look().text
    assert "You and the models" not in page
    assert "When the study has closed, this page shows how often you were right" in page
    close_trial(trial=Trial.objects.get(slug="sealed"))
    assert "of 6</b>" in compact(sealed.look().text)
    ItemSeal.objects.create(item=sealed.person.judgments.first().item, by="answers")  # withheld by the benchmark
    assert "of 5</b>" in compact(sealed.look().text)
    ItemSeal.objects.create(item=sealed.person.judgments.last().item, by="answers")
    page = sealed.look().text
    assert "You and the models" not in page
    assert "has closed" not in page


def finished(client, trial, name="w"):
    walker = Walker(client, trial, name=name).reach_trials()
    for position in range(6):
        walker.post_answer(position)
    return walker


def test_a_draft_lets_nobody_in(client, staff, trial):
    Trial.objects.update(state="draft")
    assert Walker(Client(), trial).page.status_code == 404
    assert "has not begun" in Walker(staff, trial).text
    assert not Participant.objects.exists()


@pytest.mark.parametrize("step", ["instructions", "practice", "trials", "", "nonsense"])
def test_no_step_leads_past_the_consent(walker, step):
    assert walker.press(step=step).reader.step == "consent"


def test_an_answer_sent_twice_is_taken_once(walker):
    walker.reach_trials()
    position = walker.reader.positions[0]
    for value in ("yes", "no"):
        reply = walker.send("answer/", position=str(position), answer=value)
        assert reply.json() == {"saved": position, "answer": "yes"}
    assert Judgment.objects.count() == 1


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"position": "x", "answer": "yes"},
        {"position": "99", "answer": "yes"},
        {"position": "0", "answer": "perhaps"},
        {"position": "-1", "answer": "yes"},
        {"position": "9" * 30, "answer": "yes"},
    ],
)
def test_a_strange_answer_is_refused_in_a_sentence(walker, fields):
    reply = walker.reach_trials().send("answer/", **fields)
    assert reply.status_code == 409
    assert reply.json()["error"]
    assert not Judgment.objects.exists()


def test_what_the_page_measured_is_stored_with_the_answer(walker):
    walker.reach_trials().answer(seconds="12.345", watched="0.99", replays="2", stalls="1", leaves="")
    judgment = Judgment.objects.get()
    assert (judgment.seconds, judgment.watched, judgment.replays) == (12.345, 0.99, 2)
    assert judgment.playback == {"stalls": 1, "flags": []}


@pytest.mark.requirement("P11")
def test_a_preview_never_touches_the_slots(staff, trial):
    walker = Walker.at(staff, f"/t/{trial.slug}/?preview=1")
    assert "nothing is stored" in walker.text
    walker.reach_trials().answer().answer()
    assert "PREVIEW" in walker.text
    assert not Judgment.objects.exists()
    assert set(trial.sheets.values_list("state", "epoch")) == {(SheetState.OPEN, 0)}
    assert not SheetEvent.objects.exists()


@pytest.mark.parametrize("position", ["-1", "9999999999999999"])
def test_a_preview_of_no_clip_is_refused(staff, trial, position):
    walker = Walker.at(staff, f"/t/{trial.slug}/?preview=1").agree()
    answer = walker.send("answer/", position=position, answer="yes")
    assert (answer.status_code, answer.json()) == (409, {"error": f"clip {position} is not one of yours"})
    assert walker.look().page.status_code == 200


@pytest.mark.parametrize(
    ("parameters", "header", "language", "direction"),
    [
        ({}, "en", "en", "ltr"),
        ({}, "de-CH,de;q=0.9", "de", "ltr"),
        ({"lang": "ar"}, "de", "ar", "rtl"),
        ({"lang": "xx"}, "fr", "en", "ltr"),
    ],
)
def test_the_language_comes_from_the_address_or_the_browser_and_stays(trial, parameters, header, language, direction):
    walker = Walker(Client(headers={"accept-language": header}), trial, **parameters)
    assert walker.agree().person.language == language
    walker.client = Client(headers={"accept-language": "en"})
    page = walker.look().page
    assert f'<html lang="{language}" dir="{direction}">' in page.content.decode()
    assert page["Content-Language"] == language


def test_the_language_can_be_changed_on_the_consent_page(walker):
    link = re.search(r'href="([^"]*)" lang="de"', walker.text)[1].replace("&amp;", "&")
    german = Walker.at(walker.client, walker.road.partition("?")[0] + link)
    assert "Bevor Sie beginnen" in german.text
    assert Identity.objects.count() == 0
    assert german.agree().person.consent_hash == GRASP_PLAUSIBILITY.screening.consent.digest("de")


def test_the_order_of_the_buttons_is_kept(trial):
    orders = set()
    for number in range(30):
        Trial.objects.update(state="open")
        walker = Walker(Client(), trial, name=f"w{number}")
        trial.sheets.update(state=SheetState.OPEN, holder=None)
        walker.look().reach_trials()
        assert walker.reader.answers == walker.look().reader.answers
        orders.add(tuple(walker.reader.answers))
        trial.sheets.update(state=SheetState.OPEN, holder=None)
        if len(orders) == 2:
            break
    assert orders == {("yes", "no"), ("no", "yes")}


def test_who_answers_by_the_form_is_given_one_clip_at_a_time(client):
    """Only the script gets a page with the whole sheet."""
    walker = Walker(client, running_trial(physics_pack(tests=3), replicates=1)).reach_trials()
    assert len(walker.reader.positions) == 3
    assert len(walker.answer().reader.positions) == 1
    assert "data-last" not in walker.text
    assert "data-last" in walker.answer().text
    assert "data-code" in walker.answer().text


def test_a_sign_of_life_keeps_the_sheet_and_a_look_soon_after_it_writes_nothing(walker, trial):
    def lease():
        return trial.sheets.get(state=SheetState.LEASED).lease_until

    walker.reach_trials().answer()
    before = lease()
    assert (walker.look(), lease()) == (walker, before)
    trial.sheets.filter(state=SheetState.LEASED).update(lease_until=before - timedelta(seconds=20))
    walker.look()
    assert lease() >= before
    before = lease()
    assert walker.client.post(f"{walker.road}beat/").json() == {"kept": True}
    assert lease() > before


@pytest.mark.parametrize("path", ["answer/", "beat/", "problem/"])
def test_what_changes_something_takes_posts_only(walker, path):
    assert walker.client.get(f"{walker.agree().road}{path}").status_code == 405


def test_a_problem_with_a_clip_is_noted_once_without_a_name(walker):
    walker.reach_trials()
    for position in ("0", "0", "99", "", "x" * 400):
        walker.client.post(f"{walker.road}problem/", {"position": position})
    assert list(SheetEvent.objects.values_list("kind", flat=True)) == ["claimed", "problem at 0"]


def test_the_way_back_carries_the_code(client):
    trial = running_trial(physics_pack(tests=1), completion_url="https://panel.example/back?cc={code}", replicates=1)
    walker = Walker(client, trial).reach_trials().answer()
    assert f'href="https://panel.example/back?cc={walker.person.completion_code}"' in walker.text


def test_the_number_of_queries_does_not_grow_with_the_sheet(client, django_assert_max_num_queries):
    walker = Walker(client, running_trial(physics_pack(tests=16), replicates=1)).reach_trials()
    with django_assert_max_num_queries(4):
        walker.look()
    with django_assert_max_num_queries(8):  # two of them begin and end the transaction
        walker.send("answer/", position="3", answer="yes")


def test_the_pages_obey_the_content_security_policy(walker):
    for page in (walker.page, walker.reach_trials().page):
        assert "'unsafe-inline'" not in page["Content-Security-Policy"]
        assert all(mark not in page.content.decode() for mark in ("<style", " style=", " onclick=", "<script>"))
