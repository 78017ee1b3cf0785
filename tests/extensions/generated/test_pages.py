"""Boards of generators and pages of judges, as readers see them."""

import pytest

from extensions.generated.judging.import_scores import import_scores
from extensions.generated.models import PromptPack
from tests.markup import text_of

pytestmark = pytest.mark.django_db
BOARD = "/leaderboard/generated/phyground/"


@pytest.fixture
def shown(phyground, client):
    """Opens a page of a site with PhyGround's scores; its text without markup."""
    import_scores(phyground)

    def open_page(address):
        response = client.get(address)
        assert response.status_code == 200
        return text_of(response)

    return open_page


def test_board_answers_first_and_bars_judges(shown):
    text = shown(BOARD)
    assert "Veo-3.1 and Wan2.2-27B-A14B have the highest mean by people, 3.28; no judge may rank." in text
    assert text.count("may not rank") == 4
    assert "2.80–3.03 – 2 unread" in text


def test_list_of_boards_leads_to_it(shown, client):
    tab = '<a href="/leaderboard/generated/"'
    assert tab in client.get("/leaderboard/").content.decode()
    text = shown("/leaderboard/generated/")
    assert "By benchmark By concept Generated clips" in text
    assert "PhyGround" in text
    PromptPack.objects.all().delete()
    assert tab not in client.get("/leaderboard/").content.decode()


def test_column_of_one_dimension(shown):
    assert "Fluid laws: mean of ratings" in shown(f"{BOARD}?dimension=Fluid")


def test_judge_is_told_with_its_failed_checks(shown):
    text = shown(f"{BOARD}judges/phyjudge/")
    assert "May not rank generators It fails: asked twice, bias per generator, order of generators; not known:" in text
    assert ".62 (.08 to 1.00), 8 rows" in text
    assert "−0.36 and +0.22" in text
    assert "Laws 0.07 0.06 43 % 7,006" in text


def test_judge_of_one_generator_has_no_order(shown):
    assert "Order of generators Kendall’s τ with people, rows drawn anew not known" in shown(f"{BOARD}judges/claude/")


def test_lists_of_prompt_packs(shown, client):
    assert "PhyGround 250 0 4 8 0 CC BY 4.0" in shown("/leaderboard/generated/")
    PromptPack.objects.all().delete()
    assert "No prompts yet." in client.get("/leaderboard/generated/").content.decode()


@pytest.mark.parametrize("address", ["/leaderboard/generated/other/", f"{BOARD}judges/other/", f"{BOARD}?dimension=x"])
def test_what_is_not_there_is_no_page(phyground, client, address):
    import_scores(phyground)
    assert client.get(address).status_code == 404


def test_pack_without_scores_has_an_empty_board(client):
    PromptPack.objects.create(slug="new", title="New", preset="phyground")
    assert "No people rated these clips yet." in client.get("/leaderboard/generated/new/").content.decode()
