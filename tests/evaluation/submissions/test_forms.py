"""The upload form: its choices, the fields of a table, and the field of each error."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import User
from benchmarks.definitions.registry import BENCHMARKS
from evaluation.submissions.listing import lifecycle
from evaluation.submissions.store.submit import submit
from tests.evaluation.submissions.uploads import good_file, header, items_of, small_pack, upload
from tests.factories import make_pack

pytestmark = pytest.mark.django_db


@pytest.fixture
def pack():
    return small_pack()


def words(page):
    return " ".join(page.content.decode().split())


def fields_for(pack, **changes):
    fields = header(pack, **changes)
    return fields | {"pack": f"{fields.pop('benchmark')}/{pack.name}"}


def table(pack, answer="yes"):
    rows = "".join(f"{one.public_id},{answer}\n" for one in items_of(pack))
    return SimpleUploadedFile("a.csv", f"item,answer\n{rows}".encode())


def test_a_table_without_its_fields_is_told_where_they_go(submitter, pack):
    page = submitter.post("/submit/", {"file": table(pack)}, follow=True)
    assert "for a table (CSV), in the fields beside the file" in words(page)


def test_the_way_back_from_a_report_keeps_the_fields_of_the_table(submitter, pack):
    page = submitter.post("/submit/", {"file": table(pack, "maybe")} | fields_for(pack, model="A & B"), follow=True)
    assert "strategy=binary" in page.redirect_chain[0][0]
    back = "/submit/?pack=grasp%2Fsmall&amp;model=A+%26+B&amp;strategy=binary&amp;condition=video&amp;split=all"
    assert f'href="{back}"' in page.content.decode()
    form = submitter.get(back.replace("&amp;", "&")).content.decode()
    assert 'name="model" value="A &amp; B"' in form
    assert '<option value="binary" selected>' in form
    assert "<details open>" in form


def test_a_way_to_ask_stands_below_its_benchmark(submitter, pack):
    page = words(submitter.get("/submit/"))
    assert '<optgroup label="GRASP"> <option value="binary">' in page
    assert '<optgroup label="Tapped"> <option value="pair">' in page


def test_the_template_is_preset_for_the_clips_that_come_first(visitor, pack):
    make_pack(benchmark="craft")
    page = words(visitor.get("/submit/"))
    first = next(one for one in ("craft", "grasp") if f'value="{one}/' in page)
    assert (first, page.count('" selected>')) == ("craft", 2)
    assert f'<option value="{BENCHMARKS["craft"].strategies[0].name}" selected>' in page


def test_what_no_empty_file_can_be_is_said_on_the_page(visitor, pack):
    page = visitor.get("/submit/empty/", {"pack": "grasp/small", "strategy": "craft", "split": "all"})
    assert page.status_code == 404
    assert "the header&#x27;s `strategy` is &#x27;craft&#x27;; there are: binary" in words(page)
    assert "Download a template" in words(page)


def test_a_spent_quota_is_no_fault_of_the_models_name(submitter, pack, settings):
    settings.SUBMISSIONS_A_DAY = 0
    page = submitter.post("/submit/", {"file": table(pack)} | fields_for(pack))
    assert "file" in page.context["form"].errors
    settings.SUBMISSIONS_A_DAY = 20
    submit(file=upload(good_file(pack)), user=User.objects.create_user("bea"))
    page = submitter.post("/submit/", {"file": table(pack)} | fields_for(pack))
    assert "taken by somebody else" in str(page.context["form"].errors["model"])


def test_taking_back_says_what_leaves_the_board_and_asks(submitter, pack):
    run = submit(file=upload(good_file(pack)), user=submitter.user)
    lifecycle.list_run(run=lifecycle.propose(run=run, by=submitter.user), by=submitter.user)
    page = words(submitter.get(f"/submit/{run.pk}/withdraw/"))
    assert "The row of A model leaves the board of GRASP: A small pack." in page
    run.refresh_from_db()
    assert run.listing == "listed"
    submitter.post(f"/submit/{run.pk}/withdraw/")
    run.refresh_from_db()
    assert run.listing == "private"


def test_a_listed_submission_leads_to_the_view_of_the_board_that_has_its_row(submitter, pack):
    run = submit(file=upload(good_file(pack)), user=submitter.user)
    lifecycle.list_run(run=lifecycle.propose(run=run, by=submitter.user), by=submitter.user)
    page = words(submitter.get(f"/submit/{run.pk}/"))
    assert 'href="/leaderboard/grasp/?pack=small&amp;strategy=binary&amp;condition=video&amp;split=all"' in page
