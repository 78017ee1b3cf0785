"""The upload form: its choices, the fields of a table, and the field of each error."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import User
from benchmarks.definitions.registry import BENCHMARKS
from evaluation.submissions.listing import lifecycle
from tests.evaluation.submissions.uploads import header, items_of, proposed, stored, words
from tests.factories import make_pack

pytestmark = pytest.mark.django_db


def fields_for(pack, **changes):
    fields = header(pack, **changes)
    return fields | {"pack": f"{fields.pop('benchmark')}/{pack.name}"}


def table(pack, answer="yes"):
    rows = "".join(f"{one.public_id},{answer}\n" for one in items_of(pack))
    return SimpleUploadedFile("a.csv", f"item,answer\n{rows}".encode())


def test_a_table_has_its_fields_beside_it_and_the_way_back_from_a_report_keeps_them(submitter, pack):
    bare = words(submitter.post("/submit/", {"file": table(pack)}, follow=True))
    assert "for a table (CSV), in the fields beside the file" in bare
    page = submitter.post("/submit/", {"file": table(pack, "maybe")} | fields_for(pack, model="A & B"), follow=True)
    assert "strategy=binary" in page.redirect_chain[0][0]
    back = "/submit/?pack=grasp%2Fsmall&amp;model=A+%26+B&amp;strategy=binary&amp;condition=video&amp;split=all"
    assert f'href="{back}"' in page.content.decode()
    form = submitter.get(back.replace("&amp;", "&")).content.decode()
    for kept in ('name="model" value="A &amp; B"', '<option value="binary" selected>', '<details class="fold" open>'):
        assert kept in form


def test_strategies_stand_below_their_benchmark_and_the_template_is_preset_for_the_clips_that_come_first(visitor, pack):
    make_pack(benchmark="craft")
    page = words(visitor.get("/submit/"))
    first = next(one for one in ("craft", "grasp") if f'value="{one}/' in page)
    assert (first, page.count('" selected>')) == ("craft", 2)
    assert f'<option value="{BENCHMARKS["craft"].strategies[0].name}" selected>' in page
    assert '<optgroup label="GRASP"> <option value="binary">' in page
    assert '<optgroup label="Tapped"> <option value="pair">' in page


def test_a_spent_quota_is_no_fault_of_the_models_name(submitter, pack, settings):
    settings.SUBMISSIONS_A_DAY = 0
    page = submitter.post("/submit/", {"file": table(pack)} | fields_for(pack))
    assert "file" in page.context["form"].errors
    settings.SUBMISSIONS_A_DAY = 20
    stored(pack, User.objects.create_user("bea"))
    page = submitter.post("/submit/", {"file": table(pack)} | fields_for(pack))
    assert "taken by somebody else" in str(page.context["form"].errors["model"])


def test_a_listed_submission_leads_to_its_row_and_taking_it_back_says_what_leaves_the_board_and_asks(submitter, pack):
    run = lifecycle.list_run(run=proposed(pack, submitter.user), by=submitter.user)
    page = words(submitter.get(f"/submit/{run.pk}/"))
    assert 'href="/leaderboard/grasp/?pack=small&amp;strategy=binary&amp;condition=video&amp;split=all"' in page
    page = words(submitter.get(f"/submit/{run.pk}/withdraw/"))
    assert "The row of <bdi>A model</bdi> leaves the board of GRASP: A small pack." in page
    run.refresh_from_db()
    assert run.listing == "listed"
    submitter.post(f"/submit/{run.pk}/withdraw/")
    run.refresh_from_db()
    assert run.listing == "private"
