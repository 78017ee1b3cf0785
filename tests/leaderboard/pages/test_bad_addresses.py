"""An unknown choice in any URL gives a 404 that lists the known ones and links back."""

import re

import pytest

from benchmarks.definitions.registry import BENCHMARKS
from evaluation.models import Model
from leaderboard.standings.refresh import refresh

pytestmark = pytest.mark.django_db
BOARD = "/leaderboard/grasp/"
CHOICES = ("level", "strategy", "condition", "pack", "split", "group", "columns", "caution", "rows", "sort", "format")
NO_PAGE = ("0", "-1", "x", "1e3", "%00", "%C2%B2", "9" * 30)


def refused(visitor, address):
    page = visitor.get(address)
    text = page.content.decode()
    assert page.status_code == 404, address
    assert re.search(r'class="button( main)?" href="/', text), f"{address} leads nowhere"
    return text


@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("value", ["magic", "%F0%9F%8E%B2%00", "x" * 3000], ids=["word", "odd", "long"])
def test_an_unknown_choice_of_a_board_names_the_known_ones(visitor, board, name, value):
    assert "there is: " in refused(visitor, f"{BOARD}?{name}={value}")


@pytest.mark.parametrize("value", NO_PAGE)
def test_a_page_that_is_none(visitor, board, value):
    item = board[0].pack.items.first().get_absolute_url()
    for address in (f"{BOARD}?", f"{BOARD}items/?row=run-{board[0].pk}&", f"{item}?"):
        assert "page=" in refused(visitor, f"{address}page={value}")


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("", "needs a row of the board"),
        ("row=nobody", "is not on the board of GRASP"),
        ("row=trial-x", "is not on the board of GRASP"),
        ("row=run-99999999", "is not on the board of GRASP"),
        ("row=run-%00", "is not on the board of GRASP"),
        ("row=run-99999999999999999999", "is not on the board of GRASP"),
        ("row=RUN&level=9", "there is: 1, 2"),
        ("row=RUN&test=Taste", "there is: Shape"),
        ("row=RUN&show=magic", "there is: all, wrong"),
    ],
)
def test_an_unknown_list_of_items(visitor, board, query, told):
    assert told in refused(visitor, f"{BOARD}items/?{query.replace('RUN', f'run-{board[0].pk}')}")


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("charts/profile/?level=9", "there is: "),
        ("charts/profile/?format=exe", "there is: "),
        ("tables/grasp-table-1/?format=exe", "there is: "),
        ("?page=77", "page(s)"),
    ],
)
def test_charts_tables_and_pages(visitor, board, page, told):
    assert told in refused(visitor, BOARD + page)


def test_files_unanswered_conditions_and_unknown_items(visitor, board, pack):
    answer = visitor.get(f"{BOARD}?format=json&sort=q")
    assert (answer.status_code, "there is: overall" in answer.json()["detail"]) == (404, True)
    # an unknown item is named
    answer = visitor.get("/benchmarks/grasp/items/nothing/?page=2")
    assert 'href="/benchmarks/grasp/items/nothing/"' not in answer.content.decode()
    assert (answer.status_code, "GRASP has no item" in answer.content.decode()) == (404, True)
    # a private upload is not told apart from what never was
    Model.objects.create(slug="secret", name="Secret", kind="uploaded")
    pages = [visitor.get(f"/models/{slug}/").content for slug in ("secret", "never-was")]
    assert pages[0] == pages[1]
    # what is known but not answered yet is an empty board
    refresh()
    assert visitor.get(f"{BOARD}?condition=shuffled-frames").status_code == 200


GALLERY = "/benchmarks/grasp/items/"


@pytest.mark.parametrize("address", [GALLERY, "/models/", "/models/MODEL/", "/trials/", "/snapshots/"])
def test_a_page_that_no_list_has(visitor, board, address):
    address = address.replace("MODEL", board[0].model.slug)
    assert visitor.get(address).status_code == 200
    for value in (*NO_PAGE, "99"):
        told = refused(visitor, f"{address}?page={value}")
        assert "page=" in told, value
        assert f'class="button main" href="{address}"' in told, value


@pytest.mark.parametrize("name", ["pack", "level", "test", "concept", "split", "kind"])
@pytest.mark.parametrize("value", ["magic", "%00", "x" * 3000], ids=["word", "odd", "long"])
def test_an_unknown_choice_of_the_gallery_names_the_known_ones(visitor, board, name, value):
    told = refused(visitor, f"{GALLERY}?{name}={value}")
    assert "there is: " in told
    assert f'class="button main" href="{GALLERY}"' in told


def test_an_unknown_benchmark_names_the_known_ones(visitor, db):
    pages = ("leaderboard/nope/", "leaderboard/nope/figure-3/", "benchmarks/nope/", "benchmarks/nope/items/")
    for address in (*pages, "benchmarks/nope/items/xx/"):
        answer = visitor.get(f"/{address}")
        assert answer.status_code == 404, address
        for known in ("nope", *BENCHMARKS, "/leaderboard/"):
            assert known in answer.content.decode(), address
