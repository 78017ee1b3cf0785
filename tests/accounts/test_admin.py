"""The administration: every page opens, immutable rows can't change, and staff decide about listings."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from accounts.models import User, new_token
from benchmarks.admin import productions
from benchmarks.models import Pack, Production
from benchmarks.models.answers import ItemSeal
from benchmarks.tasks import import_ordered
from evaluation.models import Listing, Run
from humantrials.models import Trial
from humantrials.models.identity import Identity
from tests.benchmarks.definitions.importers.test_giraffe import make_release
from tests.factories import (
    make_answer,
    make_clip,
    make_item,
    make_model,
    make_pack,
    make_participant,
    make_run,
    make_sheet,
    make_trial,
)
from tests.markup import words

pytestmark = pytest.mark.django_db
admin.autodiscover()
OURS = {"accounts", "annotation", "benchmarks", "evaluation", "humantrials", "leaderboard"}
TABLES = sorted(
    f"{model._meta.app_label}_{model._meta.model_name}"
    for model in admin.site._registry
    if model._meta.app_label in OURS
)
OF_RECORD = ("benchmarks_clip", "benchmarks_item", "evaluation_modelresponse", "humantrials_judgment")
IMMUTABLE = [*OF_RECORD, "leaderboard_standing"]


@pytest.fixture
def rows(staff):
    """At least one row of most tables."""
    clip = make_clip()
    item = make_item(clip=clip)
    run = make_run(clip.pack, kind="uploaded", listing=Listing.SUBMITTED, owner=staff.user, card={"history": []})
    make_answer(run, item)
    new_token(user=staff.user, name="key")
    trial = make_trial(clip.pack, state="draft")
    make_sheet(trial, [item])
    participant = make_participant(trial)
    Identity.objects.create(participant=participant, trial=trial, panel="link", digest="d", external_id="worker-7")
    return {"run": run, "trial": trial, "participant": participant}


@pytest.fixture
def helper(db):
    """A member of staff with every grantable permission, but no superuser."""
    user = User.objects.create_user("helper", is_staff=True)
    user.user_permissions.set(Permission.objects.all())
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize("table", TABLES)
def test_every_list_and_row_opens(staff, rows, table):
    page = staff.get(reverse(f"admin:{table}_changelist"), {"q": "a"})
    assert page.status_code == 200
    page = staff.get(reverse(f"admin:{table}_changelist"))
    for row in page.context["cl"].result_list[:1]:
        assert staff.get(reverse(f"admin:{table}_change", args=[row.pk])).status_code == 200


@pytest.mark.parametrize("table", IMMUTABLE)
def test_what_was_imported_or_answered_is_neither_added_nor_changed_nor_deleted(staff, rows, table):
    assert staff.get(reverse(f"admin:{table}_add")).status_code == 403
    for row in staff.get(reverse(f"admin:{table}_changelist")).context["cl"].result_list:
        assert staff.post(reverse(f"admin:{table}_change", args=[row.pk]), {}).status_code == 403
        assert staff.post(reverse(f"admin:{table}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403


def act(client, table, name, row, **fields):
    """Choose the action, view its preview if there is one, and confirm."""
    address = reverse(f"admin:{table}_changelist")
    chosen = {"action": name, "_selected_action": [row.pk], **fields}
    preview = client.post(address, chosen, follow=True)
    return preview if "Say why" in words(preview) else client.post(address, chosen | {"confirmed": "1"}, follow=True)


def test_nothing_is_done_to_many_before_its_preview_is_confirmed(staff, rows):
    address = reverse("admin:evaluation_run_changelist")
    chosen = {"action": "put_on_the_board", "_selected_action": [rows["run"].pk]}
    assert f"becomes a row of {rows['run'].pack}; everybody sees its answers" in words(staff.post(address, chosen))
    assert Run.objects.get().listing != Listing.LISTED
    staff.post(address, chosen | {"confirmed": "1"})
    assert Run.objects.get().listing == Listing.LISTED


def test_a_clip_is_withdrawn_with_a_reason_after_what_goes_was_named(staff, helper, db):
    clip = make_item(clip=make_clip()).clip
    address = reverse("admin:benchmarks_clip_changelist")
    chosen = {"action": "withdraw_for_good", "_selected_action": [clip.pk]}
    assert "Say why" in words(staff.post(address, chosen, follow=True))
    preview = words(staff.post(address, chosen | {"reason": "A face is seen."}))
    assert "1 stored file, its decoded frames, and 1 question about it" in preview
    assert "can&#x27;t be taken back" in preview
    clip.refresh_from_db()
    assert clip.withdrawn_at is None
    staff.post(address, chosen | {"reason": "A face is seen.", "confirmed": "1"})
    clip.refresh_from_db()
    assert (clip.withdrawn_at is not None, clip.withdrawal_note) == (True, "A face is seen.")
    assert not clip.renditions.exists()


def test_the_page_of_a_pack_says_who_may_see_its_clips(staff, db):
    page = words(staff.get(reverse("admin:benchmarks_pack_change", args=[make_pack().pk])))
    assert "everybody (stated with the benchmark" in page


@pytest.fixture
def worker(monkeypatch, django_capture_on_commit_callbacks):
    """Run queued tasks at once, after the commit of the request that queued them."""
    monkeypatch.setattr(productions, "queue_task", lambda task, production: import_ordered(production))
    return lambda: django_capture_on_commit_callbacks(execute=True)


@pytest.fixture
def empty_release(settings, tmp_path):
    settings.RELEASES_DIR = tmp_path
    (tmp_path / "release").mkdir()


def order_of_import(client, **fields):
    told = {"benchmark": "giraffe", "folder": "release", "pack_name": "ordered", "split": ""} | fields
    return client.post(reverse("admin:benchmarks_production_add"), told, follow=True)


def test_staff_order_an_import_and_see_how_it_went(staff, db, settings, tmp_path, worker):
    releases = settings.RELEASES_DIR = tmp_path / "releases"
    address = reverse("admin:benchmarks_production_add")
    assert f"in {releases} on the server. There is none yet" in words(staff.get(address))
    make_release(releases / "release")
    with worker():
        assert order_of_import(staff).status_code == 200
    production = Production.objects.get()
    assert (production.state, production.clips_done) == ("done", production.clips_total)
    assert production.note.startswith(f"{production.clips_done} clips, ")
    assert Pack.objects.get().name == "ordered"
    page = words(staff.get(reverse("admin:benchmarks_production_changelist")))
    assert f'<progress max="{production.clips_total}"' in page
    with worker():
        order_of_import(staff)
    assert Production.objects.get().note.endswith("; it stood already")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"folder": "../release"}, "is not one of the available choices"),
        ({"pack_name": "two words"}, "Use small letters, digits and hyphens alone."),
        ({"benchmark": "mirrors"}, "is not one of the available choices"),
        ({"pack_name": "busy"}, "pack busy is being made or imported"),
    ],
)
def test_an_order_that_cannot_be_is_refused_by_its_field(staff, empty_release, fields, sentence):
    Production.objects.create(benchmark="giraffe", pack_name="busy", state="importing")
    assert sentence in words(order_of_import(staff, **fields))
    assert Production.objects.count() == 1


def test_an_import_that_fails_says_why_and_leaves_nothing(staff, empty_release, worker):
    with worker():
        order_of_import(staff)
    production = Production.objects.get()
    assert (production.state, Pack.objects.count()) == ("failed", 0)
    assert "release" in production.note


def test_staff_put_an_upload_on_the_board_or_decline_it_with_a_reason(staff, rows):
    run = rows["run"]
    act(staff, "evaluation_run", "put_on_the_board", run)
    assert Run.objects.get().listing == Listing.LISTED
    assert "Say why" in act(staff, "evaluation_run", "decline_with_reason", run).content.decode()
    act(staff, "evaluation_run", "decline_with_reason", run, reason="Not a model.")
    declined = Run.objects.get()
    assert (declined.listing, declined.answers_version) == (Listing.DECLINED, 2)
    assert declined.card["history"][-1]["reason"] == "Not a model."


def test_staff_open_pause_and_close_a_trial(staff, rows):
    for name, state, seals in (("open", "open", 1), ("pause", "paused", 1), ("close", "closed", 0)):
        act(staff, "humantrials_trial", f"{name}_trials", rows["trial"])
        assert (Trial.objects.get().state, ItemSeal.objects.count()) == (state, seals)
    page = act(staff, "humantrials_trial", "pause_trials", rows["trial"])
    assert "can&#x27;t become paused" in page.content.decode()


def test_external_ids_are_for_superusers_alone(staff, helper, rows):
    address = reverse("admin:humantrials_identity_changelist")
    assert "worker-7" in staff.get(address).content.decode()
    assert helper.get(address).status_code == 403
    assert "dentit" not in helper.get(reverse("admin:index")).content.decode()


def test_the_key_of_a_persons_road_is_not_shown(staff, rows):
    participant = rows["participant"]
    page = staff.get(reverse("admin:humantrials_participant_change", args=[participant.pk]))
    assert participant.token not in page.content.decode()


def test_a_model_keeps_its_slug(staff):
    model = make_model(slug="first")
    staff.post(reverse("admin:evaluation_model_change", args=[model.pk]), {"name": "Better", "slug": "x", "card": "{}"})
    model.refresh_from_db()
    assert (model.name, model.slug) == ("Better", "first")


@pytest.mark.parametrize("table", ["evaluation_run", "benchmarks_item", "humantrials_judgment"])
def test_a_list_takes_a_number_of_queries_that_does_not_grow(staff, rows, table, django_assert_max_num_queries):
    for _number in range(5):
        make_answer(make_run(owner=staff.user), make_item())
    with django_assert_max_num_queries(16):
        staff.get(reverse(f"admin:{table}_changelist"))
