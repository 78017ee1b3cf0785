"""A submission to items with unknown answers is scored automatically once the answers are loaded."""

import re

import pytest
from django.test import Client

from benchmarks.definitions.registry import find_benchmark
from benchmarks.models import Item
from benchmarks.packs.withheld_answers import import_answers
from evaluation.models import Run
from tests.evaluation.submissions.uploads import items_of, proposed, words
from tests.factories import answer_to, set_expected

pytestmark = pytest.mark.django_db


def without_token(page):
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page)


def answers(items, tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("item,answer\n" + "".join(f"{item.public_id},{answer_to(item)}\n" for item in items))
    return path


@pytest.mark.parametrize("withheld", [4, 1])
def test_its_sender_never_sees_how_withheld_answers_scored_and_staff_do_once_they_are_loaded(
    pack, user, staff, tmp_path, withheld
):
    submitter = Client()
    submitter.force_login(user)
    path = answers(items_of(pack)[:withheld], tmp_path)
    set_expected(Item.objects.filter(pk__in=[item.pk for item in items_of(pack)[:withheld]]), None)
    run = proposed(pack, user)
    page, inbox = words(submitter.get(f"/submit/{run.pk}/")), words(staff.get("/submit/inbox/"))
    before, none = page, "none: the answers to these items are not public"
    assert (none in page, "not scored yet" in inbox) == ((True, True) if withheld == 4 else (False, False))
    assert "answers, to public and to withheld items" not in page

    import_answers(find_benchmark("grasp"), path)
    page, inbox = words(submitter.get(f"/submit/{run.pk}/")), words(staff.get("/submit/inbox/"))
    assert without_token(page) == without_token(before)
    assert "not scored yet" not in inbox
    whole = words(staff.get(f"/submit/{run.pk}/"))
    assert "50.0 % <span" in whole
    assert "mean over 4 answers, to public and to withheld items; staff alone see it" in whole
    assert Run.objects.get(pk=run.pk).card["lint"]["scored"] == 4 - withheld
