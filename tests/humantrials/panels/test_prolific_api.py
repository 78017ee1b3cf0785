"""A trial with Prolific's API, against a stand-in that follows the published reference."""

import json
from decimal import Decimal

import httpx
import pytest
from django.core.management import call_command

from benchmarks.commands import CallerMistake
from humantrials.errors import WrongState
from humantrials.models import ParticipantState, PayEntry, Trial
from humantrials.panels.prolific import ACTIONS, PROLIFIC, code_for, completion_codes
from humantrials.panels.prolific_api import MOST_BONUSES, Prolific, ProlificRefused
from humantrials.running import prolific_study
from tests.commands import told
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.plain_client import Walker

pytestmark = pytest.mark.django_db
REQUIRED = {
    *("name", "description", "external_study_url", "prolific_id_option", "total_available_places"),
    *("estimated_completion_time", "reward", "completion_codes"),
}


class StandIn:
    """Prolific by its reference: studies, submissions, bonuses; every payment is counted."""

    def __init__(self) -> None:
        self.studies: dict[str, dict] = {}
        self.submissions: dict[str, dict] = {}
        self.bonuses: dict[str, str] = {}
        self.paid: list[str] = []
        self.breaks = False

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.headers["Authorization"] != "Token right":
            return httpx.Response(401, json={"error": {"title": "Authentication credentials were not valid"}})
        body = json.loads(request.content) if request.content else {}
        parts = [part for part in request.url.path.split("/") if part][2:]
        return getattr(self, f"_{request.method.lower()}_{parts[0].replace('-', '_')}")(parts[1:], body, request)

    def _post_studies(self, parts, body, request):
        missing = REQUIRED - set(body)
        if missing or not isinstance(body["reward"], int) or not body["completion_codes"]:
            return httpx.Response(400, json={"error": {"detail": sorted(missing)}})
        name = f"study{len(self.studies)}"
        self.studies[name] = body | {"id": name, "status": "UNPUBLISHED"}
        return httpx.Response(201, json=self.studies[name])

    def _patch_studies(self, parts, body, request):
        self.studies[parts[0]] |= body
        return httpx.Response(200, json=self.studies[parts[0]])

    def _get_submissions(self, parts, body, request):
        page, size = (int(request.url.params[name]) for name in ("page", "page_size"))
        found = [one for one in self.submissions.values() if one["study_id"] == request.url.params["study"]]
        return httpx.Response(200, json={"results": found[(page - 1) * size : page * size]})

    def _post_submissions(self, parts, body, request):
        if parts[0] == "bulk-approve":
            for name in body["submission_ids"]:
                self.submissions[name]["status"] = "APPROVED"
            return httpx.Response(200, json={"message": "in progress"})
        if parts[0] == "bonus-payments":
            self.bonuses[f"bulk{len(self.bonuses)}"] = body["csv_bonuses"]
            return httpx.Response(201, json={"id": f"bulk{len(self.bonuses) - 1}"})
        codes = {code["code"] for code in self.studies[self.submissions[parts[0]]["study_id"]]["completion_codes"]}
        if body["action"] != "COMPLETE" or body["completion_code"] not in codes:
            return httpx.Response(400, json={"error": {"title": "no such code"}})
        self.submissions[parts[0]]["status"] = "SCREENED OUT"
        return httpx.Response(200, json=self.submissions[parts[0]])

    def _post_bulk_bonus_payments(self, parts, body, request):
        self.paid.append(self.bonuses[parts[0]])  # not idempotent: every call pays
        if self.breaks:
            raise httpx.ReadTimeout("lost")
        return httpx.Response(202)


class ToStandIn(Prolific):
    """The API client, connected to the stand-in."""

    there: StandIn


@pytest.fixture
def prolific() -> ToStandIn:
    there = StandIn()
    client = ToStandIn("right", "https://api.test", httpx.MockTransport(there))
    client.there = there
    return client


@pytest.fixture
def study(client) -> Trial:
    """A trial with Prolific as its panel, with pay, codes and two participants."""
    trial = running_trial(physics_pack(tests=2), replicates=1)
    trial.panel, trial.pay_amount, trial.pay_currency = "prolific", Decimal("2.50"), "GBP"
    trial.panel_settings = {"code_finished": "DONE1", "code_screened": "OUT1"}
    trial.save()
    for name in ("anna", "ben"):
        Walker(client, trial, PROLIFIC_PID=name, STUDY_ID="study0", SESSION_ID=f"session-{name}").agree()
    return trial


@pytest.fixture
def submitted(study, prolific) -> Trial:
    """The trial at Prolific, where both have submitted."""
    there = prolific_study.create_draft(study, prolific)
    for name in ("anna", "ben"):
        one = {"id": f"session-{name}", "participant_id": name, "study_id": there, "status": "AWAITING REVIEW"}
        prolific.there.submissions[one["id"]] = one
    return study


def entry(trial: Trial, kind: str, amount: str, place: int = 0) -> PayEntry:
    person = trial.participants.order_by("pk")[place]
    return PayEntry.objects.create(trial=trial, participant=person, kind=kind, amount=amount, reason="good")


def test_a_draft_says_what_the_trial_is_and_is_not_published(study, prolific, settings):
    settings.SITE_URL = "https://site.example"
    assert prolific_study.create_draft(study, prolific) == "study0"
    draft = prolific.there.studies["study0"]
    assert (draft["reward"], draft["total_available_places"], draft["status"]) == (250, 2, "UNPUBLISHED")
    assert draft["external_study_url"].startswith(f"https://site.example/t/{study.slug}/?PROLIFIC_PID={{{{%")
    assert {code["code"] for code in draft["completion_codes"]} == {"DONE1", "OUT1"}
    with pytest.raises(WrongState, match="has the study study0 at Prolific already"):
        prolific_study.create_draft(study, prolific)
    prolific.set_places("study0", 5)
    assert prolific.there.studies["study0"]["total_available_places"] == 5


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"panel": "generic"}, "has another panel"),
        ({"pay_amount": None}, "has no pay for a sheet"),
        ({"panel_settings": {}}, "has no completion code"),
    ],
)
def test_what_a_draft_lacks_is_said(study, prolific, change, said):
    for name, value in change.items():
        setattr(study, name, value)
    with pytest.raises(WrongState, match=said):
        prolific_study.create_draft(study, prolific)
    assert not prolific.there.studies


def test_only_approved_pay_is_approved_there(submitted, prolific):
    entry(submitted, "base", "2.50")
    assert prolific_study.approve(submitted, prolific) == 1
    assert prolific_study.approve(submitted, prolific) == 0
    assert [one["status"] for one in prolific.there.submissions.values()] == ["APPROVED", "AWAITING REVIEW"]


def test_a_bonus_is_paid_once_even_if_the_answer_is_lost(submitted, prolific):
    entry(submitted, "bonus", "0.75")
    prolific.there.breaks = True
    with pytest.raises(ProlificRefused, match="did not answer"):
        prolific_study.pay_bonuses(submitted, prolific)
    prolific.there.breaks = False
    submitted.refresh_from_db()
    assert prolific_study.pay_bonuses(submitted, prolific) == 0
    assert prolific.there.paid == ["anna,0.75"]
    entry(submitted, "bonus", "1.00", place=1)
    assert prolific_study.pay_bonuses(submitted, prolific) == 1
    assert prolific.there.paid == ["anna,0.75", "ben,1.00"]


def test_the_panels_form_keeps_what_was_sent(submitted, prolific, staff):
    entry(submitted, "bonus", "0.75")
    prolific_study.pay_bonuses(submitted, prolific)
    staff.post(f"/trials/{submitted.slug}/manage/panel/", {"code_finished": "DONE1"})
    submitted.refresh_from_db()
    assert prolific_study.study_of(submitted) == "study0"
    assert prolific_study.pay_bonuses(submitted, prolific) == 0


def test_who_failed_the_quiz_is_screened_out_with_the_code(submitted, prolific):
    submitted.participants.filter(pk=submitted.participants.first().pk).update(state=ParticipantState.SCREENED)
    assert prolific_study.screen_out(submitted, prolific) == 1
    assert prolific.there.submissions["session-anna"]["status"] == "SCREENED OUT"


def test_all_pages_of_submissions_are_read(prolific):
    for number in range(205):
        one = {"id": f"s{number}", "participant_id": f"p{number}", "study_id": "x", "status": "ACTIVE"}
        prolific.there.submissions[one["id"]] = one
    assert len(list(prolific.submissions("x"))) == 205


def test_refusals_are_sentences(prolific):
    wrong = Prolific("wrong", "https://api.test", httpx.MockTransport(prolific.there))
    with pytest.raises(ProlificRefused, match=r"Prolific refused PATCH /api/v1/studies/x/ \(401\)"):
        wrong.set_places("x", 1)
    with pytest.raises(ProlificRefused, match="at most 200"):
        prolific.set_up_bonuses("x", {str(n): Decimal(1) for n in range(MOST_BONUSES + 1)})


def test_the_command_wants_a_token(study, settings):
    settings.PROLIFIC_TOKEN = ""
    with pytest.raises(CallerMistake, match="PROLIFIC_TOKEN"):
        call_command("change_trial", "prolific", study.slug, "draft")
    with pytest.raises(CallerMistake, match="--places is a number from 1"):
        call_command("change_trial", "prolific", study.slug, "places")


def test_the_command_says_what_it_did(study, prolific, monkeypatch):
    monkeypatch.setattr(prolific_study, "open_prolific", lambda: prolific)
    for action, said in (("draft", {"study": "study0"}), ("approve", {"approve": 0}), ("bonus", {"bonus": 0})):
        assert told("change_trial", "prolific", study.slug, action) == {"trial": study.slug, "action": action, **said}


def test_every_code_that_prolific_acts_on_is_set_in_the_panels_form():
    setup = {field.name: field.name.upper() for field in PROLIFIC.settings}
    codes = {outcome: f"CODE_{outcome.upper()}" for outcome in ACTIONS}
    assert [entry["code"] for entry in completion_codes(setup)] == list(codes.values())
    assert {outcome: code_for(setup, outcome, "OWN") for outcome in ACTIONS} == codes
