"""What is being made for each benchmark, as pages say it: here figures that an upgrade computes anew."""

import pytest

from leaderboard.board.work_in_progress import work_in_progress
from leaderboard.models import Standing
from leaderboard.standings.refresh import refresh
from tests.factories import make_answer, make_item, make_pack, make_run

pytestmark = pytest.mark.django_db
SENTENCE = "The figures of models and people are being computed"


@pytest.fixture
def answered():
    pack = make_pack()
    run = make_run(pack)
    make_answer(run, make_item(pack), "yes")
    return run


def test_pages_say_that_figures_are_being_computed_until_they_are(visitor, answered):
    assert work_in_progress()["grasp"].computes_figures
    assert not work_in_progress()["craft"]
    assert all(SENTENCE in visitor.get(address).content.decode() for address in ("/", "/leaderboard/grasp/"))
    refresh()
    assert not work_in_progress()["grasp"]
    assert not any(SENTENCE in visitor.get(address).content.decode() for address in ("/", "/leaderboard/grasp/"))


def test_an_upgrade_that_drops_all_rows_says_so_at_once(visitor, answered):
    refresh()
    visitor.get("/leaderboard/grasp/")
    Standing.objects.all().delete()
    page = visitor.get("/leaderboard/grasp/", headers={"cache-control": "no-cache"}).content.decode()
    assert SENTENCE in page
    assert 'id="computing-grasp"' in page
