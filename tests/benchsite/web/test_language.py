"""A page is in one language: the reader's if all of it is translated, else English."""

import pytest

from tests.factories import make_trial

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "address", ["/leaderboard/grasp/sound/", "/about/statistics/", "/trials/of-nobody/", "/missing/"]
)
@pytest.mark.parametrize("language", ["de", "ar"])
def test_a_page_that_is_not_translated_whole_is_english_for_every_browser(visitor, address, language):
    foreign = visitor.get(address, headers={"Accept-Language": language})
    assert '<html lang="en" dir="ltr">' in foreign.content.decode()
    assert foreign["Content-Language"] == "en"
    assert "Accept-Language" not in foreign.get("Vary", "")


@pytest.mark.parametrize("address", ["/submit/", "/account/", "/admin/", "/admin/benchmarks/clip/"])
def test_so_are_the_pages_of_submitters_and_staff(staff, address):
    page = staff.get(address, headers={"Accept-Language": "de"})
    assert '<html lang="en' in page.content.decode()
    assert page["Content-Language"] == "en"


def test_the_road_is_in_the_language_of_the_browser(visitor):
    trial = make_trial(state="open")
    page = visitor.get(f"/t/{trial.slug}/?participant=x", headers={"Accept-Language": "ar"}, follow=True)
    assert '<html lang="ar" dir="rtl">' in page.content.decode()
