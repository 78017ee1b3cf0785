"""Decisions of staff: the inbox, its preview, marks, e-mails; and the card that a sender writes."""

import pytest
from django.core import mail
from django.test import Client

from accounts.models import Act, User, new_token
from evaluation.models import Listing, Run
from evaluation.submissions.files.problems import SubmissionRefused
from evaluation.submissions.listing import lifecycle
from tests.evaluation.submissions.uploads import proposed, stored, words
from tests.markup import compact

pytestmark = pytest.mark.django_db


def test_several_are_listed_after_a_look_at_what_would_happen(staff, user, pack):
    chosen = {"run": [proposed(pack, user, model=name).pk for name in ("First", "Second")], "decision": "list"}
    page = words(staff.post("/submit/inbox/", chosen))
    assert "<strong>First</strong> becomes a row of GRASP: A small pack" in page
    assert not Run.objects.filter(listing=Listing.LISTED).exists()
    staff.post("/submit/inbox/", chosen | {"confirmed": "1"})
    assert Run.objects.filter(listing=Listing.LISTED).count() == 2


def test_declining_needs_a_reason_without_which_choice_and_page_stay(staff, user, pack, monkeypatch):
    monkeypatch.setattr("evaluation.submissions.views.A_PAGE", 2)
    run, _, third, fourth = (proposed(pack, user, model=name) for name in ("First", "Second", "Third", "Fourth"))
    said = {"run": [fourth.pk], "decision": "decline", "reason": " ", "confirmed": "1"}
    page = compact(staff.post("/submit/inbox/?page=2", said).content.decode())
    kept = (f'value="{fourth.pk}" checked', f'value="{third.pk}" aria-label', 'action="/submit/inbox/?page=2"')
    assert all(words in page for words in ("Say why", *kept))
    assert f'value="{run.pk}"' not in page
    half = staff.post("/submit/inbox/", {"decision": "decline", "reason": "Half <written>"}).content.decode()
    assert 'value="Half &lt;written&gt;"' in half
    staff.post("/submit/inbox/", said | {"run": run.pk, "reason": "No card."})
    run.refresh_from_db()
    assert (run.listing, run.card["history"][-1]["reason"]) == (Listing.DECLINED, "No card.")


def test_what_makes_no_sense_is_a_sentence(staff):
    of_nothing = ({}, {"decision": "list"}, {"decision": "burn", "run": "1"})
    of_no_run = ({"decision": "list", "run": run} for run in ("987654", ["x", "-1", "9" * 40]))
    for sent in (*of_nothing, *of_no_run):
        assert 'class="error"' in staff.post("/submit/inbox/", sent, follow=True).content.decode(), sent


def test_the_inbox_is_for_who_decides(db):
    client = Client()
    for role in ("reader", "submitter", "author"):
        client.force_login(User.objects.create_user(role, role=role))
        assert client.get("/submit/inbox/").status_code == 403


def test_the_list_takes_the_same_queries_however_many_wait(staff, user, pack, django_assert_max_num_queries):
    runs = [proposed(pack, user, model=f"Model {number}") for number in range(6)]
    with django_assert_max_num_queries(6):
        assert "Model 5" in words(staff.get("/submit/inbox/"))
    for run in runs:  # scores that came after the upload
        run.card["lint"]["score"] = None
        run.save()
    with django_assert_max_num_queries(7):
        assert words(staff.get("/submit/inbox/")).count("50.0&nbsp;%") == 6


def test_letters_go_to_staff_and_then_to_the_sender(user, pack, settings, django_capture_on_commit_callbacks):
    boss = User.objects.create_superuser("boss", "boss@example.org")
    with django_capture_on_commit_callbacks(execute=True):
        run = proposed(pack, user)
        lifecycle.decline(run=run, by=boss, reason="Name the model in full.")
    first, second = mail.outbox
    assert (first.to, second.to) == (["boss@example.org"], ["ada@example.org"])
    assert "ada asks for a row: A model on GRASP: A small pack." in first.body
    assert "Name the model in full." in second.body
    assert f"/submit/{run.pk}/" in second.body
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1  # a server that is away keeps nothing from being decided
    with django_capture_on_commit_callbacks(execute=True):
        assert lifecycle.list_run(run=proposed(pack, user, model="B"), by=boss).listing == Listing.LISTED


def test_marks_are_kept_in_order_with_their_step_and_move_the_standing(user, pack):
    run = lifecycle.list_run(run=proposed(pack, user), by=user, marks=["verified", "baseline"])
    before = run.answers_version
    assert run.marks == ["baseline", "verified"]
    run = lifecycle.set_badges(run=run, by=user, marks=["verified"])
    assert (run.marks, run.answers_version, run.card["history"][-1]["reason"]) == (["verified"], before + 1, "verified")
    with pytest.raises(SubmissionRefused, match="no mark 'best'"):
        lifecycle.set_badges(run=run, by=user, marks=["best"])


def test_marks_are_given_with_the_decision_and_changed_on_the_page_of_what_is_listed(staff, user, pack):
    run = proposed(pack, user)
    for said, marks in (({"decision": "list"}, ["verified"]), ({"decision": "mark"}, ["baseline"])):
        staff.post(f"/submit/{run.pk}/decide/", said | {"marks": marks})
        run.refresh_from_db()
        assert (run.listing, run.marks) == (Listing.LISTED, marks)
        page = words(staff.get(f"/submit/{run.pk}/"))
        assert all(shown in page for shown in (marks[0], "Save the badges"))
        assert "Put on the board" not in page
    assert Act.objects.latest("pk").details == {"decision": ["mark"], "marks": ["baseline"]}


def test_nothing_is_decided_about_what_its_sender_has_not_submitted(staff, user, pack):
    run = stored(pack, user)
    assert "Put on the board" not in words(staff.get(f"/submit/{run.pk}/"))
    chosen = {"action": "put_on_the_board", "_selected_action": [run.pk]}
    preview = words(staff.post("/admin/evaluation/run/", chosen))
    assert f"run {run.pk} is finished and private: it can&#x27;t become listed" in preview


CARD = {
    "organisation": "Lab",
    "link": "https://example.org/paper",
    "parameters": "7 B",
    "released": "2026-03-01",
    "trained_on": "Web video.",
    "contamination": "None of these clips.",
}


BAD_FIELDS = [
    ("link", "javascript:alert(1)"),
    ("link", "ftp://example.org/"),
    ("released", "soon"),
    ("organisation", "a\x07b"),
    ("contamination", "x" * 601),
]


def test_the_card_is_written_by_the_sender_alone_and_a_wrong_field_is_named(submitter, user, pack):
    run = stored(pack, submitter.user)
    for field, value in BAD_FIELDS:
        assert field in submitter.post(f"/submit/{run.pk}/card/", {field: value}).context["form"].errors
        run.model.refresh_from_db()
        assert run.model.card == {}
    submitter.post(f"/submit/{run.pk}/card/", CARD)
    run.model.refresh_from_db()
    assert run.model.card == CARD
    page = compact(submitter.get(f"/submit/{run.pk}/").content.decode())
    assert "<dt>Contamination</dt><dd>None of these clips.</dd>" in page
    anothers = proposed(pack, user, model="Another")
    assert submitter.post(f"/submit/{anothers.pk}/card/", CARD).status_code == 404


def test_markup_in_a_card_is_text(submitter, pack):
    run = stored(pack, submitter.user, model="<script>x</script>{{ 7 }}")
    submitter.post(f"/submit/{run.pk}/card/", {"organisation": "<img src=x onerror=alert(1)>"})
    page = words(submitter.get(f"/submit/{run.pk}/"))
    assert "<script>x" not in page
    assert "<img src=x" not in page
    assert "&lt;img src=x" in page


def test_a_key_that_may_read_lists_ones_own(user, pack):
    run, key = proposed(pack, user), new_token(user=user, name="key", scopes=["read"])
    (row,) = Client().get("/api/v1/submissions/", headers={"Authorization": f"Token {key}"}).json()
    assert (row["run"], row["listing"], row["score"]) == (run.pk, "submitted", 0.5)
    assert Client().get("/api/v1/submissions/").status_code == 401
