"""A submission to items whose answers are withheld: not scored yet, and scored by itself once they are loaded."""

import pytest
from django.test import Client

from accounts.models import User
from benchmarks.answers import import_answers
from benchmarks.models import Item
from benchmarks.registry import find_benchmark
from evaluation.models import Run
from evaluation.submissions import listing, submit
from tests.submissions.uploads import good_file, items_of, small_pack, upload

pytestmark = [pytest.mark.django_db, pytest.mark.issue("G")]


def words(page):
    return " ".join(page.content.decode().split())


def answers(items, tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("item,answer\n" + "".join(f"{item.public_id},{item.expected}\n" for item in items))
    return path


@pytest.mark.parametrize("withheld", [4, 1])
def test_a_submission_is_scored_on_its_page_once_the_answers_are_loaded(staff, tmp_path, withheld):
    submitter, ada = Client(), User.objects.create_user("ada")
    submitter.force_login(ada)
    pack = small_pack()
    path = answers(items_of(pack)[:withheld], tmp_path)
    Item.objects.filter(pk__in=[item.pk for item in items_of(pack)[:withheld]]).update(expected=None)
    run = listing.propose(run=submit(file=upload(good_file(pack)), user=ada), by=ada)
    page, inbox = words(submitter.get(f"/submit/{run.pk}/")), words(staff.get("/submit/inbox/"))
    assert ("not scored yet" in page, "not scored yet" in inbox) == ((True, True) if withheld == 4 else (False, False))
    assert "answers, to public and to withheld items" not in page

    import_answers(find_benchmark("grasp"), path)
    page, inbox = words(submitter.get(f"/submit/{run.pk}/")), words(staff.get("/submit/inbox/"))
    assert "not scored yet" not in page + inbox
    assert "50.0 % <span" in page
    assert "mean over 4 answers, to public and to withheld items" in page
    assert Run.objects.get(pk=run.pk).card["lint"]["scored"] == 4 - withheld
