"""Cached bodies of boards: identical bytes, rendered again when a figure changed; and what is being computed."""

import pytest
from django.db import OperationalError

from evaluation.models import Model
from leaderboard.board.cache import forget_versions, recent_version, version_of
from leaderboard.board.page_parts import REGISTERED, PageParts, register
from leaderboard.board.work_in_progress import work_in_progress
from leaderboard.models import Standing
from leaderboard.standings.refresh import refresh
from tests.factories import make_answer, make_item, make_model, make_pack, make_run
from tests.leaderboard.conftest import answer_all

pytestmark = pytest.mark.django_db
BOARD = "/leaderboard/grasp/"


def test_a_database_that_is_away_is_told_as_such(client, board, monkeypatch):
    def away(slug):
        raise OperationalError("database is locked")

    for module in ("board.cache", "pages.boards"):
        monkeypatch.setattr(f"leaderboard.{module}.version_of", away)
    assert client.get(BOARD).status_code == 503


def change_a_name():
    Model.objects.filter(name="Right").update(name="Righteous")
    Standing.objects.first().save()  # a new time, as after a change of answers


def test_a_kept_board_is_nobodys_own_and_asks_for_its_version_alone(
    client, board, django_assert_max_num_queries, django_user_model
):
    fresh = client.get(BOARD).content
    with django_assert_max_num_queries(2):
        assert client.get(BOARD).content == fresh
    # what stands within a search is no other parameter
    searched = client.get(BOARD, {"search": "right&sort=-overall"})
    assert searched.content != client.get(BOARD, {"search": "right", "sort": "-overall"}).content
    # a kept page is nobodys own
    client.get(BOARD)
    client.force_login(django_user_model.objects.create_user("adalbertina"))
    own = client.get(BOARD)
    assert "adalbertina" in own.content.decode()
    client.logout()
    assert "adalbertina" not in client.get(BOARD).content.decode()
    assert 'lang="en"' in client.get(BOARD, headers={"accept-language": "de"}).content.decode()


def test_a_kept_board_shows_what_changed_at_once(client, board, pack):
    client.get(BOARD)
    change_a_name()
    assert b"Righteous" in client.get(BOARD).content
    # the process that made a row shows it at once
    assert b"Newcomer" not in client.get(BOARD).content
    answer_all(make_run(pack, model=make_model(name="Newcomer", slug="new")), lambda item: "no")
    refresh()
    assert b"Newcomer" in client.get(BOARD).content
    # a new name is on the board at once
    client.get(BOARD)
    model = Model.objects.filter(runs__standings__isnull=False).first()
    model.name = "Renamed here"
    model.save()
    assert "Renamed here" in client.get(BOARD).content.decode()
    assert set(Standing.objects.filter(run__model=model).values_list("name", flat=True)) == {"Renamed here"}
    before = version_of("grasp")
    pack.title = "Renamed, too"
    pack.save()
    assert version_of("grasp") != before


def test_a_version_is_asked_again_after_a_fifth_of_a_second(board, monkeypatch):
    now = 100.0
    monkeypatch.setattr("leaderboard.board.cache.GLANCE", 0.2)
    monkeypatch.setattr("leaderboard.board.cache.time.monotonic", lambda: now)
    before = recent_version("grasp")
    Standing.objects.first().save()
    now = 100.19
    assert recent_version("grasp") == before
    now = 100.2
    assert recent_version("grasp") == version_of("grasp") != before
    # who refreshes the boards sees them at once
    Standing.objects.first().save()
    refresh()
    assert recent_version("grasp") == version_of("grasp")
    forget_versions()


def test_one_asks_for_all_who_come_meanwhile(board, monkeypatch):
    now, asked = 200.0, []
    monkeypatch.setattr("leaderboard.board.cache.GLANCE", 0.2)
    monkeypatch.setattr("leaderboard.board.cache.time.monotonic", lambda: now)

    def slow(slug):
        asked.append(slug)
        return "first" if len(asked) == 1 else f"then, while another got {recent_version(slug)}"

    monkeypatch.setattr("leaderboard.board.cache.version_of", slow)
    assert recent_version("grasp") == "first"
    now = 200.3
    assert recent_version("grasp") == "then, while another got first"
    assert recent_version("grasp") == "then, while another got first"
    assert len(asked) == 2
    forget_versions()


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
    refresh()
    visitor.get("/leaderboard/grasp/")
    Standing.objects.all().delete()
    page = visitor.get("/leaderboard/grasp/", headers={"cache-control": "no-cache"}).content.decode()
    assert SENTENCE in page
    assert 'id="computing-grasp"' in page


def test_the_work_of_an_extension_is_noticed(db):
    before = version_of("craft")
    parts = PageParts(in_progress=lambda: {"craft": ["<p>at work</p>"]}, version=lambda: "7")
    register(parts)
    try:
        assert work_in_progress()["craft"].notices == ("<p>at work</p>",)
        assert version_of("craft") == f"{before}|7"
    finally:
        REGISTERED.remove(parts)
