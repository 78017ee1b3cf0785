"""The door of a study: looking at it stores nothing, a press makes a person, and an id alone opens nobody's pages."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection
from django.test import Client

from humantrials.assignment.claims import claim_sheet
from humantrials.judging.answer_flags import flags_of
from humantrials.models import Participant, SheetEvent, SheetState, Trial
from humantrials.models.identity import Identity
from humantrials.panels.invited import invitation
from humantrials.participation.pilots import pilot_key
from humantrials.running.lifecycle import close_trial, open_trial, pause_trial
from tests.humantrials.fixtures import altered, newcomer, running_trial
from tests.humantrials.plain_client import Walker

pytestmark = pytest.mark.django_db
READS = re.compile(r"\s*(SELECT|SAVEPOINT|RELEASE|ROLLBACK TO)\b(?!.*\bFOR UPDATE\b)", re.IGNORECASE | re.DOTALL)
SECRET = "a secret of invitations"
PROLIFIC = "?PROLIFIC_PID=5f3a&STUDY_ID=s&SESSION_ID=t"
FRAMED = "?assignmentId=a1&hitId=h1&workerId=w1&turkSubmitTo=https://panel.example"
LINKS = [
    ("generic", ""),
    ("generic", "?participant=known"),
    ("generic", "?participant=somebody"),
    ("generic", "?participant=%7Bid%7D"),
    ("generic", "?preview=1"),
    ("generic", "?pilot=KEY"),
    ("generic", "?pilot=none"),
    ("prolific", PROLIFIC),
    ("framed", FRAMED),
    ("framed", FRAMED.replace("a1", "ASSIGNMENT_ID_NOT_AVAILABLE")),
    ("invited", f"?invitation={invitation(SECRET, 1)}"),
    ("invited", f"?invitation={invitation(SECRET, 2)}"),
    ("invited", "?invitation=3-no"),
]


@contextmanager
def only_reads() -> Iterator[None]:
    """Any statement that writes or locks is an error, as in a transaction that only reads."""

    def guard(execute, sql, parameters, many, context):
        assert READS.match(sql), sql
        return execute(sql, parameters, many, context)

    with connection.execute_wrapper(guard):
        yield


def set_up(trial: Trial, panel: str) -> Trial:
    settings = {"invitation_secret": SECRET, "invitations": 3, "code_full": "FULL1"}
    settings |= {name: ["https://panel.example"] for name in ("frame_hosts", "submit_hosts")}
    return altered(trial, panel=panel, panel_settings=settings)


def begun(trial: Trial, **parameters: str) -> Walker:
    return Walker(Client(), trial, **parameters).reach_trials()


@pytest.mark.requirement("P11")
@pytest.mark.parametrize(("panel", "link"), LINKS)
@pytest.mark.parametrize("change", [open_trial, pause_trial, close_trial])
@pytest.mark.parametrize("method", ["get", "head"])
def test_whoever_only_looks_at_a_link_writes_nothing(staff, trial, panel, link, change, method):
    begun(set_up(trial, panel), name="known", invitation=invitation(SECRET, 1), **_parameters(link))
    change(trial=trial)
    address = f"/t/{trial.slug}/{link.replace('KEY', pilot_key(trial))}"
    with only_reads():
        page = getattr(staff, method)(address, follow=True)
    assert page.status_code in (200, 403)
    assert not page.redirect_chain
    assert Participant.objects.count() == 1


def _parameters(link: str) -> dict[str, str]:
    """What lets somebody in by the framed panel and Prolific."""
    return dict(part.split("=", 1) for part in f"{PROLIFIC}&{FRAMED}".replace("?", "").split("&"))


def test_a_fresh_site_is_only_read_too(client, trial):
    for panel, link in LINKS:
        set_up(trial, panel)
        with only_reads():
            assert client.get(f"/t/{trial.slug}/{link}").status_code in (200, 403), link
    Trial.objects.update(state="draft")
    with only_reads():
        assert client.get(f"/t/{trial.slug}/?pilot=none").status_code == 404


def test_the_first_pages_after_the_press_are_only_read(trial):
    walker = Walker(Client(), trial).agree()
    with only_reads():
        assert walker.look().reader.step == "instructions"
        assert walker.client.get(f"{walker.road}leave/").status_code == 200


def test_links_that_were_scanned_leave_every_place_free_and_no_trace(trial):
    scanner = Client(HTTP_USER_AGENT="scanner")
    for number in range(5):
        for look in (scanner.head, scanner.get):
            assert look(f"/t/{trial.slug}/?participant=p{number}", follow=True).status_code == 200
    assert set(trial.sheets.values_list("state", "epoch")) == {(SheetState.OPEN, 0)}
    assert not SheetEvent.objects.exists()
    people = [
        Walker(Client(HTTP_USER_AGENT=f"browser {number}", REMOTE_ADDR=f"192.0.2.{number}"), trial, f"p{number}")
        for number in range(2)
    ]
    for walker in people:
        scanner.get(walker.reach_trials().road)
        scanner.get(walker.road, {"alone": ""})
        walker.answer().answer()
    assert not {flag.name for own in flags_of(trial).values() for flag in own} & {"same-device", "several-browsers"}


def test_browsers_are_noted_from_what_they_send(trial):
    walker = Walker(Client(HTTP_USER_AGENT="first"), trial).reach_trials()
    walker.client = Client(HTTP_USER_AGENT="second")
    assert len(walker.look().person.traces["browsers"]) == 1
    assert len(walker.answer().person.traces["browsers"]) == 2
    walker.press(step="withdraw")
    assert walker.client.post(f"{walker.road}beat/").status_code == 200
    assert walker.person.traces is None


@pytest.mark.parametrize("link", ["", "?participant=p"])
def test_a_second_press_leads_to_the_same_person(trial, link):
    door = f"/t/{trial.slug}/{link}"
    walker = Walker.at(Client(), door)
    fields = {**walker.reader.fields, "choice": "yes"}
    first, again = (walker.client.post(door, fields) for _ in range(2))
    assert (first.status_code, first.url) == (302, again.url)
    assert Participant.objects.count() == trial.sheets.filter(state=SheetState.LEASED).count() == 1


@pytest.mark.parametrize("token", ["", "short", "é" * 43, "/" * 43])
def test_an_address_that_nobody_gave_out_is_replaced(trial, token):
    walker = Walker(Client(), trial)
    walker.press(**{**walker.reader.fields, "choice": "yes", "token": token})
    assert re.fullmatch(r"/p/[A-Za-z0-9_-]{43}/", walker.road)
    assert walker.road != f"/p/{token}/"


def test_who_agrees_when_the_last_place_is_gone_is_not_stored(trial):
    late = Walker(Client(), set_up(trial, "prolific"), PROLIFIC_PID="late")
    for _ in range(2):
        claim_sheet(participant=newcomer(trial))
    before = Participant.objects.count()
    assert "complete?cc=FULL1" in late.agree().text
    assert (Participant.objects.count(), Identity.objects.count()) == (before, 0)


def same(page) -> str:
    """The page without what is drawn anew for each visit."""
    return re.sub(r'name="token" value="[^"]*"', "", page.content.decode()).replace("student-99", "student-17")


@pytest.mark.parametrize("change", [open_trial, pause_trial, close_trial])
def test_an_id_alone_tells_nobody_whether_it_took_part(trial, change):
    begun(trial, name="student-17").answer()
    change(trial=trial)
    known, unknown = (f"/t/{trial.slug}/?participant={name}" for name in ("student-17", "student-99"))
    assert same(Client().get(known)) == same(Client().get(unknown))
    for sent in ({"step": "return", "code": "AAAAA-BBBBB-CCCCC-DDDDD"}, {"step": "return", "code": "x" * 43}):
        replies = [Client().post(door, sent) for door in (known, unknown)]
        assert [reply.status_code for reply in replies] == [404, 404]
        assert same(replies[0]) == same(replies[1])


@pytest.mark.parametrize("spelt", ["student-17", "STUDENT-17"])
@pytest.mark.parametrize("choice", ["yes", "no"])
def test_an_id_alone_opens_nobodys_pages_and_makes_no_second_person(trial, spelt, choice):
    person = begun(trial, name="student-17").answer().person
    stranger = Walker(Client(), trial, spelt)
    stranger.press(**{**stranger.reader.fields, "choice": choice})
    shown = stranger.text
    assert stranger.page.status_code == 409
    assert not any(word in shown for word in (person.token, person.receipt_code, person.code, "withdraw"))
    assert Participant.objects.get() == person
    assert trial.judgments.count() == 1


@pytest.mark.parametrize("proof", ["token", "receipt_code"])
@pytest.mark.parametrize("change", [open_trial, pause_trial, close_trial])
def test_who_proves_it_goes_on_in_another_browser(trial, proof, change):
    walker = begun(trial, name="student-17").answer()
    change(trial=trial)
    elsewhere = Walker(Client(), trial, "student-17")
    elsewhere.press(step="return", code=getattr(walker.person, proof))
    assert elsewhere.road == walker.road
    assert len(elsewhere.reader.positions) == 1


def test_a_receipt_of_another_study_opens_nothing_here(trial):
    person = begun(running_trial(trial.pack, slug="other", replicates=1)).person
    for proof in (person.receipt_code, person.token):
        assert Client().post(f"/t/{trial.slug}/?participant=w", {"step": "return", "code": proof}).status_code == 404


def test_who_said_no_is_stored_without_traces_and_stays_out(trial):
    walker = Walker(Client(), trial, "p")
    walker.press(**{**walker.reader.fields, "choice": "no"})
    assert (walker.person.state, walker.person.traces, Identity.objects.get().external_id) == ("declined", None, "")
    assert Walker(Client(), trial, "p").agree().page.status_code == 409
    assert not trial.sheets.filter(state=SheetState.LEASED).exists()
