"""A listed upload is a row of its board; a withdrawn one leaves it."""

import pytest

from accounts.models import User
from evaluation.submissions.listing.lifecycle import list_run, propose, withdraw
from evaluation.submissions.store.submit import submit
from leaderboard.models import Standing
from leaderboard.standings.refresh import refresh
from tests.evaluation.submissions.uploads import good_file, small_pack, upload

pytestmark = pytest.mark.django_db


def test_a_listed_upload_is_a_row_and_leaves_when_taken_back():
    user = User.objects.create_user("ada")
    run = submit(file=upload(good_file(small_pack())), user=user)
    for act, rows in ((propose, []), (list_run, [("A model", "uploaded", 0.5)]), (withdraw, [])):
        act(run=run, by=user)
        refresh()
        standings = Standing.objects.filter(split="all")
        assert [(row.name, row.kind, row.overall["score"]) for row in standings] == rows
