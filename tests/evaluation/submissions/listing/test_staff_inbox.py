"""Decisions of staff: the inbox, its preview, marks, e-mails; and the card that a sender writes."""

import pytest
from django.core import mail
from django.test import Client

from accounts.models import Act, User, new_token
from evaluation.models import Listing, Run
from evaluation.submissions.files.problems import SubmissionRefused
from evaluation.submissions.listing import lifecycle
from evaluation.submissions.store.submit import submit
from tests.evaluation.submissions.uploads import good_file, small_pack, upload
from tests.markup import compact

pytestmark = pytest.mark.django_db


def words(page):
    return " ".join(page.content.decode().split())


@pytest.fixture
def pack():
    return small_pack()


@pytest.fixture
def ada():
    return User.objects.create_user("ada", "ada@example.org")


def proposed(ada, pack, name="A model"):
    return lifecycle.propose(run=submit(file=upload(good_file(pack, model=name)), user=ada), by=ada)


def test_several_are_listed_after_a_look_at_what_would_happen(staff, ada, pack):
    runs = [proposed(ada, pack, name) for name in ("First", "Second")]
    chosen = {"run": [run.pk for run in runs], "decision": "list"}
    page = words(staff.post("/submit/inbox/", chosen))
    assert "<strong>First</strong> becomes a row of GRASP: A small pack" in page
    assert not Run.objects.filter(listing=Listing.LISTED).exists()
    staff.post("/submit/inbox/", chosen | {"confirmed": "1"})
    assert Run.objects.filter(listing=Listing.LISTED).count() == 2


def test_declining_several_needs_a_reason_that_their_senders_read(staff, ada, pack):
    run = proposed(ada, pack)
    page = staff.post("/submit/inbox/", {"run": run.pk, "decision": "decline", "confirmed": "1"}, follow=True)
    assert "Say why" in words(page)
    staff.post("/submit/inbox/", {"run": run.pk, "decision": "decline", "reason": "No card.", "confirmed": "1"})
    run.refresh_from_db()
    assert (run.listing, run.card["history"][-1]["reason"]) == (Listing.DECLINED, "No card.")


def test_a_missing_reason_costs_neither_the_choice_nor_the_page(staff, ada, pack, monkeypatch):
    monkeypatch.setattr("evaluation.submissions.listing.staff_inbox.A_PAGE", 2)
    first, _, third, fourth = (proposed(ada, pack, name).pk for name in ("First", "Second", "Third", "Fourth"))
    said = {"run": [fourth], "decision": "decline", "reason": " "}
    page = compact(staff.post("/submit/inbox/?page=2", said).content.decode())
    assert "Say why" in page
    assert f'value="{fourth}" checked' in page
    assert f'value="{third}" aria-label' in page
    assert f'value="{first}"' not in page
    assert 'action="/submit/inbox/?page=2"' in page
    kept = staff.post("/submit/inbox/", {"decision": "decline", "reason": "Half <written>"}).content.decode()
    assert 'value="Half &lt;written&gt;"' in kept


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"decision": "list"},
        {"decision": "list", "run": "987654"},
        {"decision": "list", "run": ["x", "-1", "9" * 40]},
        {"decision": "burn", "run": "1"},
    ],
)
def test_what_makes_no_sense_is_a_sentence(staff, sent):
    page = staff.post("/submit/inbox/", sent, follow=True)
    assert 'class="error"' in page.content.decode()


@pytest.mark.parametrize("role", ["reader", "submitter", "author"])
def test_the_inbox_is_for_who_decides(role):
    client = Client()
    client.force_login(User.objects.create_user("eve", role=role))
    assert client.get("/submit/inbox/").status_code == 403


def test_the_list_takes_the_same_queries_however_many_wait(staff, ada, pack, django_assert_max_num_queries):
    for number in range(6):
        proposed(ada, pack, f"Model {number}")
    with django_assert_max_num_queries(6):
        assert "Model 5" in words(staff.get("/submit/inbox/"))


def test_scores_that_came_after_the_upload_are_read_for_all_rows_at_once(
    staff, ada, pack, django_assert_max_num_queries
):
    for number in range(6):
        run = proposed(ada, pack, f"Model {number}")
        run.card["lint"]["score"] = None
        run.save()
    with django_assert_max_num_queries(7):
        assert words(staff.get("/submit/inbox/")).count("50.0&nbsp;%") == 6


def test_letters_go_to_staff_and_then_to_the_sender(ada, pack, django_capture_on_commit_callbacks):
    boss = User.objects.create_superuser("boss", "boss@example.org")
    with django_capture_on_commit_callbacks(execute=True):
        run = proposed(ada, pack)
        lifecycle.decline(run=run, by=boss, reason="Name the model in full.")
    first, second = mail.outbox
    assert (first.to, second.to) == (["boss@example.org"], ["ada@example.org"])
    assert "ada asks for a row: A model on GRASP: A small pack." in first.body
    assert "Name the model in full." in second.body
    assert f"/submit/{run.pk}/" in second.body


def test_a_mail_server_that_is_away_keeps_nothing_from_being_decided(
    ada, pack, settings, django_capture_on_commit_callbacks
):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    boss = User.objects.create_superuser("boss", "boss@example.org")
    with django_capture_on_commit_callbacks(execute=True):
        assert lifecycle.list_run(run=proposed(ada, pack), by=boss).listing == Listing.LISTED


def test_marks_are_kept_in_order_with_their_step_and_move_the_standing(staff, ada, pack):
    run = lifecycle.list_run(run=proposed(ada, pack), by=ada, marks=["verified", "baseline"])
    before = run.answers_version
    assert run.marks == ["baseline", "verified"]
    run = lifecycle.set_badges(run=run, by=ada, marks=["verified"])
    assert (run.marks, run.answers_version, run.card["history"][-1]["reason"]) == (["verified"], before + 1, "verified")
    with pytest.raises(SubmissionRefused, match="no mark 'best'"):
        lifecycle.set_badges(run=run, by=ada, marks=["best"])


def test_a_mark_is_given_with_the_decision(staff, ada, pack):
    run = proposed(ada, pack)
    staff.post(f"/submit/{run.pk}/decide/", {"decision": "list", "marks": ["verified"]})
    run.refresh_from_db()
    assert run.marks == ["verified"]
    assert "verified" in words(staff.get(f"/submit/{run.pk}/"))


def test_marks_of_what_is_on_the_board_are_changed_on_its_page_and_the_change_is_written_down(staff, ada, pack):
    run = lifecycle.list_run(run=proposed(ada, pack), by=ada)
    page = words(staff.get(f"/submit/{run.pk}/"))
    assert "Save the marks" in page
    assert "Put on the board" not in page
    staff.post(f"/submit/{run.pk}/decide/", {"decision": "mark", "marks": ["baseline"]})
    run.refresh_from_db()
    assert (run.listing, run.marks) == (Listing.LISTED, ["baseline"])
    assert Act.objects.get().details == {"decision": ["mark"], "marks": ["baseline"]}


def test_nothing_is_decided_about_what_its_sender_has_not_submitted(staff, ada, pack):
    run = submit(file=upload(good_file(pack)), user=ada)
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


def test_the_card_is_written_by_the_sender_and_read_by_staff(submitter, pack):
    run = submit(file=upload(good_file(pack)), user=submitter.user)
    submitter.post(f"/submit/{run.pk}/card/", CARD)
    run.model.refresh_from_db()
    assert run.model.card == CARD
    page = compact(submitter.get(f"/submit/{run.pk}/").content.decode())
    assert "<dt>Contamination</dt><dd>None of these clips.</dd>" in page


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("link", "javascript:alert(1)"),
        ("link", "ftp://example.org/"),
        ("released", "soon"),
        ("organisation", "a\x07b"),
        ("contamination", "x" * 601),
    ],
)
def test_a_card_that_can_not_be_is_refused_by_field(submitter, pack, field, value):
    run = submit(file=upload(good_file(pack)), user=submitter.user)
    page = submitter.post(f"/submit/{run.pk}/card/", {field: value})
    assert field in page.context["form"].errors
    run.model.refresh_from_db()
    assert run.model.card == {}


def test_markup_in_a_card_is_text(submitter, pack):
    run = submit(file=upload(good_file(pack, model="<script>x</script>{{ 7 }}")), user=submitter.user)
    submitter.post(f"/submit/{run.pk}/card/", {"organisation": "<img src=x onerror=alert(1)>"})
    page = words(submitter.get(f"/submit/{run.pk}/"))
    assert "<script>x" not in page
    assert "<img src=x" not in page
    assert "&lt;img src=x" in page


def test_nobody_writes_anothers_card(submitter, ada, pack):
    run = proposed(ada, pack)
    assert submitter.post(f"/submit/{run.pk}/card/", CARD).status_code == 404


def test_a_key_that_may_read_lists_ones_own(ada, pack):
    run = proposed(ada, pack)
    key = new_token(user=ada, name="key", scopes=["read"])
    (row,) = Client().get("/api/v1/submissions/", headers={"Authorization": f"Token {key}"}).json()
    assert (row["run"], row["listing"], row["score"]) == (run.pk, "submitted", 0.5)
    assert Client().get("/api/v1/submissions/").status_code == 401
