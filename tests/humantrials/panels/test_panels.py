"""Panels: Prolific's signed addresses and codes, and the framed task from preview to submission."""

import base64
import json
import time
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from django.test import Client
from jwt.algorithms import RSAAlgorithm

from humantrials.identities import SIMULATOR_HEADER, simulator_signature
from humantrials.models import Participant, Trial
from humantrials.models.identity import Identity
from humantrials.panels import PANELS
from humantrials.panels.panel import FINISHED, PARTIAL, SCREENED, read_hosts
from humantrials.panels.prolific import BadToken, claims_of, code_for, read_key_set
from tests.humantrials.assignment.test_claims import claim_sheet
from tests.humantrials.fixtures import altered, newcomer
from tests.humantrials.plain_client import Walker

pytestmark = pytest.mark.django_db
PERSON = {"PROLIFIC_PID": "pid1", "STUDY_ID": "study1", "SESSION_ID": "session1"}
CODES = {"code_finished": "DONE1", "code_declined": "NO1", "code_full": "FULL1", "code_stopped": "STOP1"}
PANEL = "https://panel.example"
TASK = {"assignmentId": "a1", "hitId": "h1", "workerId": "w1", "turkSubmitTo": PANEL}


@pytest.fixture(scope="module")
def key():
    """The panel's private key."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def key_set(key, kid: str = "k1") -> str:
    public = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    return json.dumps({"keys": [{**public, "kid": kid, "alg": "RS256", "use": "sig"}]})


def signed(key: Any, *, kid: str = "k1", alg: str = "RS256", **claims) -> str:
    """A token signed like the panel's."""
    said = {
        "iss": "https://www.prolific.com",
        "sub": "session1",
        "exp": time.time() + 300,
        "aud": "https://testserver/t/x/",
        "prolific": {**PERSON, "workspace_id": "w1"},
        **claims,
    }
    secret: Any = key if alg == "RS256" else None
    return jwt.encode(said, secret, algorithm=alg, headers={"kid": kid})


def b64(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def test_claims_are_read_only_from_a_good_token(key):
    keys = read_key_set(key_set(key))
    good = signed(key, aud=["other.example", "https://testserver/t/x"])
    for token in (good, signed(key, aud="testserver"), signed(key, aud="TestServer:8000"), signed(key)):
        assert claims_of(token, keys, audience="testserver")["prolific"]["PROLIFIC_PID"] == "pid1"
    head, body, signature = good.split(".")
    forged = b64(json.dumps({"exp": 9e9, "aud": "testserver"}))
    public_as_secret = jwt.encode({"exp": 9e9, "aud": "testserver"}, "n" * 64, "HS256", headers={"kid": "k1"})
    for bad in (
        f"{head}.{forged}.{signature}",
        f"{head}.{body}.{signature[:-4]}AAAA",
        f"{head}.{body}.",
        signed(key, kid="other"),
        signed(key, alg="none"),
        public_as_secret,
        signed(key, exp=time.time() - 3600),
        signed(key, exp="soon"),
        signed(key, aud="elsewhere.example"),
        signed(key, aud="https://testserver.evil.example/"),
        signed(key, aud="https://[::"),
        signed(key, aud=7),
        "",
        "a.b",
        "a.b.c",
        "é.é.é",
        "." * 9000,
    ):
        with pytest.raises(BadToken):
            claims_of(bad, keys, audience="testserver")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        '{"keys": []}',
        '{"keys": [{"kty": "EC"}]}',
        '{"keys": "x"}',
        pytest.param("[" * 5000, id="deep"),
        '{"keys": [{"kty": "RSA", "kid": "k", "n": "AQAB", "e": "AQAB"}]}',
    ],
)
def test_a_key_set_that_is_none_is_refused_in_words(text):
    with pytest.raises(ValueError, match="key"):
        read_key_set(text)


def prolific(trial, **settings) -> Trial:
    return altered(trial, panel="prolific", panel_settings={**CODES, **settings})


def test_only_the_person_whom_the_signature_names_is_let_in(client, trial, key):
    prolific(trial, signed=True, keys=read_key_set(key_set(key)))
    claims = {"prolific": {**PERSON, "workspace_id": "w1"}}
    other_names = {"participant_id": "pid1", "study_id": "study1", "submission_id": "session1"}
    address = f"/t/{trial.slug}/"
    for parameters in (
        PERSON,
        {**PERSON, "prolific_token": "x.y.z"},
        {**PERSON, "PROLIFIC_PID": "somebody else", "prolific_token": signed(key, **claims)},
        {**PERSON, "STUDY_ID": "another", "prolific_token": signed(key, **claims)},
        {**PERSON, "prolific_token": signed(key, prolific="pid1")},
        {**PERSON, "prolific_token": signed(key, prolific=other_names)},
        {**PERSON, "prolific_token": signed(key, exp=time.time() - 999, **claims)},
    ):
        page = client.get(address, parameters)
        assert page.status_code == 403
        assert "be checked" in page.content.decode()
    assert not Participant.objects.exists()
    walker = Walker(client, trial, **PERSON, prolific_token=signed(key, **claims))
    assert "Before you begin" in walker.text
    road = walker.agree().road
    assert Walker(Client(), trial, **PERSON, prolific_token=signed(key, **claims)).press(step="return").road == road
    assert Identity.objects.get().external_id == "pid1"


def test_each_outcome_has_its_own_code_and_way_back_and_a_link_without_an_id_has_none(trial):
    prolific(trial)
    assert Client().get(f"/t/{trial.slug}/", {"STUDY_ID": "s"}).status_code == 403
    assert not Participant.objects.exists()
    no = Walker(Client(), trial, **PERSON).press(step="consent", choice="no")
    stopped = Walker(Client(), trial, **{**PERSON, "PROLIFIC_PID": "pid2"}).agree().press(step="stop")
    done = Walker(Client(), trial, **{**PERSON, "PROLIFIC_PID": "pid3"}).reach_trials().answer().answer()
    claim_sheet(participant=newcomer(trial))
    full = Walker(Client(), trial, **{**PERSON, "PROLIFIC_PID": "pid4"})
    for walker, code in ((no, "NO1"), (stopped, "STOP1"), (done, "DONE1"), (full, "FULL1")):
        page = walker.look().text
        assert f'href="https://app.prolific.com/submissions/complete?cc={code}"' in page, code
    page = done.text
    assert "<output" in page
    assert done.person.completion_code not in page  # only one code is shown


@pytest.mark.parametrize(
    ("own", "part", "screened"),
    [({}, "STOP1", "STOP1"), ({"code_partial": "PART1", "code_screened": "OUT1"}, "PART1", "OUT1")],
)
def test_part_of_a_sheet_and_a_failed_quiz_never_get_the_code_of_a_whole_sheet(trial, own, part, screened):
    setup = prolific(trial).panel_settings | own
    for outcome, code in ((PARTIAL, part), (SCREENED, screened), (FINISHED, "DONE1")):
        assert code_for(setup, outcome, "PARTIAL-50-ABCDEFGH") == code
    assert code_for({}, PARTIAL, "PARTIAL-50-ABCDEFGH") == "PARTIAL-50-ABCDEFGH"  # a failed transfer costs no code


@pytest.mark.parametrize(("ending", "outcome"), [("code/", PARTIAL), ("", FINISHED)])
def test_somebody_whose_answers_did_not_arrive_returns_as_partial(trial, ending, outcome):
    prolific(trial)
    walker = Walker(Client(), trial, **PERSON).reach_trials().answer()
    if ending:
        walker.client.post(f"{walker.road}{ending}")
    else:
        walker.answer().press(step="withdraw")  # a finished sheet stays finished
    assert f"complete?cc={'DONE1' if outcome == FINISHED else 'STOP1'}" in walker.look().text


STRANGER = {"participant": "made-up", "invitation": "1-made-up", "turkSubmitTo": "https://evil.example"}
INVENTED = PERSON | TASK | STRANGER


@pytest.mark.requirement("P5")
@pytest.mark.parametrize("panel", ["invited", "prolific", "framed"])
@pytest.mark.parametrize("shown", [None, "", "guess", "é", "0" * 64])
def test_no_header_but_the_simulators_own_signature_opens_a_panel(trial, key, panel, shown):
    set_up = {"signed": True, "keys": read_key_set(key_set(key)), "invitation_secret": "s", "invitations": 3}
    Trial.objects.update(panel=panel, panel_settings={**CODES, **set_up})
    client = Client(headers={} if shown is None else {SIMULATOR_HEADER: shown})
    for page in (client.get(f"/t/{trial.slug}/", INVENTED), client.post(f"/t/{trial.slug}/?participant=made-up")):
        is_preview = panel == "framed" and not shown and page.request["REQUEST_METHOD"] == "POST"
        assert page.status_code == (200 if is_preview else 403)
    assert not Participant.objects.exists()


@pytest.mark.parametrize("panel", PANELS)
def test_the_simulator_enters_by_its_signature_whatever_the_panel(trial, panel):
    Trial.objects.update(panel=panel)
    Walker(Client(headers={SIMULATOR_HEADER: simulator_signature(trial.slug)}), trial).agree()
    assert set(Participant.objects.values_list("kind", "state")) == {("simulated", "consented")}


@pytest.mark.requirement("P10")
def test_no_code_that_we_suggest_rejects_anybody(staff, trial):
    prolific(trial)
    page = staff.get(f"/trials/{trial.slug}/manage/panel/").content.decode()
    assert "MANUALLY_REVIEW" in page
    assert "REJECT" not in page.upper().replace("REJECTS ANYBODY", "")


def framed(trial) -> Trial:
    return altered(trial, panel="framed", panel_settings={"frame_hosts": [PANEL], "submit_hosts": [PANEL]})


@pytest.mark.requirement("P11")
@pytest.mark.parametrize("assignment", ["ASSIGNMENT_ID_NOT_AVAILABLE", ""])
def test_a_preview_hit_tells_what_it_is_and_stores_nobody(client, trial, assignment):
    page = client.get(f"/t/{framed(trial).slug}/", {**TASK, "assignmentId": assignment})
    assert page.status_code == 200
    assert "Accept the task to begin" in page.content.decode()
    assert not Participant.objects.exists()


def test_the_task_is_submitted_by_a_form_to_the_named_host_alone(trial):
    walker = Walker(Client(), framed(trial), **TASK).reach_trials().answer().answer()
    page = walker.text
    assert f'<form method="post" action="{PANEL}/mturk/externalSubmit"' in page
    assert 'name="assignmentId" value="a1"' in page
    assert f'name="completionCode" value="{walker.person.completion_code}"' in page
    assert f"form-action 'self' {PANEL}" in walker.page["Content-Security-Policy"]
    declined = Walker(Client(), trial, **{**TASK, "workerId": "w2"}).press(step="consent", choice="no")
    assert "externalSubmit" not in declined.text


@pytest.mark.parametrize(
    "target", ["https://evil.example", "", "javascript:alert(1)", "http://[", f"{PANEL}.evil.example"]
)
def test_nobody_is_let_in_whose_task_would_be_submitted_elsewhere(client, trial, target):
    assert client.get(f"/t/{framed(trial).slug}/", {**TASK, "turkSubmitTo": target}).status_code == 403
    assert not Participant.objects.exists()


def test_the_same_worker_with_a_new_assignment_finds_the_old_work_and_submits_the_new_one(trial):
    first = Walker(Client(), framed(trial), **TASK).reach_trials().answer()
    code = first.person.receipt_code
    again = Walker(Client(), trial, **{**TASK, "assignmentId": "a2"}).press(step="return", code=code)
    assert again.road == first.road
    assert len(again.reader.positions) == 1
    again.answer()
    later = Walker(Client(), trial, **{**TASK, "assignmentId": "a3"}).press(step="return", code=code)
    assert 'name="assignmentId" value="a3"' in later.text
    assert trial.judgments.filter(counts=True).count() == 2
    assert Participant.objects.count() == Identity.objects.count() == 1


@pytest.mark.requirement("P5")
def test_only_named_hosts_may_frame_the_road_and_nothing_else_of_the_site(client, trial):
    walker = Walker(client, trial)
    assert "frame-ancestors 'none'" in walker.page["Content-Security-Policy"]
    assert walker.page["X-Frame-Options"] == "DENY"
    walker = Walker(Client(), framed(trial), **TASK).agree()
    for page in (walker.page, Client().get(f"/t/{trial.slug}/", TASK), Client().get(f"/t/{trial.slug}/")):
        assert f"frame-ancestors 'self' {PANEL}" in page["Content-Security-Policy"]
        assert "X-Frame-Options" not in page
    assert "frame-ancestors 'none'" in client.get(f"/trials/{trial.slug}/")["Content-Security-Policy"]


@pytest.mark.parametrize("text", ["*", "panel.example", "https://panel.example/path", "https://a b;c", "https://x'y"])
def test_what_is_no_host_never_gets_into_the_policy(text):
    with pytest.raises(ValueError, match="addresses such as"):
        read_hosts(text)


def test_an_author_sets_a_panel_up_and_mistakes_are_said_at_their_field(staff, trial, key):
    address = f"/trials/{trial.slug}/manage/panel/"
    page = staff.post(f"{address}?panel=prolific", {"code_finished": "not a code!", "signed": "perhaps", "keys": "{}"})
    assert page.status_code == 400
    assert page.content.decode().count("Expected: ") == 3
    page = staff.post(f"{address}?panel=prolific", {"signed": "yes"})
    assert "without the key set" in page.content.decode()
    staff.post(f"{address}?panel=prolific", {"code_finished": "DONE1", "signed": "yes", "keys": key_set(key)})
    trial.refresh_from_db()
    assert trial.panel == "prolific"
    assert trial.panel_settings["keys"][0]["kid"] == "k1"
    page = staff.get(address).content.decode()
    assert "DONE1" in page
    staff.post(f"{address}?panel=framed", {"frame_hosts": f"{PANEL}/ http://localhost:8000"})
    trial.refresh_from_db()
    assert trial.panel_settings == {"frame_hosts": [PANEL, "http://localhost:8000"]}


def test_the_panel_can_not_change_when_people_have_come_through_it(staff, walker, trial):
    walker.agree()
    assert staff.post(f"/trials/{trial.slug}/manage/panel/?panel=framed", {}).status_code == 409
    trial.refresh_from_db()
    assert trial.panel == "generic"


@pytest.mark.parametrize("panel", PANELS)
@pytest.mark.parametrize("parameters", [{}, {"workerId": "\x00"}, {"PROLIFIC_PID": "p" * 9999}, {"assignmentId": "é"}])
def test_strange_parameters_end_in_a_page_of_ours(client, trial, panel, parameters):
    Trial.objects.update(panel=panel)
    assert client.get(f"/t/{trial.slug}/", parameters).status_code in (200, 302, 403)
    assert all(len(one.external_id) <= 200 for one in Identity.objects.all())
