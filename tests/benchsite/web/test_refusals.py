"""Refusals for which Django sends a bare line or nothing are pages of this site."""

import pytest
from django.test import Client

from benchsite.web.middleware import page_above
from tests.evaluation.submissions.uploads import good_file, small_pack, upload

pytestmark = pytest.mark.django_db


def test_a_form_that_is_too_old_says_what_to_do_and_changes_nothing(django_user_model):
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada := django_user_model.objects.create_user("ada"))
    page = client.post("/account/", {"first_name": "Ada", "last_name": ""})
    said = page.content.decode()
    assert (page.status_code, "The form has expired" in said, "benchsite</a>" in said) == (403, True, True)
    ada.refresh_from_db()
    assert ada.first_name == ""


def test_who_had_to_sign_in_before_a_button_is_told_that_nothing_was_done(submitter):
    from evaluation.submissions.store.submit import submit

    run = submit(file=upload(good_file(small_pack())), user=submitter.user)
    page = submitter.get(f"/submit/{run.pk}/propose/")
    said = page.content.decode()
    assert (page.status_code, page["Allow"]) == (405, "POST")
    assert "Nothing was done" in said
    assert f'href="/submit/{run.pk}/"' in said


def test_the_page_above_is_the_nearest_that_there_is():
    below = ("/runs/3/resume/", "/nothing/at/all/", "/submit/7/decide/")
    assert [page_above(path) for path in below] == ["/runs/3/", "/", "/submit/7/"]


def test_programs_get_their_own_answer(submitter):
    assert b"<html" not in submitter.get("/api/v1/submissions/uploads/x/").content
    assert submitter.delete("/runs/1/resume/").content == b""
