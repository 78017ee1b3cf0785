"""Pages of the administration: the first page, running imports, trials, and the audit log."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import Act, User
from accounts.roles import Role
from benchmarks.models import Production
from evaluation.submissions.listing import lifecycle
from evaluation.submissions.store.submit import submit
from tests.evaluation.submissions.uploads import good_file, small_pack, upload
from tests.factories import make_model, make_run
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.markup import words

pytestmark = pytest.mark.django_db


def test_the_first_page_leads_to_what_staff_may_do(staff, client):
    page = words(staff.get(reverse("admin:index")))
    for name in ("submission-inbox", "admin:benchmarks_production_add", "admin:benchmarks_clip_changelist"):
        assert f'href="{reverse(name)}"' in page.split("Shortcuts")[1].split("</ul>")[0]
    clerk = User.objects.create_user("clerk", is_staff=True)  # staff without the rights of an admin
    client.force_login(clerk)
    assert reverse("submission-inbox") not in words(client.get(reverse("admin:index")))


def test_what_waits_stands_in_the_header_with_a_count_for_those_who_decide(staff, visitor, client):
    ada = User.objects.create_user("ada")
    lifecycle.propose(run=submit(file=upload(good_file(small_pack())), user=ada), by=ada)
    with CaptureQueriesContext(connection) as made:
        page = words(staff.get("/docs/"))
    header = page.partition("<main")[0]
    inbox = f'<a href="{reverse("submission-inbox")}"> Inbox&nbsp;<span class="count">1</span></a>'
    assert header.count(inbox) == 2  # in the header, and in the menu of small screens
    assert len([query for query in made if "COUNT" in query["sql"]]) == 1
    assert all(header.count(f'href="{reverse(name)}"') == 2 for name in ("operations", "admin:index", "account"))
    client.force_login(ada)
    assert "Inbox" not in words(client.get("/docs/"))
    assert "Inbox" not in words(visitor.get("/docs/"))


def test_a_visitors_header_asks_the_database_nothing(visitor, django_assert_num_queries):
    visitor.get("/docs/")
    with django_assert_num_queries(0):
        visitor.get("/docs/")


def test_the_list_of_imports_is_read_again_while_one_is_under_way(staff):
    production = Production.objects.create(benchmark="grasp", pack_name="new", state="importing")
    address = reverse("admin:benchmarks_production_changelist")
    assert 'data-live-part=""' in words(staff.get(address))
    Production.objects.filter(pk=production.pk).update(state="done")
    assert "data-live-part" not in words(staff.get(address))


def test_a_preview_of_trials_says_what_each_will_do_or_that_it_can_not(staff):
    trial = running_trial(physics_pack(tests=1))
    address = reverse("admin:humantrials_trial_changelist")
    page = words(staff.post(address, {"action": "close_trials", "_selected_action": trial.pk}))
    assert "The items are in the gallery again" in page
    page = words(staff.post(address, {"action": "archive_trials", "_selected_action": trial.pk}))
    assert "is open: it can&#x27;t be archived from there" in page


def test_what_authors_pages_check_is_only_looked_at(staff):
    trial = running_trial(physics_pack(tests=1))
    page = words(staff.get(reverse("admin:humantrials_trial_change", args=[trial.pk])))
    assert 'name="title"' in page
    assert [name for name in ("practice", "panel", "panel_settings", "pay_amount") if f'name="{name}"' in page] == []


def test_the_first_page_leads_to_runs_that_wait_or_are_under_way(staff):
    for model, state in (("At work", "running"), ("In line", "queued"), ("Over", "finished")):
        make_run(model=make_model(name=model, slug=model.lower().replace(" ", "-")), state=state)
    page = words(staff.get(reverse("admin:index")))
    address = reverse("admin:evaluation_run_changelist") + "?state__in=queued,running"
    assert f'href="{address}"' in page
    page = words(staff.get(address))
    assert ("At work" in page, "In line" in page, "Over" in page) == (True, True, False)


def test_the_log_says_about_which_submissions_the_inbox_decided(staff):
    ada = User.objects.create_user("ada")
    run = lifecycle.propose(run=submit(file=upload(good_file(small_pack())), user=ada), by=ada)
    staff.post("/submit/inbox/", {"run": run.pk, "decision": "list", "confirmed": "1"})
    assert Act.objects.get().details == {"run": [str(run.pk)], "decision": ["list"], "confirmed": ["1"]}


@pytest.mark.parametrize(
    ("who", "says"),
    [
        ({"role": Role.AUTHOR}, "This account uploads answers, asks for their listing, and runs human trials"),
        ({"is_superuser": True}, "This account runs the site"),
    ],
)
def test_an_account_says_what_it_may_do(client, who, says):
    client.force_login(User.objects.create_user("eve", **who))
    assert says in words(client.get("/account/"))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("account_email_verification_sent", "Signing in again sends another one."),
        ("account_reset_password_done", "If the address belongs to an account"),
    ],
)
def test_pages_about_letters_promise_no_contact_that_is_not_there(visitor, name, says):
    page = words(visitor.get(reverse(name)))
    assert says in page
    assert "contact us" not in page


def test_nobody_locks_himself_out(staff):
    address = reverse("admin:accounts_user_change", args=[staff.user.pk])
    page = words(staff.get(address))
    assert not any(f'name="{field}"' in page for field in ("is_active", "role", "is_superuser"))
    staff.post(address, {"username": "staff", "email": "new@example.org"})  # an unticked box sends this
    staff.user.refresh_from_db()
    assert (staff.user.is_active, staff.user.is_superuser, staff.user.email) == (True, True, "new@example.org")


def test_the_log_says_whether_an_account_was_left_on(staff):
    eve = User.objects.create_user("eve")
    address, sent = reverse("admin:accounts_user_change", args=[eve.pk]), {"username": "eve", "role": "reader"}
    staff.post(address, sent | {"is_active": "on"})
    staff.post(address, sent)
    off, on = (act.details for act in Act.objects.all())
    assert (on, off) == ({"role": ["reader"], "is_active": ["on"]}, {"role": ["reader"]})


def test_an_act_is_logged_without_what_postgresql_can_not_store(staff):
    staff.post("/nothing/\x00here/", {"reason": "a\x00b"})
    act = Act.objects.get()
    assert (act.path, act.details) == ("/nothing/\ufffdhere/", {"reason": ["a\ufffdb"]})
