"""The pages of uploads, as visitor, submitter and staff."""

import csv
import io
from itertools import product

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from evaluation.models import Model, Run
from evaluation.submissions.store.submit import submit
from tests.evaluation.submissions.uploads import good_file, header, json_lines, rows_for, stored, upload, words

pytestmark = pytest.mark.django_db


def post(client, content, name="answers.jsonl", **fields):
    return client.post("/submit/", {"file": SimpleUploadedFile(name, content), **fields}, follow=True)


def run_of(client, pack, **changes):
    return stored(pack, client.user, **changes)


def test_a_visitor_reads_what_is_needed_and_is_led_to_sign_in(visitor, pack):
    page = words(visitor.get("/submit/"))
    assert f"{reverse('account_login')}?next=/submit/" in page
    assert "What the file looks like" in page
    assert 'type="file"' not in page
    assert post(visitor, good_file(pack)).redirect_chain[0][0].startswith(reverse("account_login"))
    assert not Run.objects.exists()


@pytest.mark.requirement("M4")
def test_a_wrong_file_is_answered_at_once_by_line_and_item(submitter, pack):
    page = post(submitter, json_lines(header(pack), *rows_for(pack)[:3], {"item": "small3", "answer": "=maybe()"}))
    assert page.redirect_chain[0][0].startswith("/submit/reports/")
    assert "1 problem in the file" in words(page)
    assert "<code>small3</code>" in words(page)
    assert not Model.objects.exists()


def test_every_problem_is_in_the_table_and_formulas_are_defused(submitter, pack):
    rows = [{"item": f"=id{number}", "answer": "yes"} for number in range(150)]
    page = post(submitter, json_lines(header(pack), *rows, *rows_for(pack)))
    assert "The first 100 are shown" in words(page)
    table = submitter.get(page.redirect_chain[0][0] + "problems.csv").getvalue().decode()
    lines = list(csv.DictReader(io.StringIO(table)))
    assert len(lines) == 150
    assert (lines[0]["line"], lines[0]["item"], lines[0]["code"]) == ("2", "'=id0", "unknown-item")


def test_what_a_file_says_is_shown_escaped(submitter, pack):
    content = json_lines(header(pack) | {"pack": "<script>alert(1)</script>"}, *rows_for(pack))
    page = post(submitter, content, "<b>.jsonl")
    assert "<script>alert" not in words(page)
    assert "&lt;script&gt;alert" in words(page)


def test_wrong_fields_are_named(submitter, pack):
    for fields, sentence in (
        ({}, "This field is required."),
        ({"strategy": "hypnosis"}, "Select a valid choice"),
        ({"model": "m" * 200}, "at most 120 characters"),
        ({"model": "a\x00b"}, "Null characters are not allowed"),
    ):
        assert sentence in words(submitter.post("/submit/", fields))


def test_reports_and_submissions_are_their_senders_alone(submitter, pack):
    report = post(submitter, b"<html>").redirect_chain[0][0]
    run = run_of(submitter, pack)
    other = Client()
    other.force_login(User.objects.create_user("bea"))
    for address in (report, f"{report}problems.csv", f"/submit/{run.pk}/", f"/submit/{run.pk}/delete/"):
        assert submitter.get(address).status_code == 200
        assert other.get(address).status_code == 404
        assert Client().get(address).status_code == 302
    for act in ("propose", "withdraw", "decide", "delete"):
        assert other.post(f"/submit/{run.pk}/{act}/").status_code == 404
    assert submitter.post(f"/submit/{run.pk}/decide/", {"decision": "list"}).status_code == 404


def test_what_is_not_there_is_not_found(submitter):
    reports = (f"reports/{key}" for key in ("0" * 32, "..", "a-b", "%00"))
    for path in (*reports, "0", "9" * 30):
        assert submitter.get(f"/submit/{path}/").status_code == 404


def test_the_way_onto_the_board_by_buttons(submitter, pack, django_user_model):
    page = post(submitter, good_file(pack))
    run = Run.objects.get()
    assert page.redirect_chain == [(f"/submit/{run.pk}/", 302)]
    assert all(shown in words(page) for shown in ("50.0 %", "Submit to the board", reverse("run", args=[run.pk])))
    assert "waiting for staff" in words(submitter.post(f"/submit/{run.pk}/propose/", follow=True))
    staff = Client()
    staff.force_login(django_user_model.objects.create_superuser("staff"))
    assert "say why" in words(staff.post(f"/submit/{run.pk}/decide/", {"decision": "decline"}, follow=True))
    staff.post(f"/submit/{run.pk}/decide/", {"decision": "decline", "reason": "Name the model in full."})
    assert "Name the model in full." in words(submitter.get(f"/submit/{run.pk}/"))
    assert "on the board" in words(staff.post(f"/submit/{run.pk}/decide/", {"decision": "list"}, follow=True))
    assert "private" in words(submitter.post(f"/submit/{run.pk}/withdraw/", follow=True))


def test_deleting_says_what_goes_and_asks(submitter, pack):
    address = f"/submit/{run_of(submitter, pack).pk}/delete/"
    assert "4 answers of A model to GRASP: A small pack go for good" in words(submitter.get(address))
    assert Run.objects.exists()
    assert "is deleted" in words(submitter.post(address, follow=True))
    assert not Model.objects.exists()


def test_the_empty_file_names_every_item_that_must_be_answered(visitor, pack, user):
    lines = visitor.get("/submit/empty/", {"pack": "grasp/small", "strategy": "binary", "split": "all"})
    content = lines.getvalue().replace(b"name-of-the-model", b"mine").replace(b'"reply": ""', b'"answer": "no"')
    assert submit(file=upload(content), user=user).cells.count() == 4


def test_an_empty_file_that_can_not_be_is_one_sentence(visitor, pack):
    for query, status in (
        ({}, 400),
        ({"pack": "grasp/none", "strategy": "binary", "split": "all"}, 400),
        ({"pack": "grasp/small", "strategy": "plausibility", "split": "all"}, 404),
    ):
        page = visitor.get("/submit/empty/", query)
        assert (page.status_code, page["Content-Type"]) == (status, "text/html; charset=utf-8")
        assert all(shown in page.content.decode() for shown in ('class="errorlist', "Download a template"))


def test_the_page_takes_the_same_queries_however_many_submissions(submitter, pack, django_assert_max_num_queries):
    taken = set()
    for numbers in (range(2), range(2, 8)):
        for number in numbers:
            run_of(submitter, pack, model=f"Model {number}")
        with django_assert_max_num_queries(12) as queries:  # PostgreSQL is asked what time it is
            submitter.get("/submit/")
        taken.add(len(queries))
    assert len(taken) == 1


def test_a_broken_request_is_a_refusal_and_no_crash(submitter):
    part = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n'
    for address, body in product(("/submit/", "/api/v1/submissions/"), (b"", b"--x", part)):
        answer = submitter.post(address, body, content_type="multipart/form-data; boundary=x")
        assert answer.status_code in (200, 400)
    assert not Run.objects.exists()
